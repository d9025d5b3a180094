"""Whether one sentence denies what another says, or says its opposite. Pure."""

from __future__ import annotations

import re

import msgspec

from trivium_query.contradictions.conditions import Conditions, differ
from trivium_query.contradictions.same_thing import GENERIC, NAMED_BY_ONE, Pair, title_words
from trivium_query.contradictions.statements import OPPOSITES, Reading, Statement
from trivium_query.contradictions.told_alike import LIGHT
from trivium_query.contradictions.values import disagree
from trivium_query.words import content_words, stem

DENIED, DENIED_SHARE, MIN_DENIED_WORDS, MIN_ALIKE = 0.95, 0.6, 2, 0.4
_ALLOWED, _FORBIDDEN, _NEEDED = (OPPOSITES[stem(word)] for word in ("allowed", "forbidden", "compulsory"))
_ALL_DAY = frozenset(content_words("day days"))
_THERE_IS = re.compile(r"\b(?:there (?:is|are|was|were)|has|have|had|with|without)\b", re.I)


def denied(pair: Pair, one: Statement, other: Statement) -> float:
    """How surely they are alike in their words and cannot both be right; 0 where they can."""
    here, there = pair.one, pair.other
    opposed = {(word, not side) for word, side in _one_sided(here)} & _one_sided(there)
    opposed |= _forbidden_and_needed(here, there) | _forbidden_and_needed(there, here)
    if (here.denies != there.denies) == bool(opposed):  # neither, or one within the other
        return 0.0
    on_a_day = _is_on_a_day(here.conditions, there.conditions)
    if any(disagree(a, b) for a in here.values for b in there.values) or _differ(here, there, on_a_day=on_a_day):
        return 0.0
    gone = {word for word, _ in opposed}
    both = _values_in_common(here, there) | (_ALL_DAY if on_a_day else frozenset())
    ours, theirs = (_told_words(r, {c for c, _ in _one_sided(r)} - gone) | both for r in (here, there))
    titled = title_words(one) | title_words(other)
    if _of_another_case(pair, ours - titled, theirs - titled, opposed=bool(opposed)):
        return 0.0
    is_all = ours == theirs and pair.sureness >= NAMED_BY_ONE and (_says_there_is(one) or bool(_one_sided(here)))
    common, least = ours & theirs, min(len(ours), len(theirs))
    is_enough = len(common) + len(gone) >= MIN_DENIED_WORDS or is_all
    if not least or not is_enough or len(common) < DENIED_SHARE * least or len(common) < MIN_ALIKE * len(ours | theirs):
        return 0.0
    return DENIED * pair.sureness * (0.75 + 0.25 * len(common) / least)


def _differ(one: Reading, other: Reading, *, on_a_day: bool) -> bool:
    here, there = one.conditions, other.conditions
    if on_a_day:
        here, there = (msgspec.structs.replace(each, weekdays=frozenset()) for each in (here, there))
    return differ(here, there, lasting=False, dated=False)


def _is_on_a_day(one: Conditions, other: Conditions) -> bool:
    """Whether one tells of every day, and the other of some: "open seven days a week" and "closed on Mondays"."""
    return (one.every_day and bool(other.weekdays)) or (other.every_day and bool(one.weekdays))


def _of_another_case(pair: Pair, ours: frozenset[str], theirs: frozenset[str], *, opposed: bool) -> bool:
    """Whether the pool may be used and the kitchen may not, or what is not allowed in the rain may be in the sun."""
    more, more_there = ours - theirs, theirs - ours
    if not opposed and _one_sided(pair.one) and more and more_there:
        return True
    return bool((_forbids(pair.one) and more) or (_forbids(pair.other) and more_there))


def _forbids(reading: Reading) -> bool:
    return _FORBIDDEN in reading.opposites or (reading.denies and _ALLOWED in reading.opposites)


def _says_there_is(statement: Statement) -> bool:
    return _THERE_IS.search(statement.text) is not None


def _forbidden_and_needed(one: Reading, other: Reading) -> set[tuple[str, bool]]:
    """What one forbids and the other demands, as two opposites."""
    is_so = _FORBIDDEN in one.opposites and _NEEDED in other.opposites
    return {_FORBIDDEN, _NEEDED} if is_so else set()


def _told_words(reading: Reading, classes: set[str]) -> frozenset[str]:
    """Its words; those that have an opposite as one of the `classes`, or not at all."""
    return frozenset(w for w in reading.words if w not in OPPOSITES) - GENERIC - LIGHT - _ALL_DAY | classes


def _values_in_common(one: Reading, other: Reading) -> frozenset[str]:
    """As words: a day of the week or a number that both name."""
    theirs = {(v.kind, v.dimension, v.low, v.high) for v in other.values if v.kind != "name"}
    return frozenset(
        f"{v.kind} {v.low}" for v in one.values if v.kind != "name" and (v.kind, v.dimension, v.low, v.high) in theirs
    )


def _one_sided(reading: Reading) -> frozenset[tuple[str, bool]]:
    """Its opposites, but for pairs of which it has both: "positive and negative tests"."""
    return frozenset((word, side) for word, side in reading.opposites if (word, not side) not in reading.opposites)
