"""A PDF's outline (its bookmarks) tells its headings, or its sections where no heading is seen in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

import msgspec
import pypdfium2
import pypdfium2.raw as pdfium

from trivium_ingest.parse.pdf.blocks import Block, Style
from trivium_ingest.parse.text.clean import one_line

MAX_ENTRIES = 5_000
MAX_LEVEL = 6
_LONGEST_HEADING = 3  # lines
_NUMBER = re.compile(r"^\W*(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVXL]{1,6})[.):]?\s+")


class Entry(msgspec.Struct, frozen=True):
    """One bookmark. `level` counts from 1; `page` is 0 and `y` (in PDF's user space) None where it does not tell."""

    title: str
    level: int
    page: int = 0
    y: float | None = None


def read_outline(document: pypdfium2.PdfDocument) -> list[Entry]:
    """The entries in order; what does not name a place in this document has no page."""
    entries = []
    for bookmark in islice(document.get_toc(max_depth=MAX_LEVEL), MAX_ENTRIES):
        title = one_line(bookmark.get_title())
        if not title:
            continue
        target = bookmark.get_dest()
        index = target.get_index() if target is not None else None
        y = None
        if target is not None and index is not None:
            mode, place = target.get_view()
            if mode == pdfium.PDFDEST_VIEW_XYZ and len(place) > 1:
                y = place[1]
            elif mode in (pdfium.PDFDEST_VIEW_FITH, pdfium.PDFDEST_VIEW_FITBH) and place:
                y = place[0]
        entries.append(Entry(title, bookmark.level + 1, 0 if index is None else index + 1, y))
    return entries


def mark_headings(blocks: Sequence[Block], entries: Sequence[Entry], style: Style) -> None:
    """Give the blocks that the outline names, on its page, the outline's level; under the document's title, if any."""
    named = {(entry.page, _key(entry.title)): entry.level for entry in reversed(entries)}
    found: list[tuple[Block, int]] = []
    for block in blocks:
        if block.table is not None or block.kind or block.hidden or block.lines > _LONGEST_HEADING:
            continue
        key = _key(block.text)
        level = named.get((block.page, key)) or named.get((0, key))
        if key and level:
            found.append((block, level))
    largest = max((block.size for block, _ in found), default=0.0)
    titled = any(b.page == 1 and style.level(b) and b.size > largest for b in blocks)
    for block, level in found:
        block.level = min(MAX_LEVEL, level + titled)


def _key(title: str) -> str:
    """The same for a heading and its entry, whatever the number, the case and the blanks."""
    return "".join(filter(str.isalnum, _NUMBER.sub("", one_line(title)).casefold()))
