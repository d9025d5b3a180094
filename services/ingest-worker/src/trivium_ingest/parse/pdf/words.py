"""Words with their boxes, from PDFium's text page.

Only the first and the last character of each word are measured: that is what makes hundreds of pages a second possible.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from typing import Any

import msgspec
import pypdfium2.raw as pdfium

# PDFium marks a hyphen at a line's end and joins the lines; the word is divided there again to be measured.
_WORD = re.compile(r"[^\s\x00\x02\ufffe]+[\x02\ufffe]?")
_SOFT_HYPHENS = str.maketrans({"\x02": "-", "\ufffe": "-", "\u00ad": "-"})
# TeX's older fonts draw an accent, and then the letter under it.
_DRAWN_ACCENTS = dict(
    zip(
        "`\u00b4\u02c6\u02dc\u00af\u02d8\u02d9\u00a8\u02da\u02dd\u02c7\u00b8\u02db",
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328",
        strict=True,
    )
)
_DRAWN_ACCENT = re.compile(rf"[{''.join(_DRAWN_ACCENTS)}][^\W\d_]")
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
MAX_PAGE_CHARS = 200_000
MAX_SHORT_BETWEEN = 4  # short words between two long ones of an upright line


class Word(msgspec.Struct, gc=False):
    """A word in the layout frame: origin top left, the text runs to the right; points.

    `index` is its first character's place in PDFium's text page.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    index: int


