"""What all there is of something: the items of a list under a heading that the question repeats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import Block, blocks
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.yes_no import denies
from trivium_query.words import content_words

MIN_ITEMS = 2
MAX_ITEMS = 20
_ASKS = re.compile(r"^\W*(?:what|which)\b", re.I)


def answer_by_items(question: str, hits: Sequence[Hit]) -> Answered | None:
    """Sure where the heading and the passage have all words of the question; None where no heading is its own."""
    asked = frozenset(content_words(question))
    for hit in hits if _ASKS.match(question) else ():
        for block in blocks(hit.chunk):
            items = block.items
            if len(items) < MIN_ITEMS or not _is_asked_for(question, asked, block):
                continue
            lines, citations = cited([(hit, item) for item in items[:MAX_ITEMS]], hits)
            told = content_words(f"{hit.chunk.heading} {hit.chunk.title} {hit.chunk.source} {hit.chunk.text}")
            verdict = Verdict.SUPPORTED if asked.issubset(told) else Verdict.PARTIALLY_SUPPORTED
            return Answered(Draft("\n".join(lines), True, citations), verdict)
    return None


def _is_asked_for(question: str, asked: frozenset[str], block: Block) -> bool:
    """Whether the question has every word of the heading, and its "not"."""
    heading = content_words(block.heading)
    return bool(heading) and asked.issuperset(heading) and denies(block.heading) == denies(question)
