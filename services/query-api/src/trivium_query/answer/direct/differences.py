"""What was, where a sentence tells by how much that differs: "41 households, nine fewer than a year ago". Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium_query.answer.direct.alternatives import Amount, Weighed
from trivium_query.answer.direct.changes import asks_what_was
from trivium_query.answer.direct.life import YEAR
from trivium_query.answer.direct.units import COUNTED
from trivium_query.answer.evidence import Candidate
from trivium_query.contradictions.values import Value, number_told
from trivium_query.words import content_words

_MORE = "more|higher|longer|dearer|heavier|larger"
_LESS = "fewer|less|lower|shorter|cheaper|lighter|smaller"
_THAN = re.compile(
    rf"(?P<by>{COUNTED.pattern})(?:\s?(?P<unit>[%€£$]|[^\W\d_]{{1,12}}))??\s(?:(?P<more>{_MORE})|(?:{_LESS}))"
    r"(?:\s\w+)?\sthan\s(?P<then>[^,;()]{2,80})",
    re.I,
)
_ASKS = re.compile(r"^\W*(?:(?:to|for|by|at|in|of)\s)?(?:how (?!did|does|do|was|were|is|are)|what\b)", re.I)
_COMPARES = re.compile(rf"\b(?:{_MORE}|{_LESS}|than)\b", re.I)
_ABOUT = re.compile(r"\b(?:about|around|nearly|almost|roughly|some|approximately)\s$", re.I)
_ONE_BEFORE = re.compile(r"\b(day|week|month|season|term|year) before\b", re.I)
_COUNTED_THINGS = re.compile(r"\bhow many\s+(?:of\s+the\s+)?([^\W\d_]+)", re.I)
MAX_READ = 12  # sentences
MAX_MISSING = 1
DIGITS = 12  # fewer than a float's, whose sums end in "0000001"


def what_was(question: str, ranked: Sequence[Candidate]) -> Weighed | None:
    """The number that the one in the sentence differs from, and both that it follows from.

    None where the question asks for no number, for the difference, or not for the time or thing behind "than".
    """
    asked = frozenset(content_words(question))
    if not _ASKS.match(question) or _COMPARES.search(question):
        return None
    found = ((one, than) for one in ranked[:MAX_READ] if (than := _THAN.search(one.text)))
    return next((was for one, than in found if (was := _was(question, asked, one, than))), None)


def told_of_another(sentence: str) -> frozenset[str]:
    """The words behind its "than" alone: what it says otherwise is not said of that time or thing."""
    than = _THAN.search(sentence)
    if than is None:
        return frozenset()
    rest = sentence[: than.start("then")] + sentence[than.end("then") :]
    return frozenset(content_words(than["then"])) - frozenset(content_words(rest))


def _was(question: str, asked: frozenset[str], one: Candidate, than: re.Match[str]) -> Weighed | None:
    told, then = one.text[: than.start("by")], frozenset(content_words(than["then"]))
    given = {number[0] for number in COUNTED.finditer(question)}
    numbers = [each for each in COUNTED.finditer(told) if not YEAR.fullmatch(each[0]) and each[0] not in given]
    of_then = asked & told_of_another(one.text) or asks_what_was(question) or _is_the_one_before(question, than["then"])
    chunk = one.hit.chunk
    told_of = one.words | then | frozenset(content_words(f"{chunk.heading} {chunk.title}"))
    if len(numbers) != 1 or not of_then or not _is_of_it(question, asked - told_of):
        return None
    now, by, unit = number_told(numbers[0][0]), number_told(than["by"]), than["unit"] or ""
    if now is None or by is None or not told[numbers[0].end() :].lstrip().startswith(unit):
        return None
    was = now[0] - by[0] if than["more"] else now[0] + by[0]
    about = "about " if _ABOUT.search(told) or _ABOUT.search(told[: numbers[0].start()]) else ""
    grouped = "," if "," in numbers[0][0] else ""
    sides = [_amount(one, numbers[0].span(), now[0]), _amount(one, than.span("by"), by[0])]
    return Weighed(f"{about}{was:{grouped}.{DIGITS}g} {unit}".strip(), (sides[0], sides[1]))


def _is_the_one_before(question: str, then: str) -> bool:
    """Whether both are of the year before: "the year before last", where the sentence is of the last."""
    asked, told = _ONE_BEFORE.search(question), _ONE_BEFORE.search(then)
    return asked is not None and told is not None and asked[1].lower() == told[1].lower()


def _is_of_it(question: str, missing: frozenset[str]) -> bool:
    """Where things are counted, one word but theirs may be told otherwise: "got" a badge for "earned"."""
    counted = _COUNTED_THINGS.search(question)
    things = frozenset(content_words(counted[1])) if counted else missing
    return len(missing) <= MAX_MISSING and not missing & things and not any(map(str.isdigit, "".join(missing)))


def _amount(one: Candidate, place: tuple[int, int], number: float) -> Amount:
    return Amount(Value("number", "", number, number, one.text[slice(*place)], *place), one)
