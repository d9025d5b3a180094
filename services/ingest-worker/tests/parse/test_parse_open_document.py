"""ODT, ODS and ODP: order, tables with merged cells, notes, pictures; hostile ones."""

from __future__ import annotations

import zipfile

import pytest
from zip_files import zipped

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind

from .conftest import InkOcr, Parse, picture, texts, units

_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
SPACES = " ".join(
    f'xmlns:{prefix}="{_OASIS}{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "svg": "svg-compatible",
        "presentation": "presentation",
        "meta": "meta",
    }.items()
)
SPACES += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
TEXT_TYPE = "application/vnd.oasis.opendocument.text"
DECK_TYPE = "application/vnd.oasis.opendocument.presentation"
BODY = """
<text:tracked-changes><text:changed-region><text:p>deleted words</text:p></text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">River plan</text:h>
<text:p>Before<text:s text:c="3"/>the <text:span>table</text:span>.<text:note text:note-class="footnote">
<text:note-citation>1</text:note-citation><text:note-body><text:p>See the map.</text:p></text:note-body></text:note>
<office:annotation><dc:creator>Ines</dc:creator><text:p>Check this.</text:p></office:annotation></text:p>
<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Weir</text:p></table:table-cell>
<table:table-cell><text:p>Height</text:p></table:table-cell></table:table-row></table:table-header-rows>
<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Upper</text:p></table:table-cell>
<table:table-cell><text:p>2.4 m</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><text:p>1.1 m</text:p></table:table-cell>
</table:table-row>
<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000000"/>
</table:table-row></table:table>
<text:h text:outline-level="2">Tasks</text:h>
<text:list><text:list-item><text:p>remove</text:p><text:list><text:list-item><text:p>the weir</text:p></text:list-item>
</text:list></text:list-item><text:list-item><text:p>plant</text:p></text:list-item></text:list>
<text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:desc>A sluice gate</svg:desc></draw:frame></text:p>
<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>
<text:p><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>
"""
COVERED = "<table:covered-table-cell/>"
STYLES = f"""<office:document-styles {SPACES}><office:master-styles><style:master-page><style:header>
<text:p>Aldersee Trust</text:p></style:header></style:master-page></office:master-styles></office:document-styles>"""
META = f"<office:document-meta {SPACES}><office:meta><dc:title>The plan</dc:title></office:meta></office:document-meta>"
MATH = (
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>Q</mi>'
    '<annotation encoding="StarMath 5.0">Q = v cdot A</annotation></semantics></math>'
)


