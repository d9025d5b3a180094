"""What keeps a likely answer from being told as sure, though its words fit.

It is of another day or time than asked for, what somebody said, what was once, a surcharge, what holds under a
condition, once where it is asked how much a day, or what others pay; or it is called off or less by the next sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trivium_query.answer.direct.life import YEAR
from trivium_query.answer.direct.opposites import weekdays_in
from trivium_query.answer.direct.yes_no import denies
from trivium_query.words import content_words

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
_EACH = re.compile(r"\b(?:an?|per|each|every|one) (hour|day|night|week|month|term|year)\b", re.I)
_AFTER, _UNTIL = re.compile(r"\bafter\b", re.I), re.compile(r"\b(?:until|till)\b", re.I)
_HOW_LONG = re.compile(r"\bhow long\b", re.I)
_FREE_FOR = re.compile(r"\bfree (?:for|to) (?:all |the |our )?([\w-]+)", re.I)
_PRICED = re.compile(r"\b(?:costs?|pays?|prices?|fees?|charged?|rent)\b", re.I)
_REDUCED = re.compile(r"\b(?:half|double|twice|free|nothing|discount|reduced|a (?:third|quarter))\b", re.I)
_NOT_ONE = re.compile(r"\bnon[- ]\w+", re.I)  # "non-members"
_CALLED_OFF = re.compile(r"\W*(?:cancell?ed|called off|postponed|dropped|withdrawn|sold out)\b", re.I)
_ASKS_FOR_REPORT = re.compile(r"\b(?:say|said|claim|report|announce|wr[io]te)", re.I)


def is_doubtful(question: str, short: str, said: str) -> bool:
    """Whether `short`, found in the sentence `said`, may be no answer although the words fit."""
    return (
        _is_of_another_day(question, said)
        or _is_reported(question, said)
        or _is_no_longer_so(question, short, said)
        or _is_surcharge(question, short, said)
        or _is_unless(question, said)
        or _is_of_another_time(question, said)
        or _is_of_no_rate(question, said)
        or _is_no_duration(question, short)
        or _is_of_who_pays(question, short, said)
    )


def is_called_off(text: str, end: int) -> bool:
    """Whether what follows the sentence that ends there says that it does not take place."""
    return _CALLED_OFF.match(text, end) is not None


def is_reduced(question: str, short: str, said: str, others: Iterable[str]) -> bool:
    """Whether an amount is less for whom is asked, by another sentence of the passage: "pensioners pay half"."""
    if not (_PRICED.search(question) and any(map(str.isdigit, short))):
        return False
    missing = set(content_words(_PRICED.sub("", question))) - set(content_words(said))
    return any(_REDUCED.search(one) and missing & set(content_words(one)) for one in others)


def is_half_denied(question: str, said: str) -> bool:
    """Whether the sentence of a "yes" denies something, and has not all that is asked: it may be just that."""
    missing = set(content_words(question)) - set(content_words(said))
    return denies(said) and not denies(question) and bool(missing)


def _is_of_another_day(question: str, said: str) -> bool:
    asked, told = weekdays_in(question), weekdays_in(said)
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
    return denies(asked["clause"]) != denies(told["clause"])


def _is_of_another_time(question: str, said: str) -> bool:
    """What holds until nine, where it is asked what does after nine."""
    return all((_AFTER.search(question), _UNTIL.search(said))) and not _AFTER.search(said)


def _is_of_no_rate(question: str, said: str) -> bool:
    """A single dose, where it is asked how much a day."""
    asked = _EACH.search(question) if _HOW_MANY.search(question) else None
    return asked is not None and asked[1].lower() not in said.lower()


def _is_no_duration(question: str, short: str) -> bool:
    """A year, where it is asked how long."""
    return _HOW_LONG.search(question) is not None and YEAR.fullmatch(short) is not None


def _is_of_who_pays(question: str, short: str, said: str) -> bool:
    """What others pay, where it is free for whom is asked."""
    free = set(content_words(" ".join(_FREE_FOR.findall(said))))
    return any(map(str.isdigit, short)) and bool(free & set(content_words(_NOT_ONE.sub("", question))))
