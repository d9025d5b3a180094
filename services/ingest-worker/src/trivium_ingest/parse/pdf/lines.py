"""Words to pieces of lines, and pieces to reading order over columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

import msgspec

from trivium_ingest.parse.pdf.words import Word
from trivium_ingest.parse.table import Table

GAP = 1.0  # in line heights: a wider space between words may separate columns or cells
_CURRENCIES = frozenset("$\u20ac\u00a3\u00a5")
_ENDS_AMOUNT = frozenset("0123456789)%\u2014\u2013-")  # a currency after it begins the next column's amount
_FORMULA_COUNTS = 4  # times less than a word of letters
MAX_DEPTH = 4  # of columns inside columns
MIN_COLUMN_LINES = 4
MIN_COLUMN_CHARS = 16  # columns of prose have longer lines than columns of a table
MAX_CROSSING_SHARE = 0.4
# What stands beside a stretch of the text, without a frame, is told from a table's cells by lines that fill its width.
MIN_ASIDE_CHARS = 12
FULL_LINE = 0.75  # of the widest
MIN_FULL_LINES = 0.7  # of them
MIN_LETTERS = 0.6  # of the characters


class Piece(msgspec.Struct, gc=False):
    """Consecutive words of one line without a wide gap, or a whole ruled table.

    `size` is the height of the longest word, letters before formulas: what a superscript does not change. `parts` are
    the pieces that a line was put together from.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    index: int
    size: float = 0.0
    last_index: int = 0
    bold: bool = False
    table: Table | None = None
    parts: tuple[str, ...] = ()


Divided = Callable[[Sequence[Piece], Sequence[Piece]], bool]
Stretch = tuple[list[Piece], list[Piece], list[Piece]]  # what runs across, or what is left and right of a gutter


def pieces_of(words: Sequence[Word]) -> list[Piece]:
    """Join words that stand on one line, close together, in the order of the content stream."""
    pieces: list[Piece] = []
    current: Piece | None = None
    parts: list[str] = []
    last_left = last_right = 0.0
    longest = 0.0
    for word in words:
        weight = len(word.text) if word.text.isalpha() else len(word.text) / _FORMULA_COUNTS
        if current is not None:
            height = min(current.bottom - current.top, word.bottom - word.top)
            overlap = min(current.bottom, word.bottom) - max(current.top, word.top)
            wide = GAP * max(height, 4.0)
            forward = -0.5 * wide < word.left - last_right < wide
            backward = -0.5 * wide < last_left - word.right < wide  # right-to-left scripts
            next_amount = word.text in _CURRENCIES and parts[-1][-1] in _ENDS_AMOUNT
            if overlap > 0.5 * height and (forward or backward) and not next_amount:
                parts.append(word.text)
                current.left, current.right = min(current.left, word.left), max(current.right, word.right)
                current.top, current.bottom = min(current.top, word.top), max(current.bottom, word.bottom)
                current.last_index = word.index
                if weight > longest:
                    longest, current.size = weight, word.bottom - word.top
                last_left, last_right = word.left, word.right
                continue
            current.text = " ".join(parts)
        current = Piece(word.text, word.left, word.top, word.right, word.bottom, word.index)
        current.size, current.last_index, longest = word.bottom - word.top, word.index, weight
        pieces.append(current)
        parts = [word.text]
        last_left, last_right = word.left, word.right
    if current is not None:
        current.text = " ".join(parts)
    return pieces


def rows_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces at the same height, top to bottom, each row from left to right."""
    rows: list[list[Piece]] = []
    top = bottom = 0.0
    for piece in sorted(pieces, key=lambda p: ((p.top + p.bottom) / 2, p.left)):
        overlap = min(bottom, piece.bottom) - max(top, piece.top)
        smaller = min(bottom - top, piece.bottom - piece.top)
        if rows and overlap > 0.5 * smaller and piece.table is None and rows[-1][0].table is None:
            rows[-1].append(piece)
            if piece.bottom - piece.top > bottom - top:
                top, bottom = piece.top, piece.bottom
        else:
            rows.append([piece])
            top, bottom = piece.top, piece.bottom
    for row in rows:
        row.sort(key=lambda p: p.left)
    return rows


def columns(pieces: Sequence[Piece], depth: int = 0) -> list[list[Piece]]:
    """Blocks in reading order: each is one column's stretch, or what runs across the columns."""
    divisible = depth < MAX_DEPTH and len(pieces) >= 2 * MIN_COLUMN_LINES
    if divisible and (gutter := _gutter(pieces)) is not None:
        stretches, whole = _stretches(pieces, gutter, _are_columns), True
    elif divisible and (gutter := _aside_gutter(pieces)) is not None:
        stretches, whole = _stretches(pieces, gutter, _side_by_side), False
    else:
        return [list(pieces)] if pieces else []
    blocks: list[list[Piece]] = []
    for across, left, right in stretches:
        blocks.extend(columns(left, depth + 1))
        blocks.extend(columns(right, depth + 1))
        blocks.extend(([across] if whole else columns(across, depth + 1)) if across else [])
    return blocks


