"""Of several values in a sentence, the one whose condition the question meets: its month, somebody's age. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trivium.domain.parsed import UnitKind
from trivium_query.answer.direct.hops import Found
from trivium_query.words import content_words

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_JOINT = r"\s*(?:to|until|till|through|[-\u2013])\s*"
_MONTHS_FROM_TO = re.compile(rf"\b{_MONTH}{_JOINT}{_MONTH}\b", re.I)
_DAY = re.compile(rf"\b\d{{1,2}}\.? {_MONTH}\b", re.I)
_ASKED_MONTH = re.compile(
    r"\b(?:in|during)\s(january|february|march|april|may|june|july|august|september|october|november|december)\b", re.I
)
_ASKED_AGE = re.compile(
    r"\b(\d{1,2})[- ]?years?[- ]?old\b"
    r"|\b(?:i'm|i am|he's|he is|she's|she is|aged|turned)\s(\d{1,2})\b(?!\s*(?:am|pm|%|min|metres|km))",
    re.I,
)
_UNDER = re.compile(r"\b(?:under|below|younger than)\s(\d{1,2})\b", re.I)
_UP_TO = re.compile(r"\bup to\s(?:the age of\s)?(\d{1,2})(?=\)|\syears)", re.I)
_OVER = re.compile(r"\b(?:over|above|older than)\s(\d{1,2})\b", re.I)
_FROM = re.compile(r"\b(?:from|aged)\s(\d{1,2})(?=\)|\s(?:on|up|years))|\b(\d{1,2})\s?(?:\+|and over|or older)", re.I)
_BETWEEN = re.compile(rf"\b(\d{{1,2}}){_JOINT}(\d{{1,2}})(?=\)|\syears)", re.I)
_PART = re.compile(r"[;,](?=\s)")
_LARGE_PART = re.compile(r";(?=\s)|,\s(?=(?:in|from|but)\s)")
_HOW_OLD = re.compile(r"\bhow old\b", re.I)
_HOW_MANY = re.compile(r"\bhow many\b", re.I)
_CLOCK = re.compile(r"\d{1,2}[.:]\d{2}")
_FOR = re.compile(r"\bfor\s$", re.I)
_OTHER = re.compile(r"\b(?:before|after|besides|instead of|apart from|other than|than)\s([A-Z][\w-]+)")
_LASTING = re.compile(r"\b(?:after|for|within|over|during|in)\s$", re.I)

# "When there are 5 members or fewer, ...": of which case something holds, not how many there are.
_CASE = re.compile(
    r"\b(?:if|when|whenever|unless|once|as long as)\s(?:there|it|they|the\s\w+)\s"
    r"(?:is|are|has|have)\s(?:been\s)?(?:(?!not?\b)\w+\s){0,3}$",
    re.I,
)
_ASKS_OF_CASE = re.compile(r"\b(?:if|when|unless|once|where|while)\b|\b(?:need|necessary|requir|take|must\b)", re.I)

Holds = Callable[[str], bool | None]
"""Whether a part of a sentence is of what the question names; None where the part has no condition."""


def meets(question: str, one: Found) -> bool | None:
    """Whether the span's part of its sentence is of the question's month or age.

    None where the question names none, or no part of the sentence is of it.
    """
    sentence = one.sentence
    asked = _asked(question)
    if sentence is None or asked is None:
        return None
    holds, cut = asked
    text = one.hit.chunk.text
    parts = list(_parts(text, sentence.start, sentence.end, cut))
    meeting = [part for part in parts if holds(text[part[0] : part[1]])]
    return any(start <= one.start < end for start, end in meeting) if meeting else None


def is_barred(question: str, one: Found) -> bool:
    """Whether the span cannot be the answer, for one of the reasons below."""
    return (
        meets(question, one) is False
        or is_no_age(question, one)
        or is_no_count(question, one)
        or is_of_a_case(question, one)
        or is_of_the_other(question, one)
        or is_of_another_row(question, one)
    )


def is_no_age(question: str, one: Found) -> bool:
    """Whether "how old" would be answered by a day, or by how long something went on: "after 22 years"."""
    lasting = _LASTING.search(one.hit.chunk.text[: one.start]) or _DAY.search(one.text)
    return _HOW_OLD.search(question) is not None and lasting is not None


def is_no_count(question: str, one: Found) -> bool:
    """Whether "how many tents" would be answered by a time, or by for how many they are: "9.20", "another for 6"."""
    if not _HOW_MANY.search(question):
        return False
    text = one.hit.chunk.text
    bare = one.text.isdigit() and text[one.end : one.end + 1] in ("", ".", ",", ";", ")")
    led = bare and _FOR.search(text[: one.start]) is not None and " for " not in f" {question.lower()} "
    return led or _CLOCK.fullmatch(one.text) is not None


def is_of_the_other(question: str, one: Found) -> bool:
    """Whether it is whom "before Nadia" stands for, with another name more: "Nadia Prell"."""
    return any(name in one.text.split() for name in _OTHER.findall(question))


def is_of_a_case(question: str, one: Found) -> bool:
    """Whether "how many members" would be answered by a case in which something holds: "when there are 5 or fewer"."""
    if one.sentence is None or not _HOW_MANY.search(question) or _ASKS_OF_CASE.search(question):
        return False
    return _CASE.search(one.hit.chunk.text[one.sentence.start : one.start]) is not None


def is_of_another_row(question: str, one: Found) -> bool:
    """Whether another row of its table has all the words of the question that its own has, and more."""
    chunk = one.hit.chunk
    if chunk.kind is not UnitKind.TABLE:
        return False
    asked = set(content_words(question))
    start, end = chunk.text.rfind("\n", 0, one.start) + 1, chunk.text.find("\n", one.end)
    own = asked & set(content_words(chunk.text[start : end if end >= 0 else None]))
    return any(own < asked & set(content_words(row)) for row in chunk.text.split("\n"))


def _asked(question: str) -> tuple[Holds, re.Pattern[str]] | None:
    if age := _ASKED_AGE.search(question):
        years = int(age[1] or age[2])
        return lambda part: _is_of_age(years, part), _PART
    if month := _ASKED_MONTH.search(question):
        number = _number(month[1])
        return lambda part: _is_in_months(number, part), _LARGE_PART
    return None


def _parts(text: str, start: int, end: int, cut: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in cut.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _is_of_age(years: int, part: str) -> bool | None:
    told = [
        *(years < int(each[1]) for each in _UNDER.finditer(part)),
        *(years <= int(each[1]) for each in _UP_TO.finditer(part)),
        *(years > int(each[1]) for each in _OVER.finditer(part)),
        *(years >= int(each[1] or each[2]) for each in _FROM.finditer(part)),
        *(int(each[1]) <= years <= int(each[2]) for each in _BETWEEN.finditer(part)),
    ]
    return all(told) if told else None


def _is_in_months(number: int, part: str) -> bool | None:
    told = [(_number(each[1]), _number(each[2])) for each in _MONTHS_FROM_TO.finditer(part)]
    held = [first <= number <= last if first <= last else number >= first or number <= last for first, last in told]
    return any(held) if held else None


def _number(month: str) -> int:
    return _MONTHS.index(month[:3].lower())
