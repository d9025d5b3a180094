"""How likely two records are one thing: their names, types, shared neighbours and conflicting facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trivium.domain.graph import EntityType
from trivium.resolution.doubt import is_doubtful
from trivium.resolution.likeness import SHORT, Kind, are_nearly_the_same, likeness
from trivium.resolution.record import SINGLE_VALUED, Record

# Fitted by eye to the tuning half of bench/resolution/pairs.txt.
ONE_THING = 0.7  # from here on two names are one thing
REVIEW = 0.5  # from here on a person is asked
SHARED_NEIGHBOURS = (0.0, 0.3, 0.38)  # none, one, more
OTHER_TYPE = -0.5
CONFLICT = -0.5
DOUBTED = 0.6  # what speaks against is never outvoted: then a person decides
SAME_FACT = 0.3
RIVAL = -0.4  # another name fits the short one as well
APART = -0.25  # both are related to something, and to nothing in common


KEPT_APART = "+0.00 a person said that they are two"


class Judgement(NamedTuple):
    """`score` from 0 to 1, and the reasons, each as a person reads it."""

    score: float
    reasons: tuple[str, ...]


def judge(left: Record, right: Record, others: Iterable[Record] = ()) -> Judgement:
    """How likely `left` and `right` are one thing. Symmetric.

    `others` are names that the shorter of the two may mean as well; they are read only where they matter.
    """
    alike = likeness(*sorted((left.key, right.key)), person=_may_be_people(left, right))
    if alike.kind is Kind.NONE:
        return Judgement(0.0, (alike.kind.value,))
    parts = [
        (alike.weight, alike.kind.value),
        *_types(left, right),
        *_neighbours(left, right),
        *_facts(left, right),
    ]
    if alike.kind in SHORT and sum(weight for weight, _ in parts) >= REVIEW:
        parts += _rivals(left, right, others)
    doubted = any(weight <= CONFLICT for weight, _ in parts) or is_doubtful(alike.kind, left, right)
    ceiling = DOUBTED if doubted else 1.0
    score = min(ceiling, max(0.0, sum(weight for weight, _ in parts)))
    reasons = tuple(f"{weight:+.2f} {reason}" for weight, reason in parts)
    if right.key in left.apart or left.key in right.apart:
        return Judgement(round(min(score, DOUBTED), 3), (*reasons, KEPT_APART))
    return Judgement(round(score, 3), reasons)


def are_two(left: Record, right: Record) -> bool:
    """Whether `judge` would surely make two things of them: it spares most pairs the search for how they are alike.

    They are related to different things, nothing else speaks for them, and no likeness but the surest outweighs that.
    """
    if left.facts.keys() & right.facts.keys() or not left.neighbours or not right.neighbours:
        return False
    return left.neighbours.isdisjoint(right.neighbours) and not are_nearly_the_same(left.key, right.key)


def _may_be_people(left: Record, right: Record) -> bool:
    """Both are; or the one is, and the other a single word of no known type ("Brandt")."""
    if left.type is right.type:
        return left.type is EntityType.PERSON
    person, unknown = (left, right) if left.type is EntityType.PERSON else (right, left)
    return person.type is EntityType.PERSON and unknown.type is EntityType.CONCEPT and " " not in unknown.key


Part = tuple[float, str]


def _types(left: Record, right: Record) -> Iterable[Part]:
    if left.type is not right.type and EntityType.CONCEPT not in (left.type, right.type):
        yield OTHER_TYPE, f"their types differ: {' and '.join(sorted((left.type.value, right.type.value)))}"


def _neighbours(left: Record, right: Record) -> Iterable[Part]:
    shared = sorted(left.neighbours & right.neighbours)
    if shared:
        yield SHARED_NEIGHBOURS[min(len(shared), 2)], f"both are related to {', '.join(shared[:3])}"
    elif left.neighbours and right.neighbours:
        yield APART, "they are related to different things"


def _facts(left: Record, right: Record) -> Iterable[Part]:
    if not left.facts or not right.facts:
        return
    for attribute in sorted(left.facts.keys() & right.facts.keys() & SINGLE_VALUED):
        if left.facts[attribute] & right.facts[attribute]:
            yield SAME_FACT, f"both have the same {attribute}"
        else:
            yield CONFLICT, f"they differ in {attribute}"


def _rivals(left: Record, right: Record, others: Iterable[Record]) -> Iterable[Part]:
    """The longer name's rivals: those that the shorter one may mean just as well."""
    short, long = sorted((left, right), key=lambda record: (len(record.key), record.key))
    shared = len(long.neighbours & short.neighbours)
    for other in others:
        if other.key in (short.key, long.key) or len(other.neighbours & short.neighbours) < shared:
            continue
        if _fits(short, other) and not _fits(long, other, whole=True):
            yield RIVAL, f"it may be {other.key}"
            return


def _fits(one: Record, other: Record, whole: bool = False) -> bool:
    kind = likeness(*sorted((one.key, other.key)), person=_may_be_people(one, other)).kind
    return kind is not Kind.NONE and (not whole or kind not in SHORT)
