"""Worksheets in the forms in which programs write them: all say the same."""

from __future__ import annotations

import datetime
import io
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st
from office_97_files import workbook_file

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium_ingest.parse.spreadsheets.cells import shown_as
from trivium_ingest.parse.text.clean import are_lines, one_line

from .conftest import Parse, texts, units
from .test_parse_own_date import CORE, ONE_CELL, binary_workbook, record, wide

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_SHEET, _STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
_ROWS = (
    '<row r="3" spans="1:4"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="D3" t="s"><v>2</v></c></row>'
    '<row r="4"><c r="A4" t="inlineStr"><is><t xml:space="preserve"> Weir &amp; lock </t></is></c><c r="B4" s="1">'
    '<v>39904</v></c><c r="C4" s="1"/><c r="D4"><f>SUM(1,2)</f><v>3.0000000000000004</v></c></row>'
    '<row r="5"><c r="A5" t="str"><f>A4</f><v>Ford</v></c><c r="B5" s="1"><v>40000</v></c><c r="D5" t="b"><v>1</v></c>'
    '</row><row r="6"><c r="A6" t="inlineStr"><is><t>Rhône</t></is></c><c r="D6"><v>1E3</v></c></row>'
)
_TEXT = (
    "Gauge: Weir & lock; Installed: 2009-04-01; Level: 3\n"
    "Gauge: Ford; Installed: 2009-07-06; Level: TRUE\n"
    "Gauge: Rhône; Level: 1000"
)
_PLAIN_STRINGS = "<si><t>Gauge</t></si><si><t>Installed</t></si><si><t>Level</t></si>"


def _workbook(rows: str, strings: str = _PLAIN_STRINGS, declared: str = "UTF-8") -> bytes:
    """A workbook whose style 1 is a date, with `rows` for its sheet and A9:B10 merged."""
    book, stream, made = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active["A1"].number_format = "yyyy-mm-dd"
    book.save(stream)
    sheet = f"<worksheet {_MAIN} xmlns:x='urn:x'><sheetData>{rows}</sheetData>"
    sheet += '<mergeCells count="1"><mergeCell ref="A9:B10"/></mergeCells></worksheet>'
    parts = {_SHEET: sheet, _STRINGS: f"<sst {_MAIN}>{strings}</sst>"}
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(made, "w") as new:
        for name in {*old.namelist(), *parts}:
            stated = f'<?xml version="1.0" encoding="{declared}"?>{parts.get(name, "")}'
            new.writestr(name, stated.encode(declared) if name in parts else old.read(name))
    return made.getvalue()


def test_dates_formulas_gaps_and_every_kind_of_cell_are_read(parse: Parse) -> None:
    (table,) = units(parse(_workbook(_ROWS)), UnitKind.TABLE)
    assert table.text == _TEXT
    assert table.position.rows == (4, 6)


@pytest.mark.parametrize(
    ("day", "text"),
    [("2958465", "9999-12-31"), ("2958465.9999999", "2958465.9999999"), ("3E6", "3000000"), ("-1", "-1")],
)
def test_days_that_no_calendar_has_stay_numbers(parse: Parse, day: str, text: str) -> None:
    (table,) = units(parse(_workbook(_ROWS.replace("<v>40000</v>", f"<v>{day}</v>"))), UnitKind.TABLE)
    assert f"Gauge: Ford; Installed: {text}; Level: TRUE" in table.text


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda rows: rows.replace("<", "<x:").replace("<x:/", "</x:"),
        lambda rows: rows.replace('"', "'"),
        lambda rows: rows.replace("<row", "\r\n  <row").replace("<c", "\n    <c"),
        lambda rows: rows.replace('<row r="4">', '<!-- <row r="4"><c r="A4"><v>7</v></c></row> --><row r="4">'),
        lambda rows: rows.replace("<t>Rhône</t>", "<r><t>Rhô</t></r><r><t>ne</t></r><rPh><t>ron</t></rPh>"),
        lambda rows: rows.replace("<t>Rhône</t>", "<t><![CDATA[Rhône]]></t>").replace("&amp;", "&#38;"),
        lambda rows: rows.replace('<c r="A4" t="inlineStr">', '<c t="inlineStr" cm="1" r="A4">'),
        lambda rows: rows.replace('<row r="5">', '<row><c r="ZZZ5"><v>beyond the last column</v></c>'),
        lambda rows: rows.replace('<row r="6">', '<row r="6" hidden="1" /><row r="6">'),
        lambda rows: rows.replace('<c r="A6"', "<c ").replace('<c r="B5"', "<c "),
    ],
    ids=["prefixes", "quotes", "indented", "comment", "rich", "cdata", "attributes", "column", "empty", "unplaced"],
)
def test_a_sheet_reads_the_same_however_it_is_written(parse: Parse, rewritten: Callable[[str], str]) -> None:
    assert rewritten(_ROWS) != _ROWS
    assert parse(_workbook(rewritten(_ROWS))).units == parse(_workbook(_ROWS)).units


