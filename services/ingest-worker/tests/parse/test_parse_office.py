"""DOCX, PPTX, XLSX as their usual libraries write them, and as attackers do."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, picture, saved, texts, units


def _word() -> bytes:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Aldersee Trust"
    document.add_heading("River plan", 1)
    document.add_paragraph("Before the table.")
    table = document.add_table(rows=3, cols=2)
    for row, cells in enumerate((("Weir", "Height"), ("Upper", "2.4 m"), ("Lower", "1.1 m"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_paragraph("After the table.")
    document.add_heading("Tasks", 2)
    for item in ("remove the weir", "plant alders"):
        document.add_paragraph(item, style="List Bullet")
    document.add_picture(io.BytesIO(picture()), width=Inches(2))
    return saved(document)


def test_docx_keeps_the_order_of_paragraphs_and_tables(parse: Parse, ocr: InkOcr) -> None:
    document = parse(_word(), "plan.pdf", ocr=ocr)
    kinds = [unit.kind.value for unit in document.units]
    assert kinds == ["note", "heading", "text", "table", "text", "heading", "list", "image"]
    assert document.units[0].text == "Aldersee Trust"
    assert document.units[3].text == "Weir: Upper; Height: 2.4 m\nWeir: Lower; Height: 1.1 m"
    assert document.units[6].text == "- remove the weir\n- plant alders"
    assert document.units[6].position.section == ("River plan", "Tasks")
    assert (document.units[7].text, document.units[7].ocr) == ("ink", True)
    assert document.title == "River plan"


def test_pptx_gives_slides_tables_charts_and_notes(parse: Parse) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Fish passes"
    slide.placeholders[1].text = "Three were built\nOne failed"
    slide.notes_slide.notes_text_frame.text = "Mention the flood of 2013."
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Counts"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, cells in enumerate((("Species", "Number"), ("Trout", "412"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["2021", "2022"]
    data.add_series("Salmon", (3, 8))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(2), data)
    document = parse(saved(deck))
    assert document.pages == 2
    assert document.title == "Fish passes"
    (note,) = units(document, UnitKind.NOTE)
    assert (note.text, note.position.slide) == ("Mention the flood of 2013.", 1)
    assert texts(document, UnitKind.LIST) == ["- Three were built\n- One failed"]
    trout, salmon = units(document, UnitKind.TABLE)
    assert trout.text == "Species: Trout; Number: 412"
    assert trout.position.slide == 2
    assert "2022; Salmon: 8" in salmon.text


def _quarters() -> CategoryChartData:
    data = CategoryChartData()
    for year in ("2023", "2024"):
        category = data.add_category(year)
        category.add_sub_category("Q1")
        category.add_sub_category("Q2")
    data.add_series("Sales", (1, 2, 3, 4))
    return data


def _shares() -> CategoryChartData:
    data = CategoryChartData(number_format="0%")
    data.categories = [datetime.date(2024, 1, 1), datetime.date(2024, 2, 1)]
    data.add_series("Share", (0.1, 0.2))
    return data


def _scattered() -> XyChartData:
    data = XyChartData()
    for name, points in (("A", ((1, 10), (2, 20))), ("B", ((100, 5), (200, 6))), ("C", ((1, 7), (2, 8)))):
        series = data.add_series(name)
        for x, y in points:
            series.add_data_point(x, y)
    return data


@pytest.mark.parametrize(
    ("kind", "data", "tables"),
    [
        (
            XL_CHART_TYPE.COLUMN_CLUSTERED,
            _quarters(),
            ["2023 Q1; Sales: 1\n2023 Q2; Sales: 2\n2024 Q1; Sales: 3\n2024 Q2; Sales: 4"],
        ),
        (XL_CHART_TYPE.LINE, _shares(), ["2024-01-01; Share: 10%\n2024-02-01; Share: 20%"]),
        (
            XL_CHART_TYPE.XY_SCATTER,
            _scattered(),
            ["1; A: 10; C: 7\n2; A: 20; C: 8", "100; B: 5\n200; B: 6"],
        ),
    ],
    ids=["categories of two levels", "dates and shares", "points of their own"],
)
def test_points_of_a_chart_stand_at_what_they_belong_to(
    parse: Parse, kind: XL_CHART_TYPE, data: CategoryChartData | XyChartData, tables: list[str]
) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_chart(kind, Inches(1), Inches(1), Inches(4), Inches(2), data)
    assert texts(parse(saved(deck)), UnitKind.TABLE) == tables


@pytest.mark.parametrize("value", ["NaN", "-INF", "1e999", "1e308", "#N/A"])
def test_what_is_no_share_stays_as_it_is(parse: Parse, value: str) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    kind = XL_CHART_TYPE.COLUMN_CLUSTERED
    chart = slide.shapes.add_chart(kind, Inches(1), Inches(1), Inches(4), Inches(2), _shares()).chart
    (share,) = (node for node in chart.part._element.iter(f"{{{_CHART}}}v") if node.text == "0.2")
    share.text = value
    tables = ["2024-01-01; Share: 10%\n2024-02-01; Share: " + value]
    assert texts(parse(saved(deck)), UnitKind.TABLE) == tables


def test_xlsx_rows_are_said_in_words_with_sheet_rows_and_dates(parse: Parse) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Gauges"
    sheet.append(["Readings of the river gauges"])
    sheet.append([])
    sheet.append(["Gauge", "Installed", "Level (m)", "Share"])
    sheet.append(["Old mill", datetime.date(1998, 5, 4), 2.5, 0.25])
    sheet.append(["Ford", datetime.date(2011, 3, 30), 0.1 + 0.2, 0.5])
    sheet["D4"].number_format = sheet["D5"].number_format = "0%"
    other = book.create_sheet("Staff")
    other.append(["Name", "Role"])
    other.append(["Ines Aldana", "hydrologist"])
    other.append(["Tom Reyes", "hydrologist"])
    other.merge_cells("B2:B3")
    document = parse(saved(book))
    table = units(document, UnitKind.TABLE)[0]
    assert document.units[0].text == "Readings of the river gauges"
    assert table.text == (
        "Gauge: Old mill; Installed: 1998-05-04; Level (m): 2.5; Share: 25%\n"
        "Gauge: Ford; Installed: 2011-03-30; Level (m): 0.3; Share: 50%"
    )
    assert (table.position.sheet, table.position.rows) == ("Gauges", (4, 5))
    staff = document.units[-1]
    assert staff.text == "Name: Ines Aldana; Role: hydrologist\nName: Tom Reyes; Role: hydrologist"
    assert (staff.position.sheet, staff.position.rows) == ("Staff", (2, 3))


def test_tables_below_each_other_have_their_own_headers(parse: Parse) -> None:
    book = openpyxl.Workbook()
    for row in (["Fish", "Count"], ["Trout", 4], [], ["Bird", "Wingspan", "Nests"], ["Heron", 190, 3]):
        book.active.append(row)
    assert parse(saved(book)).text == "Fish: Trout; Count: 4\n\nBird: Heron; Wingspan: 190; Nests: 3"


def _repacked(content: bytes, name: str, part: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, part if info.filename == name else old.read(info.filename))
    return stream.getvalue()


def test_a_zip_bomb_in_an_office_file_is_refused_by_its_ratio(parse: Parse) -> None:
    bomb = _repacked(_word(), "word/document.xml", b" " * 30_000_000)
    with pytest.raises(NeverWill, match="max_ratio") as failure:
        parse(bomb)
    assert failure.value.code == "limit_exceeded"


@pytest.mark.parametrize(
    ("bound", "value"), [("max_unpacked_bytes", 10_000), ("max_members", 3), ("max_text_chars", 5)]
)
def test_each_bound_on_an_office_file_is_named(parse: Parse, bound: str, value: int) -> None:
    with pytest.raises(NeverWill, match=bound):
        parse(_word(), limits={bound: value})


def test_cells_are_bounded(parse: Parse) -> None:
    book = openpyxl.Workbook()
    for _ in range(10):
        book.active.append([1, 2, 3])
    with pytest.raises(NeverWill, match="max_cells"):
        parse(saved(book), limits={"max_cells": 20})


def test_entities_in_an_office_file_are_refused(parse: Parse) -> None:
    part = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'
    with pytest.raises(NeverWill) as failure:
        parse(_repacked(_word(), "word/document.xml", part))
    assert failure.value.code == "unsafe_xml"


def _slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "River plan", "The weir falls."
    return saved(deck)


def _sheets() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["Weir", "Built"])
    book.active.append(["upper", datetime.date(1998, 5, 4)])
    return saved(book)


_OFFICE = {"a.docx": _word, "a.pptx": _slides, "a.xlsx": _sheets}


def _strict(content: bytes) -> bytes:
    """With the namespaces of ISO 29500 Strict, as Office's "Strict Open XML" has them."""
    stream = io.BytesIO()
    transitional = rb"http://schemas\.openxmlformats\.org/(\w+ml|officeDocument)/2006/(?!\w+-properties)"
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, re.sub(transitional, rb"http://purl.oclc.org/ooxml/\1/", old.read(name)))
    return stream.getvalue()


