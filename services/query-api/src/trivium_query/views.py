"""From domain values to what the API says of them: fields of the same name are the same."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict

from trivium import api
from trivium.domain import answers, chunks, crawl, documents, retrieval, topics
from trivium.domain.connections import Connected
from trivium.domain.graph_schema import Compliance
from trivium.domain.places import view_link
from trivium.domain.waiting import waits_for
from trivium_query.handlers.datasets import DatasetPage
from trivium_query.handlers.graph import EntityPicture, Neighbour
from trivium_query.handlers.links import Links
from trivium_query.handlers.topics import TopicListing, TopicPicture

T = TypeVar("T", bound=api.Output)

LISTED_MEMBERS = 6
_OF_A_LOOK = ("run", "started_at", "ended_at", "stored", "deleted", "failed", "error")


def to_api(kind: type[T], value: Any, **more: Any) -> T:
    """`value` as a `kind`; `more` are fields that it has not, or has under another name."""
    return msgspec.convert({**asdict(value), **more} if more else value, kind, from_attributes=True)


def source(document: documents.Document) -> api.Source:
    """A registry record, without what is only the registry's business."""
    return to_api(
        api.Source,
        document,
        name=document.source,
        progress=document.progress,
        reason=document.failure,
        uploaded_at=document.uploaded,
        waits_for=waits_for(document, time.time()),
    )


def datasets(page: DatasetPage) -> api.DatasetPage:
    """One page of a listing."""
    return api.DatasetPage(tuple(to_api(api.DatasetTotals, each) for each in page.datasets), page.cursor)


def connection(found: Connected) -> api.Connection:
    """A connection with its state."""
    return to_api(
        api.Connection,
        found.connection,
        **{name: getattr(found.state, name) for name in _OF_A_LOOK},
        activity=found.activity,
        next_at=found.next_at or None,
    )


def links(found: Links) -> api.SourceLinks:
    """A document's neighbours on the web."""
    return api.SourceLinks(_linked(found.links_to), _linked(found.linked_from))


def _linked(found: Iterable[documents.Document]) -> tuple[api.LinkedSource, ...]:
    return tuple(api.LinkedSource(document.id, document.source, document.title) for document in found)


def visited(visit: crawl.Visit) -> api.Visited:
    """What became of a page."""
    return to_api(api.Visited, visit, source=source(visit.document) if visit.document else None)


def event(happened: answers.AnswerEvent) -> tuple[str, api.AnswerEvent]:
    """The name and the data of one event of an answer's stream."""
    match happened:
        case answers.Cited():
            value: Any = happened.citation
        case answers.Finished():
            value = happened.answer
        case _:
            value = happened
    name = str(type(happened).__struct_config__.tag)
    return name, to_api(api.ANSWER_EVENTS[name], value)


def found(query: str, mode: retrieval.Mode, result: retrieval.SearchResult) -> api.SearchResponse:
    """A search's answer."""
    return to_api(api.SearchResponse, result, query=query, mode=mode)


def picture(seen: EntityPicture) -> api.EntityPicture:
    """An entity with its surroundings; evidence whose chunk is gone meanwhile is left out."""
    known = seen.chunks
    return api.EntityPicture(
        entity=to_api(api.Entity, seen.entity),
        neighbours=tuple(map(_neighbour, seen.neighbours)),
        mentions=tuple(
            to_api(api.Mention, m, place=place(known[m.chunk_id]), sentence=_sentence(known[m.chunk_id], m.sentence))
            for m in seen.mentions
            if m.chunk_id in known
        ),
        relations=tuple(
            to_api(
                api.Relation,
                r,
                place=place(known[r.chunk_id]),
                compliance=seen.compliance.get(r, Compliance.UNCHECKED),
            )
            for r in seen.relations
            if r.chunk_id in known
        ),
        edits=seen.edits,
        evidenced_by=seen.evidenced_by,
        cursor=seen.cursor,
    )


def topic(known: topics.Topic) -> api.Topic:
    """A topic as listings have it."""
    return to_api(api.Topic, known, members=tuple(to_api(api.TopicMember, m) for m in known.members[:LISTED_MEMBERS]))


def topic_page(listed: TopicListing) -> api.TopicPage:
    """One page of a level."""
    made = listed.current.topics
    return api.TopicPage(
        topics=tuple(map(topic, listed.topics)),
        level=listed.level,
        levels=made.levels,
        left=made.left,
        made_at=made.made_at,
        stale=listed.current.stale,
        cursor=listed.cursor,
    )


def topic_picture(seen: TopicPicture) -> api.TopicPicture:
    """A topic with its surroundings and all members that are known."""
    return api.TopicPicture(
        topic=to_api(api.Topic, seen.topic),
        central=tuple(
            api.CentralPassage(place(chunk), quote, view_link(chunk.document_id, chunk.id, chunk.number, quote))
            for chunk, quote in seen.central
        ),
        children=tuple(map(topic, seen.children)),
        parent=topic(seen.parent) if seen.parent else None,
        made_at=seen.current.topics.made_at,
        stale=seen.current.stale,
    )


def _neighbour(near: Neighbour) -> api.Neighbour:
    entity = to_api(api.Entity, near.entity)
    return to_api(api.Neighbour, near.edge, entity=entity, relation=near.edge.type, outgoing=near.outgoing)


def place(passage: chunks.Chunk) -> api.Place:
    """Which chunk of which source."""
    return api.Place(passage.id, passage.document_id, passage.source, passage.number)


def _sentence(passage: chunks.Chunk, ordinal: int) -> str:
    return passage.sentence(ordinal) if ordinal < len(passage.sentences) else ""