def test_a_sheet_in_another_encoding_is_read_in_it(parse: Parse) -> None:
    assert parse(_workbook(_ROWS, declared="ISO-8859-1")).text == _TEXT
    assert parse(_workbook(_ROWS, declared="UTF-16")).text == _TEXT


def test_unusual_rows_between_plain_ones_keep_their_place(parse: Parse) -> None:
    """As large as several of the windows in which a sheet is read, every hundredth row of another form."""
    rows = [f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><v>{n}.5</v></c></row>' for n in range(2, 6_000)]
    rows[::100] = [row.replace("<v>", "<v> ").replace("><v>", ">\n<v>") for row in rows[::100]]
    rows[:0] = ['<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>2</v></c></row>']
    lines = "\n".join(texts(parse(_workbook("".join(rows))), UnitKind.TABLE)).splitlines()
    assert lines == [f"Gauge: {n}; Level: {n}.5" for n in range(2, 6_000)]


def test_formats_and_readings_of_shared_strings_are_left_out(parse: Parse) -> None:
    strings = (
        "<si><r><rPr><b/></rPr><t>Gau</t></r><r><t>ge</t></r></si>"
        '<si><t>Installed</t><rPh sb="0" eb="1"><t>in</t></rPh></si><si><t>Level</t></si>'
    )
    assert parse(_workbook(_ROWS, strings)).text == _TEXT


def test_a_merged_range_says_its_text_in_rows_that_are_empty(parse: Parse) -> None:
    filled = '<row r="9"><c r="A9"><v>7</v></c><c r="C9"><v>8</v></c></row><row r="10"><c r="A10"/><c r="B10"/></row>'
    assert parse(_workbook(filled)).text == "7 | 7 | 8\n7 | 7"


def _renamed(content: bytes, old_name: str, new_name: str) -> bytes:
    """The workbook with a part of another name, which what refers to it tells."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            told = old.read(name).replace(old_name.encode(), new_name.encode())
            new.writestr(name.replace(old_name, new_name), told)
    return made.getvalue()


def test_strings_and_styles_are_found_by_their_relations(parse: Parse) -> None:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in (["Gauge", "Installed"], ["Ford", datetime.date(2009, 4, 1)]):
        book.active.append(row)
    book.save(stream)
    for old_name, new_name in (("sharedStrings.xml", "SharedStrings.xml"), ("styles.xml", "styles2.xml")):
        renamed = _renamed(stream.getvalue(), old_name, new_name)
        assert parse(renamed).text == "Gauge: Ford; Installed: 2009-04-01"


def test_words_that_a_workbook_lacks_are_missed(parse: Parse) -> None:
    document = parse(_workbook(_ROWS, "<si><t>Gauge</t></si>"))
    assert "Ford" in document.text
    assert any("shared strings" in warning for warning in document.warnings)
    assert not parse(_workbook(_ROWS)).warnings


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("line1_x000D_\nline2", "line1 line2"),
        ("_x005F_x000D_ is a return", "_x000D_ is a return"),
        ("_xD83D__xDE00_ smiles", "\U0001f600 smiles"),
        ("_xD83D_ is half", "\ufffd is half"),
        ("file_x12_y", "file_x12_y"),
    ],
)
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "rich"])
def test_characters_that_excel_writes_as_numbers_are_characters(
    parse: Parse, stored: str, text: str, plain: bool
) -> None:
    shared = f"<si><t>{stored}</t></si>" if plain else f"<si><r><t>{stored}</t></r></si>"
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
        f'<row r="2"><c r="A2" t="inlineStr"><is><t>{stored}</t></is></c></row>'
        f'<row r="3"><c r="A3" t="str"><f>A1</f><v>{stored}</v></c></row>'
    )
    assert parse(_workbook(rows, shared)).text == "\n".join([text] * 3)


@pytest.mark.parametrize("part", [_SHEET, _STRINGS])
def test_a_document_type_in_a_workbook_is_refused_with_the_advice_for_any_xml(parse: Parse, part: str) -> None:
    content, made = _workbook(_ROWS), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            laughs = b'<!DOCTYPE x [<!ENTITY a "b">]>' if name == part else b""
            new.writestr(name, old.read(name).replace(b"?>", b"?>" + laughs, 1))
    with pytest.raises(NeverWill) as failure:
        parse(made.getvalue())
    assert (failure.value.code, "Save it again without a DOCTYPE" in failure.value.action) == ("unsafe_xml", True)


def test_what_is_no_xml_is_said_to_be_damaged_and_the_other_sheets_are_read(parse: Parse) -> None:
    document = parse(_workbook(_ROWS.replace("</row>", "</row", 2)))
    assert any("damaged" in warning for warning in document.warnings)


def test_cells_are_counted_over_plain_and_unusual_rows(parse: Parse) -> None:
    unusual = _ROWS + '<row r="7"><c r="A7"> <v>1</v></c></row>'
    assert parse(_workbook(unusual), limits={"max_cells": 12}).units
    with pytest.raises(NeverWill, match="more than 11 cells"):
        parse(_workbook(unusual), limits={"max_cells": 11})


def _read(parse: Parse, fill: Callable[[Any], None]) -> ParsedDocument:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    fill(book.active)
    book.save(stream)
    return parse(stream.getvalue())


def test_a_merged_title_over_the_columns_is_a_line_above_them(parse: Parse) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"] = "Salmon counts 2023"
        sheet.merge_cells("A1:C1")
        for row in (["Site", "Species", "Count"], ["Lower Ford", "Salmon", 412], ["Weir", "Pike", 3]):
            sheet.append(row)

    document = _read(parse, fill)
    assert [unit.text for unit in document.units] == [
        "Salmon counts 2023",
        "Site: Lower Ford; Species: Salmon; Count: 412\nSite: Weir; Species: Pike; Count: 3",
    ]


def test_a_merged_title_over_most_of_the_columns_is_no_header(parse: Parse) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["D1"] = "Salmon counts 2023", "Told by"
        sheet.merge_cells("A1:C1")
        for row in (["Site", "Species", "Count", "Who"], ["Ford", "Salmon", 412, "Ada"], ["Weir", "Pike", 3, "Ben"]):
            sheet.append(row)

    document = _read(parse, fill)
    assert document.units[0].text == "Salmon counts 2023; Told by"
    assert document.units[1].text.startswith("Site: Ford; Species: Salmon; Count: 412; Who: Ada")


@pytest.mark.parametrize("region_merged", [False, True])
@pytest.mark.parametrize("quarters", [2, 4])
def test_columns_under_a_merged_group_are_named_by_both(parse: Parse, region_merged: bool, quarters: int) -> None:
    def fill(sheet: Any) -> None:
        names = [f"Q{number}" for number in range(1, quarters + 1)]
        sheet.append(["Region" if region_merged else None, 2023, *[None] * (quarters - 1), 2024])
        sheet.append([None if region_merged else "Region", *names, *names])
        for region, first in (("North", 10), ("South", 30)):
            sheet.append([region, *range(first, first + 2 * quarters)])
        sheet.merge_cells(start_row=1, end_row=1, start_column=2, end_column=quarters + 1)
        sheet.merge_cells(start_row=1, end_row=1, start_column=quarters + 2, end_column=2 * quarters + 1)
        if region_merged:
            sheet.merge_cells("A1:A2")

    (table,) = _read(parse, fill).units
    named = "; ".join(
        f"{year} Q{number}: {10 + place * quarters + number - 1}"
        for place, year in enumerate((2023, 2024))
        for number in range(1, quarters + 1)
    )
    assert table.text.splitlines()[0] == f"Region: North; {named}"
    assert table.position.rows == (3, 4)


def test_groups_of_unequal_columns_name_them_where_their_cells_are_merged(parse: Parse) -> None:
    def fill(sheet: Any) -> None:
        for row in (
            ["Salmon counts"],
            [None, "Rain", None, "Wind", None, None, "Seen by"],
            ["Site", "mm", "days", "mean", "max", "gusts", None],
            ["Ford", 12, 3, 4.5, 9, 2, "Ada"],
            ["Weir", 15, 4, 3.5, 8, 1, "Ben"],
        ):
            sheet.append(row)
        for cells in ("B2:C2", "D2:F2", "G2:G3"):
            sheet.merge_cells(cells)

    title, table = _read(parse, fill).units
    assert title.text == "Salmon counts"
    assert table.text.splitlines()[0] == (
        "Site: Ford; Rain mm: 12; Rain days: 3; Wind mean: 4.5; Wind max: 9; Wind gusts: 2; Seen by: Ada"
    )


def test_groups_that_stand_over_the_first_of_their_columns_name_them_all(parse: Parse) -> None:
    rows = ",2023,,2024,\nRegion,Plan,Actual,Plan,Actual\nNorth,open,done,open,late\nSouth,done,done,open,open\n"
    (table,) = parse(rows, "x.csv").units
    assert table.text == (
        "Region: North; 2023 Plan: open; 2023 Actual: done; 2024 Plan: open; 2024 Actual: late\n"
        "Region: South; 2023 Plan: done; 2023 Actual: done; 2024 Plan: open; 2024 Actual: open"
    )


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (",Counts,,Told,\nSite,Pike,Eel,By,On\nFord,1,2,Ada,May\nWeir,3,4,Ben,June\n", "Site: Ford; Pike: 1; Eel: 2"),
        (",2023,,2024,,\nSite,Q1,Q2,Q1,Q2,Total\nFord,1,2,3,4,10\nWeir,3,4,5,6,18\n", "Site: Ford; Q1: 1; Q2: 2; Q1"),
        ("Home,Home,Away,Away\nAda,Ben,Cal,Dan\nEve,Fay,Gus,Hal\n", "Ada: Eve; Ben: Fay; Cal: Gus; Dan: Hal"),
        ("Who,Home,Home,Away,Away\nx,1,2,3,4\ny,5,6,7,8\nz,9,1,2,3\n", "Who: x; Home: 1; Home: 2; Away: 3"),
        ("Who,a,a,b,b\nx,5,5,7,7\nName,Q1,Q2,Q1,Q2\nz,9,1,2,3\n", "Who: x; a: 5; a: 5; b: 7; b: 7"),
    ],
)
def test_what_may_be_a_row_of_names_or_of_values_groups_no_columns(parse: Parse, rows: str, first: str) -> None:
    assert first in parse(rows, "x.csv").text


def test_columns_of_one_name_keep_it_and_equal_numbers_above_a_header_are_all_told(parse: Parse) -> None:
    rows = "Name,Score,Score,Score\nAda,5,6,7\nBen,4,4,8\n"
    assert parse(rows, "x.csv").text.startswith("Name: Ada; Score: 5; Score: 6; Score: 7")
    measured = parse("Range,5,5,,\nSite,Depth,Width,Year,Who\nFord,1.5,3,1998,Ada\nWeir,2.5,9,2003,Ben\n", "x.csv")
    assert [unit.text.partition("\n")[0] for unit in measured.units] == [
        "Range; 5; 5",
        "Site: Ford; Depth: 1.5; Width: 3; Year: 1998; Who: Ada",
    ]


@pytest.mark.parametrize(
    ("rows", "place", "text"),
    [
        (4, "B5", "Reading: 12\nTotal checked by Ada Quill"),
        (259, "B230", "Reading: 690; Total checked by Ada Quill\nReading: 693"),
        (4, "D6", "Reading: 12\nTotal checked by Ada Quill"),
    ],
)
def test_a_note_beside_a_column_is_told(parse: Parse, rows: int, place: str, text: str) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"] = "Reading"
        for row in range(2, rows + 1):
            sheet.cell(row, 1, row * 3)
        sheet[place] = "Total checked by Ada Quill"

    document = _read(parse, fill)
    assert text in document.text
    if rows > 100:  # far from the note stands a list, as without it
        assert document.units[0].text.startswith("Reading:\n6\n9\n")


@pytest.mark.parametrize(
    ("days", "form", "text"),
    [
        (1.5, "[h]:mm", "36:00"),
        (0.25, "[h]:mm", "6:00"),
        (2.05, "[hh]:mm;@", "49:12"),
        (1 + 1 / 86_400, "[h]:mm", "24:00:01"),
        (5.5, "[h]:mm:ss", "132:00:00"),
        (0.0625, "[mm]:ss", "1:30:00"),
        (3, '[h]" hours"', "72:00"),
        (-1.5, "[h]:mm", "-36:00"),
        (-1e-16, "[h]:mm", "0:00"),
        (0.0, "[$-409][h]:mm", "0:00"),
        (0.25, "h:mm", "06:00:00"),
        (0.25, "[Red]h:mm", "06:00:00"),
    ],
)
def test_durations_are_told_in_all_their_hours(parse: Parse, days: float, form: str, text: str) -> None:
    def fill(sheet: Any) -> None:
        for row in (["Who", "Hours"], ["Ada", days], ["Ben", 0.1]):
            sheet.append(row)
        sheet["B2"].number_format = form

    assert f"Who: Ada; Hours: {text}\n" in _read(parse, fill).text


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (datetime.datetime(2024, 5, 1, 12, 30, 59), "yyyy-mm-dd hh:mm:ss", "2024-05-01 12:30:59"),
        (datetime.datetime(2024, 5, 1, 12, 30), "yyyy-mm-dd h:mm", "2024-05-01 12:30"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (15, "yyyy-mm-dd", "1900-01-15"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (1500, "#,##0.00\\ _D_M", "1500"),
        (1500, "#,##0.00_y", "1500"),
        (7, "*d0", "7"),
        (7, '_-"d"* #,##0_-', "7"),
        (45413, "[$-409]d-mmm-yy_)", "2024-05-01"),
    ],
)
def test_days_and_numbers_are_told_as_their_format_says(parse: Parse, value: object, form: str, text: str) -> None:
    def fill(sheet: Any) -> None:
        for row in (["Who", "What"], ["Ada", value], ["Ben", 0.1]):
            sheet.append(row)
        sheet["B2"].number_format = form

    assert f"Who: Ada; What: {text}\n" in _read(parse, fill).text


def test_a_blank_behind_the_delimiter_does_not_open_a_quoted_field(parse: Parse) -> None:
    rows = 'Name, Address, Age\n"Smith, John", "42, High St", 17\n"Doe, Ann", "7, Low Rd", 33\n'
    document = parse(rows, "x.csv")
    assert (
        document.text == "Name: Smith, John; Address: 42, High St; Age: 17\nName: Doe, Ann; Address: 7, Low Rd; Age: 33"
    )
    inches = parse('Name, Size\nPipe, "5\nRod, 7, worn\nBar, "6\n', "x.csv")
    assert inches.text == 'Name: Pipe; Size: "5\nName: Rod; Size: 7; worn\nName: Bar; Size: "6'


@pytest.mark.parametrize("lines", ["first\nsecond", "first\nsecond\nthird"])
def test_lines_in_quotes_behind_a_blank_are_no_rows(parse: Parse, lines: str) -> None:
    rows = "".join(f'{number}, "{lines}"\n' for number in range(3))
    text = lines.replace("\n", " ")
    assert parse(f"id, text\n{rows}", "x.csv").text == "\n".join(f"id: {n}; text: {text}" for n in range(3))


def test_a_stray_quote_in_a_list_makes_no_table_of_it(parse: Parse) -> None:
    values = 'Heron, "grey\nOtter\nKingfisher\nDipper'
    assert parse(values, "x.csv").text == values


def test_numbers_keep_the_digits_that_a_sheet_holds(parse: Parse) -> None:
    def fill(sheet: Any) -> None:
        for row in (["What", "Value"], ["Budget", 123456789012.34], ["Small", 12345678901.25], ["Sum", 0.1 + 0.2]):
            sheet.append(row)

    text = _read(parse, fill).text
    assert text == "What: Budget; Value: 123456789012.34\nWhat: Small; Value: 12345678901.25\nWhat: Sum; Value: 0.3"


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("1234567890123456", "1234567890123456"),
        ("-1234567890123456", "-1234567890123456"),
        ("12345678901234567890", "12345678901234567890"),
        ("1.23456789012345E+15", "1234567890123450"),
        ("9.3326215443944E+157", "9.3326215443944e+157"),
    ],
)
def test_large_whole_numbers_are_told_in_their_digits(parse: Parse, stored: str, text: str) -> None:
    assert f"Level: {text}" in parse(_workbook(_ROWS.replace("1E3", stored))).text


def test_a_duration_that_is_no_number_is_told_as_it_is() -> None:
    assert shown_as("[h]:mm", "NaN", since_1904=False) == "NaN"


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1.5, "[h]:mm", "36:00"),
        (-1.5, "[h]:mm", "-36:00"),
        (1 + 1 / 86_400, "[h]:mm", "24:00:01"),
        (0.25, "h:mm", "06:00:00"),
        (1234567890123456.0, "0", "1234567890123456"),
    ],
)
def test_an_excel_97_workbook_tells_durations_and_large_numbers_in_full(
    parse: Parse, value: float, form: str, text: str
) -> None:
    forms = [(0x41E, struct.pack("<HHB", 170, len(form), 0) + form.encode()), (0xE0, struct.pack("<2H16x", 0, 170))]
    cell = (0x203, struct.pack("<3Hd", 1, 0, 0, value))
    assert parse(workbook_file(["Hours"], of_book=forms, of_sheet=[cell]), "x.xls").text == f"Hours:\n{text}"


def test_an_excel_97_workbook_says_the_text_of_a_merged_range_in_all_its_cells(parse: Parse) -> None:
    merged = (0xE5, struct.pack("<5H", 1, 1, 2, 0, 1))
    book = workbook_file(["Gauge", "Ford"], of_sheet=[(0x203, struct.pack("<3Hd", 2, 2, 0, 7.0)), merged])
    assert parse(book, "x.xls").text == "Gauge\nFord | Ford\nFord | Ford | 7"


def test_a_binary_workbook_says_the_text_of_a_merged_range_in_all_its_cells(parse: Parse) -> None:
    """[MS-XLSB]: a row (0), cells of text (6), and 177, 176, 178 around what is merged."""
    rows = b"".join(
        record(0, struct.pack("<I21x", row)) + record(6, struct.pack("<I4x", column) + wide(text))
        for row, column, text in ((0, 0, "Gauge"), (1, 0, "Ford"), (2, 2, "deep"))
    )
    merged = record(177, struct.pack("<I", 1)) + record(176, struct.pack("<4I", 1, 2, 0, 1)) + record(178)
    book = binary_workbook(CORE, record(145) + rows + record(146) + merged)
    assert parse(book, "x.xlsb").text == "Gauge\nFord | Ford\nFord | Ford | deep"


def test_a_merged_range_lies_in_its_own_columns_where_the_first_are_empty(parse: Parse) -> None:
    """B2:B3 is merged; what stands at C2 is not said at C3."""
    told = [(0, 1, "Site"), (0, 2, "Seen"), (1, 1, "Ford"), (1, 2, "eel"), (0, 3, "By"), (2, 3, "Ada")]
    old = [(0x204, struct.pack("<4HB", row, column, 0, len(text), 0) + text.encode()) for row, column, text in told]
    old.append((0xE5, struct.pack("<5H", 1, 1, 2, 1, 1)))
    new = b"".join(
        record(0, struct.pack("<I21x", number))
        + b"".join(record(6, struct.pack("<I4x", column) + wide(text)) for row, column, text in told if row == number)
        for number in range(3)
    )
    merged = record(177, struct.pack("<I", 1)) + record(176, struct.pack("<4I", 1, 2, 1, 1)) + record(178)
    for book, name in (
        (workbook_file([], of_sheet=old), "x.xls"),
        (binary_workbook(CORE, record(145) + new + record(146) + merged), "x.xlsb"),
    ):
        assert parse(book, name).text == "Site: Ford; Seen: eel\nSite: Ford; By: Ada"


def test_merged_ranges_of_a_binary_workbook_are_found_in_linear_time(parse: Parse) -> None:
    """Each record of them seems to begin others, and none ends."""
    begun, cell = record(177, bytes(4)), b"\xb0\x01\x10"
    again = cell + begun + cell + bytes(6)

    def read(count: int) -> ParsedDocument:
        return parse(binary_workbook(CORE, ONE_CELL + begun + again * count), "x.xlsb")

    assert growth(read, 1_000) < LINEAR


@pytest.mark.parametrize("gaps", [(), (5,), (8,), (5, 8), (2,), (21, 22)])
@pytest.mark.parametrize("label", ["Count\n", ""])
def test_the_values_of_one_column_are_cited_by_no_other_row(parse: Parse, label: str, gaps: tuple[int, ...]) -> None:
    """Each value says its row."""
    values = ["" if row in gaps else str(10_000 + row) for row in range(2, 40)]
    for unit in parse((label or "10001\n") + "\n".join(values) + "\n", "x.csv").units:
        for value in re.findall("1[0-9]{4}", unit.text):
            start = unit.text.index(value)
            rows = unit.position.part(unit.text, start, start + 5).rows
            assert rows is not None
            assert rows[0] <= int(value) - 10_000 <= rows[1]


@pytest.mark.parametrize("count", range(1, 20))
def test_the_values_of_one_column_are_cited_by_no_other_characters(parse: Parse, count: int) -> None:
    content = "Count\r\n" + "".join(f"{1000 + row}\r\n" for row in range(count))
    (unit,) = parse(content, "x.csv").units
    start = unit.text.index("1000")
    offset = unit.position.part(unit.text, start, start + 4).offset
    assert offset is None or "1000" in content[slice(*offset)]


@given(st.lists(st.text(st.characters() | st.sampled_from(" |\u00a0\u200b\ufe0f\u200d\n\x1f"), max_size=8), max_size=6))
def test_texts_that_pass_for_lines_are_left_as_they_are(cells: list[str]) -> None:
    assert not are_lines(cells) or [one_line(cell) for cell in cells] == cells


def test_a_column_and_a_row_of_numbers_may_have_one_name(parse: Parse) -> None:
    rows = "Item,Quantity,Price,Total\nRope,2,3,6\nNet,1,4,4\nTotal,,,10\n"
    assert parse(rows, "x.csv").text.splitlines() == [
        "Item: Rope; Quantity: 2; Price: 3; Total: 6",
        "Item: Net; Quantity: 1; Price: 4; Total: 4",
        "Item: Total; Total: 10",
    ]


def test_days_over_numbers_name_their_columns_and_days_over_words_do_not(parse: Parse) -> None:
    def fill(sheet: Any) -> None:
        for row in (["Cost", *(datetime.date(2024, month, 1) for month in (1, 2, 3))], ["Rent", 500, 500, 510]):
            sheet.append(row)

    assert _read(parse, fill).text == "Cost: Rent; 2024-01-01: 500; 2024-02-01: 500; 2024-03-01: 510"
    above = "From,2024-01-01,To,2024-03-31\nItem,Quantity,Price,Sum\nRope,2,3,6\n"
    assert parse(above, "x.csv").text.startswith("From | 2024-01-01 | To | 2024-03-31\n")
    rows = "Ada,2024-01-01,2024-03-31\nBen,2024-02-01,2024-04-30\n"
    assert parse(rows, "x.csv").text == "Ada | 2024-01-01 | 2024-03-31\nBen | 2024-02-01 | 2024-04-30"


@pytest.mark.parametrize("header", ["lat;lon\n", ""])
def test_commas_in_numbers_divide_no_columns(parse: Parse, header: str) -> None:
    document = parse(header + "".join(f"5{n},5;13,{n}\n" for n in range(9)), "x.csv")
    assert document.text.startswith("lat: 50,5; lon: 13,0\n" if header else "50,5 | 13,0\n")


def test_what_a_field_of_every_row_holds_divides_no_columns(parse: Parse) -> None:
    rows = 'Ada,"Alder, west",red;blue,4\nBen,Ford,green;red,5\nCy,Weir,blue;red,5\n'
    assert parse(rows, "x.csv").text.splitlines()[1] == "Ben | Ford | green;red | 5"


def test_comments_above_a_table_make_no_other_format_of_it(parse: Parse) -> None:
    document = parse("# Gauge 4\n# metric\nDay,Level\nMonday,3\n", "x.csv")
    assert (document.media_type, document.text) == ("text/csv", "# Gauge 4\n\n# metric\n\nDay: Monday; Level: 3")


_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def test_text_boxes_and_diagrams_of_a_sheet_are_read(parse: Parse) -> None:
    def said(text: str) -> str:
        return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"

    shapes = (
        f"<x:sp><x:txBody>{said('Ask Ada')}{said('before May')}</x:txBody></x:sp><m:AlternateContent><m:Fallback>"
        f"<x:sp><x:txBody>{said('not available in your version')}</x:txBody></x:sp></m:Fallback></m:AlternateContent>"
    )
    spaces = f'xmlns:x="{_DRAWING}/spreadsheetDrawing" xmlns:a="{_DRAWING}/main" xmlns:d="{_DRAWING}/diagram"'
    spaces += ' xmlns:m="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": ("drawing", "../drawings/drawing1.xml"),
        "xl/drawings/_rels/drawing1.xml.rels": ("diagramData", "../diagrams/data1.xml"),
        "xl/drawings/drawing1.xml": f"<x:wsDr {spaces}>{shapes}</x:wsDr>",
        "xl/diagrams/data1.xml": f"<d:dataModel {spaces}><d:t>{said('Chair')}</d:t></d:dataModel>",
    }
    made = io.BytesIO(_workbook(_ROWS))
    with zipfile.ZipFile(made, "a") as archive:
        for name, part in parts.items():
            if isinstance(part, tuple):
                relation = f'<Relationship Id="r1" Type="{_RELATED}/{part[0]}" Target="{part[1]}"/>'
                space = "http://schemas.openxmlformats.org/package/2006/relationships"
                part = f'<Relationships xmlns="{space}">{relation}</Relationships>'  # noqa: PLW2901
            archive.writestr(name, part)
    units = parse(made.getvalue(), "x.xlsx").units
    assert [(unit.text, unit.position.sheet) for unit in units[1:]] == [
        ("Ask Ada\nbefore May", "Sheet"),
        ("- Chair", "Sheet"),
    ]
    document = parse(made.getvalue().replace(b"</x:wsDr>", b"</x:wsDx>"), "x.xlsx")
    assert document.units[-1].text == "- Chair"
    assert "drawing1.xml" in document.warnings[0]


@pytest.mark.parametrize("stored", ["", "<v/>", "<v></v>"])
@pytest.mark.parametrize("beside", ["", '<c r="C4"><!-- odd --></c>'])
def test_formulas_without_a_value_are_told(parse: Parse, stored: str, beside: str) -> None:
    """As openpyxl writes them; a text of no characters is a value."""
    row = f'<row r="4"><c r="A4" t="str"><f>A1</f><v>Rope</v></c><c r="B4" {{}}><f>1+1</f>{stored}</c>{beside}</row>'
    assert "Formulas" in parse(_workbook(_ROWS + row.format('s="0"')), "x.xlsx").warnings[0]
    assert not parse(_workbook(_ROWS + row.format('t="str"')), "x.xlsx").warnings


def test_names_with_their_values_are_no_names_of_columns(parse: Parse) -> None:
    rows = "Invoice,\nTo:,Ada Brandt\nDate:,2024-05-01\n"
    assert parse(rows, "x.csv").text == "Invoice\nTo: Ada Brandt\nDate: 2024-05-01"