class Frame(msgspec.Struct, frozen=True):
    """From PDF user space to the page as it is shown (origin top left), turned clockwise `turns` times 90 degrees."""

    left: float
    top: float
    width: float
    height: float
    turns: int = 0

    def place(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of the rectangle with these two user-space corners."""
        u0, u1 = x0 - self.left, x1 - self.left
        v0, v1 = self.top - y0, self.top - y1
        if self.turns == 1:
            u0, u1, v0, v1 = self.height - v0, self.height - v1, u0, u1
        elif self.turns == 2:
            u0, u1, v0, v1 = self.width - u0, self.width - u1, self.height - v0, self.height - v1
        elif self.turns == 3:
            u0, u1, v0, v1 = v0, v1, self.width - u0, self.width - u1
        return min(u0, u1), min(v0, v1), max(u0, u1), max(v0, v1)

    def turned(self, more: int) -> Frame:
        """The same page, turned further."""
        return msgspec.structs.replace(self, turns=(self.turns + more) % 4)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown."""
        return (self.height, self.width) if self.turns % 2 else (self.width, self.height)


def page_frame(page: Any) -> Frame:
    """The visible part of the page and its /Rotate."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page, box):
        return Frame(0.0, 792.0, 612.0, 792.0)
    left, right = sorted((box.left, box.right))
    bottom, top = sorted((box.bottom, box.top))
    return Frame(left, top, right - left, top - bottom, pdfium.FPDFPage_GetRotation(page) % 4)


def page_text(text_page: Any) -> str:
    """The page's characters, one per PDFium index."""
    count = max(0, min(pdfium.FPDFText_CountChars(text_page), MAX_PAGE_CHARS))
    buffer = (ctypes.c_ushort * (count + 1))()
    if pdfium.FPDFText_GetText(text_page, 0, count, buffer) == count + 1:
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
        if len(text) == count:
            return text
    # Some indices have no character, or one outside of UTF-16's basic plane: ask for each.
    get = pdfium.FPDFText_GetUnicode
    return "".join([chr(get(text_page, index)) for index in range(count)])


def read_words(text_page: Any, text: str, frame: Frame, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of `text`, or of a part of it, in the order of the content stream, in the frame given."""
    box = pdfium.FS_RECTF()
    pointer = ctypes.byref(box)
    measure = pdfium.FPDFText_GetLooseCharBox
    words = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        start, end = match.span()
        if not measure(text_page, start, pointer):
            continue
        x0, y0, x1, y1 = box.left, box.bottom, box.right, box.top
        if end - start > 1 and measure(text_page, end - 1, pointer):
            x0, x1 = min(x0, box.left), max(x1, box.right)
            y0, y1 = min(y0, box.bottom), max(y1, box.top)
        token = match.group()
        if not token.isascii() or "\x02" in token or "`" in token:
            token = mended(_composed(text_page, token, start))
        if frame.turns == 0:
            words.append(Word(token, x0 - frame.left, frame.top - y1, x1 - frame.left, frame.top - y0, start))
        else:
            words.append(Word(token, *frame.place(x0, y0, x1, y1), start))
    return words


def sideways(text_page: Any, words: list[Word], frame: Frame) -> list[Word]:
    """Words that run up or down beside the text (a stamp in the margin), with the short ones between them."""
    tall = (w for w in words if len(w.text) > 3 and w.bottom - w.top > 1.2 * (w.right - w.left))
    certain = [word for word in tall if _climbs(text_page, word, frame)]  # "fill" may be higher than wide as it stands
    if not certain or len(certain) > 40:
        return certain
    short = [word for word in words if len(word.text) < 4]
    upright = {word.index for word in certain}
    beside = certain
    for _ in range(MAX_SHORT_BETWEEN):
        beside = [word for word in short if any(_goes_on_upright(word, other) for other in beside)]
        upright.update(word.index for word in beside)
        short = [word for word in short if word.index not in upright]
    return [word for word in words if word.index in upright]


def _climbs(text_page: Any, word: Word, frame: Frame) -> bool:
    """Whether its last character stands above or below the first one."""
    last = _height(text_page, word.index + len(word.text) - 1, frame)
    return abs(last - _height(text_page, word.index, frame)) > word.right - word.left


def _goes_on_upright(word: Word, other: Word) -> bool:
    """True when a word stands right above or below another one, within its width: the same upright line."""
    width = other.right - other.left
    within = other.left - 1 <= word.left and word.right <= other.right + 1
    return within and max(word.top - other.bottom, other.top - word.bottom) < 0.7 * width


def reading_turn(text_page: Any, words: list[Word], frame: Frame) -> int:
    """How many more clockwise quarter turns make most of the text run to the right (0 for nearly every page)."""
    upright = sum(len(w.text) for w in words if w.bottom - w.top > 1.3 * (w.right - w.left) and len(w.text) > 2)
    if upright * 2 < sum(len(word.text) for word in words if len(word.text) > 2) or not upright:
        return 0
    rising = 0
    for word in [w for w in words if len(w.text) > 2][:50]:
        first = _height(text_page, word.index, frame)
        rising += 1 if _height(text_page, word.index + len(word.text) - 1, frame) < first else -1
    return 1 if rising > 0 else 3


def _height(text_page: Any, index: int, frame: Frame) -> float:
    """How far below the top of the page as shown a character stands."""
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(text_page, index, box)
    _, top, _, bottom = frame.place(box.left, box.bottom, box.right, box.top)
    return top + bottom


def _composed(text_page: Any, token: str, start: int) -> str:
    """An accent that is drawn over the next letter, and that letter, as one character."""
    return _DRAWN_ACCENT.sub(
        lambda found: _one_letter(*found.group()) if _is_over_next(text_page, start + found.start()) else found.group(),
        token,
    )


def _one_letter(accent: str, letter: str) -> str:
    one = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _DRAWN_ACCENTS[accent])
    return one if len(one) == 1 else accent + letter


def _is_over_next(text_page: Any, index: int) -> bool:
    """Whether the middle of a character is within the width of the next one: "l\u00b4eau" is typed, not drawn."""
    over, under = pdfium.FS_RECTF(), pdfium.FS_RECTF()
    measure = pdfium.FPDFText_GetLooseCharBox
    if not (measure(text_page, index, over) and measure(text_page, index + 1, under)):
        return False
    return bool(under.left < (over.left + over.right) / 2 < under.right)


def mended(token: str) -> str:
    """Without PDFium's marks for hyphens at a line's end, and with whole characters."""
    token = token.translate(_SOFT_HYPHENS)
    if any("\ud800" <= character <= "\udfff" for character in token):
        return token.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return token
