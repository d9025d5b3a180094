"""Paragraph chunking: whole paragraphs, put together up to the size; only an over-long one is cut, by sentences."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domain.chunks import Span
from trivium_ingest.chunk.layout import Layout
from trivium_ingest.chunk.packing import BREAK_PARAGRAPH, BREAK_SENTENCE, BREAK_WORD, Piece, divide, pack


def paragraph(layout: Layout, size: int, overlap: int) -> list[Span]:
    """Chunks of at most `size` characters in reading order."""
    return pack(list(_pieces(layout, size)), size, overlap)


def _pieces(layout: Layout, size: int) -> Iterator[Piece]:
    for block in layout.blocks:
        whole = block.span.trimmed(layout.text)
        if whole.end - whole.start <= size:
            yield Piece(whole.start, whole.end, BREAK_PARAGRAPH)
            continue
        cost = BREAK_PARAGRAPH
        for sentence in layout.sentences_in(whole):
            start, end = whole.start + sentence.start, whole.start + sentence.end
            for number, part in enumerate(divide(layout.text, start, end, size)):
                yield Piece(part.start, part.end, BREAK_WORD if number else cost)
            cost = BREAK_SENTENCE