def _content(kind: str, body: str) -> str:
    return (
        f"<office:document-content {SPACES}><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )


def _packed(media_type: str, **parts: str | bytes) -> bytes:
    return zipped({"mimetype": media_type, **parts}, zipfile.ZIP_DEFLATED)


def _text(body: str = BODY, **parts: str | bytes) -> bytes:
    fixed = {"styles.xml": STYLES, "meta.xml": META, "Object 1/content.xml": MATH, "Pictures/a.png": picture()}
    return _packed(TEXT_TYPE, **{"content.xml": _content("text", body), **fixed, **parts})


def test_odt_keeps_order_tables_notes_pictures_and_formulas(parse: Parse, ocr: InkOcr) -> None:
    document = parse(_text(), "plan.docx", ocr=ocr)
    assert (document.media_type, document.title) == (TEXT_TYPE, "The plan")
    assert [(unit.kind.value, unit.text) for unit in document.units] == [
        ("note", "Aldersee Trust"),
        ("heading", "River plan"),
        ("text", "Before the table."),
        ("note", "See the map."),
        ("note", "Ines: Check this."),
        ("table", "Weir: Upper; Height: 2.4 m\nWeir: Upper; Height: 1.1 m"),
        ("heading", "Tasks"),
        ("list", "- remove\n  - the weir\n- plant"),
        ("image", "A sluice gate\nink"),
        ("equation", "Q = v cdot A"),
        ("text", "In a box"),
    ]
    assert document.units[7].position.section == ("River plan", "Tasks")


def test_only_a_row_of_one_cell_is_said_once(parse: Parse) -> None:
    def row(*cells: str, more: str = "") -> str:
        made = "".join(f"<table:table-cell {more}><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
        return f"<table:table-row>{made}{COVERED * (2 - len(cells))}</table:table-row>"

    wide = 'table:number-columns-spanned="2" table:number-rows-spanned="2"'
    rows = (
        row("Monday", "Tuesday"),
        row("9-17", "9-17"),
        row("8-16", more='table:number-columns-repeated="2"').replace(COVERED, ""),
        row("Winter", more=wide),
        f"<table:table-row>{COVERED * 2}</table:table-row>",
        row("closed", "9-12"),
    )
    assert texts(parse(_text(f"<table:table>{''.join(rows)}</table:table>")), UnitKind.TABLE) == [
        "Monday: 9-17; Tuesday: 9-17\nMonday: 8-16; Tuesday: 8-16\nMonday: Winter\nMonday: Winter\n"
        "Monday: closed; Tuesday: 9-12",
    ]


def _listed(inside: str, levels: int = 1) -> str:
    return "<text:list><text:list-item>" * levels + inside + "</text:list-item></text:list>" * levels


def test_numbered_headings_are_told_once_at_every_level(parse: Parse) -> None:
    def heading(text: str, level: int) -> str:
        return f'<text:h text:outline-level="{level}">{text}</text:h>'

    beside = f"<text:p>Beside.</text:p>{_listed('<text:p>item</text:p>')}{heading('Below', 3)}"
    body = "".join(
        (_listed(heading("One", 1)), _listed(heading("Sub", 2), 2), _listed(heading("Deep", 3), 16), _listed(beside, 3))
    )
    document = parse(_text(body))
    assert [(unit.kind.value, unit.text) for unit in document.units] == [
        ("note", "Aldersee Trust"),
        ("heading", "One"),
        ("heading", "Sub"),
        ("heading", "Deep"),
        ("text", "Beside."),
        ("list", "- item"),
        ("heading", "Below"),
    ]
    assert document.units[3].position.section == ("One", "Sub", "Deep")


def test_words_in_a_drawn_shape_stand_apart_from_the_paragraph_it_hangs_at(parse: Parse) -> None:
    kinds = ("rect", "ellipse", "circle", "line", "connector", "path", "polygon", "polyline", "regular-polygon")
    kinds += ("caption", "measure", "custom-shape")
    shapes = "".join(f"<draw:{kind}><text:p>in {kind}</text:p></draw:{kind}>" for kind in kinds)
    said = [f"in {kind}" for kind in kinds]
    assert texts(parse(_text(f"<text:p>Para{shapes} end</text:p>")), UnitKind.TEXT) == ["Para end", *said]
    deck = _packed(DECK_TYPE, **{"content.xml": _content("presentation", f"<draw:page>{shapes}</draw:page>")})
    assert texts(parse(deck), UnitKind.TEXT) == said


def test_a_bibliography_is_read_and_an_index_that_repeats_headings_is_not(parse: Parse) -> None:
    index = (
        "<text:{0}><text:{0}-source><text:index-title-template>Template</text:index-title-template></text:{0}-source>"
        "<text:index-body><text:index-title><text:p>Title of {0}</text:p></text:index-title>"
        "<text:p>Entry of {0}</text:p></text:index-body></text:{0}>"
    )
    body = index.format("table-of-content") + "<text:p>See [1].</text:p>" + index.format("bibliography")
    assert texts(parse(_text(body)), UnitKind.TEXT) == ["See [1].", "Title of bibliography", "Entry of bibliography"]


def test_a_note_in_a_list_in_a_cell_is_told_once(parse: Parse) -> None:
    note = "<text:note><text:note-body><text:p>See the map.</text:p></text:note-body></text:note>"
    cells = f"<table:table-cell>{_listed(f'<text:p>Upper{note}</text:p>')}</table:table-cell>"
    cells += "<table:table-cell><text:p>2.4 m</text:p></table:table-cell>"
    document = parse(_text(f"<table:table><table:table-row>{cells}</table:table-row></table:table>"))
    assert texts(document, UnitKind.TABLE) == ["Upper | 2.4 m"]
    assert texts(document, UnitKind.NOTE) == ["Aldersee Trust", "See the map."]


def test_odp_gives_slides_with_titles_lists_and_notes(parse: Parse) -> None:
    slide = """<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Fish passes</text:p>
    </draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item><text:p>Three were built</text:p>
    </text:list-item></text:list></draw:text-box></draw:frame><draw:frame presentation:class="footer"><draw:text-box>
    <text:p>Page foot</text:p></draw:text-box></draw:frame><draw:g><draw:custom-shape><text:p>In a group</text:p>
    </draw:custom-shape></draw:g><presentation:notes><draw:frame presentation:class="notes"><draw:text-box>
    <text:p>Mention the flood.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"""
    document = parse(_packed(DECK_TYPE, **{"content.xml": _content("presentation", "<draw:page/>" + slide)}))
    assert (document.pages, document.title) == (2, "")
    assert {unit.position.slide for unit in document.units} == {2}
    assert texts(document, UnitKind.LIST) == ["- Three were built"]
    assert texts(document, UnitKind.TEXT) == ["In a group"]
    (note,) = units(document, UnitKind.NOTE)
    assert (note.text, note.position.section) == ("Mention the flood.", ("Fish passes",))


def test_bombs_entities_and_cells_are_bounded(parse: Parse) -> None:
    with pytest.raises(NeverWill, match="max_ratio"):
        parse(_text(" " * 30_000_000))
    entity = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    with pytest.raises(NeverWill, match="entities"):
        parse(_text(**{"content.xml": entity + _content("text", "<text:p>&x;</text:p>")}))
    cell = '<table:table-cell table:number-columns-repeated="900"><text:p>x</text:p></table:table-cell>'
    rows = f"<table:table>{f'<table:table-row>{cell}</table:table-row>' * 4}</table:table>"
    with pytest.raises(NeverWill, match="max_cells"):
        parse(_text(rows), limits={"max_cells": 2_000})


def test_a_package_without_its_body_is_corrupt(parse: Parse) -> None:
    for media_type in (TEXT_TYPE, DECK_TYPE):
        with pytest.raises(NeverWill) as failure:
            parse(_packed(media_type))
        assert failure.value.code == "corrupt_file"


def test_ods_gives_rows_of_every_sheet_and_names_the_hidden_one(parse: Parse) -> None:
    hidden = '<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/>'
    cells = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
        for text in ("Alder", "upper")
    )
    sheets = "".join(
        f'<table:table table:name="{name}" table:style-name="{style}"><table:table-row>{cells}</table:table-row>'
        "</table:table>"
        for name, style in (("Weirs", "shown"), ("Costs", "h"))
    )
    book = (
        f"<office:document-content {SPACES}><office:automatic-styles>{hidden}</style:style></office:automatic-styles>"
        f"<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = f"<manifest:manifest {SPACES}/>"
    document = parse(
        _packed(
            "application/vnd.oasis.opendocument.spreadsheet", **{"content.xml": book, "META-INF/manifest.xml": manifest}
        )
    )
    assert [(unit.text, unit.position.sheet) for unit in document.units] == [
        ("Alder | upper", "Weirs"),
        ("Alder | upper", "Costs"),
    ]
    assert document.warnings == ("The sheet Costs is hidden in the workbook.",)


def _cells(*told: str) -> str:
    """Cells of a sheet; one of "text 2x3" covers two columns and three rows, and "-" is a cell that is covered."""
    found = []
    for text, _, span in (one.partition(" ") for one in told):
        columns, _, rows = span.partition("x")
        covers = f' table:number-columns-spanned="{columns}" table:number-rows-spanned="{rows}"' if span else ""
        inside = f"<text:p>{text}</text:p>" if text else ""
        kind = ' office:value-type="string"' if text else ""
        cell = f"<table:table-cell{kind}{covers}>{inside}</table:table-cell>"
        found.append("<table:covered-table-cell/>" if text == "-" else cell)
    return f"<table:table-row>{''.join(found)}</table:table-row>"


def test_ods_says_the_text_of_a_merged_range_in_all_its_cells(parse: Parse) -> None:
    """The first rows and columns are empty, and written once with a count; the second sheet has places of its own."""
    indent = '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    rows = _cells("Site", "Seen", "By") + _cells("Ford 1x2", "eel", "") + _cells("-", "", "Ada")
    weirs = indent + rows.replace("<table:table-row>", f"<table:table-row>{gap}")
    costs = _cells("Gauge", "", "") + _cells("Ford 2x2", "-", "") + _cells("-", "-", "deep")
    sheets = (
        f'<table:table table:name="Weirs">{weirs}</table:table><table:table table:name="Costs">{costs}</table:table>'
    )
    parts = {"content.xml": _content("spreadsheet", sheets), "META-INF/manifest.xml": f"<manifest:manifest {SPACES}/>"}
    units = parse(_packed("application/vnd.oasis.opendocument.spreadsheet", **parts)).units
    assert [unit.text for unit in units] == [
        "Site: Ford; Seen: eel\nSite: Ford; By: Ada",
        "Gauge\nFord | Ford\nFord | Ford | deep",
    ]


@pytest.mark.parametrize("encoding", ["x-unheard-of", "shift_jis"])
def test_ods_in_an_encoding_that_only_the_reader_of_its_sheets_takes_is_read(parse: Parse, encoding: str) -> None:
    """It takes all for UTF-8."""
    sheet = f'<table:table table:name="Weirs">{_cells("Ford 1x2", "eel")}{_cells("-", "Ada")}</table:table>'
    content = f'<?xml version="1.0" encoding="{encoding}"?>{_content("spreadsheet", sheet)}'
    parts = {"content.xml": content, "META-INF/manifest.xml": f"<manifest:manifest {SPACES}/>"}
    (unit,) = parse(_packed("application/vnd.oasis.opendocument.spreadsheet", **parts)).units
    assert unit.text == "eel: Ada"


def test_a_cell_of_ods_that_is_no_number_costs_no_other(parse: Parse) -> None:
    cells = "".join(
        f'<table:table-cell office:value-type="float" office:value="{n}"/>' for n in ("NaN", "1e400", "2.5")
    )
    sheet = f'<table:table table:name="Weirs"><table:table-row>{cells}</table:table-row></table:table>'
    parts = {"content.xml": _content("spreadsheet", sheet), "META-INF/manifest.xml": f"<manifest:manifest {SPACES}/>"}
    assert parse(_packed("application/vnd.oasis.opendocument.spreadsheet", **parts)).text == "nan | inf | 2.5"


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("PT26H30M00S", "26:30"),
        ("PT26H30M", "26:30"),
        ("PT100H00M05.4S", "100:00:05"),
        ("-PT26H", "-26:00"),
        ("PT06H15M00S", "06:15:00"),
    ],
)
def test_a_duration_of_ods_is_told_in_all_its_hours(parse: Parse, told: str, text: str) -> None:
    cell = f'<table:table-cell office:value-type="time" office:time-value="{told}"/>'
    sheet = f'<table:table table:name="Weirs"><table:table-row>{cell}</table:table-row></table:table>'
    parts = {"content.xml": _content("spreadsheet", sheet), "META-INF/manifest.xml": f"<manifest:manifest {SPACES}/>"}
    assert parse(_packed("application/vnd.oasis.opendocument.spreadsheet", **parts)).text == text


