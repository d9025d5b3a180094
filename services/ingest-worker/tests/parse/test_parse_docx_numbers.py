"""The numbers that Word makes before headings, clauses and list items."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest

from trivium.domain.parsed import UnitKind

from .conftest import Parse, saved, texts

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_LEGAL = {0: "<w:numFmt w:val='decimal'/>%1.", 1: "%1.%2", 2: "<w:numFmt w:val='lowerLetter'/>(%3)"}


def _levels(levels: dict[int, str]) -> str:
    """Each a few properties of `lvl` and then its text."""
    made = []
    for depth, level in levels.items():
        properties, _, text = level.rpartition("/>")
        properties += "/>" if properties else ""
        start = "" if "<w:start " in properties else "<w:start w:val='1'/>"
        made.append(f"<w:lvl w:ilvl='{depth}'>{start}{properties}<w:lvlText w:val='{text}'/></w:lvl>")
    return "".join(made)


def _made(body: str, levels: dict[int, str], nums: str = "", styles: str = "", abstract: str = "") -> bytes:
    """A document whose list 1, and those of `nums`, are numbered so."""
    numbering = (
        f"<w:numbering xmlns:w='{_W}'><w:abstractNum w:abstractNumId='7'>{abstract}{_levels(levels)}</w:abstractNum>"
        f"<w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>{nums}</w:numbering>"
    )
    stream, made = io.BytesIO(saved(docx.Document())), io.BytesIO()
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "word/numbering.xml":
                content = numbering.encode()
            elif name == "word/styles.xml":
                content = content.replace(b"</w:styles>", f"{styles}</w:styles>".encode())
            elif name == "word/document.xml":
                content = content.replace(b"<w:body>", f"<w:body>{body}".encode())
            new.writestr(name, content)
    return made.getvalue()


def _item(text: str, depth: int = 0, num: int | str = 1, style: str = "", mark: str = "") -> str:
    style = f"<w:pStyle w:val='{style}'/>" if style else ""
    mark = f"<w:rPr>{mark}</w:rPr>" if mark else ""
    numbered = f"<w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='{num}'/></w:numPr>"
    return f"<w:p><w:pPr>{style}{numbered}{mark}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def _styled(text: str, style: str) -> str:
    return f"<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def _style(name: str, properties: str, based_on: str = "") -> str:
    base = f"<w:basedOn w:val='{based_on}'/>" if based_on else ""
    return (
        f"<w:style w:type='paragraph' w:styleId='{name}'><w:name w:val='{name}'/>{base}"
        f"<w:pPr>{properties}</w:pPr></w:style>"
    )


def _shown(parse: Parse, levels: dict[int, str], *items: str, nums: str = "") -> list[str]:
    """The lines of the one list."""
    (text,) = texts(parse(_made("".join(items), levels, nums)), UnitKind.LIST)
    return [line.strip().removeprefix("- ") for line in text.split("\n")]


def test_clauses_are_said_with_their_numbers_and_bullets_as_before(parse: Parse) -> None:
    items = (_item("Terms"), _item("Price", 1), _item("Notice", 1), _item("by mail", 2), _item("by hand", 2))
    bullet = {3: "<w:numFmt w:val='bullet'/>o"}
    body = "".join((*items, _item("a dot", 3), _item("End"), _item("Law", 1)))
    assert texts(parse(_made(body, _LEGAL | bullet)), UnitKind.LIST) == [
        "1. Terms\n  - 1.1 Price\n  - 1.2 Notice\n    - (a) by mail\n    - (b) by hand\n      - a dot\n"
        "2. End\n  - 2.1 Law",
    ]


def test_headings_that_are_numbered_by_their_styles_stand_so_in_the_path(parse: Parse) -> None:
    levels = {
        0: "<w:numFmt w:val='upperRoman'/><w:pStyle w:val='Heading1'/>Article %1",
        1: "<w:pStyle w:val='Heading2'/><w:isLgl/>%1.%2",
    }
    number = "<w:numPr><w:numId w:val='1'/></w:numPr><w:outlineLvl w:val='{}'/>"
    styles = _style("Clause1", number.format(0)) + _style("Clause2", number.format(1), "Clause1")
    styles += _style("Clause2a", "<w:ind/>", "Clause2")
    levels = {depth: level.replace("Heading", "Clause") for depth, level in levels.items()}
    body = _styled("Parties", "Clause1") + _styled("Terms", "Clause1") + _styled("Notice", "Clause2")
    body += _styled("Termination", "Clause2a") + "<w:p><w:r><w:t>Three months.</w:t></w:r></w:p>"
    document = parse(_made(body, levels, styles=styles))
    assert texts(document, UnitKind.HEADING) == [
        "Article I Parties",
        "Article II Terms",
        "2.1 Notice",
        "2.2 Termination",
    ]
    assert document.units[-1].position.section == ("Article II Terms", "2.2 Termination")


def test_a_styles_level_holds_where_no_level_is_linked_and_a_paragraph_may_go_without(parse: Parse) -> None:
    number = "<w:numPr><w:ilvl w:val='1'/></w:numPr>"
    styles = _style("Base", "<w:numPr><w:numId w:val='1'/></w:numPr>") + _style("Sub", number, "Base")
    styles += _style("Plain", "<w:ind/>", "Sub")
    body = _styled("One", "Base") + _styled("Sub one", "Sub") + _item("none", num=0, style="Sub")
    document = parse(_made(body + _styled("Sub two", "Plain"), _LEGAL, styles=styles))
    assert [unit.text for unit in document.units] == ["1. One\n- 1.1 Sub one", "none", "1.2 Sub two"]


@pytest.mark.parametrize(
    ("form", "start", "shown"),
    [
        ("decimal", 4, "§ 4"),
        ("decimalZero", 4, "§ 04"),
        ("lowerRoman", 1999, "§ mcmxcix"),
        ("upperRoman", 4000, "§ 4000"),
        ("lowerLetter", 27, "§ aa"),
        ("upperLetter", 3, "§ C"),
        ("upperLetter", 999_999, "§ 999999"),
        ("russianLower", 5, "§ д"),
        ("ordinal", 12, "§ 12th"),
        ("ordinal", 22, "§ 22nd"),
        ("cardinalText", 42, "§ Forty-two"),
        ("ordinalText", 21, "§ Twenty-first"),
        ("ordinalText", 40, "§ Fortieth"),
        ("chineseCountingThousand", 105, "§ 一百零五"),
        ("chineseCounting", 12, "§ 十二"),
        ("japaneseCounting", 110, "§ 百十"),
        ("decimalEnclosedCircle", 3, "§ ③"),
        ("something else", 3, "§ 3"),
    ],
)
def test_numbers_are_shown_in_their_form(parse: Parse, form: str, start: int, shown: str) -> None:
    level = f"<w:start w:val='{start}'/><w:numFmt w:val='{form}'/>§ %1"
    assert _shown(parse, {0: level}, _item("Weir")) == [f"{shown} Weir"]


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("<w:numFmt w:val='none'/>", ["Weir"]),
        ("<w:numFmt w:val='none'/>Whereas %1", ["Whereas Weir"]),
        ("<w:rPr><w:vanish/></w:rPr><w:suff w:val='tab'/>%1.", ["Weir"]),
        ("<w:suff w:val='nothing'/>Article %1: ", ["Article 1: Weir"]),
        ("<w:suff w:val='nothing'/>%1.", ["1. Weir"]),
        ("<w:numFmt w:val='decimal'/>•", ["Weir"]),
        ("<w:start w:val='x'/>%1.%9", ["0. Weir"]),
    ],
    ids=["none", "words alone", "hidden", "no tab", "no blank", "a bullet", "odd"],
)
def test_what_a_level_says_is_what_is_shown(parse: Parse, level: str, shown: list[str]) -> None:
    assert _shown(parse, {0: level}, _item("Weir")) == shown


def test_lists_of_one_kind_count_on_and_begin_anew_where_they_say_so(parse: Parse) -> None:
    nums = "<w:num w:numId='2'><w:abstractNumId w:val='7'/></w:num><w:num w:numId='3'><w:abstractNumId w:val='7'/>"
    nums += "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride></w:num>"
    own = _levels({0: "<w:numFmt w:val='upperLetter'/>%1)"})
    nums += f"<w:num w:numId='4'><w:abstractNumId w:val='7'/><w:lvlOverride w:ilvl='0'>{own}</w:lvlOverride></w:num>"
    items = [_item("x", num=num) for num in (1, 2, 3, 3, 1, 4)]
    assert _shown(parse, {0: "%1."}, *items, nums=nums) == ["1. x", "2. x", "5. x", "6. x", "7. x", "H) x"]


def test_a_level_begins_anew_as_it_says_and_one_left_out_counts(parse: Parse) -> None:
    levels = {0: "%1", 1: "<w:lvlRestart w:val='0'/>%1.%2", 2: "<w:lvlRestart w:val='1'/>%3", 3: "%1.%2.%3.%4"}
    items = [_item("x", depth) for depth in (1, 0, 1, 2, 1, 2, 0, 2, 3)]
    assert _shown(parse, levels, *items) == [
        *("1.1 x", "2 x", "2.2 x", "1 x", "2.3 x", "2 x"),
        *("3 x", "1 x", "3.3.1.1 x"),
    ]


def test_only_what_is_shown_counts(parse: Parse) -> None:
    gone = "<w:{0} w:id='1' w:author='A'/>"
    items = (
        _item("kept"),
        _item("</w:t></w:r><w:r><w:t>", mark=gone.format("del")),
        _item("</w:t></w:r><w:r><w:t>", mark=gone.format("moveFrom")),
        _item("</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden", mark="<w:vanish/>"),
        _item("run in", mark="<w:vanish/><w:specVanish/>"),
        _item("new", mark=gone.format("ins")),
    )
    document = parse(_made("".join(items), {0: "%1."}))
    assert [unit.text for unit in document.units] == ["1. kept", "2. run in\n3. new"]


def test_an_empty_item_counts_and_says_nothing(parse: Parse) -> None:
    body = _item("One") + _item("") + _item("Three")
    assert [unit.text for unit in parse(_made(body, {0: "%1."})).units] == ["1. One", "3. Three"]


def test_numbers_in_tables_are_said_but_those_of_rows_left_empty(parse: Parse) -> None:
    def row(*cells: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"

    plain = [f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in ("No.", "Weir", "upper", "lower")]
    rows = row(plain[0], plain[1]) + row(_item(""), plain[2]) + row(_item(""), "<w:p/>") + row(_item(""), plain[3])
    assert texts(parse(_made(f"<w:tbl>{rows}</w:tbl>", {0: "%1."})), UnitKind.TABLE) == [
        "No.: 1.; Weir: upper\nNo.: 3.; Weir: lower",
    ]


def test_a_text_box_counts_by_itself(parse: Parse) -> None:
    box = f"<w:p><w:r><w:pict><w:txbxContent>{_item('boxed')}</w:txbxContent></w:pict></w:r></w:p>"
    document = parse(_made(_item("Weirs") + box + _item("Next"), {0: "%1."}))
    assert [unit.text for unit in document.units] == ["1. Weirs", "1. boxed\n2. Next"]


def test_a_list_that_is_a_style_is_numbered_as_that_style(parse: Parse) -> None:
    linked = "<w:abstractNum w:abstractNumId='8'><w:numStyleLink w:val='Clauses'/></w:abstractNum>"
    nums = "<w:num w:numId='2'><w:abstractNumId w:val='8'/></w:num>"
    content = _made(_item("x", num=2), {0: "Clause %1"}, f"{linked}{nums}", abstract="<w:styleLink w:val='Clauses'/>")
    assert texts(parse(content), UnitKind.LIST) == ["- Clause 1 x"]


@pytest.mark.parametrize("num", [9, "x", -1])
def test_a_list_that_is_nowhere_has_no_numbers(parse: Parse, num: int | str) -> None:
    assert _shown(parse, _LEGAL, _item("Weir", num=num)) == ["Weir"]


def test_styles_based_on_each_other_in_a_circle_end(parse: Parse) -> None:
    styles = _style("A", "<w:ind/>", "B") + _style("B", "<w:numPr><w:ilvl w:val='0'/></w:numPr>", "A")
    assert texts(parse(_made(_styled("Weir", "A"), _LEGAL, styles=styles)), UnitKind.TEXT) == ["Weir"]
