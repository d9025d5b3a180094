"""Hebrew and Arabic in a PDF are read in the order in which they are written, with the words among them."""

from __future__ import annotations

import pytest

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.pdf.directions import directions
from trivium_ingest.parse.pdf.right_to_left import Glyph, logical_words

from .conftest import Parse, texts

_WIDTH = 600  # thousandths of the font's size
_PAGE = """<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"""
_FONT = """<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/FirstChar 0/LastChar 255/Widths[{widths}]
/Encoding/WinAnsiEncoding/ToUnicode 6 0 R/FontDescriptor 7 0 R>>"""
_DESCRIPTOR = """<</Type/FontDescriptor/FontName/Helvetica/Flags 32/FontBBox[0 -200 1000 900]/ItalicAngle 0
/Ascent 750/Descent -250/CapHeight 700/StemV 80>>"""
_CMAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange {count} beginbfchar
{pairs}
endbfchar endcmap end end"""

SHALOM = "\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd"
SALAM = "\u0633\u0644\u0627\u0645"
EUROPEAN, HEBREW, LATIN = "EN", "R", "L"


def _drawn(glyphs: dict[str, str], content: str) -> bytes:
    """A page of glyphs, named by a letter, that stand for characters; marks take no room."""
    widths = ["0" if "\u0590" <= glyphs.get(chr(code), "x") <= "\u05c7" else f"{_WIDTH}" for code in range(256)]
    pairs = "\n".join(f"<{ord(name):02X}> <{text.encode('utf-16-be').hex()}>" for name, text in glyphs.items())
    cmap = _CMAP.format(count=len(glyphs), pairs=pairs)
    streams = [f"<</Length {len(body)}>>stream\n{body}\nendstream" for body in (content, cmap)]
    font = _FONT.format(widths=" ".join(widths))
    catalog, pages = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    objects = [catalog, pages, _PAGE, streams[0], font, streams[1], _DESCRIPTOR]
    body = "%PDF-1.4\n" + "".join(f"{number} 0 obj{entry}endobj\n" for number, entry in enumerate(objects, 1))
    starts = [body.index(f"{number} 0 obj<<") for number in range(1, len(objects) + 1)]
    table = "".join(f"{start:010d} 00000 n \n" for start in starts)
    size = len(objects) + 1
    trailer = f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def _line(*shown: str, y: int = 700, x: float = 100) -> str:
    return f"BT /F 10 Tf 1 0 0 1 {x} {y} Tm {' '.join(shown)} ET\n"


HEBREW_GLYPHS = {"s": "\u05e9", "q": "\u05b8", "l": "\u05dc", "v": "\u05d5", "h": "\u05b9", "m": "\u05dd", " ": " "}


def test_vowel_signs_stand_behind_their_letters(parse: Parse) -> None:
    content = _line("[(m) (v) 450 (h) -450 (l) (s) 350 (q)] TJ")
    document = parse(_drawn(HEBREW_GLYPHS, content))
    assert texts(document, UnitKind.TEXT) == [SHALOM]


def test_vowel_signs_that_are_placed_by_themselves_belong_to_the_letter_that_they_stand_at(parse: Parse) -> None:
    content = _line("(mvls) Tj") + _line("(q) Tj", y=698, x=119) + _line("(h) Tj", y=705, x=107)
    document = parse(_drawn(HEBREW_GLYPHS, content))
    assert texts(document, UnitKind.TEXT) == [SHALOM]


def test_letters_drawn_one_by_one_from_the_right_are_one_word(parse: Parse) -> None:
    content = _line("(s) Tj -6 0 Td (l) Tj -6 0 Td (v) Tj -6 0 Td (m) Tj", x=160)
    document = parse(_drawn(HEBREW_GLYPHS, content))
    assert texts(document, UnitKind.TEXT) == ["\u05e9\u05dc\u05d5\u05dd"]


@pytest.mark.parametrize(
    ("ligature", "letters"),
    [
        ("\u0644\u0627", "\u0644\u0627"),
        ("\ufefb", "\u0644\u0627"),
        ("\u0627\u0644\u0644\u0647", "\u0627\u0644\u0644\u0647"),
        ("\ufdf2", "\u0627\u0644\u0644\u0647"),
        ("\u0645\u062d\u0645\u062f", "\u0645\u062d\u0645\u062f"),
        ("\ufdf4", "\u0645\u062d\u0645\u062f"),
        ("\ufc08", "\u0628\u0645"),
        ("\ufc43", "\u0644\u0649"),
    ],
)
def test_a_ligature_is_its_letters_in_their_order(parse: Parse, ligature: str, letters: str) -> None:
    glyphs = {"s": "\u0633", "g": ligature, "m": "\u0645"}
    document = parse(_drawn(glyphs, _line("(mgs) Tj")))
    assert texts(document, UnitKind.TEXT) == [f"\u0633{letters}\u0645"]


def test_latin_words_and_numbers_among_arabic_words_stand_where_they_are_said(parse: Parse) -> None:
    letters = {"s": "\u0633", "g": "\u0644\u0627", "m": "\u0645", "w": "\u0648"}
    glyphs = letters | {letter: letter for letter in "CPU 2047()"}
    document = parse(_drawn(glyphs, _line("(2047 mgs \\(CPU 42\\)w mgs) Tj")))
    assert texts(document, UnitKind.TEXT) == [f"{SALAM} \u0648(CPU 42) {SALAM} 2047"]


def test_an_arabic_word_in_an_english_line_leaves_the_line_as_it_is(parse: Parse) -> None:
    glyphs = {"1": "\u0633", "2": "\u0644\u0627", "3": "\u0645"} | {letter: letter for letter in "Twordmeanspc. "}
    document = parse(_drawn(glyphs, _line("(Tree words 321 mean peace.) Tj")))
    assert texts(document, UnitKind.TEXT) == [f"Tree words {SALAM} mean peace."]


def _glyphs(text: str, lefts: list[float]) -> list[Glyph]:
    return [
        Glyph(letter, left, 0.0, left + 6, 10.0, index)
        for index, (letter, left) in enumerate(zip(text, lefts, strict=True))
    ]


def _read(glyphs: list[Glyph], *, to_left: bool = True) -> str:
    return " ".join(word.text for word in logical_words(glyphs, to_left=to_left))


def test_a_mark_belongs_to_the_letter_above_which_it_stands() -> None:
    tanwin = Glyph("\u064b", 13.0, 0.0, 15.0, 2.0, 0)
    assert _read([tanwin, *_glyphs("\u0623\u064a\u0636\u0627", [24, 18, 12, 6])]) == "\u0623\u064a\u0636\u064b\u0627"


def test_marks_without_a_letter_are_left_out() -> None:
    assert _read([Glyph("\u064b", 13.0, 0.0, 15.0, 2.0, 0)]) == ""


def test_a_wide_gap_divides_a_line() -> None:
    assert [word.text for word in logical_words(_glyphs("\u05d0\u05d1", [100, 0]), to_left=True)] == [
        "\u05d1",
        "\u05d0",
    ]


@pytest.mark.parametrize(
    ("seen", "logical"),
    [
        ("10% \u05d0", "\u05d0 10%"),
        ("%10 \u0627", "\u0627 10%"),
        ("20-10 \u0627", "\u0627 10-20"),
        ("20-10 \u05d0", "\u05d0 20-10"),
        ("20 - 10 \u05d0", "\u05d0 10 - 20"),
        ("3.14 \u0627", "\u0627 3.14"),
        ("Intel(R) \u0627", "\u0627 Intel(R)"),
        ("50% (RTL) \u05d0", "\u05d0 (RTL) 50%"),
        ("(RTL) 50% \u05d0", "\u05d0 50% (RTL)"),
        (".Windows 11 \u0627", "\u0627 Windows 11."),
        ("\u0628 R 3, S 4 \u0627", "\u0627 R 3, S 4 \u0628"),
    ],
)
def test_numbers_are_read_as_the_bidirectional_algorithm_shows_them(seen: str, logical: str) -> None:
    assert _read(_glyphs(seen, [6.0 * place for place in range(len(seen))])) == logical


def test_in_a_line_to_the_right_only_its_letters_that_run_to_the_left_are_turned() -> None:
    assert directions([LATIN, "WS", HEBREW, "WS", HEBREW, "WS", EUROPEAN], to_left=False) == [
        False,
        False,
        True,
        True,
        True,
        False,
        False,
    ]