@pytest.mark.parametrize(("name", "make"), _OFFICE.items())
def test_strict_open_xml_reads_as_the_transitional(parse: Parse, name: str, make: Callable[[], bytes]) -> None:
    made = make()  # once: it holds the moment
    assert parse(_strict(made), name) == parse(made, name)


def test_the_names_of_strict_namespaces_are_left_alone_in_a_text(parse: Parse) -> None:
    document = docx.Document()
    document.add_paragraph("See http://purl.oclc.org/ooxml/wordprocessingml/main.")
    assert parse(_strict(saved(document))).text == "See http://purl.oclc.org/ooxml/wordprocessingml/main."


@pytest.mark.parametrize(("name", "make"), _OFFICE.items())
def test_damaged_properties_cost_no_text(parse: Parse, name: str, make: Callable[[], bytes]) -> None:
    document = parse(_repacked(make(), "docProps/core.xml", b""), name)
    assert document.units == parse(make(), name).units
    assert any("properties" in warning for warning in document.warnings)


def test_a_damaged_chart_costs_no_text(parse: Parse) -> None:
    document = docx.Document()
    document.add_paragraph("Before.")
    part = docx.opc.part.Part(docx.opc.packuri.PackURI("/word/charts/chart1.xml"), "application/xml", b"")
    identifier = document.part.relate_to(part, f"{_RELATIONS}/chart")
    chart = f'<c:chart xmlns:c="{_CHART}" xmlns:r="{_RELATIONS}" r:id="{identifier}"/>'
    run = document.add_paragraph("Shown here.").add_run()
    run._r.append(parse_xml(f"<w:drawing {_MATH}>{chart}</w:drawing>"))
    read = parse(saved(document))
    assert texts(read, UnitKind.TEXT) == ["Before.", "Shown here."]
    assert any("chart1.xml" in warning for warning in read.warnings)


