"""What is out of date: 280 of "The roof has 280 square metres" beside "It has 310, not 280", or an older mail. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.quoted_mails import QUOTED
from trivium_query.answer.direct.changes import asks_what_was
from trivium_query.answer.direct.hops import Found

_WORD = r"[^\s,.;:()!?]+(?:[.,:]\d+)*"
_NOT = re.compile(
    rf"\b(?:not|nicht)\s(?:(?:on|at|in|for|am|um|im)\s)?(?:(?:the|an?|der|die|das|den)\s)?({_WORD}(?:\s{_WORD}){{0,3}})",
    re.I,
)
_WROTE = re.compile(r"\b(?:wrote|writes|written|sent|schrieb|geschrieben)\b", re.I)
_THE = re.compile(r"^(?:the|an?)\s", re.I)
_NUMBER = re.compile(r"\W{0,2}(\d+(?:[.,:]\d+)*)")


def corrected(question: str, rows: Sequence[Found]) -> list[Found]:
    """Those that a sentence of the same document denies in which there is another of them.

    None where the question is of what was before.
    """
    if asks_what_was(question):
        return []
    denials = [(one, denied) for one in rows for denied in _denied_beside(one)]
    return [one for one in rows if any(_is_denied(one, other, denied) for other, denied in denials)]


def is_quoted(one: Found) -> bool:
    """Whether a mail has it of an older one that it answers."""
    return _section(one)[:1] == (QUOTED,)


def only_says_whose(question: str, one: Found) -> bool:
    """Whether it is of the line that says who wrote what is quoted, where the question is not who wrote.

    Read alone, that line is like an answer to all that asks for a person or a date.
    """
    said = one.sentence.of(one.hit.chunk.text) if one.sentence else ""
    return is_quoted(one) and said == _section(one)[-1] and not _WROTE.search(question)


def _section(one: Found) -> tuple[str, ...]:
    chunk = one.hit.chunk
    places = (place.position.section for place in chunk.places if place.span.start <= one.start < place.span.end)
    return next(places, chunk.section)


def _denied_beside(one: Found) -> list[str]:
    sentence, text = one.sentence, one.hit.chunk.text
    if sentence is None:
        return []
    found = _NOT.finditer(text, sentence.start, sentence.end)
    return [each[1] for each in found if not (each.start() < one.end and one.start < each.end())]


def _is_denied(one: Found, other: Found, denied: str) -> bool:
    chunk, said = one.hit.chunk, other.hit.chunk
    elsewhere = chunk.document_id == said.document_id and (chunk.id, one.sentence) != (said.id, other.sentence)
    return elsewhere and _same(_THE.sub("", one.text), denied)


def _same(told: str, denied: str) -> bool:
    number, other = _NUMBER.match(told), _NUMBER.match(denied)
    if number or other:
        return number is not None and other is not None and number[1] == other[1]
    told, denied = (f"{text.casefold()} " for text in (told, denied))
    return told.startswith(denied) or denied.startswith(told)
