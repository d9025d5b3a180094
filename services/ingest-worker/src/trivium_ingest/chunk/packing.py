"""Puts pieces of text together into chunks of like size, broken where it hurts least.

A shortest path over the possible breaks (as Knuth and Plass 1981 break lines): every chunk costs the
square of its relative distance from the even size, and every break what is lost by breaking there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from trivium.domain.chunks import Span

# What a break costs, in units of "one chunk that is empty or of double size". Negative: it is welcome there.
BREAK_SECTION: Final = (-0.6, -0.45, -0.3)  # before a heading of level 1, 2, 3 and deeper
BREAK_SLIDE: Final = -0.3
BREAK_PARAGRAPH: Final = 0.05
BREAK_LINE: Final = 0.15
BREAK_SENTENCE: Final = 0.35
BREAK_WORD: Final = 1.0
BREAK_AFTER_HEADING: Final = 2.0  # a heading belongs to what follows it

_MAX_PIECES: Final = 64  # per chunk: bounds the search to 64 steps a piece
_CRUMBS: Final = 24  # pieces below 1/24 of a chunk are joined first, for the same reason
_SPACE = re.compile(r"\s+")


class Piece(msgspec.Struct, frozen=True):
    """Text that is kept whole, and the cost of a break before it."""

    start: int
    end: int
    cost: float


def pack(pieces: Sequence[Piece], size: int, overlap: int = 0) -> list[Span]:
    """Chunks of at most `size` characters over `pieces`, each of which is no longer than that.

    A chunk repeats whole pieces from the end of the one before, at most `overlap` characters, except after
    a welcome break. Text that fits into one chunk is one chunk.
    """
    if not pieces:
        return []
    if pieces[-1].end - pieces[0].start <= size:
        return [Span(pieces[0].start, pieces[-1].end)]
    crumbled = _without_crumbs(pieces, size // _CRUMBS)
    bodies = _cheapest(crumbled, size, overlap)
    starts = [piece.start for piece in pieces]
    costs = {piece.start: piece.cost for piece in pieces}
    spans: list[Span] = []
    place = 0
    for body in bodies:
        while starts[place] < body.start:
            place += 1
        start = body.start
        if spans and overlap and costs[start] >= 0:
            floor = max(spans[-1].start + 1, start - overlap, body.end - size)
            earlier = place
            while earlier > 0 and starts[earlier - 1] >= floor:
                earlier -= 1
            start = starts[earlier]
        spans.append(Span(start, body.end))
    return spans


def divide(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """[start, end) in pieces of at most `limit` characters, cut at white space in their second half if any."""
    while end - start > limit:
        cut = start + limit
        if not text[cut].isspace():
            spaces = [m.end() for m in _SPACE.finditer(text, start + (limit + 1) // 2, cut)]
            cut = spaces[-1] if spaces else cut
        stripped = len(text[start:cut].rstrip())
        if stripped:
            yield Span(start, start + stripped)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Span(start, end)


def _without_crumbs(pieces: Sequence[Piece], least: int) -> list[Piece]:
    joined: list[Piece] = [pieces[0]]
    for piece in pieces[1:]:
        last = joined[-1]
        tiny = last.end - last.start < least and piece.end - last.start <= 2 * least
        if tiny and 0 <= piece.cost < BREAK_AFTER_HEADING and last.cost >= 0:
            joined[-1] = Piece(last.start, piece.end, last.cost)
        else:
            joined.append(piece)
    return joined


def _cheapest(pieces: Sequence[Piece], size: int, overlap: int) -> list[Span]:
    total = pieces[-1].end - pieces[0].start
    count = math.ceil((total - overlap) / (size - overlap))
    target = total / count
    best = [0.0, *([math.inf] * len(pieces))]
    back = [0] * (len(pieces) + 1)
    for last, piece in enumerate(pieces):
        for first in range(last, max(-1, last - _MAX_PIECES), -1):
            length = piece.end - pieces[first].start
            if length > size:
                break
            cost = best[first] + ((length - target) / target) ** 2 + (pieces[first].cost if first else 0.0)
            if cost < best[last + 1]:
                best[last + 1], back[last + 1] = cost, first
    spans: list[Span] = []
    after = len(pieces)
    while after:
        spans.append(Span(pieces[back[after]].start, pieces[after - 1].end))
        after = back[after]
    return spans[::-1]
