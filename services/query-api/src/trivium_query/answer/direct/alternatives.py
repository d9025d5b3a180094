"""Which of two described things it is: by an amount told of each ("Is a day ticket or a single ticket cheaper?")."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from trivium_query.answer.direct.units import COUNTED, is_unit_of
from trivium_query.answer.direct.values import number_of
from trivium_query.answer.evidence import Candidate
from trivium_query.words import content_words

_LESS = "cheaper|shorter|lighter|quieter|smaller|lower|fewer|less|slower|colder|thinner|lighter|earlier|closer|nearer"
_MORE = (
    "dearer|longer|heavier|louder|larger|bigger|higher|taller|more|faster|warmer|hotter|thicker|wider|deeper|stronger"
    "|later|farther|further"
)
_COMPARES = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.I)
_ENDS_WITH_PAIR = re.compile(
    r"^(?:which|what|who)\b(?P<rest>[^,]*),\s*(?P<one>[^,]+?),?\s+or\s+(?P<other>[^,]+?)\s*\??$", re.I
)
_BEGINS_WITH_PAIR = re.compile(
    r"^(?:is|are|was|were|does|do|did)\s+(?P<one>.+?)\s+or\s+(?P<other>.+?)\s+"
    rf"(?P<rest>(?:(?:cost|weigh|take|last|have|hold|use)\s+)?(?:the\s+)?(?:{_LESS}|{_MORE})\b.*)$",
    re.I,
)
_CLAUSE = re.compile(r"[,;](?=\s)|\s(?:but|while|whereas|and)\s", re.I)
_UNIT = re.compile(r"\s?([^\W\d_]+|%|°[CF])")
_CURRENCY = re.compile(r"[$€£¥]\s?$")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.I)
MAX_READ = 40  # sentences


class Amount(msgspec.Struct, frozen=True):
    """What is told of one thing: a number in a unit ("" where none stands there), and its place."""

    value: float
    unit: str
    sentence: Candidate
    start: int
    end: int


class Weighed(msgspec.Struct, frozen=True):
    """The thing that it is, as the question calls it, and both amounts, its own first."""

    short: str
    amounts: tuple[Amount, Amount]


def weigh(question: str, ranked: Sequence[Candidate]) -> Weighed | None:
    """None where the question compares no two things, or not one amount of one unit is told of each."""
    pair = _ENDS_WITH_PAIR.match(question.strip()) or _BEGINS_WITH_PAIR.match(question.strip())
    compares = _COMPARES.search(pair["rest"]) if pair else None
    if pair is None or compares is None:
        return None
    names = tuple(_ARTICLE.sub("", pair[side]) for side in ("one", "other"))
    one, other = (_amount_of(name, not_of, pair["rest"], ranked) for name, not_of in (names, names[::-1]))
    if one is None or other is None or one.unit != other.unit or one.value == other.value:
        return None
    first = (one.value < other.value) is bool(compares["less"])
    return Weighed(names[0], (one, other)) if first else Weighed(names[1], (other, one))


def _amount_of(name: str, other: str, comparison: str, ranked: Sequence[Candidate]) -> Amount | None:
    """The one amount in the clause that ends the thing's name, in the best sentence that has all its words."""
    words = frozenset(content_words(name))
    own = words - frozenset(content_words(other))
    for one in ranked[:MAX_READ] if own else ():
        if not words <= one.words:
            continue
        clauses = _clauses(one.text)
        named = [(start, end) for start, end in clauses if own & frozenset(content_words(one.text[start:end]))]
        told = [amount for start, end in named[-1:] for amount in _amounts(one, start, end)]
        if len(told) == 1 and is_unit_of(comparison, told[0].unit):
            return told[0]
    return None


def _clauses(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(place for cut in _CLAUSE.finditer(text) for place in cut.span()), len(text)]
    return list(zip(cuts[::2], cuts[1::2], strict=True))


def _amounts(one: Candidate, start: int, end: int) -> list[Amount]:
    found = []
    for match in COUNTED.finditer(one.text, start, end):
        value = number_of(match[0])
        before, behind = _CURRENCY.search(one.text[: match.start()]), _UNIT.match(one.text, match.end(), end)
        if value is not None:
            unit = before[0].strip() if before else behind[1] if behind else ""
            found.append(Amount(value, unit.lower(), one, match.start(), match.end()))
    return found
