"""Hebrew and Arabic in a PDF: put into logical order by where the characters stand, marks behind their letters.

A content stream has such text in any order, and PDFium's guess takes marks for letters of their own and turns round
what a ligature stands for. What is seen is the same in every file: letters from right to left, foreign words and
numbers among them from left to right.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import Any

import msgspec
import pypdfium2.raw as pdfium

from trivium_ingest.parse.pdf.directions import BRACKET, directions
from trivium_ingest.parse.pdf.lines import GAP
from trivium_ingest.parse.pdf.words import Frame, Word, mended, read_words

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")  # shapes of letters, for which there are letters
_MARKS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
_LINE = re.compile(
    rf"[^\r\n\x02\ufffe]*[^\r\n](?:[\r\n]+[{_MARKS} ]+(?![^\r\n]))*"
)  # with the marks that stand too high for PDFium
_LIGATURES = frozenset(unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB1D, 0xFEFD))  # and single letters
_BRACKETS = ("()", "[]", "{}")
_WORD_GAP = 0.18  # of a line's height
_UPRIGHT = 1.3  # times higher than wide
_NEIGHBOURS = 3  # letters on each side of a mark that may bear it


class Glyph(msgspec.Struct, frozen=True):
    """A letter with its marks, a mark or a blank, and its box in the layout frame.

    `index` is its place in PDFium's text page.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    index: int

    @property
    def kind(self) -> str:
        """The letter's bidirectional class."""
        return BRACKET if self.text in "()[]{}" else unicodedata.bidirectional(self.text[0])

    @property
    def blank(self) -> bool:
        """True for a space."""
        return self.text.isspace()


def read_mixed_words(text_page: Any, text: str, frame: Frame) -> list[Word]:
    """As `read_words`; in lines with letters that run to the left, words are in reading order.

    What runs against its line is in one word, blanks included.
    """
    mostly_right = _leans_left(text)
    words: list[Word] = []
    for line in _LINE.finditer(text):
        glyphs = _glyphs(text_page, text, frame, *line.span()) if RIGHT_TO_LEFT.search(line.group()) else []
        if not glyphs or _upright(glyphs):
            words += read_words(text_page, text, frame, *line.span())
        else:
            words += logical_words(glyphs, to_left=mostly_right or _leans_left(line.group()))
    return words


def logical_words(glyphs: Sequence[Glyph], *, to_left: bool) -> list[Word]:
    """The words of one line, which runs `to_left` or to the right, in the order in which they are read."""
    return [word for stretch in _stretches(_with_marks(glyphs)) for word in _in_order(stretch, to_left=to_left)]


def _leans_left(text: str) -> bool:
    return len(RIGHT_TO_LEFT.findall(text)) >= len(_LATIN.findall(text))


def _upright(glyphs: Sequence[Glyph]) -> bool:
    width = max(glyph.right for glyph in glyphs) - min(glyph.left for glyph in glyphs)
    height = max(glyph.bottom for glyph in glyphs) - min(glyph.top for glyph in glyphs)
    return len(glyphs) > _NEIGHBOURS and height > _UPRIGHT * width


def _glyphs(text_page: Any, text: str, frame: Frame, start: int, end: int) -> list[Glyph]:
    """Characters that stand somewhere and blanks that are wide; a mark's box is that of its ink."""
    drawn = [index for index in range(start, end) if pdfium.FPDFText_IsGenerated(text_page, index) != 1]
    placed = [(index, _box(text_page, index, ink=unicodedata.category(text[index]) == "Mn")) for index in drawn]
    glyphs = [Glyph(text[index], *frame.place(*box), index) for index, box in placed if box and text[index] != "\0"]
    return [glyph for glyph in glyphs if glyph.right > glyph.left or not glyph.blank]


def _box(text_page: Any, index: int, *, ink: bool) -> tuple[float, float, float, float] | None:
    edges = [ctypes.c_double() for _ in range(4)]
    if ink and pdfium.FPDFText_GetCharBox(text_page, index, *edges):
        left, right, bottom, top = (edge.value for edge in edges)
        return left, bottom, right, top
    loose = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page, index, loose):
        return None
    return loose.left, loose.bottom, loose.right, loose.top


