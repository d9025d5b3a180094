"""DOCX beyond paragraphs: revisions, boxes, tables in tables, merged cells, headers, notes."""

from __future__ import annotations

import io
import re
import zipfile

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml

from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, picture, saved, texts

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def _with(markup: str) -> bytes:
    document = docx.Document()
    body = parse_xml(f'<w:body xmlns:w="{_W}" xmlns:mc="{_MC}">{markup}</w:body>')
    document.element.body.insert(0, body[0])
    return saved(document)


def _run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def _cell(inside: str) -> str:
    return f"<w:tc>{inside}</w:tc>"


def _paragraph(inside: str) -> str:
    return f"<w:p>{inside}</w:p>"


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        (f"{_run('The weir')}<w:ins w:id='1' w:author='A'>{_run(' falls')}</w:ins>", "The weir falls"),
        (f"{_run('kept')}<w:del w:id='1' w:author='A'><w:r><w:delText>lost</w:delText></w:r></w:del>", "kept"),
        (f"{_run('here')}<w:moveFrom w:id='1' w:author='A'>{_run('elsewhere')}</w:moveFrom>", "here"),
        (f"<w:r><w:instrText>PAGE</w:instrText></w:r>{_run('7')}", "7"),
        (f"<w:sdt><w:sdtContent>{_run('chosen')}</w:sdtContent></w:sdt>", "chosen"),
        (f"<w:r><w:ruby><w:rt>{_run('kawa')}</w:rt><w:rubyBase>{_run('river')}</w:rubyBase></w:ruby></w:r>", "river"),
    ],
    ids=["inserted", "deleted", "moved away", "field", "content control", "pronunciation"],
)
def test_a_paragraph_reads_as_the_accepted_version(parse: Parse, inside: str, read: str) -> None:
    assert texts(parse(_with(_paragraph(inside))), UnitKind.TEXT) == [read]


def test_a_row_that_was_deleted_is_not_read(parse: Parse) -> None:
    gone = f"<w:tr><w:trPr><w:del w:id='1' w:author='A'/></w:trPr>{_cell(_paragraph(_run('gone')))}</w:tr>"
    stays = f"<w:tr>{_cell(_paragraph(_run('stays')))}</w:tr>"
    assert texts(parse(_with(f"<w:tbl>{gone}{stays}</w:tbl>")), UnitKind.TABLE) == ["stays"]


def test_a_table_in_a_cell_gives_its_rows_there(parse: Parse) -> None:
    inner = f"<w:tbl><w:tr>{_cell(_paragraph(_run('upper')))}{_cell(_paragraph(_run('2.4 m')))}</w:tr></w:tbl>"
    row = f"<w:tr>{_cell(_paragraph(_run('Weirs')) + inner)}{_cell(_paragraph(_run('River')))}</w:tr>"
    assert texts(parse(_with(f"<w:tbl>{row}</w:tbl>")), UnitKind.TABLE) == ["Weirs upper | 2.4 m | River"]


def test_a_merged_cell_is_said_in_each_row_and_what_it_covers_is_not(parse: Parse) -> None:
    document = docx.Document()
    table = document.add_table(3, 2)
    for place, text in {(0, 0): "River", (0, 1): "Weir", (1, 0): "Alder", (1, 1): "upper", (2, 1): "lower"}.items():
        table.cell(*place).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.rows[2]._tr.tc_lst[0].p_lst[0].add_r().text = "covered"
    assert texts(parse(saved(document)), UnitKind.TABLE) == [
        "River: Alder; Weir: upper\nRiver: Alder; Weir: lower",
    ]


def test_only_a_row_of_one_cell_is_said_once(parse: Parse) -> None:
    def row(*cells: str, span: int = 1) -> str:
        wide = f"<w:tcPr><w:gridSpan w:val='{span}'/></w:tcPr>" if span > 1 else ""
        return f"<w:tr>{''.join(_cell(wide + _paragraph(_run(cell))) for cell in cells)}</w:tr>"

    rows = (row("Monday", "Tuesday"), row("9-17", "9-17"), row("Winter", span=2), row("closed", "9-12"))
    assert texts(parse(_with(f"<w:tbl>{''.join(rows)}</w:tbl>")), UnitKind.TABLE) == [
        "Monday: 9-17; Tuesday: 9-17\nMonday: Winter\nMonday: closed; Tuesday: 9-12",
    ]


def test_a_text_box_that_word_stores_twice_is_read_once(parse: Parse) -> None:
    box = f"<w:txbxContent>{_paragraph(_run('In a box'))}</w:txbxContent>"
    choice = f"<mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
    twice = f"<mc:AlternateContent>{choice}<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
    assert texts(parse(_with(_paragraph(f"<w:r>{twice}</w:r>"))), UnitKind.TEXT) == ["In a box"]


