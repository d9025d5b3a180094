"""A list that the reader points into: who asks for several things gets its items, not one of them."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.chunks import Span
from trivium_query.answer.answerers.blocks import ITEM, Block, blocks
from trivium_query.answer.direct.hops import Found

MIN_ITEMS, MAX_ITEMS = 2, 20
MAX_HEAD_WORDS = 6
_SEVERAL = re.compile(
    r"^\W*(?:(?:in|at|on|to|from|for|with|of|by)\s)?(?:which|what)\s(?:other\s|are\sthe\s|were\sthe\s|(?:kinds|types|sorts)\sof\s)*([a-z]+s)\b",
    re.I,
)
_SINGULAR = re.compile(
    r"(?:.*(?:ss|us|is)|was|does|has|goes|says|means|costs|needs|makes|comes|gives|takes|happens)$", re.I
)
_VERB = r"(?:is|are|was|were|has|have|had|will|would|can|could|may|must|should|do|does|did)\b"
_ITEM = rf"[^\s,;:.()]+(?:\s(?!(?:and|or)\s|{_VERB})[^\s,;:.()]+){{0,5}}"
_OTHERS = re.compile(rf"(?:,\s+{_ITEM})*,?\s+(?:and|or|as well as)\s+{_ITEM}(?=\s*[.;)]|\s*$|\s{_VERB})")
_BEGINS = re.compile(rf"[:(]\s*(?P<first>{_ITEM}(?:,\s+{_ITEM})*,?\s+(?:(?:and|or)\s+)?)$")
_HEAD = re.compile(ITEM.pattern + r"(.+?)(?::\s.*|\s\(.*)?$", re.S)


class Listed(msgspec.Struct, frozen=True):
    """The items as they stand in the passage of `found`, and what each begins with, "" where that is long."""

    found: Found
    items: tuple[str, ...]
    short: str


def list_around(question: str, found: Found) -> Listed | None:
    """The list of lines, or within its sentence, that the span stands in; None where one thing is asked for."""
    several, sentence = _SEVERAL.match(question), found.sentence
    if several is None or _SINGULAR.match(several[1]) or sentence is None or found.steps:
        return None
    said = sentence.of(found.hit.chunk.text)
    block = next((one for one in blocks(found.hit.chunk) if said in one.items), None)
    if block is None:
        return _within(found, sentence)
    return _of(found, block) if MIN_ITEMS <= len(block.items) <= MAX_ITEMS else None


def _within(found: Found, sentence: Span) -> Listed | None:
    """All that is named with it in one breath: "We go to three schools: Elm Road, St Bride's and Corran"."""
    text = found.hit.chunk.text
    begins = _BEGINS.search(text, sentence.start, found.start)
    others = _OTHERS.match(text, found.end, sentence.end)
    start, end = begins.start("first") if begins else found.start, others.end() if others else found.end
    if (start, end) == (found.start, found.end):
        return None
    return Listed(found, (sentence.of(text),), " ".join(text[start:end].split()))


def _of(found: Found, block: Block) -> Listed:
    heads = [match[1].strip(" .;,") for one in block.items if (match := _HEAD.match(one))]
    told = len(heads) == len(block.items) and all(len(head.split()) <= MAX_HEAD_WORDS for head in heads)
    return Listed(found, block.items, ", ".join(heads) if told else "")
