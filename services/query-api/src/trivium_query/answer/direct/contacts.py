"""Numbers to ring and addresses to write to, by their form: in the sentence that has the most of what else is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.life import Told
from trivium_query.words import content_words

_ASKS_FOR_PHONE = re.compile(
    r"\b(?:tele)?phone(?:\s+(?:number|no))?\b|\b(?:mobile|cell|tel)\s+(?:number|no)\b"
    r"|\bnumber\b.*\b(?:ring|call|phone|dial)\b|\b(?:ring|call|phone|dial)\b.*\bnumber\b",
    re.I,
)
_ASKS_FOR_MAIL = re.compile(r"\be-?mail(?:\s+address)?\b", re.I)
_OPENS = re.compile(r"^\W*(?:(?:on|at|under|to)\s+)?(?:what|which|(?:tele)?phone|mobile|e-?mail)\b|\bnumber\b", re.I)
_PHONE = re.compile(r"(?<![\w.,-])(?:\+\d{1,3}|\(0\d{1,5}\)|0\d{1,5})(?:[ /-]?\d{2,7}){1,5}(?!\w|[.,]\d)")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WORDS = frozenset(content_words("phone telephone mobile cell tel number no call ring dial email mail address reach"))
MIN_DIGITS = 6
MIN_SHARE = 0.5  # of the question's other words


def contacts_in(question: str, hit: Hit) -> Iterator[Told]:
    """None where the question asks for neither, or no sentence has half of its other words."""
    phone = _ASKS_FOR_PHONE.search(question) is not None
    rest = frozenset(content_words(question)) - _WORDS
    if not (phone or _ASKS_FOR_MAIL.search(question)) or not _OPENS.search(question) or not rest:
        return
    sentences = [(span.start, span.of(hit.chunk.text)) for span in hit.chunk.sentences]
    found = [
        (len(rest & frozenset(content_words(said))), start, places)
        for start, said in sentences
        if (places := _places(said, phone=phone))
    ]
    most = max((share for share, *_ in found), default=0)
    for share, start, places in found:
        if share == most >= MIN_SHARE * len(rest):
            yield from (Told(start + first, start + last) for first, last in places)


def _places(sentence: str, *, phone: bool) -> list[tuple[int, int]]:
    found = (_PHONE if phone else _MAIL).finditer(sentence)
    return [one.span() for one in found if not phone or sum(map(str.isdigit, one[0])) >= MIN_DIGITS]
