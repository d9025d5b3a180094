"""Why something is so: a sentence that tells of it and says because of what. Never a heading."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import is_heading
from trivium_query.answer.answerers.closest import cited, refused
from trivium_query.answer.citations import Draft
from trivium_query.answer.evidence import Asked, Candidate
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

MIN_TOLD = 0.5  # of the question's words, names apart: a sentence that tells of what is asked about
WHOLE = 0.99
_CUE = re.compile(
    r"\b(?:because|since|as a result|due to|owing to|thanks to|so that|in order to|caused? by|therefore|for fear"
    r"|the reason|which is why|to (?:avoid|prevent|protect|save|make|allow|keep)"
    r"|weil|denn|damit|wegen|aufgrund|deshalb|parce que|puisque|à cause|grâce à|afin|pour que"
    r"|porque|debido a|a causa de|para que|ya que)\b",
    re.IGNORECASE,
)


def answer_by_reason(question: str, extracted: Extract, hits: Sequence[Hit]) -> Answered:
    """The best sentence that gives a reason; else one that tells all that is asked about; else that none was found."""
    told = [one for one in extracted.ranked if _told(question, one, extracted.asked) >= MIN_TOLD]
    telling = [one for one in told if not is_heading(one.text)]
    giving = [one for one in telling if _CUE.search(one.text)]
    best = next(iter(giving or telling), None)
    whole = best is not None and _told(question, best, extracted.asked) >= WHOLE
    if best is None or not (giving or whole):
        return refused(question, hits)
    lines, citations = cited([(best.hit, best.text)], hits)
    verdict = Verdict.SUPPORTED if giving and whole else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft(lines[0], True, citations), verdict)


def _told(question: str, one: Candidate, asked: Asked) -> float:
    """The share of the question's words, names apart, in the sentence or its heading; 0 where no name is there.

    Other languages than English inflect their names, or write every noun as one: there they are words like others.
    """
    names = asked.names if asked.language in ("", ENGLISH) else ()
    named = {word for name in names for word in content_words(name)}
    words = set(content_words(question, asked.language)) - named
    told = one.words | set(content_words(one.hit.chunk.heading, asked.language))
    if not words or (named and not named & told):
        return 0.0
    return len(words & told) / len(words)
