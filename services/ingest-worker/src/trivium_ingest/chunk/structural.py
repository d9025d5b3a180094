"""Structural chunking (RAGA's default): along headings, paragraphs, lists, tables and code.

Lists, tables and code stay whole where they fit. A large table, listing or picture's text is cut off
from the prose around it, and by rows or lines where it is larger than a chunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from trivium.domain.chunks import Span
from trivium.domain.parsed import UnitKind
from trivium_ingest.chunk.layout import Block, Layout, lines_of
from trivium_ingest.chunk.packing import (
    BREAK_AFTER_HEADING,
    BREAK_LINE,
    BREAK_PARAGRAPH,
    BREAK_SECTION,
    BREAK_SENTENCE,
    BREAK_SLIDE,
    BREAK_WORD,
    Piece,
    divide,
    pack,
)

MAX_QUESTION_CHARS: Final = 250
_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f")  # and full-width, and Arabic
_OWN_CHUNK: Final = frozenset({UnitKind.TABLE, UnitKind.CODE, UnitKind.IMAGE, UnitKind.CHART})
_BY_LINE: Final = frozenset({UnitKind.TABLE, UnitKind.CODE, UnitKind.LIST, UnitKind.CHART})


def structural(layout: Layout, size: int, overlap: int) -> list[Span]:
    """Chunks of at most `size` characters in reading order."""
    spans: list[Span] = []
    for blocks, alone in _stretches(layout.blocks, size):
        pieces = list(_pieces(layout, blocks, size))
        spans.extend(pack(pieces, size, 0 if alone else overlap))
    return spans


def _stretches(blocks: Sequence[Block], size: int) -> Iterator[tuple[list[Block], bool]]:
    """Runs of blocks that may share a chunk, and whether the run is one large table, listing or picture."""
    flow: list[Block] = []
    for (kind, sheet), run in groupby(blocks, key=_modality):
        same = list(run)
        large = kind is not None and sum(len(block.unit.text) for block in same) > size // 2
        moved = bool(flow) and flow[-1].unit.position.sheet != sheet
        if large or moved:
            titles = [] if moved else _trailing_headings(flow)
            if len(flow) > len(titles):
                yield flow[: len(flow) - len(titles)], False
            flow = titles
        flow.extend(same)
        if large:
            yield flow, True
            flow = []
    if flow:
        yield flow, False


def _modality(block: Block) -> tuple[UnitKind | None, str | None]:
    kind = block.unit.kind
    return (kind if kind in _OWN_CHUNK else None), block.unit.position.sheet


def _trailing_headings(blocks: Sequence[Block]) -> list[Block]:
    count = 0
    while count < len(blocks) and blocks[-1 - count].unit.kind is UnitKind.HEADING:
        count += 1
    return list(blocks[len(blocks) - count :])


def _pieces(layout: Layout, blocks: Sequence[Block], size: int) -> Iterator[Piece]:
    before: Block | None = None
    for block in blocks:
        cost = _cost_before(block, before)
        for span, inner in _parts(layout, block, size):
            for number, part in enumerate(divide(layout.text, span.start, span.end, size)):
                yield Piece(part.start, part.end, BREAK_WORD if number else cost)
            cost = inner
        before = block


def _cost_before(block: Block, before: Block | None) -> float:
    if before is None:
        return 0.0
    if before.unit.kind is UnitKind.HEADING:
        return BREAK_AFTER_HEADING
    if block.unit.kind is UnitKind.HEADING:
        return BREAK_SECTION[min(max(block.unit.level, 1), len(BREAK_SECTION)) - 1]
    if block.unit.position.slide != before.unit.position.slide:
        return BREAK_SLIDE
    if _asks(before.unit.text):
        return BREAK_AFTER_HEADING
    return BREAK_PARAGRAPH


def _asks(text: str) -> bool:
    """Whether it is a question, which stays with its answer."""
    return len(text) <= MAX_QUESTION_CHARS and text.rstrip().endswith(_QUESTION_MARKS)


def _parts(layout: Layout, block: Block, size: int) -> Iterator[tuple[Span, float]]:
    """The parts of a block that stay whole, each with the cost of a break after it."""
    whole = block.span.trimmed(layout.text)
    kind = block.unit.kind
    if kind is UnitKind.HEADING or (kind in _BY_LINE and whole.end - whole.start <= size):
        yield whole, BREAK_PARAGRAPH
    elif kind is UnitKind.CODE:
        yield from _statements(layout, block.span)
    elif kind in _BY_LINE:
        for line in lines_of(layout.text, whole):
            yield line, BREAK_AFTER_HEADING if _asks(layout.text[line.start : line.end]) else BREAK_LINE
    else:
        for sentence in layout.sentences_in(block.span):
            yield Span(sentence.start + block.span.start, sentence.end + block.span.start), BREAK_SENTENCE


def _statements(layout: Layout, code: Span) -> Iterator[tuple[Span, float]]:
    """Lines of code with their indent, and the sentences of comments."""
    text = layout.text
    spans = [Span(code.start + span.start, code.start + span.end) for span in layout.sentences_in(code)]
    ends = [code.start, *(span.end for span in spans)]
    for span, before, after in zip(spans, ends, [*spans[1:], Span(code.end, code.end)], strict=False):
        start = max(before, text.rfind("\n", before, span.start) + 1)
        lines = text.count("\n", span.end, after.start)
        yield Span(start, span.end), BREAK_SENTENCE if not lines else BREAK_LINE if lines == 1 else BREAK_PARAGRAPH
