"""READ FIRST: how topics are made. One pass over the graph, then arithmetic, then the passages that topics are told by.

gather (published shares -> names that are tied) -> communities (levels) -> describe (central passages, telling names)
-> read (the central passages' words) -> name
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from trivium.batches import batches
from trivium.domain.chunks import Chunk
from trivium.domain.graph import Entity
from trivium.domain.ids import digest
from trivium.domain.parsed import UnitKind
from trivium.domain.topics import Topic, TopicMember, Topics
from trivium.ports.graph import GraphReader, GraphRow
from trivium.ports.keywords import KeywordReader
from trivium_query.topics.communities import NOWHERE, communities
from trivium_query.topics.name import name_of
from trivium_query.topics.telling import Described, describe
from trivium_query.topics.terms import best_terms, words_of
from trivium_query.topics.ties import Gathering, Ints, Places, Ties, renumbered
from trivium_query.words import content_words

PAGE = 500  # shares read at once
KEPT_CENTRAL = 8  # passages of a topic
MAX_DESCRIBED = 2000  # topics of a level; smaller ones are left
READ_TOGETHER = 50  # topics whose passages are read at once
KEYS_TOGETHER = 1000

ActiveVersions = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""document id -> the version that queries may see; documents without one are absent."""


class Sources(msgspec.Struct, frozen=True):
    """What topics are made from, of one tenant; `stamp` was asked for before."""

    graph: GraphReader
    keywords: KeywordReader
    active: ActiveVersions
    stamp: str = ""


class Gathered(msgspec.Struct, frozen=True):
    """The published graph in numbers: `keys` of names, `passages` (chunk ids), and the document of each passage."""

    keys: list[str]
    ties: Ties
    places: Places
    passages: list[str]
    documents: Ints
    published: dict[str, str]

    @property
    def spread(self) -> Ints:
        """(names,) the passages that each stands in."""
        return np.bincount(self.places.name, minlength=len(self.keys))


async def make_topics(sources: Sources, dataset: str = "") -> Topics:
    """The topics of everything that queries may see, or of one dataset. Raises `TryLater`."""
    started = time.monotonic()
    gathered = await gather(sources, dataset)
    levels = await asyncio.to_thread(communities, gathered.ties, len(gathered.keys))
    topics: list[Topic] = []
    parents: dict[int, str] = {}
    for number, level in enumerate(levels):
        found = await asyncio.to_thread(describe, level, gathered.places, gathered.documents, gathered.spread)
        ids = {
            place: digest("topic", dataset, str(number), gathered.keys[one.names[0]])
            for place, one in _largest(found)
            if one.passage_count and len(one.names)
        }
        above = levels[number - 1] if number else None
        chosen = [(ids[place], _parent(level, above, parents, place), found[place]) for place in ids]
        topics += await _told(sources, gathered, number, chosen)
        parents = ids
    left = int((levels[0] == NOWHERE).sum()) if levels else len(gathered.keys)
    took = round(time.monotonic() - started, 3)
    return Topics(sources.stamp, time.time(), gathered.published, tuple(topics), left, took)


async def gather(sources: Sources, dataset: str = "") -> Gathered:
    """One pass over the shares; those of versions that queries do not see are left out."""
    gathering, numbers, roots = Gathering(), dict[str, int](), dict[str, int]()
    strangers: set[str] = set()
    passages, documents, order = list[str](), list[int](), dict[str, int]()
    published: dict[str, str] = {}
    after, page = "", list[GraphRow]()
    while not after or len(page) == PAGE:
        page = await sources.graph.shares(after, PAGE, dataset)
        if not page:
            break
        after = page[-1].share.chunk_id
        unknown = sorted({row.document_id for row in page} - published.keys())
        active = await sources.active(unknown) if unknown else {}
        published |= {one: active.get(one, "") for one in unknown}
        seen = [row for row in page if row.version == (published[row.document_id] or None)]
        keys = {m.key for row in seen for m in row.share.mentions} - numbers.keys() - strangers
        named = await sources.graph.named(sorted(keys))
        for key in sorted(named):
            numbers[key] = roots.setdefault(named[key].key, len(roots))
        strangers |= keys - named.keys()
        for row in seen:
            gathering.add(row.share, numbers)
            passages.append(row.share.chunk_id)
            documents.append(order.setdefault(row.document_id, len(order)))
    spread = np.bincount(gathering.places().name, minlength=len(roots))
    ties, places, keys_in_order = await asyncio.to_thread(
        renumbered, gathering.ties(spread), gathering.places(), list(roots)
    )
    known = {one: published[one] for one in order}
    return Gathered(keys_in_order, ties, places, passages, np.array(documents, np.int64), known)