def _stretches(pieces: Sequence[Piece], gutter: float, divided: Divided) -> list[Stretch]:
    """From top to bottom: what runs across the gutter, or the two sides of it where they are `divided`."""
    crossing = sorted((p for p in pieces if p.left < gutter < p.right), key=lambda p: p.top)
    bands: list[list[Piece]] = [[] for _ in range(len(crossing) + 1)]
    edges = [(p.top + p.bottom) / 2 for p in crossing]
    for piece in pieces:
        if not piece.left < gutter < piece.right:
            middle = (piece.top + piece.bottom) / 2
            bands[sum(edge < middle for edge in edges)].append(piece)
    stretches: list[Stretch] = []
    across: list[Piece] = []
    for number, band in enumerate(bands):
        left = [piece for piece in band if piece.right <= gutter]
        right = [piece for piece in band if piece.left >= gutter]
        if left and right and divided(left, right):
            stretches += [(across, [], []), ([], left, right)]
            across = []
        else:
            across.extend(band)
        across.extend(crossing[number : number + 1])
    return [*stretches, (across, [], [])]


def _are_columns(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """No table that runs across: three columns of running text have three pieces in a row as well."""
    return not _like_table([*left, *right]) or _side_by_side(left, right)


def _like_table(band: Sequence[Piece]) -> bool:
    """True for a table that runs across the columns: more than two pieces in most rows."""
    rows = rows_of(band)
    return sum(len(row) > 2 for row in rows) > 0.5 * len(rows)


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """The x of the white strip between two columns of prose, or None."""
    left, right = min(p.left for p in pieces), max(p.right for p in pieces)
    width = int(right - left)
    if width < 100 or width > 20_000:
        return None
    starts, ends = [0] * (width + 2), [0] * (width + 2)
    for piece in pieces:
        starts[int(piece.left - left)] += 1
        ends[min(width + 1, int(piece.right - left) + 1)] += 1
    best, best_score, run = None, 0.0, 0
    before = ended = crossed = 0
    for x in range(width + 1):
        before += starts[x]
        ended += ends[x]
        covering, after = before - ended, len(pieces) - before
        smaller = min(ended, after)
        if smaller < MIN_COLUMN_LINES or covering > MAX_CROSSING_SHARE * smaller:
            run = 0
            continue
        run = run + 1 if covering == crossed else 1  # the strip is as wide as nothing more reaches into it
        crossed = covering
        score = smaller - covering + min(run, 12) / 100
        if score > best_score:
            best, best_score = x - (run - 1) / 2, score
    if best is None:
        return None
    gutter = left + best
    return gutter if _prose(pieces, gutter) else None


def _aside_gutter(pieces: Sequence[Piece]) -> float | None:
    """The middle of the strip between lines of prose that stand side by side, in the most rows, or None."""
    pairs = (row for row in rows_of(pieces) if len(row) == 2)
    strips = [
        (left.right, right.left) for left, right in pairs if min(len(left.text), len(right.text)) >= MIN_ASIDE_CHARS
    ]
    if len(strips) < MIN_COLUMN_LINES:
        return None
    best = max((begin for begin, _ in strips), key=lambda x: sum(begin <= x < end for begin, end in strips))
    return (best + min(end for begin, end in strips if begin <= best < end)) / 2


def _side_by_side(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Both are running text: lines of words that fill the width of their side."""
    return all(_is_running_text(side) for side in (left, right))


def _is_running_text(lines: Sequence[Piece]) -> bool:
    if len(lines) < MIN_COLUMN_LINES or any(line.table is not None for line in lines):
        return False
    if median(len(line.text) for line in lines) < MIN_ASIDE_CHARS:
        return False
    widths = [line.right - line.left for line in lines]
    full = sum(width >= FULL_LINE * max(widths) for width in widths)
    return full >= MIN_FULL_LINES * len(lines) and wordy(line.text for line in lines)


def wordy(texts: Iterable[str]) -> bool:
    """Most characters are letters: no amounts, no formulas."""
    characters = "".join(texts)
    return sum(map(str.isalpha, characters)) > MIN_LETTERS * len(characters)


def _prose(pieces: Sequence[Piece], gutter: float) -> bool:
    """Both sides hold lines of text, not the cells of a table or the two halves of a list of pairs."""
    for side in (
        [p for p in pieces if p.right <= gutter and p.table is None],
        [p for p in pieces if p.left >= gutter and p.table is None],
    ):
        if len(side) < MIN_COLUMN_LINES or median(len(p.text) for p in side) < MIN_COLUMN_CHARS:
            return False
    return True
