"""Boxes beside the text: what stands in a frame, or on a ground of its own, is read by itself and not across."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from trivium_ingest.parse.pdf.lines import pieces_of, rows_of, wordy
from trivium_ingest.parse.pdf.tables import Rect, frames
from trivium_ingest.parse.pdf.words import Word

MAX_SHARE = 0.5  # of the page; a larger frame is the page's own
MIN_LINES = 2
MIN_LINE_CHARS = 8  # labels of a drawing are shorter
MIN_WHOLE_LINES = 0.6  # of the lines; those of a table are divided
MIN_BESIDE = 4  # words of the text on the box's height: without them nothing is read across
_OUTSIDE = 2.0  # points that a word may stand over its frame


def boxed(rects: Sequence[Rect], words: Sequence[Word], area: float) -> tuple[list[list[Word]], list[Word]]:
    """The words of each box at the side of other text, larger boxes first, and the words outside of them."""
    boxes: list[list[Word]] = []
    rest = list(words)
    for frame in sorted(frames(rects), key=_area, reverse=True):
        inside = [word for word in rest if _holds(frame, word)]
        outside = [word for word in rest if not _holds(frame, word)]
        if _area(frame) <= MAX_SHARE * area and _is_text(inside) and _stands_beside(frame, outside):
            boxes.append(inside)
            rest = outside
    return boxes, rest


def _area(rect: Rect) -> float:
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def _holds(frame: Rect, word: Word) -> bool:
    left, top, right, bottom = frame
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return left <= x <= right and top <= y <= bottom


def _is_text(words: Sequence[Word]) -> bool:
    """Lines of words: neither the cells of a table nor the labels of a drawing."""
    rows = rows_of(pieces_of(words))
    whole = [row[0] for row in rows if len(row) == 1]
    if len(rows) < MIN_LINES or len(whole) < MIN_WHOLE_LINES * len(rows):
        return False
    return median(len(line.text) for line in whole) >= MIN_LINE_CHARS and wordy(word.text for word in words)


def _stands_beside(frame: Rect, outside: Sequence[Word]) -> bool:
    """True when text, and not the amounts of a table, runs past the frame on its height, none of it through it."""
    level = [word for word in outside if frame[1] < (word.top + word.bottom) / 2 < frame[3]]
    crossing = any(word.left < frame[2] - _OUTSIDE and word.right > frame[0] + _OUTSIDE for word in level)
    return len(level) >= MIN_BESIDE and not crossing and wordy(word.text for word in level)
