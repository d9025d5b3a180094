"""What holds of a value that was changed: "The fee goes up from 48 to 54 euros". Pure."""

from __future__ import annotations

import re

from trivium.domain.chunks import Span
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.units import COUNTED

_CHANGE = re.compile(
    r"\b(?:rais|ris|rose|increas|go(?:es|ne)? (?:up|down)|went (?:up|down)|grow|grew|chang|lower|reduc|cut|fell|fall"
    r"|drop|mov|put|switch|extend|shorten|postpon)\w*\b[^.;]*$",
    re.I,
)
_FROM = re.compile(r"\bfrom\s+(?:(?:the|an?)\s+|[$€£¥]\s?)?$", re.I)
_FROM_OLD = re.compile(
    r"\bfrom\s+(?:(?:the|an?)\s+)?(?P<old>[^,;.()]{1,60}?)\s+to\s+(?:(?:the|an?)\s+|[$€£¥]\s?)?$", re.I
)
_FROM_OLD_TO = re.compile(r"\bfrom\s[^,;.()]{1,60}?\sto\s", re.I)
_TO_NEW = re.compile(
    r"(?:\s[^\W\d_]+){0,3}?\s+to\s+(?:(?:the|an?)\s+)?"
    r"(?P<new>[^,;.()]{1,60}?)(?=[,;()]|\.(?!\d)|\s(?:in|on|at|from|since|for|because|after|before|per|an?)\s|$)",
    re.I,
)
_BOTH = re.compile(r"^(?P<old>\S+(?:\s\S+){0,3}?)\s+to\s+(?P<new>\S+(?:\s\S+){0,3})$")
_AMOUNT = re.compile(rf"[$€£¥]?\s?{COUNTED.pattern}(?:\s(?:%|per ?cent|euros?|pounds?|dollars?))?", re.I)
_VALUE = rf"(?:[$€£¥]\s?)?{COUNTED.pattern}(?:\s?(?:%|[^\W\d_]{{1,12}}))?"
_INSTEAD = re.compile(rf"(?P<told>{_VALUE})\s(?:instead of|rather than|not the)\s(?:the\s)?(?P<right>{_VALUE})", re.I)
_SHOULD = re.compile(
    r"\b(?:should|ought|supposed|correct|right|proper|normal(?:ly)?|required|permitted|allowed)\b", re.I
)
_ENDS = re.compile(r"\b(?:ends?|finish(?:es)?|expires?|runs? out|(?:un)?till? when|how long .* valid)\b", re.I)
_BEGINS = re.compile(r"\b(?:begins?|starts?|(?:since|from) when)\b", re.I)
_MOMENT = r"\d[\w:]*(?:\.\d\d)?(?:\s[ap]m\b)?(?:\s[A-Z][a-z]+)?(?:\s(?:1\d|20)\d\d\b)?"
_FROM_TO = re.compile(rf"\bfrom\s(?P<first>{_MOMENT})\s(?:to|until|till)\s(?P<last>{_MOMENT})")
_BEFORE = re.compile(
    r"\bbefore(?=\W*$|\s(?:that|this|the (?:change|rise|raise|increase|cut|reduction|move|reform))\b)"
    r"|\b(?:previous(?:ly)?|used to|former(?:ly)?|earlier|the old|original(?:ly)?|at first)\b",
    re.I,
)
_NOW = re.compile(r"\b(?:now|new|nowadays|today|currently?|these days|after|since|from now on|any ?more)\b", re.I)
_PAST = re.compile(r"\b(?:was|were|did|had)\b|^\W*(?:from|out of)\b", re.I)


def _instead(question: str, text: str, sentence: Span, one: Found) -> tuple[int, int] | None:
    """Of "10 A instead of 4 A" what should be, where that is asked for, else what is."""
    for match in _INSTEAD.finditer(text, sentence.start, sentence.end):
        if match.start() <= one.start and one.end <= match.end():
            return match.span("right" if _SHOULD.search(question) else "told")
    return None


def _end_of_span(question: str, text: str, sentence: Span, one: Found) -> tuple[int, int] | None:
    """Of "from 1 May to 30 April" the last where its end is asked for, the first for its beginning."""
    ends, begins = _ENDS.search(question), _BEGINS.search(question)
    if bool(ends) == bool(begins):
        return None
    spans = _FROM_TO.finditer(text, sentence.start, sentence.end)
    span = next((each for each in spans if each.start() <= one.start and one.end <= each.end()), None)
    return span.span("last" if ends else "first") if span else None


def asks_what_was(question: str) -> bool:
    """Whether it is of what was before, and not of what holds."""
    return _BEFORE.search(question) is not None


def tells_change(sentence: str) -> bool:
    """Whether it tells what something was before, and what it is then."""
    between = _FROM_OLD_TO.search(sentence)
    return between is not None and _CHANGE.search(sentence[: between.start()]) is not None


def as_it_holds(question: str, one: Found) -> Found:
    """The new value for the old one beside it, unless the question is of what was before; then the other way round.

    A question in the past tense that says neither is left alone.
    """
    text, sentence = one.hit.chunk.text, one.sentence
    if sentence and (instead := _instead(question, text, sentence, one) or _end_of_span(question, text, sentence, one)):
        return one.between(*instead)
    first, last = (sentence.start, sentence.end) if sentence else (0, len(text))
    before = text[first : one.start]
    if not _CHANGE.search(before):
        return one
    if (both := _BOTH.match(one.text)) and _FROM.search(before):
        which = both.span("old" if _BEFORE.search(question) else "new")
        return one.between(one.start + which[0], one.start + which[1])
    if asks_what_was(question):
        old = _FROM_OLD.search(before)
        return one.between(first + old.start("old"), first + old.end("old")) if old else one
    new = _TO_NEW.match(text, one.end, last) if _FROM.search(before) else None
    if new is None or (_PAST.search(question) and not _NOW.search(question)):
        return one
    amount = _AMOUNT.match(text, new.start("new"), last) if COUNTED.search(one.text) else None
    return one.between(*(amount.span() if amount else new.span("new")))
