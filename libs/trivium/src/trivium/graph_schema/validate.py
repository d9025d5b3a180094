"""From what the graph says to relation types that may be proposed: names, duplicates, domain and range (RAGA, phase 2).

Nothing is left out here but what has no name: what is doubtful is proposed with its problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import msgspec

from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import MAX_TYPES, RelationType, Targets
from trivium.graph_schema.names import is_name, most_like, named, said_by
from trivium.graph_schema.profile import KEPT_EXAMPLES, Observed
from trivium.graph_schema.vocabulary import Meaning, meaning_of

MAX_CANDIDATES = 2 * MAX_TYPES  # the most frequent
MIN_RELATIONS = 2
MIN_CONFIDENCE = 0.65
MIN_END_SHARE = 0.05  # of a type's relations: rarer ends are errors of extraction more often than not
MIN_BORNE_OUT = 0.8  # of a type's relations that have the ends somebody says it has
MAX_END_TYPES = 4  # of seven: more, and the name says too little

Ends = Mapping[tuple[EntityType, EntityType], int]


class Candidate(msgspec.Struct, frozen=True):
    """A type as the graph has it, what makes it doubtful, and all its ends with their counts."""

    type: RelationType
    problems: tuple[str, ...]
    ends: Ends


def candidates(
    observed: Sequence[Observed], learnt: Mapping[str, Meaning], same_as: Mapping[str, str]
) -> list[Candidate]:
    """One for each thing that is said, under its most frequent name; the other names are its aliases.

    `same_as` leads from a name to another that means the same; it counts where the two can have the same ends.
    """
    by_name = {one.name: one for one in observed}
    groups: dict[str, list[Observed]] = {}
    for one in observed:  # most stated first
        meant = by_name.get(same_as.get(one.name, ""))
        name = meant.name if meant is not None and _can_be_one(one, meant) else one.name
        name = name if is_name(name) else named(name)
        if name:
            groups.setdefault(said_by(name), []).append(one)
    made = [_candidate(group, learnt) for group in islice(groups.values(), MAX_CANDIDATES)]
    return [_compared(one, made[:MAX_TYPES]) for one in made]


def allowed_ends(ends: Ends) -> tuple[tuple[EntityType, ...], tuple[EntityType, ...]]:
    """Domain and range: the types of sources, and of targets, that are no exceptions; most frequent first."""
    return _side(ends, lambda pair: pair[0]), _side(ends, lambda pair: pair[1])


def _side(ends: Ends, end: Callable[[tuple[EntityType, EntityType]], EntityType]) -> tuple[EntityType, ...]:
    counts: dict[EntityType, int] = {}
    for pair, count in ends.items():
        counts[end(pair)] = counts.get(end(pair), 0) + count
    enough = MIN_END_SHARE * sum(counts.values())
    return tuple(
        kind for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= enough
    )


def _can_be_one(one: Observed, other: Observed) -> bool:
    ours, theirs = allowed_ends(one.ends), allowed_ends(other.ends)
    return all(set(left) & set(right) for left, right in zip(ours, theirs, strict=True))


def _candidate(group: Sequence[Observed], learnt: Mapping[str, Meaning]) -> Candidate:
    head = group[0]
    name = head.name if is_name(head.name) else named(head.name)
    ends: dict[tuple[EntityType, EntityType], int] = {}
    for one in group:
        for pair, count in one.ends.items():
            ends[pair] = ends.get(pair, 0) + count
    meaning = meaning_of(name, learnt)
    relations = sum(one.relations for one in group)
    domain, range_ = allowed_ends(ends)
    said = RelationType(name, meaning.domain, meaning.range, symmetric=meaning.symmetric)
    borne_out = sum(count for pair, count in ends.items() if said.allows(*pair)) >= MIN_BORNE_OUT * relations
    if meaning.domain and meaning.range and borne_out:
        domain, range_ = meaning.domain, meaning.range
    confidence = sum(one.confidence * one.relations for one in group) / relations
    kind = RelationType(
        name,
        domain,
        range_,
        meaning.targets if meaning.targets is not Targets.UNKNOWN else head.targets,
        meaning.symmetric or (head.symmetric and bool(set(domain) & set(range_))),
        tuple(one.name for one in group if one.name != name),
        meaning.description,
        relations,
        tuple(example for one in group for example in one.examples)[:KEPT_EXAMPLES],
    )
    problems = list(_problems(kind, confidence))
    if meaning.domain and meaning.range and not borne_out:
        joined = f"{' or '.join(meaning.domain)} to {' or '.join(meaning.range)}"
        problems.append(f"said to lead from {joined}, which the graph does not bear out")
    return Candidate(kind, tuple(problems), ends)


def _problems(kind: RelationType, confidence: float) -> Iterable[str]:
    if kind.relations < MIN_RELATIONS:
        yield "stated only once"
    if confidence < MIN_CONFIDENCE:
        yield f"stated with a confidence of {confidence:.2f} on average"
    for side, types in (("sources", kind.domain), ("targets", kind.range)):
        if len(types) > MAX_END_TYPES:
            yield f"its {side} are of {len(types)} types"


def _compared(one: Candidate, others: Sequence[Candidate]) -> Candidate:
    """With the doubt that a more frequent type, spelt nearly so and with the same ends, may be meant."""
    rivals = [
        other.type.name
        for other in others
        if other.type.relations > one.type.relations
        and set(other.type.domain) & set(one.type.domain)
        and set(other.type.range) & set(one.type.range)
    ]
    like = most_like(one.type.name, rivals)
    return msgspec.structs.replace(one, problems=(*one.problems, f"spelt nearly as {like}")) if like else one
