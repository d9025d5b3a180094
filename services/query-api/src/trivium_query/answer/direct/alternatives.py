"""Which of two described things it is: by an amount told of each ("Is a day ticket or a single ticket cheaper?")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from trivium_query.answer.evidence import Candidate
from trivium_query.contradictions.values import Value, amounts_in
from trivium_query.words import content_words

_LESS = "cheaper|shorter|lighter|quieter|smaller|lower|fewer|less|slower|colder|thinner|earlier|closer|nearer"
_MORE = (
    "dearer|longer|heavier|louder|larger|bigger|higher|taller|more|faster|warmer|hotter|thicker|wider|deeper|stronger"
    "|later|farther|further"
)
_COMPARES = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.I)
_ENDS_WITH_PAIR = re.compile(
    r"^(?:(?:in|on|at|of|for|with|from)\s)?(?:which|what|whose|who)\b(?P<rest>[^,]*),\s*"
    r"(?P<one>[^,]+?),?\s+or\s+(?P<other>[^,]+?)\s*\??$",
    re.I,
)
_BEGINS_WITH_PAIR = re.compile(
    r"^(?:is|are|was|were|does|do|did)\s+(?P<one>.+?)\s+or\s+(?P<other>.+?)\s+"
    r"(?P<rest>(?:(?:cost|weigh|take|last|have|hold|use|need|allow|offer|give|get|pay|keep|contain|run|go|stay)\s+)?"
    rf"(?:the\s+|an?\s+)?(?:{_LESS}|{_MORE})\b.*)$",
    re.I,
)
_OF_KIND = (
    (re.compile(r"cheaper|dearer|expensive|\bcost|\bpay", re.I), {"money"}),
    (re.compile(r"heavier|lighter|weigh", re.I), {"mass"}),
    (re.compile(r"louder|quieter", re.I), {"number"}),
    (re.compile(r"warmer|hotter|colder", re.I), {"temperature"}),
    (re.compile(r"longer|shorter", re.I), {"time", "length"}),
    (re.compile(r"earlier|later", re.I), {"date", "clock"}),
    (re.compile(r"taller|deeper|wider|thicker|thinner|closer|nearer|farther|further", re.I), {"length"}),
)
"""What a comparison compares, as `_kind_of` calls it; any other compares whatever is told of both."""
_CALLED = {
    "faster slower": "speed", "louder quieter": "noise sound volume", "heavier lighter": "weight", "stronger": "power",
    "longer shorter": "length duration time", "taller higher lower": "height", "wider": "width", "deeper": "depth",
    "larger bigger smaller": "size area capacity", "cheaper dearer": "price cost fee", "thicker thinner": "thickness",
    "warmer hotter colder": "temperature",
}  # fmt: skip
"""What a table calls it."""
_ROW = re.compile(r"^[^;]+; [^:;]+: ")  # of a table with a head: its first cell says what its numbers are
_CELL = re.compile(r"(?P<label>[^;:]+): (?P<value>[^;]+)")
_CLAUSE = re.compile(r"[,;](?=\s)|\s(?:but|while|whereas|and)\s", re.I)
_ARTICLE = re.compile(r"^(?:the|an?)\s+|['\u2019]s$", re.I)
MAX_READ = 40  # sentences
_NO_AMOUNTS = frozenset({"date", "weekday", "time", "colour"})
_AS_NUMBER = {"count": "number"}  # "42 dB" counts nothing


class Amount(msgspec.Struct, frozen=True):
    """What is told of one thing, and in which sentence."""

    value: Value
    sentence: Candidate


class Weighed(msgspec.Struct, frozen=True):
    """The thing that it is, as the question calls it, and both amounts, its own first."""

    short: str
    amounts: tuple[Amount, Amount]


def weigh(question: str, ranked: Sequence[Candidate]) -> Weighed | None:
    """None where the question compares no two things, or not one amount of one kind is told of each."""
    pair = _ENDS_WITH_PAIR.match(question.strip()) or _BEGINS_WITH_PAIR.match(question.strip())
    compares = _COMPARES.search(pair["rest"]) if pair else None
    if pair is None or compares is None:
        return None
    names = tuple(_ARTICLE.sub("", pair[side]) for side in ("one", "other"))
    called = next((called for words, called in _CALLED.items() if compares[0].lower() in words.split()), "")
    asked = frozenset(content_words(f"{_COMPARES.sub(' ', pair['rest'])} {called}"))
    kinds = next((kinds for told, kinds in _OF_KIND if told.search(pair["rest"])), frozenset[str]())
    nearest = sorted(ranked[:MAX_READ], key=lambda one: not asked & one.words)  # stable: the best of these first
    nearest = [one for one in nearest if kinds or asked & one.words or not _ROW.match(one.text)]
    one, other = (_amount_of(name, not_of, kinds, asked, nearest) for name, not_of in (names, names[::-1]))
    if one is None or other is None or not _is_comparable(one.value, other.value):
        return None
    sizes = _size(one.value), _size(other.value)
    if sizes[0] == sizes[1]:
        return None
    first = (sizes[0] < sizes[1]) is bool(compares["less"])
    return Weighed(names[0], (one, other)) if first else Weighed(names[1], (other, one))


def _amount_of(
    name: str, other: str, kinds: AbstractSet[str], asked: AbstractSet[str], ranked: Sequence[Candidate]
) -> Amount | None:
    """The one amount told of the thing in the first sentence that names it; its headings may say a part of its name."""
    words, others = frozenset(content_words(name)), frozenset(content_words(other))
    own = words - others
    for one in ranked if own else ():
        headed = frozenset(content_words(f"{one.hit.chunk.title} {one.hit.chunk.heading}"))
        if not (own & one.words and words <= one.words | headed):
            continue
        bare = {"number"} if kinds and _ROW.match(one.text) else set[str]()  # its label may have the unit
        told = _told_of(own, one, kinds | bare)
        if not told and not (others - words) & one.words:
            told = _cell_of(asked, one) if bare or _ROW.match(one.text) else []
            told = told or (_values(one.text, 0, len(one.text), kinds) if kinds else [])
        if len(told) == 1:
            return Amount(told[0], one)
    return None


def _cell_of(asked: AbstractSet[str], one: Candidate) -> list[Value]:
    """The numbers in cells whose label has a word that is asked for, of a row that is of one thing."""
    cells = [cell for cell in _CELL.finditer(one.text) if asked & frozenset(content_words(cell["label"]))]
    return [value for cell in cells for value in _values(one.text, *cell.span("value"), frozenset())]


def _told_of(own: AbstractSet[str], one: Candidate, kinds: AbstractSet[str]) -> list[Value]:
    """In the last clause that names the thing."""
    cuts = [0, *(place for cut in _CLAUSE.finditer(one.text) for place in cut.span()), len(one.text)]
    clauses = list(zip(cuts[::2], cuts[1::2], strict=True))
    named = [place for place in clauses if own & frozenset(content_words(one.text[slice(*place)]))]
    return [value for place in named[-1:] for value in _values(one.text, *place, kinds)]


def _values(text: str, start: int, end: int, kinds: AbstractSet[str]) -> list[Value]:
    """Those that are wholly told there and may be compared."""
    inside = [value for value in amounts_in(text) if start <= value.start and value.end <= end]
    return [value for value in inside if (_kind_of(value) in kinds if kinds else value.kind not in _NO_AMOUNTS)]


def _kind_of(value: Value) -> str:
    """What a quantity is of; "clock" of a time of day; one number is like another."""
    if value.kind == "time":
        return "clock"
    return value.dimension.strip("[]") if value.kind == "quantity" else _AS_NUMBER.get(value.kind, value.kind)


def _is_comparable(one: Value, other: Value) -> bool:
    """Money in one currency, quantities of one sort, numbers."""
    return _kind_of(one) == _kind_of(other) and (one.kind != "money" or one.dimension == other.dimension)


def _size(value: Value) -> float:
    """A bound ("at least 3 days") counts as what it names."""
    return next(end for end in ((value.low + value.high) / 2, value.low, value.high) if abs(end) < float("inf"))
