"""Yes or no, where one sentence says all that is asked of one thing, or says that it is not so. Pure."""

from __future__ import annotations

import re

import msgspec

from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

_ASKS = re.compile(r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b(?!.*\bor\b)", re.I)
_NOT = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|no longer)\b|n['\u2019]t\b", re.I)
_NUMBER = re.compile(r"\d[\d,.]*")
MAX_READ = 10  # sentences


class Decided(msgspec.Struct, frozen=True):
    """The word, and the sentence that it follows from."""

    short: str
    sentence: Candidate


def asks_yes_or_no(question: str) -> bool:
    """By its first word, unless it offers a choice."""
    return _ASKS.match(question) is not None


def yes_or_no(question: str, extracted: Extract) -> Decided | None:
    """None where it is no such question, or no sentence holds all its words but a number."""
    if not asks_yes_or_no(question):
        return None
    asked = set(content_words(question))
    numbers = {word for word in asked if _NUMBER.fullmatch(word)}
    for one in extracted.ranked[:MAX_READ]:
        told = set(one.words) | set(content_words(one.hit.chunk.heading))
        if asked <= told:
            return Decided(_word(question, one.text), one)
        if (
            numbers
            and asked - numbers <= told
            and not numbers & told
            and len(asked - numbers) > 1
            and _NUMBER.search(one.text)
        ):
            return Decided("no", one)
    return None


def _word(question: str, sentence: str) -> str:
    return "no" if bool(_NOT.search(sentence)) != bool(_NOT.search(question)) else "yes"
