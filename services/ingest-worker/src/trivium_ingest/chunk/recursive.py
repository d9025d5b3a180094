"""Recursive splitting: at blank lines, where a part is too large at its lines, then its sentences, then its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import msgspec

from trivium.domain.chunks import Span
from trivium.ports.inference import Embedder
from trivium_ingest.chunk.fixed import token_counts, words_in
from trivium_ingest.chunk.layout import Layout

Cuts = Sequence[Sequence[int]]
"""Where a level may cut, the coarsest level first: indices of the words before which it does."""


class _Words(msgspec.Struct, frozen=True):
    """`before[n]` is the number of tokens in front of word n."""

    spans: list[Span]
    before: list[int]

    def tokens(self, first: int, last: int) -> int:
        return self.before[last] - self.before[first]


def recursive(layout: Layout, size: int, overlap: int, embedder: Embedder) -> list[Span]:
    """Spans of at most `size` tokens, each but the first beginning with at most `overlap` of the one before."""
    spans = words_in(layout.text, Span(0, len(layout.text)))
    if not spans:
        return []
    words = _Words(spans, [0, *accumulate(token_counts(layout.text, spans, embedder))])
    if words.tokens(0, len(spans)) <= size:
        return [Span(spans[0].start, spans[-1].end)]
    parts = _parts(words, 0, len(spans), _cuts(layout, spans), size - overlap)
    return [Span(spans[_earlier(words, first, overlap)].start, spans[last - 1].end) for first, last in parts]


def _cuts(layout: Layout, words: Sequence[Span]) -> Cuts:
    breaks = [layout.text.count("\n", left.end, right.start) for left, right in pairwise(words)]
    opens = {sentence.start for sentence in layout.sentences}
    return (
        [place for place, lines in enumerate(breaks, 1) if lines > 1],
        [place for place, lines in enumerate(breaks, 1) if lines],
        [place for place, word in enumerate(words) if word.start in opens],
        range(len(words)),
    )


def _parts(words: _Words, first: int, last: int, cuts: Cuts, size: int) -> Iterator[tuple[int, int]]:
    """[first, last) in parts of at most `size` tokens (a single heavier word stands alone), as large as can be."""
    if words.tokens(first, last) <= size or last - first == 1:
        yield first, last
        return
    start = first
    for left, right in pairwise([first, *(cut for cut in cuts[0] if first < cut < last), last]):
        if words.tokens(start, right) <= size:
            continue
        if start < left:
            yield start, left
        start = left
        if words.tokens(left, right) > size:
            yield from _parts(words, left, right, cuts[1:], size)
            start = right
    if start < last:
        yield start, last


def _earlier(words: _Words, first: int, overlap: int) -> int:
    while first > 0 and words.tokens(first - 1, first) <= overlap:
        first, overlap = first - 1, overlap - words.tokens(first - 1, first)
    return first
