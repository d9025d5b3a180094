"""Text that a PDF holds and its reader does not see: white on white, drawn invisibly, off the page, of no size."""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium

from trivium_ingest.parse.pdf.tables import Rect
from trivium_ingest.parse.pdf.words import Frame, Word

SMALLEST_SEEN = 1.5  # points
WHITE = 245  # of 255, in each colour: nearly white is not seen either
FAINTEST = 10  # of 255 in opacity
MAX_OBJECTS = 4_000
MAX_TESTS = 4_000_000  # of a word against a ground; a page that needs more counts as seen
_NEAR = 2.0  # points that a ground may miss its text by
_FILLED = (pdfium.FPDF_TEXTRENDERMODE_FILL, pdfium.FPDF_TEXTRENDERMODE_FILL_CLIP)


def unseen_words(page: Any, text_page: Any, words: Sequence[Word], layout: Frame) -> set[int]:
    """Indices of the words that whoever looks at the page does not see."""
    width, height = layout.size
    text_object, address_of = pdfium.FPDFText_GetTextObject, ctypes.addressof
    unseen: set[int] = set()
    doubtful: list[tuple[Word, _Ink]] = []
    last, ink = 0, _Ink.PLAIN
    for word in words:
        handle = text_object(text_page, word.index)
        address = address_of(handle.contents) if handle else 0
        if address != last:
            last, ink = address, _ink(handle) if handle else _Ink.PLAIN
        if ink is not _Ink.PLAIN:
            doubtful.append((word, ink))
        middle = (word.top + word.bottom) / 2
        outside = word.left > width or word.right < 0 or middle > height or middle < 0
        if outside or (word.bottom - word.top < SMALLEST_SEEN and _tiny(text_page, word.index)):
            unseen.add(word.index)
    if doubtful:
        painted, pictures = _grounds(page, layout)
        if len(doubtful) * len(painted) > MAX_TESTS:
            return unseen
        for word, ink in doubtful:
            if not any(_covers(ground, word) for ground in (pictures if ink is _Ink.NONE else painted)):
                unseen.add(word.index)
    return unseen


class _Ink(enum.Enum):
    PLAIN = enum.auto()
    WHITE = enum.auto()
    NONE = enum.auto()


def _ink(text: Any) -> _Ink:
    """What a text object is drawn with."""
    mode = pdfium.FPDFTextObj_GetTextRenderMode(text)
    if mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        return _Ink.NONE
    colour = [ctypes.c_uint() for _ in range(4)]
    if mode not in _FILLED or not pdfium.FPDFPageObj_GetFillColor(text, *colour):
        return _Ink.PLAIN
    red, green, blue, alpha = (part.value for part in colour)
    if alpha < FAINTEST:
        return _Ink.NONE
    return _Ink.WHITE if min(red, green, blue) >= WHITE else _Ink.PLAIN


def _tiny(text_page: Any, index: int) -> bool:
    """Some fonts state no height: what counts is the ink then."""
    edges = [ctypes.c_double() for _ in range(4)]
    if not pdfium.FPDFText_GetCharBox(text_page, index, *edges):
        return True
    left, right, bottom, top = (edge.value for edge in edges)
    return max(right - left, top - bottom) < SMALLEST_SEEN


def _covers(ground: Rect, word: Word) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return ground[0] - _NEAR <= x <= ground[2] + _NEAR and ground[1] - _NEAR <= y <= ground[3] + _NEAR


def _grounds(page: Any, layout: Frame) -> tuple[list[Rect], list[Rect]]:
    """What white text may stand on, and of that what may be the picture under an invisible layer of text."""
    painted: list[Rect] = []
    pictures: list[Rect] = []
    for number in range(min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        handle = pdfium.FPDFPage_GetObject(page, number)
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT or (kind == pdfium.FPDF_PAGEOBJ_PATH and not _paints(handle)):
            continue
        bounds = bounds_of(handle)
        if bounds is None:
            continue
        painted.append(layout.place(*bounds))
        if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM):
            pictures.append(painted[-1])
    return painted, pictures


def bounds_of(handle: Any) -> Rect | None:
    """Where an object stands in the page's user space: left, bottom, right, top; None where that is not known."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(handle, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    return left, bottom, right, top


def _paints(handle: Any) -> bool:
    """True for a path filled with anything but white; a pattern has no colour to ask for and counts as painted."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    colour = [ctypes.c_uint() for _ in range(4)]
    if not pdfium.FPDFPath_GetDrawMode(handle, fill, stroke) or not fill.value:
        return False
    if not pdfium.FPDFPageObj_GetFillColor(handle, *colour):
        return True
    return any(part.value < WHITE for part in colour[:3])