_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _alternative(choice: str, fallback: str) -> str:
    choice = f"<mc:Choice Requires='wps'><w:drawing>{choice}</w:drawing></mc:Choice>"
    return f"<w:r><mc:AlternateContent>{choice}<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r>"


def _pictured(markup: str) -> bytes:
    """A paragraph with `markup` in a document that has a picture; `{picture}` refers to it."""
    document = docx.Document()
    identifier, _ = document.part.get_or_add_image(io.BytesIO(picture()))
    blip = f"<a:blip xmlns:a='{_DRAWING}' xmlns:r='{_RELATIONS}' r:embed='{identifier}'/>"
    markup = markup.replace("{picture}", f"<w:r><w:drawing>{blip}</w:drawing></w:r>")
    document.element.body.insert(0, parse_xml(f'<w:p xmlns:w="{_W}" xmlns:mc="{_MC}">{markup}</w:p>'))
    return saved(document)


def test_a_picture_in_a_text_box_is_read_once(parse: Parse, ocr: InkOcr) -> None:
    box = f"<w:txbxContent><w:p>{{picture}}</w:p>{_paragraph(_run('Caption'))}</w:txbxContent>"
    document = parse(_pictured(_alternative(box, f"<w:pict>{box}</w:pict>")), ocr=ocr)
    assert [(unit.kind.value, unit.text) for unit in document.units] == [("image", "ink"), ("text", "Caption")]
    assert len(ocr.shapes) == 1


@pytest.mark.parametrize(("choice", "count"), [("{picture}", 1), ("", 1)], ids=["in both", "in the fallback alone"])
def test_a_picture_that_word_stores_twice_is_read_once(parse: Parse, ocr: InkOcr, choice: str, count: int) -> None:
    assert texts(parse(_pictured(_alternative(choice, "{picture}")), ocr=ocr), UnitKind.IMAGE) == ["ink"] * count


def test_cells_left_out_before_a_row_keep_its_cells_under_their_columns(parse: Parse) -> None:
    def row(*cells: str, before: int = 0) -> str:
        stated = f"<w:trPr><w:gridBefore w:val='{before}'/></w:trPr>" if before else ""
        return f"<w:tr>{stated}{''.join(_cell(_paragraph(_run(cell))) for cell in cells)}</w:tr>"

    rows = (row("Site", "Species", "Count"), row("Ford", "Pike", "3"), row("Salmon", "7", before=1), row("9", before=2))
    assert texts(parse(_with(f"<w:tbl>{''.join(rows)}</w:tbl>")), UnitKind.TABLE) == [
        "Site: Ford; Species: Pike; Count: 3\nSpecies: Salmon; Count: 7\nCount: 9",
    ]


def test_parts_are_found_by_their_relations_whatever_their_names(parse: Parse) -> None:
    """Word Online writes document2.xml, styles2.xml and so on."""
    document = docx.Document()
    document.add_heading("Plan", 1)
    paragraph = document.add_paragraph("The weir falls.")
    document.add_comment(paragraph.runs, text="When?", author="Ada")
    stream, made = io.BytesIO(saved(document)), io.BytesIO()
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith((".rels", "[Content_Types].xml")):
                content = re.sub(rb"(document|styles|comments)\.xml", rb"\g<1>2.xml", content)
            new.writestr(re.sub(r"^(word/(?:_rels/)?(?:document|styles|comments))\.xml", r"\g<1>2.xml", name), content)
    kinds = [(unit.kind.value, unit.text, unit.position.section) for unit in parse(made.getvalue()).units]
    assert kinds == [
        ("heading", "Plan", ("Plan",)),
        ("text", "The weir falls.", ("Plan",)),
        ("note", "Ada: When?", ("Plan",)),
    ]


def test_tables_in_headers_and_comments_with_their_authors_are_notes(parse: Parse) -> None:
    document = docx.Document()
    table = document.sections[0].header.add_table(1, 2, 5_000_000)
    table.cell(0, 0).text, table.cell(0, 1).text = "Plan no.", "A-77"
    paragraph = document.add_paragraph("The weir falls.")
    document.add_comment(paragraph.runs, text="When?", author="Ada", initials="A")
    assert texts(parse(saved(document)), UnitKind.NOTE) == ["Plan no. | A-77", "Ada: When?"]


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        (f"{_run('above 5 ')}<w:r><w:sym w:font='Symbol' w:char='F0B0'/></w:r>{_run('C')}", "above 5 °C"),
        (f"<w:r><w:sym w:font='Symbol' w:char='F0B3'/></w:r>{_run(' 3 bar')}", "≥ 3 bar"),
        (f"{_run('weir')}<w:r><w:sym w:font='Wingdings' w:char='F0E0'/></w:r>{_run('ford')}", "weir→ford"),
        (f"{_run('weir')}<w:r><w:sym w:font='Odd' w:char='F0E0'/></w:r>{_run('ford')}", "weir ford"),
        (f"{_run('Plan')}<w:r><w:ptab w:relativeTo='margin'/></w:r>{_run('A-77')}", "Plan A-77"),
        (
            f"{_run('Open: ')}<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:ddList><w:result w:val='1'/>"
            "<w:listEntry w:val='yes'/><w:listEntry w:val='no'/></w:ddList></w:ffData></w:fldChar></w:r>",
            "Open: no",
        ),
        (
            "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:default w:val='0'/><w:checked/>"
            f"</w:checkBox></w:ffData></w:fldChar></w:r>{_run(' seen')}",
            "☒ seen",
        ),
    ],
    ids=["degree", "at least", "arrow", "unknown", "tab", "list", "box"],
)
def test_symbols_and_what_is_filled_into_a_form_are_read(parse: Parse, inside: str, read: str) -> None:
    assert texts(parse(_with(_paragraph(inside))), UnitKind.TEXT) == [read]