_NUMBERED = """<text:list-style style:name="L">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/>
<text:list-level-style-number text:level="3" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
</text:list-style>"""
_OUTLINE = """<text:outline-style>
<text:outline-level-style text:level="1" style:num-format="I" style:num-prefix="Article " text:start-value="3"/>
<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>
<text:outline-level-style text:level="3" style:num-format=""/></text:outline-style>
<style:style style:name="Bare" style:list-style-name=""/>"""


def _with_lists(body: str, lists: str = _NUMBERED) -> bytes:
    styles = f"<office:automatic-styles>{lists}</office:automatic-styles>"
    content = _content("text", body).replace("<office:body>", f"{styles}<office:body>")
    own = f"<office:document-styles {SPACES}><office:styles>{_OUTLINE}</office:styles></office:document-styles>"
    return _text("", **{"content.xml": content, "styles.xml": own})


def test_items_are_said_with_their_numbers(parse: Parse) -> None:
    def item(inside: str, more: str = "") -> str:
        return f"<text:list-item {more}>{inside}</text:list-item>"

    def listed(*items: str, more: str = "") -> str:
        return f"<text:list {more}>{''.join(items)}</text:list>"

    def said(text: str) -> str:
        return f"<text:p>{text}</text:p>"

    own = 'text:style-name="L"'
    deep = listed(item(said("by mail")), item(said("by hand")))
    first = listed(
        item(said("Terms") + listed(item(said("Price")), item(said("Notice") + deep)) + said("of use")),
        item(said("End")),
        f"<text:list-header>{said('aside')}</text:list-header>",
        more=own,
    )
    on = listed(item(listed(item(said("Law")))), item(said("Place"), 'text:start-value="9"'), more=f"{own} {{}}")
    body = first + said("Between.") + on.format('text:continue-numbering="true"') + said("Then.")
    body += listed(item(said("anew")), more=own) + said("And.") + listed(item(said("plain")))
    assert texts(parse(_with_lists(body)), UnitKind.LIST) == [
        "1. Terms of use\n  - 1.1 Price\n  - 1.2 Notice\n    - (a) by mail\n    - (b) by hand\n2. End\n- aside",
        "  - 2.1 Law\n9. Place",
        "1. anew",
        "- plain",
    ]


