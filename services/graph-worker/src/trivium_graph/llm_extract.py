"""Extraction by a language model, checked against the text: what does not stand in the chunk is dropped.

One request per chunk. All requests of a document begin with the same instructions and the same description of the
document, so that a provider can cache the prefix. The chunk is fenced as data. Titles, headings and aliases stay
those of the rules; a chunk whose request fails keeps everything of the rules.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from trivium.domain.chunks import Chunk, Span
from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.graph import (
    CO_OCCURS,
    MIN_RELATION_CONFIDENCE,
    Alias,
    ChunkGraph,
    EntityType,
    Mention,
    MentionRole,
    Relation,
)
from trivium.domain.graph_schema import GraphSchema
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message
from trivium.text import gate
from trivium.text.names import fold_name
from trivium.text.spaceless import MARKS, SPACELESS
from trivium_graph.shares import READING_CONFIDENCE
from trivium_graph.told_schema import NO_SCHEMA, in_force, mark, told

MIN_ENTITY_CONFIDENCE = 0.6  # CORTEX C4
CONCURRENCY = 4
TIMEOUT_S = 60.0
MAX_TOKENS = 2048
MAX_FAILURES = 3  # in a row: then the model is taken to be away and is asked no more for this document
MAX_PLACES = 20  # of one name in one chunk

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_RELATION_TYPE = re.compile(r"[A-Z][A-Z0-9_]{1,39}")
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_SPACELESS = re.compile(f"[{SPACELESS}]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_NO_WORD_BEFORE, _NO_WORD_BEHIND = rf"(?<![^\W{SPACELESS}])", rf"(?![^\W{SPACELESS}]|[{MARKS}])"
_FENCE = re.compile(r"</?\s*(?:passage|document)[^>]*>", re.IGNORECASE)

PROMPT = prompt_named("extract")


class ExtractedEntity(msgspec.Struct, frozen=True):
    """One entity that the passage names."""

    name: Annotated[str, msgspec.Meta(description="exactly as it stands in the passage")]
    type: EntityType
    confidence: _Share


class ExtractedRelation(msgspec.Struct, frozen=True):
    """One directed relation between two of the entities."""

    source: Annotated[str, msgspec.Meta(description="an entity's name")]
    type: Annotated[str, msgspec.Meta(description="UPPER_SNAKE_CASE")]
    target: Annotated[str, msgspec.Meta(description="another entity's name")]
    confidence: _Share
    evidence: Annotated[str, msgspec.Meta(description="the words of the passage that state it")]


class Extraction(msgspec.Struct, frozen=True):
    """The entities and relations of one passage."""

    entities: list[ExtractedEntity]
    relations: list[ExtractedRelation]


def operation() -> str:
    """The provenance of what the model finds."""
    return f"llm:extract@{PROMPT.version}"


class Refined(msgspec.Struct, frozen=True):
    """The shares of all chunks; how many of them the model did not read, and its first failure."""

    shares: list[ChunkGraph]
    unread: int = 0
    reason: str = ""


async def refine(
    llm: Llm, chunks: Sequence[Chunk], by_rules: Sequence[ChunkGraph], schema: GraphSchema = NO_SCHEMA
) -> Refined:
    """The shares of `chunks`, read by the model. `by_rules` are the same chunks' shares without it, in order.

    The model is told the types of `schema` that are in force; what it states beside them stays, marked in `operation`.
    """
    gate_keeper = asyncio.Semaphore(CONCURRENCY)
    failures = 0  # in a row
    unread = 0
    reason = ""

    async def one(chunk: Chunk, fallback: ChunkGraph) -> ChunkGraph:
        nonlocal failures, unread, reason
        async with gate_keeper:
            if failures >= MAX_FAILURES:
                unread += 1
                return fallback
            try:
                found, _ = await llm.complete_json(
                    messages_for(chunk, schema), Extraction, max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_S
                )
            except (TryLater, NeverWill) as error:
                failures += 1
                unread += 1
                reason = reason or error.message
                return fallback
            failures = 0
        return grounded(chunk, found, fallback, schema)

    shares = await asyncio.gather(*(one(c, s) for c, s in zip(chunks, by_rules, strict=True)))
    return Refined(list(shares), unread, reason)


def messages_for(chunk: Chunk, schema: GraphSchema = NO_SCHEMA) -> list[Message]:
    """Instructions, then the document's description, then the fenced passage: most general first."""
    described = unfenced(chunk.title or chunk.source)
    section = f"\nSection: {unfenced(' > '.join(chunk.section))}" if chunk.section else ""
    return [
        Message("system", f"{PROMPT.text}{told(schema)}"),
        Message(
            "user",
            f"<document>{described}</document>\n<passage>{section}\n{unfenced(chunk.text)}\n</passage>",
        ),
    ]


def unfenced(text: str) -> str:
    """Text that cannot close its own fence."""
    return _FENCE.sub(" ", text)


