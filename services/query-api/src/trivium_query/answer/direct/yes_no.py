"""Yes or no, where one sentence says all that is asked of one thing, or says that it is not so. Pure."""

from __future__ import annotations

import re

import msgspec

from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

_ASKS = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will)\b"
    r"(?!\W+(?:is|are|was|were)\b)(?!.*\bor\b)",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|no longer|forbidden|prohibited|banned)\b"
    r"|n['\u2019]t\b",
    re.I,
)
_NUMBER = re.compile(r"\d[\d,.]*")
MAX_READ = 25  # sentences: that which decides often lacks the name


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
        told = set(one.words) | _titled(one)
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


def _titled(one: Candidate) -> set[str]:
    """The words of its headings, and of the line that its passage begins with."""
    chunk = one.hit.chunk
    first = chunk.sentences[0].of(chunk.text) if chunk.sentences else ""
    return set(content_words(f"{chunk.heading} {first}"))


def _word(question: str, sentence: str) -> str:
    return "no" if bool(_NOT.search(sentence)) != bool(_NOT.search(question)) else "yes"