def test_a_truncated_office_file_is_called_corrupt(parse: Parse) -> None:
    content = _word()
    with pytest.raises(NeverWill) as failure:
        parse(content[: len(content) // 2], "plan.docx")
    assert failure.value.code == "corrupt_file"


def test_an_encrypted_office_file_asks_for_its_password(parse: Parse) -> None:
    streams = "EncryptionInfo".encode("utf-16-le") + b"\0\0" + "EncryptedPackage".encode("utf-16-le") + b"\0\0"
    with pytest.raises(NeverWill) as failure:
        parse(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 504 + streams + b"\0" * 512, "plan.docx")
    assert failure.value.code == "password_needed"


_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_MATH = (
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
)


def _run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"<m:f><m:num>{_run('a')}</m:num><m:den>{_run('b')}</m:den></m:f>", r"\frac{a}{b}"),
        (
            f"<m:sSubSup><m:e>{_run('z')}</m:e><m:sub>{_run('1')}</m:sub><m:sup>{_run('12')}</m:sup></m:sSubSup>",
            "z_1^{12}",
        ),
        (f"<m:rad><m:deg>{_run('3')}</m:deg><m:e>{_run('y')}</m:e></m:rad>", r"\sqrt[3]{y}"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{_run("i=1")}</m:sub><m:sup>{_run("n")}</m:sup>'
            f"<m:e>{_run('i')}</m:e></m:nary>",
            r"\sum_{i=1}^n i",
        ),
        (
            f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>{_run("x")}</m:e></m:d>',
            "[x]",
        ),
        (f"<m:func><m:fName>{_run('sin')}</m:fName><m:e>{_run('x')}</m:e></m:func>", r"\sin x"),
        (
            f"<m:m><m:mr><m:e>{_run('1')}</m:e><m:e>{_run('2')}</m:e></m:mr><m:mr><m:e>{_run('3')}</m:e></m:mr></m:m>",
            r"\begin{matrix}1 & 2 \\ 3\end{matrix}",
        ),
        (
            f"<m:eqArr><m:e>{_run('x=1')}</m:e><m:e>{_run('y=2')}</m:e></m:eqArr>",
            r"\begin{aligned}x=1 \\ y=2\end{aligned}",
        ),
        (
            f"<m:sPre><m:sub>{_run('6')}</m:sub><m:sup>{_run('14')}</m:sup><m:e>{_run('C')}</m:e></m:sPre>",
            "{}_6^{14}C",
        ),
        (
            f'<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>{_run("n")}</m:num><m:den>{_run("k")}</m:den></m:f>',
            r"{n \atop k}",
        ),
        ("<m:box>" * 90 + _run("deep") + "</m:box>" * 90, "deep"),
    ],
)
def test_equations_of_word_are_latex(parse: Parse, markup: str, expected: str) -> None:
    document = docx.Document()
    equation = f"<m:oMath {_MATH}>{markup}</m:oMath>"
    document.add_paragraph()._p.append(parse_xml(f"<m:oMathPara {_MATH}>{equation}</m:oMathPara>"))
    document.add_paragraph("where ")._p.append(parse_xml(equation))
    parsed = parse(saved(document))
    assert [(unit.kind.value, unit.text) for unit in parsed.units] == [
        ("equation", expected),
        ("text", f"where {expected}"),
    ]


def test_groups_and_descriptions_of_shapes_on_a_slide(parse: Parse) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "In a group"
    drawn = group.shapes.add_picture(io.BytesIO(picture()), Inches(2), Inches(2))
    drawn._element.nvPicPr.cNvPr.set("descr", "A sluice gate")
    arrow = slide.shapes.add_shape(1, Inches(3), Inches(3), Inches(1), Inches(1))
    arrow._element.nvSpPr.cNvPr.set("descr", "An arrow to the weir")
    document = parse(saved(deck))
    assert texts(document, UnitKind.TEXT) == ["In a group"]
    assert texts(document, UnitKind.IMAGE) == ["A sluice gate", "An arrow to the weir"]