def grounded(
    chunk: Chunk,
    found: Extraction,
    by_rules: ChunkGraph,
    schema: GraphSchema = NO_SCHEMA,
    by: str = "",
    aliases: Iterable[Alias] = (),
) -> ChunkGraph:
    """The part of the model's answer that the chunk bears out, joined with what the document's structure says.

    `by` is what the relations name as their operation, "" for `operation()`; `aliases` join those of the rules.
    """
    keys_at = {(m.span.start, m.span.end): m.key for m in by_rules.mentions if m.role is MentionRole.MENTION}
    mentions: dict[str, list[Mention]] = {}
    taken: list[tuple[int, int]] = []
    for entity in sorted(found.entities, key=lambda entity: -len(entity.name)):  # "Brandt" is not inside "Ilse Brandt"
        key = fold_name(entity.name)
        if not key or key in mentions or entity.confidence < MIN_ENTITY_CONFIDENCE or gate.rejected(entity.name):
            continue
        places = [place for place in places_of(chunk.text, entity.name) if not _within(place, taken)]
        if places:
            taken.extend(places)
            mentions[key] = [_mention(chunk, entity, place, keys_at.get(place, key)) for place in places]
    relations = _relations(chunk, found.relations, mentions, schema, by or operation())
    named = {mention.key for group in mentions.values() for mention in group}
    return ChunkGraph(
        chunk_id=chunk.id,
        mentions=tuple(_merged((m for group in mentions.values() for m in group), by_rules.mentions, named)),
        relations=(*relations, *_together(by_rules.relations, relations, named)),
        aliases=tuple({alias.key: alias for alias in (*aliases, *by_rules.aliases)}.values()),
        steps=by_rules.steps,
    )


def places_of(text: str, name: str) -> list[tuple[int, int]]:
    """Where `name` stands in `text` as whole words; in another case only when it does not stand there as it is.

    Scripts that put no space between words have no edges of words, and Korean puts particles behind them.
    """
    before = "" if _SPACELESS.match(name) else _NO_WORD_BEFORE
    after = "" if _SPACELESS.match(name[-1:]) or _HANGUL.match(name[-1:]) else _NO_WORD_BEHIND
    pattern = f"{before}{re.escape(name)}{after}"
    for flags in (0, re.IGNORECASE):
        places = [match.span() for match in re.finditer(pattern, text, flags)]
        if places:
            return places[:MAX_PLACES]
    return []


def _within(place: tuple[int, int], taken: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place[0] and place[1] <= end for start, end in taken)


def _mention(chunk: Chunk, entity: ExtractedEntity, place: tuple[int, int], key: str) -> Mention:
    start, end = place
    sentence = next((i for i, s in enumerate(chunk.sentences) if s.start <= start < s.end), 0)
    return Mention(
        key=key,
        chunk_id=chunk.id,
        sentence=sentence,
        span=Span(start, end),
        surface=chunk.text[start:end],
        type=entity.type,
        confidence=round(entity.confidence, 3),
    )


def _merged(by_model: Iterable[Mention], by_rules: Iterable[Mention], named: set[str]) -> list[Mention]:
    """The model's mentions, the titles and headings, and the rules' other names as mere readings."""
    merged = list(by_model)
    for mention in by_rules:
        if mention.role is not MentionRole.MENTION:
            merged.append(mention)
        elif mention.key not in named:
            confidence = min(mention.confidence, READING_CONFIDENCE)
            merged.append(msgspec.structs.replace(mention, confidence=confidence))
    return sorted(merged, key=lambda m: (m.span.start, -m.span.end, m.role.value, m.key))


def _relations(
    chunk: Chunk,
    found: Iterable[ExtractedRelation],
    mentions: dict[str, list[Mention]],
    schema: GraphSchema,
    by: str,
) -> list[Relation]:
    best: dict[tuple[str, str, str], Relation] = {}
    for relation in found:
        source, target = mentions.get(fold_name(relation.source)), mentions.get(fold_name(relation.target))
        kind = in_force(schema, _NO_WORD.sub("_", relation.type).strip("_").upper())
        if not source or not target or source[0].key == target[0].key:
            continue
        span = _evidence(chunk, relation.evidence, source, target)
        if span is None or relation.confidence < MIN_RELATION_CONFIDENCE or not _RELATION_TYPE.fullmatch(kind):
            continue
        identity = (source[0].key, kind, target[0].key)
        known = best.get(identity)
        if known is None or known.confidence < relation.confidence:
            confidence = round(relation.confidence, 3)
            seen = f"{by}{mark(schema, kind, source[0].type, target[0].type)}"
            best[identity] = Relation(
                source[0].key, target[0].key, kind, confidence, chunk.id, span, span.of(chunk.text), seen
            )
    return list(best.values())


def _evidence(chunk: Chunk, quoted: str, source: list[Mention], target: list[Mention]) -> Span | None:
    """The quotation's place, or else the piece of one sentence between the names; None when there is neither."""
    at = chunk.text.find(quoted) if quoted.strip() else -1
    if at >= 0:
        return Span(at, at + len(quoted))
    near = [
        Span(min(a.span.start, b.span.start), max(a.span.end, b.span.end))
        for a in source
        for b in target
        if a.sentence == b.sentence
    ]
    return min(near, key=lambda span: (span.end - span.start, span.start), default=None)


def _together(by_rules: Iterable[Relation], stated: Iterable[Relation], named: set[str]) -> list[Relation]:
    """Co-occurrences of two of the model's entities that it did not relate."""
    related = {frozenset((relation.source_key, relation.target_key)) for relation in stated}
    return [
        relation
        for relation in by_rules
        if relation.type == CO_OCCURS
        and {relation.source_key, relation.target_key} <= named
        and frozenset((relation.source_key, relation.target_key)) not in related
    ]
