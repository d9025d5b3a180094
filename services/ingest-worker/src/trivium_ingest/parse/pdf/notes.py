"""Footnotes: small print at the foot of a column that begins with the mark it is called by."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.pdf.blocks import MAX_PAGE_BLOCKS, Block, Style

SMALLER = 0.94  # of the body's line height
_LOWER_PART = 0.4  # of the page's height: no footnote begins above it
_MARK = re.compile(r"(?:[*\u2020\u2021\u00a7\u00b6\u2217#]{1,3}|\d{1,3}|[a-z](?=[\s)]))[.)]?\s*[^\W\d_]")
_MIN_CHARS = 12


def mark_footnotes(blocks: Sequence[Block], style: Style, height: float) -> None:
    """Make the footnotes of one page NOTE blocks; `blocks` are in reading order.

    A small paragraph that follows a footnote in its column belongs to it.
    """
    last: Block | None = None
    if len(blocks) > MAX_PAGE_BLOCKS:
        return
    for block in blocks:
        if not _small(block, style) or block.top < _LOWER_PART * height or _has_body_below(block, blocks, style):
            continue
        begins = bool(_MARK.match(block.text)) and len(block.text) >= _MIN_CHARS
        if begins or (last is not None and _under(last, block) and abs(block.size - last.size) < 0.05 * last.size):
            block.kind, last = UnitKind.NOTE, block


def _small(block: Block, style: Style) -> bool:
    if block.table is not None or block.kind is not None or block.hidden or not block.size:
        return False
    letters = sum(character.isalpha() for character in block.text)
    return block.size <= SMALLER * style.body and 2 * letters >= len(block.text.replace(" ", ""))


def _has_body_below(block: Block, blocks: Sequence[Block], style: Style) -> bool:
    return any(
        other.top >= block.bottom and _same_column(block, other) and not other.hidden
        for other in blocks
        if other.table is not None or other.kind is UnitKind.IMAGE or other.size > SMALLER * style.body
    )


def _under(above: Block, below: Block) -> bool:
    return _same_column(above, below) and -2.0 <= below.top - above.bottom <= 1.5 * above.size


def _same_column(first: Block, second: Block) -> bool:
    return min(first.right, second.right) > max(first.left, second.left)