def test_what_stands_in_another_format_in_the_document_is_told_to_be_missing(parse: Parse) -> None:
    assert "another format" in parse(_with("<w:altChunk/>")).warnings[0]


def test_a_diagram_is_a_list_of_what_it_says(parse: Parse) -> None:
    draw, relations = (
        "http://schemas.openxmlformats.org/drawingml/2006",
        "http://schemas.openxmlformats.org/officeDocument",
    )
    told = "".join(
        f"<d:pt><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>" for text in ("Chair: Ada", "", "Ben")
    )
    data = f'<d:dataModel xmlns:d="{draw}/diagram" xmlns:a="{draw}/main"><d:ptLst>{told}</d:ptLst></d:dataModel>'
    shown = f'<d:relIds xmlns:d="{draw}/diagram" xmlns:r="{relations}/2006/relationships" r:dm="d1"/>'
    stream, made = io.BytesIO(_with(_paragraph(f"<w:r><w:drawing>{shown}</w:drawing></w:r>"))), io.BytesIO()
    one = f'<Relationship Id="d1" Type="{relations}/2006/relationships/diagramData" Target="diagrams/data1.xml"/>'
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "word/_rels/document.xml.rels":
                content = content.replace(b"</Relationships>", f"{one}</Relationships>".encode())
            new.writestr(name, content)
        new.writestr("word/diagrams/data1.xml", data)
    assert texts(parse(made.getvalue()), UnitKind.LIST) == ["- Chair: Ada\n- Ben"]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["Name:|Ada", "Town:|Alder", "Phone:|0401 23"], "Name: Ada\nTown: Alder\nPhone: 0401 23"),
        (
            ["City|Kiel|Ulm", "Trade|fish|bread", "People|200|300"],
            "City: Trade; Kiel: fish; Ulm: bread\nCity: People; Kiel: 200; Ulm: 300",
        ),
        (
            ["Name:|Ada|Date:|1 May", "Town:||Day:|3", "Age:|4|No.:|5"],
            "Name: | Ada | Date: | 1 May\nTown: | Day: | 3\nAge: | 4 | No.: | 5",
        ),
        (["Sales|2023|2023", "Product|Q1|Q2", "Rope|1|2"], "Sales Product: Rope; 2023 Q1: 1; 2023 Q2: 2"),
        (["|2023|2024", "|EUR|EUR", "Sales|200|300"], "Sales; 2023 EUR: 200; 2024 EUR: 300"),
        (["Year ended May 31:|2012|2011", "Sales|200|300"], "Year ended May 31:: Sales; 2012: 200; 2011: 300"),
        (
            ["Grant|Exercise", "date|price", "2012|10", "2013|11"],
            "Grant date: 2012; Exercise price: 10\nGrant date: 2013; Exercise price: 11",
        ),
    ],
)
def test_rows_with_names_of_their_own_are_no_headers_of_the_first_numbers(
    parse: Parse, rows: list[str], text: str
) -> None:
    document = docx.Document()
    table = document.add_table(len(rows), rows[0].count("|") + 1)
    for row, line in zip(table.rows, rows, strict=True):
        for cell, words in zip(row.cells, line.split("|"), strict=True):
            cell.text = words
    assert texts(parse(saved(document)), UnitKind.TABLE) == [text]


def test_a_table_of_contents_is_left_out(parse: Parse) -> None:
    """What it says stands below it; a paragraph in its style says nothing of its own."""
    document = docx.Document()
    for name in ("toc 1", "index 1"):
        document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Contents", "TOC Heading")
    document.add_paragraph("1\tMending the nets\t2", "toc 1")
    document.add_heading("Mending the nets", 1)
    document.add_paragraph("It takes a week.")
    document.add_paragraph("nets\t2", "index 1")
    assert [unit.text for unit in parse(saved(document)).units] == ["Mending the nets", "It takes a week."]
