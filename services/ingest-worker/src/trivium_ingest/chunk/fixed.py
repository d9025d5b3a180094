"""Fixed-size chunking: even windows over the words, sized in characters or in tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from trivium.domain.chunks import Span
from trivium.ports.inference import Embedder
from trivium_ingest.chunk.layout import Layout

# Scripts without spaces (Thai, Lao, Khmer, Burmese, Japanese, Chinese) are cut between characters.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_MAX_WORD: Final = 64


def fixed(layout: Layout, size: int, overlap: int) -> list[Span]:
    """Windows of at most `size` characters, each repeating about `overlap` of the one before it."""
    words = words_in(layout.text, Span(0, len(layout.text)), size)
    lengths = [
        (words[place + 1].start if place + 1 < len(words) else word.end) - word.start
        for place, word in enumerate(words)
    ]
    return windows(words, lengths, size, overlap)


def tokens(layout: Layout, size: int, overlap: int, embedder: Embedder) -> list[Span]:
    """Windows of at most `size` of the embedder's tokens, each repeating about `overlap` of the one before it."""
    words = words_in(layout.text, Span(0, len(layout.text)), size)
    return windows(words, token_counts(layout.text, words, embedder), size, overlap)


def words_in(text: str, span: Span, limit: int = _MAX_WORD) -> list[Span]:
    """Spans of the words of `span`, none longer than `limit` or 64 characters."""
    pattern = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]{{1,{min(limit, _MAX_WORD)}}}")
    return [Span(*match.span()) for match in pattern.finditer(text, span.start, span.end)]


def token_counts(text: str, words: Sequence[Span], embedder: Embedder) -> list[int]:
    """Tokens of each word, at least one; a word comes to the tokenizer once however often it stands."""
    known = dict.fromkeys(word.of(text) for word in words)
    counts = dict(zip(known, embedder.count_tokens(list(known)), strict=True))
    return [max(1, counts[word.of(text)]) for word in words]


def windows(words: Sequence[Span], weights: Sequence[int], size: int, overlap: int) -> list[Span]:
    """Windows of even weight, at most `size` each (a single heavier word stands alone)."""
    spans: list[Span] = []
    ahead = sum(weights)
    first, last, weight = 0, 0, 0  # the window is words[first:last]
    while last < len(words):
        # What is left is spread evenly over the windows that it needs, not over all but a small last one.
        limit = size
        if weight + ahead > size:
            limit = min(size, weight + math.ceil(ahead / math.ceil(ahead / (size - overlap))))
        fresh = last
        while last < len(words) and (last == fresh or weight + weights[last] <= limit):
            weight += weights[last]
            ahead -= weights[last]
            last += 1
        spans.append(Span(words[first].start, words[last - 1].end))
        room = size - weights[last] if last < len(words) else 0
        while first < last and weight > min(overlap, room):
            weight -= weights[first]
            first += 1
    return spans
