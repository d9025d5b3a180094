"""The blocks of a passage's text: a paragraph, list or heading each, with the heading that it stands under."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.text.sentences import split_sentences
from trivium_query.words import content_words

MAX_HEADING_WORDS = 12
_BLANK = re.compile(r"\n\s*\n")
_PARTED = re.compile(r"[_./-]")  # in names of files
ENDS = (".", "!", "?", ":", ";", ",", "。")
ITEM = re.compile(r"^\s*(?:[-*+•‣\u2013]|\d{1,3}[.)]|[A-Za-z][)])\s+")
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}[.)]|[a-z][)])\s+")


class Block(msgspec.Struct, frozen=True):
    """A paragraph or list: its sentences or items in order, and its heading ("" where it has none)."""

    heading: str
    sentences: tuple[str, ...]

    @property
    def lead(self) -> str:
        """The line that stands right before the first item and announces it: "Please bring:", "Ingredients"."""
        first = next((at for at, one in enumerate(self.sentences) if ITEM.match(one)), 0)
        line = self.sentences[first - 1].strip() if first else ""
        return line.rstrip(":") if line.endswith(":") or is_heading(line) else ""

    @property
    def items(self) -> tuple[str, ...]:
        """The items of a list of any sort."""
        return tuple(one for one in self.sentences if ITEM.match(one))

    @property
    def numbered(self) -> tuple[str, ...]:
        """The items of an ordered list."""
        return tuple(one for one in self.sentences if _NUMBERED.match(one))


def blocks(chunk: Chunk) -> list[Block]:
    """The blocks in order, headings left out; those before the first heading have the passage's own."""
    heading = chunk.section[-1] if chunk.section else ""
    found: list[Block] = []
    for text in _BLANK.split(chunk.text):
        if is_heading(text):
            heading = text.strip()
        elif text.strip():
            found.append(Block(heading, tuple(span.of(text) for span in split_sentences(text))))
    return found


def is_heading(text: str) -> bool:
    """Whether it is one short line that is no sentence and no item."""
    line = text.strip()
    short = "\n" not in line and 0 < len(line.split()) <= MAX_HEADING_WORDS
    return short and not line.endswith(ENDS) and not ITEM.match(line)


def headings(chunks: Sequence[Chunk]) -> list[str]:
    """Each heading once, in order; the document's title is none."""
    found = [block.heading for chunk in chunks for block in blocks(chunk)]
    titles = {chunk.title for chunk in chunks}
    return [heading for heading in dict.fromkeys(found) if heading and heading not in titles]


def words_of_file(chunk: Chunk) -> set[str]:
    """Of the name of its file and its title."""
    return {*content_words(_PARTED.sub(" ", f"{chunk.source} {chunk.title}"))}


def words_of_name(chunk: Chunk) -> set[str]:
    """Of the name of its file, its title and its headings."""
    return words_of_file(chunk) | {*content_words(_PARTED.sub(" ", chunk.heading))}
