"""What keeps a likely answer from being told as sure, though its words fit.

It is of another day than asked for, what somebody said, what was once, a surcharge, or what holds under a condition.
"""

from __future__ import annotations

import calendar
import re

_DAY = re.compile(rf"\b({'|'.join(calendar.day_name)})s?\b", re.I)
_HOW_MANY = re.compile(r"\bhow (?:many|much)\b", re.I)
# What somebody says, of which the text often says later that it is otherwise.
_REPORT = re.compile(r"\b(?:said|says?|claim(?:s|ed)?|report(?:s|ed)|announced?|wrote|writes) that\b", re.I)
_WAS_BUT = re.compile(r"\b(?:was|were|used to be)\b.*\bbut\b", re.I)
_OF_THEN = re.compile(r"\b(?:was|were|did|had|used|been|before|once|former(?:ly)?|originally)\b|\b\w+ed\b", re.I)
_MORE = re.compile(r"\s+(?:\w+\s+)?(?:more|extra|less|fewer|higher|lower|dearer|cheaper)\b", re.I)
_ASKS_FOR_MORE = re.compile(
    r"\b(?:more|extra|additional(?:ly)?|less|fewer|higher|lower|dearer|cheaper|surcharge|on top|difference)\b", re.I
)
_IF = re.compile(r"\bif\b(?P<clause>[^,.;]*)", re.I)
_NEGATED = re.compile(r"\b(?:not|no|never|without)\b|n['\u2019]t\b", re.I)
_ASKS_FOR_REPORT = re.compile(r"\b(?:say|said|claim|report|announce|wr[io]te)", re.I)


def is_doubtful(question: str, short: str, said: str) -> bool:
    """Whether `short`, found in the sentence `said`, may be no answer although the words fit."""
    return (
        _is_of_another_day(question, said)
        or _is_reported(question, said)
        or _is_no_longer_so(question, short, said)
        or _is_surcharge(question, short, said)
        or _is_unless(question, said)
    )


def _is_of_another_day(question: str, said: str) -> bool:
    asked, told = ({day.lower() for day in _DAY.findall(text)} for text in (question, said))
    return bool(asked and told) and not asked & told


def _is_reported(question: str, said: str) -> bool:
    """A number that somebody is said to have told."""
    counts = _HOW_MANY.search(question) and not _ASKS_FOR_REPORT.search(question)
    return bool(counts and _REPORT.search(said))


def _is_no_longer_so(question: str, short: str, said: str) -> bool:
    """As "the salt was 25 g in my mother's recipe, but that is too much"."""
    told = _WAS_BUT.search(said)
    return told is not None and 0 <= said.find(short) < told.end() and _OF_THEN.search(question) is None


def _is_surcharge(question: str, short: str, said: str) -> bool:
    """As "a single room costs 35 euros more"."""
    if not short or not any(map(str.isdigit, short)) or _ASKS_FOR_MORE.search(question):
        return False
    at = said.find(short)
    return at >= 0 and _MORE.match(said, at + len(short)) is not None


def _is_unless(question: str, said: str) -> bool:
    """What is said for the case that it does not rain, where it is asked for the case that it does."""
    asked, told = _IF.search(question), _IF.search(said)
    if asked is None or told is None:
        return False
    return (_NEGATED.search(asked["clause"]) is None) != (_NEGATED.search(told["clause"]) is None)