def test_items_under_one_with_a_bullet_begin_anew_under_the_next(parse: Parse) -> None:
    def item(text: str, more: str = "") -> str:
        return f"<text:list-item><text:p>{text}</text:p>{more}</text:list-item>"

    steps = f"<text:list>{item('lift')}{item('drain')}</text:list>"
    dots = _NUMBERED.replace("number text:level", "bullet text:level", 1)
    own = dots.replace('text:display-levels="2"', 'style:num-suffix="."')
    body = f'<text:list text:style-name="L">{item("Weirs", steps)}{item("Fords", steps)}</text:list>'
    assert texts(parse(_with_lists(body, own)), UnitKind.LIST) == [
        "- Weirs\n  1. lift\n  2. drain\n- Fords\n  1. lift\n  2. drain",
    ]


def test_a_list_goes_on_from_the_one_that_it_names_whatever_stands_between(parse: Parse) -> None:
    def listed(more: str) -> str:
        item = "<text:list-item><text:p>x</text:p></text:list-item>"
        return f'<text:p>So:</text:p><text:list text:style-name="L" {more}>{item}</text:list>'

    body = listed('xml:id="a"') + listed('xml:id="b"') + listed('text:continue-list="a"')
    assert texts(parse(_with_lists(body)), UnitKind.LIST) == ["1. x", "1. x", "2. x"]


