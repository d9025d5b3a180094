"""Semantic chunking (CORTEX C2): a boundary wherever neighbouring sentences are least alike.

Sentences are embedded one by one, neighbours compared by cosine, and cut where it lies below the 25th
percentile. Short documents have no such statistics: they are split recursively, 512 tokens with 50 of overlap.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from trivium.domain.chunks import Span
from trivium.ports.inference import Embedder, Passage, Vector
from trivium_ingest.chunk.layout import Layout
from trivium_ingest.chunk.packing import BREAK_SENTENCE, BREAK_WORD, Piece, divide, pack
from trivium_ingest.chunk.recursive import recursive

BOUNDARY_PERCENTILE: Final = 25.0  # CORTEX C2
MIN_SENTENCES: Final = 8  # fewer neighbours than 7 have no meaningful quartile
FALLBACK_TOKENS: Final = 512  # CORTEX C2
FALLBACK_OVERLAP: Final = 50


def semantic(layout: Layout, size: int, overlap: int, embedder: Embedder) -> list[Span]:
    """Chunks of at most `size` characters; those of a short document of at most 512 tokens, whatever `size` is."""
    if len(layout.sentences) < MIN_SENTENCES:
        return recursive(layout, FALLBACK_TOKENS, FALLBACK_OVERLAP, embedder)
    return [
        part
        for span in _joined(layout, _similarities(layout, embedder))
        for part in _bounded(layout, span, size, overlap)
    ]


def _similarities(layout: Layout, embedder: Embedder) -> Vector:
    """Cosine of each sentence with the next."""
    passages = [Passage(sentence.of(layout.text)) for sentence in layout.sentences]
    vectors = np.stack([found.passage for found in embedder.embed_passages(passages)])
    return np.asarray((vectors[:-1] * vectors[1:]).sum(axis=1), dtype=np.float32)


def _joined(layout: Layout, similarities: Vector) -> list[Span]:
    threshold = np.percentile(similarities, BOUNDARY_PERCENTILE)
    spans: list[Span] = []
    start = layout.sentences[0].start
    for place, similarity in enumerate(similarities):
        if similarity < threshold:
            spans.append(Span(start, layout.sentences[place].end))
            start = layout.sentences[place + 1].start
    spans.append(Span(start, layout.sentences[-1].end))
    return spans


def _bounded(layout: Layout, span: Span, size: int, overlap: int) -> list[Span]:
    """`span`, or its sentences packed evenly where it is larger than `size`."""
    if span.end - span.start <= size:
        return [span]
    pieces = [
        Piece(part.start, part.end, BREAK_WORD if number else BREAK_SENTENCE)
        for sentence in layout.sentences_in(span)
        for number, part in enumerate(divide(layout.text, span.start + sentence.start, span.start + sentence.end, size))
    ]
    return pack(pieces, size, overlap)
