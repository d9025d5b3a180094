"""Displayed equations: lines of mathematics that stand by themselves, often with a number at the right edge."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.pdf.blocks import MAX_PAGE_BLOCKS, Block

MAX_CHARS = 400
_MAX_LINES = 8
_MAX_PROSE_WORDS = 2  # "otherwise", "subject to"
_INDENT = 8.0  # points from the left edge of the column's text
_LIMIT_CHARS = 24  # of what stands under a sum
_LIMIT_GAP = 8.0  # points
_RELATION = re.compile(
    "[=\u2248\u2264\u2265\u2260\u2261\u221d\u2208\u2211\u220f\u222b\u221a\u2207\u2192\u21d2<>\u223c]"
)
_PROSE = re.compile(r"(?<![^\s(])[^\W\d_]{4,}(?=[\s,.;:)]|$)")
_CODE = re.compile(r"""[{};"'`]|[=!]=|://|\w_\w\w|</|->|\bdef\b""")
_NUMBERED = re.compile(r"\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})*[a-z]?\)$")


def mark_equations(blocks: list[Block]) -> None:
    """Make the equations of one page EQUATION blocks, and join what stands under their sums to them."""
    if len(blocks) > MAX_PAGE_BLOCKS:
        return
    kept: list[Block] = []
    for block in blocks:
        last = kept[-1] if kept else None
        if last is not None and last.kind is UnitKind.EQUATION and _is_limit(last, block):
            last.text, last.bottom = f"{last.text} {block.text}", max(last.bottom, block.bottom)
            continue
        if _is_mathematics(block) and (_NUMBERED.search(block.text) or _indented(block, blocks)):
            block.kind = UnitKind.EQUATION
        kept.append(block)
    blocks[:] = kept


def _is_mathematics(block: Block) -> bool:
    if block.table is not None or block.kind or block.hidden or block.level:
        return False
    text = block.text
    if block.lines > _MAX_LINES or not 3 <= len(text) <= MAX_CHARS or not _RELATION.search(text) or _CODE.search(text):
        return False
    prose = len(_PROSE.findall(text))
    return prose <= _MAX_PROSE_WORDS and prose <= 0.3 * len(text.split())


def _indented(block: Block, blocks: Sequence[Block]) -> bool:
    """True when it begins right of the prose of its column."""
    edges = [
        other.left
        for other in blocks
        if other.lines > 1 and other.left <= block.left < other.right and other.table is None and other.kind is None
        if not _is_mathematics(other)
    ]
    return bool(edges) and block.left >= max(edges) + _INDENT


def _is_limit(equation: Block, block: Block) -> bool:
    if block.table is not None or block.kind or block.hidden or len(block.text) > _LIMIT_CHARS:
        return False
    inside = equation.left - 5 <= block.left and block.right <= equation.right + 5
    return inside and block.size < equation.size and abs(block.top - equation.bottom) <= _LIMIT_GAP