@pytest.mark.parametrize(("sync", "shown"), [("", "ab)"), ('style:num-letter-sync="true"', "BB)")])
def test_letters_past_the_last_go_on_as_the_list_says(parse: Parse, sync: str, shown: str) -> None:
    form = "A" if sync else "a"
    level = f'level="1" style:num-format="{form}" style:num-suffix=")" text:start-value="28" {sync}'
    own = f'<text:list-style style:name="L"><text:list-level-style-number text:{level}/></text:list-style>'
    body = '<text:list text:style-name="L"><text:list-item><text:p>x</text:p></text:list-item></text:list>'
    assert texts(parse(_with_lists(body, own)), UnitKind.LIST) == [f"- {shown} x"]


def test_headings_are_numbered_by_the_outline(parse: Parse) -> None:
    def heading(text: str, level: int, more: str = "") -> str:
        return f'<text:h text:outline-level="{level}" {more}>{text}</text:h>'

    gone = (
        f"<text:tracked-changes><text:changed-region>{heading('gone', 1)}</text:changed-region></text:tracked-changes>"
    )
    body = "".join(
        (
            gone + heading("Parties", 1) + heading("Terms", 1) + heading("", 2) + heading("Notice", 2),
            heading("Aside", 3) + heading("Preface", 1, 'text:style-name="Bare"'),
            heading("Annex", 1, 'text:is-list-header="true"') + heading("<text:number>V</text:number> Law", 1),
            heading("End", 1, 'text:restart-numbering="true" text:start-value="9"'),
        )
    )
    document = parse(_with_lists(body))
    assert texts(document, UnitKind.HEADING) == [
        *("Article III Parties", "Article IV Terms", "IV.2 Notice", "Aside", "Preface", "Annex"),
        *("V Law", "Article IX End"),
    ]
    assert document.units[3].position.section == ("Article IV Terms", "IV.2 Notice", "Aside")