def _largest(found: Sequence[Described]) -> list[tuple[int, Described]]:
    order = sorted(range(len(found)), key=lambda one: (-found[one].passage_count, -found[one].name_count, one))
    return [(one, found[one]) for one in order[:MAX_DESCRIBED]]


def _parent(level: Ints, above: Ints | None, ids: Mapping[int, str], community: int) -> str:
    if above is None:
        return ""
    member = int(np.argmax(level == community))
    return ids.get(int(above[member]), "")


async def _told(
    sources: Sources, gathered: Gathered, level: int, chosen: Sequence[tuple[str, str, Described]]
) -> list[Topic]:
    """The communities as topics, a few at a time: their names and their central passages are read."""
    topics: list[Topic] = []
    for some in batches(chosen, READ_TOGETHER):
        keys = sorted({gathered.keys[number] for _, _, one in some for number in one.names})
        entities: dict[str, Entity] = {}
        for part in batches(keys, KEYS_TOGETHER):
            entities |= await sources.graph.named(part)
        ids = list(dict.fromkeys(gathered.passages[number] for _, _, one in some for number in one.central))
        chunks = await sources.keywords.chunks(ids)
        published = gathered.published
        chunks = {key: chunk for key, chunk in chunks.items() if published.get(chunk.document_id) == chunk.version}
        words = {topic: words_of([chunk.text for chunk in _central(one, gathered, chunks)]) for topic, _, one in some}
        rarities = await sources.keywords.rarities(sorted({word for counted in words.values() for word in counted}))
        for topic, parent, one in some:
            members = _members(one, gathered, entities)
            if members:
                central = _central(one, gathered, chunks)
                without = {stem for member in members for stem in content_words(member.name)}
                terms = best_terms(words[topic], rarities, max(len(central), 1), without)
                topics.append(
                    Topic(
                        id=topic,
                        level=level,
                        parent=parent,
                        name=name_of(members, terms),
                        terms=terms,
                        members=members,
                        central=tuple(chunk.id for chunk in central[:KEPT_CENTRAL]),
                        names=one.name_count,
                        passages=one.passage_count,
                        documents=one.document_count,
                    )
                )
    return topics


def _central(one: Described, gathered: Gathered, chunks: Mapping[str, Chunk]) -> list[Chunk]:
    """The central passages that are there: running text before tables and code, else as they were."""
    found = [chunks[gathered.passages[number]] for number in one.central if gathered.passages[number] in chunks]
    return sorted(found, key=lambda chunk: chunk.kind in (UnitKind.TABLE, UnitKind.CODE, UnitKind.HEADING))


def _members(one: Described, gathered: Gathered, entities: Mapping[str, Entity]) -> tuple[TopicMember, ...]:
    rows: Iterable[tuple[int, int, float]] = zip(
        one.names.tolist(), one.name_passages.tolist(), one.name_weights.tolist(), strict=True
    )
    found = [(entities.get(gathered.keys[number]), inside, weight) for number, inside, weight in rows]
    return tuple(
        TopicMember(entity.id, entity.name, entity.type, inside, round(weight, 3))
        for entity, inside, weight in found
        if entity is not None
    )
