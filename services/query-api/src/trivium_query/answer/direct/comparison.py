# ruff: noqa: SIM905  (word lists read best as words)
"""Questions that compare two named things: what is asked of each, and what the two values decide. Pure."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from trivium_query.answer.direct.life import DATED
from trivium_query.answer.direct.things import Thing
from trivium_query.answer.direct.values import day_of, is_same_nation, number_of
from trivium_query.words import content_words


class Attribute(enum.StrEnum):
    """What is compared."""

    BORN = "born"
    DIED = "died"
    LIFETIME = "lifetime"
    DATE = "date"
    NUMBER = "number"
    NATION = "nation"
    NAMED = "named"
    PREDICATE = "predicate"


class Comparison(msgspec.Struct, frozen=True):
    """`first` and `second` are compared by `attribute`, of who or what stands in `role` to each, if there is one.

    `asks` is a question about one thing, with {} in its place. `least`: the smaller value decides; None where values
    must be equal. `predicate` are words that must hold of both.
    """

    first: Thing
    second: Thing
    attribute: Attribute
    asks: str = ""
    role: str = ""
    least: bool | None = None
    predicate: tuple[str, ...] = ()

    @property
    def is_choice(self) -> bool:
        """Whether one of the things is the answer; else it is yes or no."""
        return self.least is not None


# Nouns for what somebody is to a thing or to somebody.
ROLES = frozenset(
    """director author writer composer performer singer producer founder editor creator architect designer owner
    president manager publisher inventor discoverer screenwriter artist painter lyricist
    father mother husband wife spouse son daughter brother sister parent child""".split()
)
_LEAST = (
    r"first|earl(?:y|ier|iest)|older|oldest|elder|eldest|before|sooner|soonest|smaller|smallest|fewer|fewest|less|least"
    r"|shorter|shortest|lower|lowest|cheaper|lighter"
)
_MOST = (
    r"later|latest|last|younger|youngest|newer|newest|after|recent|recently|larger|largest|bigger|biggest|more|most"
    r"|longer|longest|higher|highest|greater|greatest|taller|tallest|heavier|wider|deeper"
)
_LEAST_WORD = re.compile(rf"\b(?:{_LEAST})\b", re.I)
_MOST_WORD = re.compile(rf"\b(?:{_MOST})\b", re.I)
_AGE = re.compile(r"\b(?:older|oldest|elder|eldest|younger|youngest)\b", re.I)
_BORN = re.compile(r"\b(?:born|birth)\b", re.I)
_DIED = re.compile(r"\b(?:died?|dies|dead|death|passed away)\b", re.I)
_LIFETIME = re.compile(r"\b(?:live|lived|lifespan|life span|lifetime)\b", re.I)
_IN_TIME = re.compile(
    r"\b(first|earlier|earliest|before|later|latest|last|newer|newest|recent|recently|sooner|older|oldest|younger|youngest|after)\b",
    re.I,
)
_SAME = re.compile(r"\b(?:same|share|shares|shared|in common|identical|equal)\b", re.I)
_NATION = re.compile(r"\b(?:nationality|nationalities|nation|country|countries|citizenship)\b", re.I)
_LOCATED = re.compile(r"\b(?:located|situated|lie|lies|found in|based)\b", re.I)
_AUXILIARY = re.compile(r"^\W*(?:is|are|was|were|do|does|did|have|has|had|can|could|will)\b", re.I)
_JOINED = re.compile(
    r"^[\s,;\"'”»]*\b(and|or)\b[\s\"'“«]*(?:the\s+|a\s+)?(?:[a-z]+\s+(?:of\s+)?(?:the\s+)?){0,3}$", re.I
)
_VERB = re.compile(
    r"\b(released|published|founded|established|created|formed|opened|built|launched|started|began|begun|completed|"
    r"introduced|produced|invented|discovered|written|come out|came out|made|set up|incorporated|constructed)\b",
    re.I,
)
_OF_NUMBER = re.compile(
    r"\b(more|most|fewer|fewest|less|larger|largest|higher|highest|greater|lower|smaller|smallest)\s+((?:[a-z-]+\s*){1,3})",
    re.I,
)
_COUNTED = re.compile(r"more|most|fewer|fewest|less", re.I)
_SAME_WHAT = re.compile(r"\bsame\s+((?:[a-z-]+\s*){1,3}?)(?:\?|$|\bas\b|\bwith\b)", re.I)
_NO_PREDICATE = frozenset(
    content_words("both same share also too either film films movie movies song songs person people one two")
)


def comparison_in(question: str, things: Sequence[Thing]) -> Comparison | None:
    """What the question compares; None where it does not, or not by a value."""
    pair = _pair(question, things)
    if pair is None:
        return None
    first, second, joined = pair
    rest = f"{question[: first.start]} {question[first.end : second.start]} {question[second.end :]}"
    role = _role(question, first, second)
    if _AUXILIARY.match(question) and joined != "or":
        return _equal(rest, first, second, role)
    return _choice(rest, first, second, role)


def decide(comparison: Comparison, first: str, second: str) -> str:
    """The name of the thing, "yes" or "no"; "" where the values decide nothing."""
    if not comparison.is_choice:
        return _equality(comparison.attribute, first, second)
    one, other = _ordered(comparison.attribute, first), _ordered(comparison.attribute, second)
    if one is None or other is None or one == other:
        return ""
    is_first = (one < other) is comparison.least
    return comparison.first.text if is_first else comparison.second.text


def _pair(question: str, things: Sequence[Thing]) -> tuple[Thing, Thing, str] | None:
    """The last two things with "and" or "or" between them."""
    for first, second in reversed(list(pairwise(things))):
        if match := _JOINED.match(question[first.end : second.start]):
            return first, second, match[1].lower()
    return None


def _role(question: str, first: Thing, second: Thing) -> str:
    """A noun of a role that is not said of the thing itself ("the director John Ford")."""
    for match in re.finditer(r"[A-Za-z]+", question):
        word = match[0].lower()
        noun = word if word in ROLES else word.removesuffix("s")
        inside = any(thing.start <= match.start() < thing.end for thing in (first, second))
        said_of_it = any(
            not question[match.end() : thing.start].strip(" \"'“«")
            for thing in (first, second)
            if thing.start > match.start()
        )
        if noun in ROLES and not inside and not said_of_it and not _is_what_they_are(question, match):
            return noun
    return ""


def _is_what_they_are(question: str, noun: re.Match[str]) -> bool:
    """Of the things themselves: "Are both directors?", "Which director is older, A or B?", "the same father"."""
    before, after = question[: noun.start()].lower(), question[noun.end() :]
    if re.search(r"\b(?:which|what|both|a|an|same|who is the)\s+(?:[\w-]+\s+)?$", before) and not re.search(
        r"\b(?:of|for|by)\b", after[:6]
    ):
        return True
    return bool(re.match(r"\W*$", after)) and not re.search(r"(?:whose|the)\s+$", before)


def _equal(rest: str, first: Thing, second: Thing, role: str) -> Comparison | None:
    if _NATION.search(rest) and _LOCATED.search(rest):
        return Comparison(first, second, Attribute.NAMED, "In which country is {}?", role)
    if _NATION.search(rest) and (_SAME.search(rest) or "both" in rest.lower()):
        return Comparison(first, second, Attribute.NATION, "What nationality is {}?", role)
    if _SAME.search(rest):
        named = _SAME_WHAT.search(rest) or re.search(
            r"\b(?:share|shares|shared)\s+(?:the|a)?\s*(?:same\s+)?((?:[a-z-]+\s*){1,2})", rest, re.I
        )
        what = named[1].strip() if named else ""
        return (
            Comparison(first, second, Attribute.NAMED, f"{what} of {{}}", "" if role == what else role)
            if what
            else None
        )
    words = tuple(word for word in dict.fromkeys(content_words(rest)) if word not in _NO_PREDICATE)
    return Comparison(first, second, Attribute.PREDICATE, predicate=words) if words and not role else None


def _choice(rest: str, first: Thing, second: Thing, role: str) -> Comparison | None:
    least, most = _LEAST_WORD.search(rest), _MOST_WORD.search(rest)
    if bool(least) == bool(most) and not (least and most and _IN_TIME.search(rest)):
        return None
    smaller = least is not None and (most is None or least.start() < most.start())
    if _LIFETIME.search(rest) and not _IN_TIME.search(rest):
        return Comparison(first, second, Attribute.LIFETIME, "", role, smaller)
    if _BORN.search(rest) or (_AGE.search(rest)):
        return Comparison(first, second, Attribute.BORN, "When was {} born?", role, smaller)
    if _DIED.search(rest):
        return Comparison(first, second, Attribute.DIED, "When did {} die?", role, smaller)
    verb = _VERB.search(rest)
    if _IN_TIME.search(rest):
        said = (
            {"came out": "released", "come out": "released", "began": "started"}.get(verb[1].lower(), verb[1].lower())
            if verb
            else "released"
        )
        return Comparison(first, second, Attribute.DATE, f"When was {{}} {said}?", role, smaller)
    number = _OF_NUMBER.search(rest)
    what = number[2].strip() if number else "size"
    counted = number is not None and _COUNTED.fullmatch(number[1]) and what.split()[-1].endswith("s")
    asks = f"How many {what} does {{}} have?" if counted else f"What is the {what} of {{}}?"
    return Comparison(first, second, Attribute.NUMBER, asks, role, smaller)


def _ordered(attribute: Attribute, text: str) -> tuple[float, ...] | None:
    if attribute is Attribute.NUMBER:
        number = number_of(text)
        return None if number is None else (number,)
    return _lifetime(text) if attribute is Attribute.LIFETIME else day_of(text)


def _lifetime(text: str) -> tuple[float, ...] | None:
    """Years between the first and the last date."""
    days = [day_of(match[0]) for match in DATED.finditer(text)]
    if len(days) < 2 or days[0] is None or days[-1] is None:
        return None
    (born, *first), (died, *last) = days[0], days[-1]
    return (died - born + (last[0] - first[0]) / 12 + (last[1] - first[1]) / 365,)


def _equality(attribute: Attribute, first: str, second: str) -> str:
    if not first or not second:
        return ""
    if attribute is Attribute.NATION or is_same_nation(first, second):
        return "yes" if is_same_nation(first, second) else "no"
    one, other = set(content_words(first)), set(content_words(second))
    return "yes" if one and other and (one <= other or other <= one) else "no"