def _with_marks(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The letters from left to right, each with the marks that stand at it; marks without a letter are left out."""
    letters = sorted((glyph for glyph in glyphs if glyph.kind != "NSM"), key=lambda glyph: (glyph.left, glyph.right))
    bearing = [place for place, letter in enumerate(letters) if letter.text[0].isalpha()]
    lefts = [letters[place].left for place in bearing]
    marks: dict[int, str] = defaultdict(str)
    for mark in (glyph for glyph in glyphs if glyph.kind == "NSM" and bearing):
        middle = (mark.left + mark.right) / 2
        near = bisect_left(lefts, middle)
        around = bearing[max(0, near - _NEIGHBOURS) : near + _NEIGHBOURS]
        marks[min(around, key=lambda place: _distance(letters[place], middle))] += mark.text
    return [msgspec.structs.replace(letter, text=letter.text + marks[place]) for place, letter in enumerate(letters)]


def _distance(letter: Glyph, x: float) -> tuple[float, float]:
    """How far a point is from a letter, then from its middle."""
    return max(letter.left - x, x - letter.right, 0.0), abs((letter.left + letter.right) / 2 - x)


def _stretches(letters: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """The letters of one line of one column from left to right, with a blank in every gap between words."""
    stretch: list[Glyph] = []
    for letter in letters:
        gap = letter.left - stretch[-1].right if stretch else 0.0
        height = max(4.0, letter.bottom - letter.top)
        if gap > GAP * height:
            yield stretch
            stretch = []
        elif gap > _WORD_GAP * height:
            stretch.append(Glyph(" ", stretch[-1].right, letter.top, letter.left, letter.bottom, letter.index))
        stretch.append(letter)
    if stretch:
        yield stretch


def _in_order(letters: Sequence[Glyph], *, to_left: bool) -> Iterator[Word]:
    runs = list(_runs(letters, to_left=to_left))
    logical = _paired([letter for _, run in runs for letter in run])
    against = [runs_left != to_left for runs_left, run in runs for _ in run]
    word: list[Glyph] = []
    for letter, inside in zip(logical, against, strict=True):
        if word and ((letter.blank and not inside) or _other_script(word[-1], letter)):
            yield _word(word)
            word = []
        if word or not letter.blank:
            word.append(letter)
    if word:
        yield _word(word)


def _runs(letters: Sequence[Glyph], *, to_left: bool) -> Iterator[tuple[bool, list[Glyph]]]:
    """Stretches that run one way, and whether it is to the left; they and their letters in logical order."""
    along = directions([letter.kind for letter in letters], to_left=to_left)
    pairs = list(zip(letters, along, strict=True))
    for runs_left, group in groupby(reversed(pairs) if to_left else pairs, key=lambda pair: pair[1]):
        run = [letter for letter, _ in group]
        ordered = run if runs_left == to_left else run[::-1]
        yield runs_left, _unligated(ordered) if runs_left else ordered


def _other_script(letter: Glyph, following: Glyph) -> bool:
    """Word processors leave the blank behind a foreign word on the wrong side: the words touch."""
    differ = (letter.kind == "L") != (following.kind == "L")
    return differ and letter.text[0].isalpha() and following.text[0].isalpha()


def _unligated(letters: Sequence[Glyph]) -> list[Glyph]:
    """Letters of one ligature in order: PDFium turns them round, unless it took a ligature's own character apart."""
    ordered: list[Glyph] = []
    for _, group in groupby(letters, key=lambda letter: (letter.left, letter.right)):
        given = sorted(group, key=lambda letter: letter.index)
        ordered += given if _was_one_character("".join(letter.text[0] for letter in given)) else given[::-1]
    return ordered


def _was_one_character(letters: str) -> bool:
    """Whether there is a character for these letters, and none for them the other way round."""
    return letters in _LIGATURES and letters[::-1] not in _LIGATURES


def _paired(letters: Sequence[Glyph]) -> list[Glyph]:
    """Brackets open and close in turn where they do not match: PDFium mirrors those that it takes for Arabic ones."""
    paired = list(letters)
    for pair in _BRACKETS:
        places = [place for place, letter in enumerate(letters) if letter.text in pair]
        if len(places) % 2 == 0 and not _matching("".join(letters[place].text for place in places), pair):
            for number, place in enumerate(places):
                paired[place] = msgspec.structs.replace(letters[place], text=pair[number % 2])
    return paired


def _matching(brackets: str, pair: str) -> bool:
    depths = list(accumulate(1 if bracket == pair[0] else -1 for bracket in brackets))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _word(letters: Sequence[Glyph]) -> Word:
    text = mended("".join(letter.text for letter in letters))
    text = unicodedata.normalize("NFC", _FORMS.sub(lambda shapes: unicodedata.normalize("NFKC", shapes[0]), text))
    box = (min(g.left for g in letters), min(g.top for g in letters), max(g.right for g in letters))
    return Word(" ".join(text.split()), *box, max(g.bottom for g in letters), min(g.index for g in letters))
