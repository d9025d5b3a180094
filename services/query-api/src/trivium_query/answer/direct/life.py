"""When and where somebody was born and died, as encyclopaedias put it: "Name (1 April 1925, Lund - 3 May 2000)"."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.retrieval import Hit

MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
DATE = (
    rf"(?<!\d)(?:(?:{_NTH}\s+(?:{MONTHS})\.?,?\s+|(?:{MONTHS})\.?\s+{_NTH},?\s+|(?:{MONTHS})\.?,?\s+)?"
    r"(?:c\.\s*|ca\.\s*)?(?<!\d)(?:[1-9]\d{2}|1\d{3}|2[01]\d{2}))(?!\d)"
)
DAY = rf"\b(?:{_NTH}\s+(?:{MONTHS})|(?:{MONTHS})\s+{_NTH})\b"  # of a year that is not told
YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})\b")
DATED = re.compile(DATE, re.I)
_BRACKET = re.compile(r"\(([^()]{4,160})\)")
_SEARCHED = 300  # characters: what comes later tells of others
_WHERE = r"(?:\s*,?\s*(?:in\s+)?([^\W\d_][^;()\u2013]*))?"
BIRTH = re.compile(r"\b(?:born|birth(?:day|place|date)?)\b", re.I)
DEATH = re.compile(r"\b(?:die[ds]?|death)\b", re.I)
_BORN = re.compile(rf"\b(?:born|b\.)\s*(?:on\s+)?({DATE}){_WHERE}", re.I)
_DIED = re.compile(rf"\b(?:died|d\.)\s*(?:on\s+)?({DATE}){_WHERE}", re.I)
_DASH = re.compile(r"\s*[\u2013\u2014]\s*|\s+-\s*|-\s+")
_PLACE_AFTER = re.compile(r"\s*[,;]?\s*(?:in\s+|at\s+)?([^\W\d_][^;()]*)")
_PLACE_BEFORE = re.compile(r"([^\W\d_][^;()\d]*?)\s*,\s*$")


class Told(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of the hit's text."""

    start: int
    end: int


class Life(msgspec.Struct, frozen=True):
    """What a passage tells at its beginning of who it is about; None for what it does not."""

    born: Told | None = None
    birthplace: Told | None = None
    died: Told | None = None
    deathplace: Told | None = None


def life_in(hit: Hit) -> Life:
    """The first bracket with a date in it, near the beginning of the text."""
    text = hit.chunk.text
    for bracket in _BRACKET.finditer(text, 0, _SEARCHED):
        if DATED.search(bracket[1]):
            return _read(bracket[1], bracket.start(1))
    return Life()


def _read(text: str, offset: int) -> Life:
    dash = _dash_between_dates(text)
    if dash is not None:
        return Life(*_part(text, 0, dash.start(), offset), *_part(text, dash.end(), len(text), offset))
    return Life(*_groups(_BORN.search(text), offset), *_groups(_DIED.search(text), offset))


def _dash_between_dates(text: str) -> re.Match[str] | None:
    dashes = _DASH.finditer(text)
    return next(
        (dash for dash in dashes if DATED.search(text, 0, dash.start()) and DATED.search(text, dash.end())), None
    )


def _part(text: str, start: int, end: int, offset: int) -> tuple[Told | None, Told | None]:
    date = DATED.search(text, start, end)
    if date is None:
        return None, None
    place = _PLACE_AFTER.match(text, date.end(), end) or _PLACE_BEFORE.search(text, start, date.start())
    return _told(date, 0, offset), _told(place, 1, offset)


def _groups(match: re.Match[str] | None, offset: int) -> tuple[Told | None, Told | None]:
    return _told(match, 1, offset), _told(match, 2, offset)


def _told(match: re.Match[str] | None, group: int, offset: int) -> Told | None:
    return Told(offset + match.start(group), offset + match.end(group)) if match and match[group] else None
