"""RTF: characters of every kind, structure by styles and tables, and files made to hurt."""

from __future__ import annotations

import time

import pytest

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, picture, texts

HEAD = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}{\colortbl;\red0;}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}}"
    r"{\info{\title The plan}{\author R. Vale}}{\*\generator Riched20 10.0;}"
)


def _rtf(body: str) -> str:
    return HEAD + body + "}"


def test_characters_by_code_page_font_and_unicode(parse: Parse) -> None:
    body = r"\pard Caf\'e9 {\f1\'cc\'e8\'f0} \u8364?10 \u-10179?\u-8704? "
    body += r"{\uc2\u233\'c3\'a9}t\'e9 a\~b \{x\} {\v hidden}end\par"
    assert parse(_rtf(body), "x.doc").text == "Café Мир €10 😀 été a b {x} end"


@pytest.mark.parametrize("page", ["99999", "-1", "7"])
def test_a_code_page_that_nobody_knows_is_taken_for_the_western_one(parse: Parse, page: str) -> None:
    assert parse(_rtf(r"\pard Caf\'e9\par").replace("1252", page)).text == "Café"


def test_headings_lists_tables_notes_and_links(parse: Parse, ocr: InkOcr) -> None:
    row = r"\trowd{}\cellx100\cellx200\pard\intbl {}\cell {}\cell\row"
    cells = [("\\trhdr", "Weir", "Height"), ("", "Upper", "2.4 m"), ("\\clvmrg", "", "1.1 m")]
    body = (
        r"{\header\pard Aldersee Trust\par}\pard\s1 River plan\par\pard Before{\footnote See the map.} it.\par"
        + "".join(row.replace("{}", "{%s}").replace("{%s}", "%s") % cell for cell in cells)
        + r'\pard {\field{\*\fldinst HYPERLINK "https://otter.example/a"}{\fldrslt after}}\par'
        + r"\pard\s2 Tasks\par\pard{\listtext\bullet\tab}remove\par{\listtext\bullet\tab}plant\par"
        + rf"\pard{{\*\shppict{{\pict\pngblip {picture().hex()}}}}}{{\nonshppict{{\pict 00ff}}}}\par"
        + r"\pard{\shp{\*\shpinst{\sp{\sn name}{\sv value}}{\shptxt\pard In a box\par}}}\par"
    )
    document = parse(_rtf(body), ocr=ocr)
    assert (document.title, document.metadata) == ("The plan", {"author": "R. Vale"})
    assert [(unit.kind.value, unit.text) for unit in document.units] == [
        ("heading", "River plan"),
        ("text", "Before it."),
        ("note", "See the map."),
        ("table", "Weir: Upper; Height: 2.4 m\nWeir: Upper; Height: 1.1 m"),
        ("text", "after"),
        ("heading", "Tasks"),
        ("list", "- remove\n- plant"),
        ("image", "ink"),
        ("text", "In a box"),
        ("note", "Aldersee Trust"),
    ]
    assert document.units[6].position.section == ("River plan", "Tasks")
    assert document.links == ("https://otter.example/a",)


def test_a_list_that_is_only_defined_makes_no_paragraph_an_item(parse: Parse) -> None:
    lists = r"{\*\listoverridetable{\listoverride\listid1\listoverridecount0\ls1}}{\stylesheet{\s3\ls1 List;}}"
    document = parse(_rtf(lists + r"\pard Annual report\par\pard\ls1 first\par\pard After\par"))
    assert [(unit.kind.value, unit.text) for unit in document.units] == [
        ("text", "Annual report"),
        ("list", "- first"),
        ("text", "After"),
    ]


def test_objects_and_binary_data_are_skipped(parse: Parse) -> None:
    body = r"\pard a{\object{\*\objdata 4d5a9000}{\result shown}}{\pict\bin5 }{}{\}b\par"
    assert parse(_rtf(body)).text == "ashownb"


def test_a_cut_file_gives_what_stands_before(parse: Parse) -> None:
    document = parse(HEAD + r"\pard The water rose\par and {\b the")
    assert texts(document, UnitKind.TEXT) == ["The water rose", "and the"]
    assert document.warnings


def test_deep_groups_are_refused_quickly_and_superfluous_braces_do_no_harm(parse: Parse) -> None:
    began = time.process_time()
    with pytest.raises(NeverWill) as failure:
        parse("{\\rtf1 " + "{" * 1_000_000)
    assert failure.value.code == "corrupt_file"
    assert time.process_time() - began < 5
    assert parse(r"{\rtf1 one}}}}\par two").text == "one\n\ntwo"


def test_cells_are_bounded(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="max_cells"):
        parse(_rtf(r"\pard\intbl x\cell" * 30), limits={"max_cells": 20})


def _row(*cells: str) -> str:
    return r"\trowd\cellx100\cellx200\pard\intbl " + "".join(rf"{cell}\cell " for cell in cells) + r"\row"


def test_an_empty_paragraph_or_a_picture_divides_tables(parse: Parse, ocr: InkOcr) -> None:
    shown = rf"\pard{{\*\shppict{{\pict\pngblip {picture().hex()}}}}}\par"
    body = _row("Name", r"Price{\footnote in EUR}") + _row("Hammer", "3") + r"\pard\par" + _row("City", "People")
    body += _row("Bern", "140000") + shown + _row("River", "Depth") + _row("Alder", "2")
    assert [unit.text for unit in parse(_rtf(body), ocr=ocr).units] == [
        "Name: Hammer; Price: 3",
        "in EUR",
        "City: Bern; People: 140000",
        "ink",
        "River: Alder; Depth: 2",
    ]


def _box(inside: str) -> str:
    return rf"{{\shp{{\*\shpinst{{\sp{{\sn name}}{{\sv value}}}}{{\shptxt {inside}}}}}}}"


def test_boxes_and_tables_in_a_text_box_are_read_and_leave_the_row_around_them_whole(parse: Parse) -> None:
    nested = _box(rf"Outer{_box('Inner')}\par")
    row = _row("A", _box(_row("Name", "Price") + _row("Rope", "3")) + "B") + _row("C", "D")
    assert [unit.text for unit in parse(_rtf(rf"\pard Before{nested}\par{row}\pard End\par")).units] == [
        "Before",
        "Outer\nInner",
        "A: C; B: D",
        "End",
        "Name Price\nRope 3",
    ]


def test_a_text_box_and_a_table_in_a_header_stand_for_themselves(parse: Parse) -> None:
    box = _box(r"\pard Inside\par the box\par")
    header = r"{\header" + _row("Aldersee", "Trust") + r"\pard Letter\par}"
    assert [unit.text for unit in parse(_rtf(rf"{header}\pard Before {box}and after it.\par")).units] == [
        "Before and after it.",
        "Inside\nthe box",
        "Aldersee Trust Letter",
    ]
