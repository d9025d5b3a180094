"""From what was read in a chunk to the chunk's share of the graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import Alias, ChunkGraph, EntityType, Mention, MentionRole, Step
from trivium_graph.about import TERM_CONFIDENCE, TITLE_CONFIDENCE, Topic, heading_names
from trivium_graph.aliases import Claim, full_name_of_title, meant_key
from trivium_graph.relations import Participant, relations_in
from trivium_graph.spans import Name
from trivium_graph.types import is_of_a_people

NAME_CONFIDENCE = 0.9
SINGLE_WORD_CONFIDENCE = 0.7
HEADING_NAME_CONFIDENCE = 0.45  # a part of a title in title case is often no name; it makes no entity by itself
READING_CONFIDENCE = 0.4  # two names that may be one, or words inside a quoted title

_CONCEPT = EntityType.CONCEPT


class Reading(NamedTuple):
    """What was read in one chunk, before the document as a whole is considered."""

    chunk: Chunk
    names: list[Name]
    topics: list[Topic]
    claims: list[Claim]


def share_of(
    reading: Reading, types: Mapping[str, EntityType], meant: Mapping[str, str], steps: tuple[Step, ...] = ()
) -> ChunkGraph:
    """The share of one chunk. `types` and `meant` (short name → full key) are the document's."""
    chunk = reading.chunk
    participants: list[Participant] = []
    mentions = [_title_mention(chunk.id, topic, types) for topic in reading.topics]
    reached = 0
    for name in reading.names:
        key = meant_key(name, meant)
        kind = types.get(key) or types.get(name.key, _CONCEPT)
        mentions.append(_mention(chunk.id, name, key, kind))
        if name.atom and name.start >= reached and not is_of_a_people(key):
            participants.append(Participant(key, kind, name.start, name.end, name.sentence))
            reached = name.end
    mentions.extend(_long_forms(reading, types))
    mentions.extend(_names_in_headings(reading, types))
    return ChunkGraph(
        chunk_id=chunk.id,
        mentions=tuple(sorted(mentions, key=_in_text_order)),
        relations=tuple(relations_in(chunk, participants, _subject(reading, types))),
        aliases=tuple(_aliases(reading)),
        steps=steps,
    )


def _in_text_order(mention: Mention) -> tuple[int, int, str]:
    return mention.span.start, -mention.span.end, mention.role.value


def _title_mention(chunk_id: str, topic: Topic, types: Mapping[str, EntityType]) -> Mention:
    return Mention(
        key=topic.key,
        chunk_id=chunk_id,
        sentence=topic.sentence,
        span=topic.span,
        surface=topic.surface,
        role=MentionRole.TITLE,
        type=types.get(topic.key, _CONCEPT),
        confidence=topic.confidence,
    )


def _mention(chunk_id: str, name: Name, key: str, kind: EntityType) -> Mention:
    confidence = READING_CONFIDENCE
    if name.atom:
        confidence = NAME_CONFIDENCE if " " in key or kind is not _CONCEPT else SINGLE_WORD_CONFIDENCE
    return Mention(
        key=key,
        chunk_id=chunk_id,
        sentence=name.sentence,
        span=Span(name.start, name.end),
        surface=name.surface,
        type=kind,
        confidence=confidence,
    )


def _long_forms(reading: Reading, types: Mapping[str, EntityType]) -> Iterator[Mention]:
    """Long forms of acronyms that are written small ("convolutional neural network (CNN)") are mentions too."""
    known = {(name.start, name.end) for name in reading.names}
    for claim in reading.claims:
        if (claim.long.start, claim.long.end) not in known:
            yield Mention(
                key=claim.canonical_key,
                chunk_id=reading.chunk.id,
                sentence=claim.sentence,
                span=claim.long,
                surface=claim.long.of(reading.chunk.text),
                type=types.get(claim.canonical_key, _CONCEPT),
                confidence=NAME_CONFIDENCE,
            )


def _names_in_headings(reading: Reading, types: Mapping[str, EntityType]) -> Iterator[Mention]:
    """As "Kansas" in "2018 Kansas elections": the chunk is about more than the name, and yet about the name."""
    chunk = reading.chunk
    whole = {topic.key for topic in reading.topics}
    for key, surface in dict(
        name for heading in (chunk.title, *chunk.section) for name in heading_names(heading)
    ).items():
        if key not in whole:
            yield Mention(
                key=key,
                chunk_id=chunk.id,
                sentence=0,
                span=Span(0, 0),
                surface=surface,
                role=MentionRole.HEADING,
                type=types.get(key, _CONCEPT),
                confidence=HEADING_NAME_CONFIDENCE,
            )


def _aliases(reading: Reading) -> Iterator[Alias]:
    chunk = reading.chunk
    for claim in reading.claims:
        yield Alias(claim.key, claim.canonical_key, claim.surface, chunk.id)
    title = _title_of(reading)
    if chunk.ordinal > 0 or title is None:
        return
    for topic in reading.topics:
        if topic.confidence == TERM_CONFIDENCE and full_name_of_title(chunk.title, topic.surface):
            yield Alias(topic.key, title.key, topic.surface, chunk.id)


def _subject(reading: Reading, types: Mapping[str, EntityType]) -> tuple[str, EntityType] | None:
    title = _title_of(reading)
    return (title.key, types.get(title.key, _CONCEPT)) if title else None


def _title_of(reading: Reading) -> Topic | None:
    """The document's title where it names something: it comes first among the topics."""
    return next((topic for topic in reading.topics[:1] if topic.confidence == TITLE_CONFIDENCE), None)
