"""What all there is of something: the items of a list whose heading, or the line before them, the question repeats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import blocks
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.polarity import denies
from trivium_query.words import content_words

MIN_ITEMS = 2
MAX_ITEMS = 20
MIN_SHARE = 0.5  # of the question's words in the passage: "New" heads no list of what the new boiler cost
_MODAL = frozenset(content_words("must need have"))
_ASKS = re.compile(r"^\W*(?:what|which)\b", re.I)


def answer_by_items(question: str, hits: Sequence[Hit]) -> Answered | None:
    """Sure where the heading and the passage have all words of the question; None where no heading is its own.

    None too where the list's passage lacks a word of the question, and another has them all: a list of something else.
    """
    asked = frozenset(content_words(question)) - _MODAL
    lists = [
        (len(asked & _told(hit)), hit, block)
        for hit in (hits if _ASKS.match(question) else ())
        for block in blocks(hit.chunk)
        if len(block.items) >= MIN_ITEMS and any(_repeats(question, asked, one) for one in (block.heading, block.lead))
    ]
    if not lists:
        return None
    share, hit, block = max(lists, key=lambda one: one[0])  # of equals the first
    whole = share == len(asked)
    if share < MIN_SHARE * len(asked) or (not whole and any(asked <= _told(other) for other in hits)):
        return None
    lines, citations = cited([(hit, item) for item in block.items[:MAX_ITEMS]], hits)
    verdict = Verdict.SUPPORTED if whole else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations), verdict)


def _told(hit: Hit) -> frozenset[str]:
    chunk = hit.chunk
    return frozenset(content_words(f"{chunk.heading} {chunk.title} {chunk.source} {chunk.text}"))


def _repeats(question: str, asked: frozenset[str], heading: str) -> bool:
    """Whether the question has every word of the heading, and its "not"."""
    words = content_words(heading)
    return bool(words) and asked.issuperset(words) and denies(heading) == denies(question)
