"""What keeps a likely answer from being told as sure: it is of another day than asked for, or what somebody said."""

from __future__ import annotations

import calendar
import re

_DAY = re.compile(rf"\b({'|'.join(calendar.day_name)})s?\b", re.I)
_HOW_MANY = re.compile(r"\bhow (?:many|much)\b", re.I)
# What somebody says, of which the text often says later that it is otherwise.
_REPORT = re.compile(r"\b(?:said|says?|claim(?:s|ed)?|report(?:s|ed)|announced?|wrote|writes) that\b", re.I)
_ASKS_FOR_REPORT = re.compile(r"\b(?:say|said|claim|report|announce|wr[io]te)", re.I)


def is_doubtful(question: str, said: str) -> bool:
    """Whether what was found in the sentence `said` may be no answer although the words fit."""
    return _is_of_another_day(question, said) or _is_reported(question, said)


def _is_of_another_day(question: str, said: str) -> bool:
    asked, told = ({day.lower() for day in _DAY.findall(text)} for text in (question, said))
    return bool(asked and told) and not asked & told


def _is_reported(question: str, said: str) -> bool:
    """A number that somebody is said to have told."""
    counts = _HOW_MANY.search(question) and not _ASKS_FOR_REPORT.search(question)
    return bool(counts and _REPORT.search(said))
