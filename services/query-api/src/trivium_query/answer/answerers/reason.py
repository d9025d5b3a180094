"""Why something is so: a sentence that tells of it and says because of what. Never a heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import is_heading
from trivium_query.answer.answerers.closest import cited, refused
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.polarity import denies
from trivium_query.answer.evidence import Asked, Candidate
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

MIN_TOLD = 0.5  # of the question's words, names apart: a sentence that tells of what is asked about
WHOLE = 0.99
MIN_OWN = 0.4  # of them in the sentence itself, where it is sure: a heading is of many sentences
_CUE = re.compile(
    r"\b(?:because|since(?!\s+(?:then|last|the\s\d|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec))"
    r"|as a result|due to|owing to|thanks to|so that|in order to|caused? by|therefore|for fear"
    r"|(?:comes?|came|results?|stems?) from|the reason|for (?:that|this|which) reason|(?:which|that|this) is why"
    r"|cause(?=:|\s+(?:was|is)\b)|used (?:to|for|as)|to (?:avoid|prevent|protect|save|make|allow|keep)"
    r"|weil|denn|damit|wegen|aufgrund|deshalb|parce que|puisque|à cause|grâce à|afin|pour que"
    r"|porque|debido a|a causa de|para que|ya que)\b"
    r"|,\s+as\s+(?:there|(?:it|they|he|she)(?!\s+(?:do|does|did|has|have|had|say|says|said|promised)\b"
    r"(?!\s+(?:not?|never)\b)))\b",  # no "as it does every day", "as you can see"
    re.IGNORECASE,
)
# What stands behind these is the reason, up to the next mark.
_BECAUSE_OF = re.compile(
    r"\b(?:because|since|as a result of|due to|owing to|thanks to|for fear"
    r"|weil|denn|wegen|aufgrund|parce que|puisque|porque|debido a)\b[^,.;:]*",
    re.IGNORECASE,
)
# What is used for something stands in the sentence that says so: "the type that it uses" is no use of it.
_OF_USE = re.compile(r"\bused (?:for|as|to)\b|\bpurpose\b", re.IGNORECASE)
# What something is used for does not tell why it is so.
_WHY = re.compile(r"^\W*why\b", re.IGNORECASE)
_USED = re.compile(r"\bused(?=\s(?:to|for|as)\b)", re.IGNORECASE)
# The reason is the sentence before.
_REFERS_BACK = re.compile(r"\W*(?:for (?:that|this) reason|(?:that|this) is why)\b", re.IGNORECASE)


def answer_by_reason(question: str, extracted: Extract, hits: Sequence[Hit]) -> Answered:
    """The best sentence that gives a reason; else one that tells all that is asked about; else that none was found."""
    told = [(one, _told(question, one, extracted.asked)) for one in extracted.ranked]
    telling = [(one, how) for one, how in told if how.share >= MIN_TOLD and not is_heading(one.text)]
    giving = [(one, how) for one, how in telling if _gives_reason(question, one, extracted.asked)]
    best, how = next(
        iter(sorted(giving or telling, key=lambda each: (not each[1].near, each[1].own == 0.0))), (None, _UNTOLD)
    )
    if best is None or not (giving or how.share >= WHOLE):
        return refused(question, hits)
    before = _before(best) if _REFERS_BACK.match(best.text) else ""
    lines, citations = cited([(best.hit, said) for said in (before, best.text) if said], hits)
    of_it = not _OF_USE.search(question) or best.words.issuperset(content_words(_OF_USE.sub("", question)))
    of_more = len(set(content_words(question))) > 1  # a subject alone has no deed to give a reason of
    denied = denies(best.text) or not denies(question)  # "it will expire earlier" is no reason why it does not
    sure = giving and of_it and denied and of_more and how.own >= MIN_OWN and how.share >= WHOLE
    verdict = Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations), verdict)


def tells_reason(question: str, text: str) -> bool:
    """Whether it has a word like "because"; "since 1874" tells a time."""
    return _CUE.search(_USED.sub(" ", text) if _WHY.match(question) else text) is not None


def _gives_reason(question: str, one: Candidate, asked: Asked) -> bool:
    """Not of something else that came about because of what is asked: "it is vacant since Ruth left"."""
    if not tells_reason(question, one.text):
        return False
    words = set(content_words(question, asked.language)).difference(*map(content_words, asked.names))
    behind = words & asked.words_in(" ".join(_BECAUSE_OF.findall(one.text)))
    return not behind or bool(words & asked.words_in(_BECAUSE_OF.sub(" ", one.text)))


class _Told(NamedTuple):
    """The share of the question's words in a sentence, the one before it, or its heading.

    `own` is what the sentence holds itself; `near`: it or the one before it holds one of them.
    """

    share: float
    own: float
    near: bool


_UNTOLD = _Told(0.0, own=0.0, near=False)


def _told(question: str, one: Candidate, asked: Asked) -> _Told:
    """Of the question's words without its names; nothing where no name is there.

    Other languages than English inflect their names, or write every noun as one: there they are words like others.
    """
    names = asked.names if asked.language in ("", ENGLISH) else ()
    named = {word for name in names for word in content_words(name)}
    words = set(content_words(question, asked.language)) - named
    near = one.words | asked.words_in(_before(one))
    told = near | set(content_words(one.hit.chunk.heading, asked.language))
    if not words or (named and not named & told):
        return _UNTOLD
    if len(words) == 1 and named and named <= one.words and not words & told:  # "chosen" of "it is ordered from"
        return _Told(MIN_TOLD, own=0.0, near=True)
    return _Told(len(words & told) / len(words), own=len(words & one.words) / len(words), near=bool(words & near))


def _before(one: Candidate) -> str:
    r"""The sentence before it: "The lake is red. The colour comes from ...\"."""
    earlier = [span for span in one.hit.chunk.sentences if span.end <= one.span.start]
    return earlier[-1].of(one.hit.chunk.text) if earlier else ""
