"""Which version a change stands under in a changelog ("4.2.0 (2025-08-19)"), and when a version came out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.blocks import ITEM
from trivium_query.answer.direct.compare_read import SURE, Compared
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.life import DATE
from trivium_query.answer.direct.polarity import denies
from trivium_query.answer.evidence import Candidate
from trivium_query.words import content_words

_WHICH = re.compile(r"^\W*(?:(?:in|with|since|from|as of)\s)?(?:which|what)\s(?:version|release)\b", re.I)
_WHEN = re.compile(
    r"^\W*(?:when|on (?:which|what) (?:day|date))\b.*?(?<![\w.])(?P<version>\d+(?:\.\d+)+(?:-[\w.]+)?)"
    r"\s(?:come out|released|published|out|appear)\W*$",
    re.I,
)
_OF = re.compile(r"\b(?:version|release)\sof\s(?:the\s)?(\S+)", re.I)
_DAY = re.compile(rf"\d{{4}}-\d\d-\d\d|{DATE}", re.I)
# Not "supported until" or "planned for".
_BEFORE_DAY = re.compile(r"[\W_]*(?:(?:released|published|on|(?:mon|tue|wed|thu|fri|sat|sun)(?:\w*day)?)[\W_]+)*", re.I)
# "4.2.0 (2025-08-19)", "v4.2.0, 19 August 2025", "larkspur (4.2.0-1) unstable": a line of its own behind an empty one.
_VERSION = r"v?(?P<version>\d+(?:\.\d+)+(?:[-+~][\w.+~-]+)?)(?![\w.])"
_BEHIND = rf"(?:[\])]|[ \t]*[(\[:\u2013\u2014-]|,?\s+(?:released\s+)?(?:on\s+)?(?={_DAY.pattern}))[^\n]{{0,60}}"
_BEFORE = r"[ \t#]*(?:(?P<deed>[^\W\d_]+)[ \t]+in[ \t]+)?(?:[^\W\d_][\w+.-]*[ \t]+)?[\[(]?"
_HEAD_LINE = rf"{_BEFORE}{_VERSION}(?:{_BEHIND})?(?<![.!?])[ \t]*$"
HEAD = re.compile(rf"(?:\A|(?<=\n\n)){_HEAD_LINE}", re.M | re.I)
# What begins something else: a version behind no empty line, "Version 5", "[Unreleased]", or the next chapter.
ELSE = re.compile(rf"{_HEAD_LINE}|\W*(?:(?:\w+\s)?v?\d+\W*$|unreleased\b)", re.I)
_LINE = re.compile(r"^[^\n]+$", re.M)
CALLED = frozenset(content_words("since version versions release releases released come came out published appear"))
_LOGS = frozenset(content_words("changelog change changes history news release releases version versions"))
SAME_DEED = tuple(
    frozenset(content_words(words))
    for words in (
        "add introduce new bring features",
        "change modify",
        "remove drop dropped delete",
        "fix repair solve resolve",
        "deprecate",
    )
)
_UNDOES = SAME_DEED[2:]  # what had it till then
MAX_DEED_WORDS = 2  # of the line between a version and its changes: "Fixed", "Bug fixes"


def released(question: str, ranked: Sequence[Candidate]) -> Compared | None:
    """The version, or its day, where one alone has all that is asked; None where none is asked for."""
    when = _WHEN.match(question)
    if when is not None:
        found = [days for one in ranked for days in _day_of(question, when["version"], one)]
    elif _WHICH.match(question):
        of = _OF.search(question)
        named = frozenset(content_words(of[1]) if of else ())  # not "of Android", of Larkspur's
        ranked = [one for one in ranked if named <= words_of_title(one.hit)]
        asked = frozenset(content_words(question)) - CALLED
        alike = (one for one in ranked if denies(one.text) == denies(question))
        found = [change for one in alike for change in _changed(asked, one)]
    else:
        return None
    return Compared(found[0][0].text, found[0]) if len({head.text for head, _ in found}) == 1 else None


def _day_of(question: str, version: str, one: Candidate) -> Iterator[tuple[Found, Found]]:
    text, place = one.hit.chunk.text, one.span
    head = next((head for head in HEAD.finditer(text, 0, place.end) if head.end() > place.start), None)
    day = _DAY.search(text, head.end("version"), place.end) if head else None
    if head is None or day is None or head["version"] != version:
        return
    if not _BEFORE_DAY.fullmatch(text, head.end("version"), day.start()):
        return
    others = frozenset(content_words(question)) - CALLED - frozenset(content_words(version))
    if others <= words_of_title(one.hit) | one.words:
        yield Found(one.hit, *day.span(), SURE, ""), Found(one.hit, *head.span("version"), SURE, "")


def _changed(asked: frozenset[str], one: Candidate) -> Iterator[tuple[Found, Found]]:
    """The version that the sentence stands under, where that has all that is asked, but what the document is called."""
    text = one.hit.chunk.text
    heads = list(HEAD.finditer(text, 0, one.span.start))
    if not heads or one.span.start <= heads[-1].end() or not asked & one.words:
        return
    between = [line[0].strip() for line in _LINE.finditer(text, heads[-1].end(), one.span.start)]
    between = [line for line in between if not ITEM.match(line)]
    named = [line for line in between if len(line.split()) <= MAX_DEED_WORDS]
    if any(line[0].isdigit() for line in named) or any(map(ELSE.match, between)):
        return
    told = one.words | frozenset(content_words(named[-1] if named else ""))
    told = told.union(*(deed for deed in SAME_DEED if deed & told))
    if any(deed & told and not deed & asked for deed in _UNDOES):
        return
    if asked - told <= words_of_title(one.hit) and is_release(heads[-1], one.hit):
        place = Found(one.hit, one.span.start, one.span.end, SURE, "")
        yield Found(one.hit, *heads[-1].span("version"), SURE, ""), place


def is_release(head: re.Match[str], hit: Hit) -> bool:
    """Whether it is no section, "2.1 - Player".

    It tells what was done in it, has three numbers or a day, or is in what is called a changelog.
    """
    if head["deed"]:
        return any(deed.intersection(content_words(head["deed"])) for deed in SAME_DEED)
    return head["version"].count(".") > 1 or bool(_DAY.search(head[0]) or _LOGS & words_of_title(hit))


def words_of_title(hit: Hit) -> frozenset[str]:
    """Of what the document is called, by itself or as a file, or begins with."""
    chunk = hit.chunk
    first = _LINE.search(chunk.text)
    return frozenset(content_words(f"{chunk.title} {chunk.source} {chunk.heading} {first[0] if first else ''}"))
