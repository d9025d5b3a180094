"""Relations between the names of one sentence: typed where a wording states one, co-occurrence otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import CO_OCCURS, MIN_RELATION_CONFIDENCE, EntityType, Relation
from trivium_graph import lexicon, patterns

MAX_GAP_CHARS = (120, 60)  # neighbours, and names with another between them, further apart are not one statement
MAX_PAIRS_PER_SENTENCE = 4  # of co-occurrence: enumerations would add n² edges and no knowledge
CO_OCCURRENCE_CONFIDENCE = (0.5, 0.4)  # neighbours, and names with one other between them
PRONOUN_FACTOR = 0.85  # "She was born in …" is read as the document's subject
INHERITED_FACTOR = 0.95  # born in Springfield, Ohio: also born in Ohio
OVER_A_NAME_FACTOR = 0.9  # a wording that reaches over another name

_PRONOUN = re.compile(r"(?:(He|She)|It)\b")
_OF_PLACES = frozenset({"BORN_IN", "DIED_IN", "LIVES_IN", "LOCATED_IN"})
_COMMA = re.compile(r" ?, ")


class Participant(NamedTuple):
    """One name of a sentence in its final key and type; `stands_in` marks a pronoun."""

    key: str
    type: EntityType
    start: int
    end: int
    sentence: int
    stands_in: bool = False


def relations_in(chunk: Chunk, names: Sequence[Participant], subject: tuple[str, EntityType] | None) -> list[Relation]:
    """The relations that `chunk` states, each (source, type, target) once with its best confidence.

    `names` are ordered by start and do not overlap. `subject` is the document's title and its type, which a
    pronoun at the start of a sentence stands for.
    """
    found: dict[tuple[str, str, str], Relation] = {}
    for ordinal, group in groupby(names, key=lambda name: name.sentence):
        people = list(group)
        pronoun = _pronoun(chunk, ordinal, subject)
        if pronoun is not None and pronoun.end <= people[0].start:
            people.insert(0, pronoun)
        for relation in _in_sentence(chunk, people):
            identity = (relation.source_key, relation.type, relation.target_key)
            known = found.get(identity)
            if known is None or known.confidence < relation.confidence:
                found[identity] = relation
    return list(found.values())


def _pronoun(chunk: Chunk, ordinal: int, subject: tuple[str, EntityType] | None) -> Participant | None:
    if subject is None or ordinal >= len(chunk.sentences):
        return None
    start = chunk.sentences[ordinal].start
    match = _PRONOUN.match(chunk.text, start)
    if match is None or (subject[1] is EntityType.PERSON) != bool(match.group(1)):
        return None
    return Participant(subject[0], subject[1], start, match.end(), ordinal, stands_in=True)


def _in_sentence(chunk: Chunk, names: Sequence[Participant]) -> Iterator[Relation]:
    stated: dict[tuple[int, int], Relation] = {}
    for at in range(len(names) - 1):
        for reach in (1, 2):
            if reach == 2 and ((at, at + 1) in stated or at + 2 >= len(names)):
                break
            left, right = names[at], names[at + reach]
            if 0 < right.start - left.end <= MAX_GAP_CHARS[reach - 1] and left.key != right.key:
                relation = _typed(chunk, left, right, 1.0 if reach == 1 else OVER_A_NAME_FACTOR)
                if relation is not None:
                    stated[at, at + reach] = relation
    stated.update(_inherited(chunk, names, stated))
    yield from stated.values()
    yield from _together(chunk, names, stated)


def _typed(chunk: Chunk, left: Participant, right: Participant, factor: float) -> Relation | None:
    rule = patterns.rule_for(chunk.text, (left.start, left.type), (left.end, right.start), (right.end, right.type))
    if rule is None or (rule.type == "LOCATED_IN" and _are_listed(chunk.text, left, right)):
        return None
    confidence = round(rule.confidence * factor * (PRONOUN_FACTOR if left.stands_in else 1.0), 3)
    if confidence < MIN_RELATION_CONFIDENCE:
        return None
    source, target = (right, left) if rule.backward else (left, right)
    return _relation(chunk, source, target, rule.type, confidence, rule.operation)


def _are_listed(text: str, left: Participant, right: Participant) -> bool:
    """Whether two places with a comma between them stand in a list: no country is in what follows it, nor is a city."""
    if left.type is not EntityType.LOCATION or not _COMMA.fullmatch(text, left.end, right.start):
        return False
    return left.key in lexicon.COUNTRIES or (
        left.key in lexicon.PLACES and right.key in lexicon.CITIES - lexicon.REGIONS
    )


def _inherited(
    chunk: Chunk, names: Sequence[Participant], stated: Mapping[tuple[int, int], Relation]
) -> dict[tuple[int, int], Relation]:
    """As in "born in Springfield, Ohio": what holds of Springfield holds of Ohio."""
    inherited: dict[tuple[int, int], Relation] = {}
    for (first, middle), relation in stated.items():
        outer = stated.get((middle, middle + 1))
        if outer is None or relation.type not in _OF_PLACES or outer.type != "LOCATED_IN":
            continue
        if relation.target_key != names[middle].key or not _COMMA.fullmatch(
            chunk.text, names[middle].end, names[middle + 1].start
        ):
            continue
        confidence = round(relation.confidence * INHERITED_FACTOR, 3)
        if confidence >= MIN_RELATION_CONFIDENCE and relation.source_key != outer.target_key:
            inherited[first, middle + 1] = _relation(
                chunk, names[first], names[middle + 1], relation.type, confidence, f"{relation.operation}+located_in"
            )
    return inherited


def _together(
    chunk: Chunk, names: Sequence[Participant], stated: Mapping[tuple[int, int], Relation]
) -> Iterator[Relation]:
    pairs = 0
    for reach, confidence in enumerate(CO_OCCURRENCE_CONFIDENCE, start=1):
        for at in range(len(names) - reach):
            left, right = names[at], names[at + reach]
            if (at, at + reach) in stated or left.key == right.key or left.stands_in:
                continue
            pairs += 1
            if pairs > MAX_PAIRS_PER_SENTENCE:
                return
            source, target = (left, right) if left.key < right.key else (right, left)
            yield _relation(chunk, source, target, CO_OCCURS, confidence, "co-occurrence")


def _relation(
    chunk: Chunk, source: Participant, target: Participant, kind: str, confidence: float, operation: str
) -> Relation:
    span = Span(min(source.start, target.start), max(source.end, target.end))
    return Relation(
        source_key=source.key,
        target_key=target.key,
        type=kind,
        confidence=confidence,
        chunk_id=chunk.id,
        span=span,
        snippet=span.of(chunk.text),
        operation=operation,
    )
