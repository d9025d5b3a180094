"""WordprocessingML (ECMA-376, part 1, chapter 17) and DrawingML, as far as text goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import msgspec
from lxml import etree

from trivium.domain.errors import NeverWill
from trivium_ingest.parse.numerals import whole
from trivium_ingest.parse.office.math import M, latex
from trivium_ingest.parse.office.package import Package
from trivium_ingest.parse.office.symbols import symbol
from trivium_ingest.parse.spreadsheets.cells import shown_as
from trivium_ingest.parse.table import Table, guess_header_rows
from trivium_ingest.parse.text.clean import one_line

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_VML = "{urn:schemas-microsoft-com:vml}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)
_CONTENTS_NAME = re.compile(r"toc (?:\d|heading)|index \d|table of figures", re.IGNORECASE)
_P, _T, _TBL, _TR, _TC = (f"{W}{name}" for name in ("p", "t", "tbl", "tr", "tc"))
_SKIPPED = frozenset(
    f"{W}{name}" for name in ("del", "moveFrom", "instrText", "delText", "pPr", "rPr", "rt", "txbxContent")
)
_SHOWN = {f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_SYMBOL = f"{W}sym"
_OFF = ("0", "false", "off")
_FIELDS = (f"{W}ddList", f"{W}checkBox")  # of forms
# What makes a paragraph more than its runs' text in order.
_UNUSUAL = (
    f"{W}vanish",
    f"{W}tabs",
    f"{M}oMath",
    f"{M}t",
    FALLBACK,
    _SYMBOL,
    *_FIELDS,
    *_SKIPPED - {f"{W}pPr", f"{W}rPr"},
)
_LOOKED_THROUGH = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_DRAWN = (f"{W}txbxContent", f"{A}blip", f"{_VML}imagedata", f"{C}chart", DIAGRAM)
MAX_CHART_POINTS = 2_000
MAX_COLUMNS = 63  # Word's own bound
MAX_TABLES = 50  # one in the other; what lies deeper is the text of a cell


class Words:
    """Reads the paragraphs of one part. What most of them do not have is looked for once, in the whole part."""

    def __init__(self, root: etree._Element) -> None:
        self._unusual = _around(root, _UNUSUAL, _P)
        self._broken = _around(root, tuple(_SHOWN), _P)
        self._drawn = _around(root, _DRAWN, _P, _TBL)
        self.numbers: dict[etree._Element, str] = {}  # what Word shows before paragraphs, with a blank if any

    def of(self, paragraph: etree._Element) -> str:
        """A paragraph as a reader sees it: without deleted text, field codes, hidden text and text boxes."""
        if paragraph in self._unusual:
            return "".join(_pieces(paragraph)).strip()
        if paragraph in self._broken:
            return "".join([_SHOWN.get(node.tag) or node.text or "" for node in paragraph.iter(_T, *_SHOWN)]).strip()
        return "".join([node.text or "" for node in paragraph.iter(_T)]).strip()

    def shown(self, paragraph: etree._Element) -> str:
        """The same behind its number, which stands alone where there is no text."""
        return self.numbered(paragraph, self.of(paragraph))

    def numbered(self, paragraph: etree._Element, text: str) -> str:
        """The paragraph's `text` behind its number."""
        number = self.numbers.get(paragraph, "")
        apart = number and not number.endswith(" ") and text[:1].isalnum()
        return f"{number} {text}" if apart else number + text

    def numbers_alone(self, row: etree._Element, cells: list[str]) -> bool:
        """True of a table's row that was left empty but for the numbers that Word makes."""
        numbers = (
            {self.numbers[node].strip() for node in row.iter(_P) if node in self.numbers} if self.numbers else set()
        )
        return bool(numbers) and all(not cell or cell in numbers for cell in cells)

    def displayed_equation(self, paragraph: etree._Element) -> str:
        """The paragraph's equation when nothing else stands in it, or ""."""
        if paragraph not in self._unusual:
            return ""
        equations = list(paragraph.iter(f"{M}oMath"))
        if not equations or any((text.text or "").strip() for text in paragraph.iter(_T)):
            return ""
        return "\n".join(filter(None, (latex(equation).strip() for equation in equations)))

    def has_drawings(self, block: etree._Element) -> bool:
        """True when a text box, picture or chart is anchored in a paragraph or table."""
        return block in self._drawn


def _around(root: etree._Element, marks: tuple[str, ...], *blocks: str) -> frozenset[etree._Element]:
    """The blocks in which any of these elements stands."""
    return frozenset(block for mark in root.iter(*marks) for block in mark.iterancestors(*blocks))


def _pieces(paragraph: etree._Element) -> Iterator[str]:
    waiting = list(reversed(paragraph))
    while waiting:
        node = waiting.pop()
        tag = node.tag
        if tag in _SKIPPED or tag == FALLBACK:
            continue
        if tag in (_T, f"{M}t"):
            yield node.text or ""
        elif tag in _SHOWN:
            yield _SHOWN[tag]
        elif tag == f"{M}oMath":
            yield f" {latex(node)} "
        elif tag == _SYMBOL:
            yield symbol(node.get(f"{W}font", ""), node.get(f"{W}char", ""))
        elif tag in _FIELDS:
            yield _filled_in(node)
        elif tag != f"{W}r" or not _vanished(node):
            waiting += reversed(node)


def _filled_in(field: etree._Element) -> str:
    """What is chosen in a form's list, or whether its box is ticked."""
    stated = {node.tag.removeprefix(W): node.get(f"{W}val", "1") for node in field}
    if field.tag == f"{W}checkBox":
        ticked = stated.get("checked", stated.get("default", "0")) not in _OFF
        return "\u2612" if ticked else "\u2610"
    entries = [str(entry.get(f"{W}val", "")) for entry in field.iterchildren(f"{W}listEntry")]
    chosen = stated.get("result", stated.get("default", "0"))
    return entries[int(chosen)] if chosen.isascii() and chosen.isdigit() and int(chosen) < len(entries) else ""


def _vanished(run: etree._Element) -> bool:
    return is_on(run.find(f"{W}rPr/{W}vanish"))


class Role(msgspec.Struct, frozen=True):
    """A paragraph's part in its document: heading level 1 to 9 (0 for none), title, depth of a list item from 0.

    `contents` is a line of a table of contents or an index, which repeats what stands elsewhere.
    """

    level: int = 0
    title: bool = False
    list_depth: int | None = None
    contents: bool = False


_PROSE = Role()


class Styles(msgspec.Struct, frozen=True):
    """What the style sheet says by style id: heading levels, titles, lists, (list, level) of `numbers`, base styles."""

    levels: dict[str, int]
    titles: frozenset[str]
    contents: frozenset[str]
    lists: frozenset[str]
    numbers: dict[str, tuple[str, str]]
    parents: dict[str, str]
    language: str

    @classmethod
    def read(cls, package: Package, part: str) -> Styles:
        """From the part of that name; a document without one has no headings by style."""
        try:
            root = package.xml(part)
        except NeverWill:
            return cls({}, frozenset(), frozenset(), frozenset(), {}, {}, "")
        levels: dict[str, int] = {}
        names: dict[str, str] = {}
        lists = set()
        parents: dict[str, str] = {}
        numbers: dict[str, tuple[str, str]] = {}
        for style in root.iter(f"{W}style"):
            identity = style.get(f"{W}styleId", "")
            name = names[identity] = val(style.find(f"{W}name"))
            parents[identity] = val(style.find(f"{W}basedOn"))
            outline = style.find(f"{W}pPr/{W}outlineLvl")
            if match := _HEADING_NAME.fullmatch(name):
                levels[identity] = int(match.group(1))
            elif outline is not None and val(outline).isdigit() and int(val(outline)) < 9:
                levels[identity] = int(val(outline)) + 1
            numbering = style.find(f"{W}pPr/{W}numPr")
            if numbering is not None:
                numbers[identity] = numbering_of(numbering)
            if name.lower().startswith("list") or numbering is not None:
                lists.add(identity)
        for identity, parent in parents.items():
            if identity not in levels and parent in levels:
                levels[identity] = levels[parent]
        language = val(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang"))
        titles = frozenset(identity for identity, name in names.items() if name.lower() == "title")
        contents = frozenset(identity for identity, name in names.items() if _CONTENTS_NAME.fullmatch(name))
        return cls(levels, titles, contents, frozenset(lists), numbers, parents, language)

    def role(self, paragraph: etree._Element) -> Role:
        """What the paragraph's own properties and its style make of it; its own come first."""
        properties = first_child(paragraph, f"{W}pPr")
        if properties is None:
            return _PROSE
        found = by_tag(properties)
        style = val(found.get(f"{W}pStyle"))
        outline = val(found.get(f"{W}outlineLvl"))
        level = int(outline) + 1 if outline.isdigit() and int(outline) < 9 else self.levels.get(style, 0)
        return Role(level, style in self.titles, self._depth(found.get(f"{W}numPr"), style), style in self.contents)

    def _depth(self, numbering: etree._Element | None, style: str) -> int | None:
        if numbering is None:
            return 0 if style in self.lists else None
        if val(numbering.find(f"{W}numId")) == "0":
            return None
        depth = val(numbering.find(f"{W}ilvl"))
        return min(8, int(depth)) if depth.isdigit() else 0


def first_child(node: etree._Element, tag: str) -> etree._Element | None:
    """The first child of that name; `find` does the same in Python."""
    if len(node) and node[0].tag == tag:  # where properties stand
        return node[0]
    return next(node.iterchildren(tag), None)


def numbering_of(properties: etree._Element) -> tuple[str, str]:
    """The list and level that a `numPr` states, "" for what it leaves out."""
    return val(properties.find(f"{W}numId")), val(properties.find(f"{W}ilvl"))


def by_tag(properties: etree._Element) -> dict[str, etree._Element]:
    """The first of each name."""
    return {node.tag: node for node in reversed(properties)}


def val(node: etree._Element | None) -> str:
    """Its attribute of that name, or ""."""
    return "" if node is None else str(node.get(f"{W}val", ""))


def is_on(mark: etree._Element | None) -> bool:
    """Whether a property that is on or off stands there and is on."""
    return mark is not None and mark.get(f"{W}val", "1") not in _OFF


def table_of(node: etree._Element, words: Words, depth: int = 0) -> Table:
    """A table; a merged cell's text is repeated in each row and column that it covers, but where it fills a row."""
    rows: list[tuple[str, ...]] = []
    marked = 0
    above: dict[int, str] = {}
    for row in children(node, _TR):
        stated = first_child(row, f"{W}trPr")
        if stated is not None and first_child(stated, f"{W}del") is not None:
            continue
        before = _left_out(stated)
        cells: list[str] = [""] * before
        stored = list(children(row, _TC))
        for cell in stored:
            text = _cell_text(cell, words, depth)
            properties = first_child(cell, f"{W}tcPr")
            found = by_tag(properties) if properties is not None else {}
            merge, width = found.get(f"{W}vMerge"), val(found.get(f"{W}gridSpan"))
            for _ in range(min(int(width), MAX_COLUMNS) if width.isdigit() and int(width) else 1):
                column = len(cells)
                if merge is not None and val(merge) != "restart":
                    text = above.get(column, "")  # what a covered cell holds itself, nobody sees
                above[column] = text
                cells.append(text)
        header = first_child(stated, f"{W}tblHeader") if stated is not None else None
        if header is not None and marked == len(rows) and val(header) not in ("0", "false"):
            marked += 1
        if any(cells) and not words.numbers_alone(row, cells):
            rows.append(tuple(cells if len(stored) > 1 else cells[: before + 1]))
    return Table(tuple(rows), marked if 0 < marked < len(rows) else guess_header_rows(rows))


def _left_out(stated: etree._Element | None) -> int:
    """Columns before the first cell of a row that does not begin at the table's edge."""
    before = val(first_child(stated, f"{W}gridBefore")) if stated is not None else ""
    return min(whole(before) or 0, MAX_COLUMNS)


def _cell_text(cell: etree._Element, words: Words, depth: int) -> str:
    """A cell's paragraphs; a table inside gives its rows, one that lies too deep its paragraphs."""
    if depth >= MAX_TABLES:
        return " ".join(filter(None, (one_line(words.shown(paragraph)) for paragraph in cell.iter(_P))))
    parts = []
    for child in children(cell, _P, _TBL):
        parts.append(one_line(words.shown(child)) if child.tag == _P else table_of(child, words, depth + 1).text())
    return " ".join(filter(None, parts))


def block_lines(node: etree._Element, words: Words) -> list[str]:
    """The text of a part that is not the body (a header, a note): its paragraphs, tables' rows and text boxes."""
    lines = []
    for child in children(node, _P, _TBL):
        lines.append(words.of(child) if child.tag == _P else table_of(child, words).text())
        for box in text_boxes(child) if words.has_drawings(child) else ():
            lines += block_lines(box, words)
    return lines


def children(node: etree._Element, *tags: str) -> Iterator[etree._Element]:
    """Blocks, rows, cells or their contents, also those in content controls and revisions that were inserted."""
    waiting = list(reversed(node))
    while waiting:
        child = waiting.pop()
        if child.tag in tags:
            yield child
        elif child.tag in _LOOKED_THROUGH:
            waiting += reversed(child)


def text_boxes(node: etree._Element) -> list[etree._Element]:
    """Contents of text boxes that stand in no other."""
    return list(drawn(node, f"{W}txbxContent"))


def drawn(node: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Elements of that name in no text box, each once although Word stores it twice (DrawingML and VML)."""
    waiting = list(reversed(node))
    while waiting:
        inner = waiting.pop()
        if inner.tag == tag:
            yield inner
        elif inner.tag != f"{W}txbxContent" and not _repeats(inner):
            waiting += reversed(inner)


def _repeats(node: etree._Element) -> bool:
    """True of what stands there for programs that do not know the form in which the same is drawn before it."""
    before = node.itersiblings(preceding=True) if node.tag == FALLBACK else ()
    return any(True for choice in before for _ in choice.iter(*_DRAWN))


def drawing_text(node: etree._Element) -> str:
    """The paragraphs in a shape of DrawingML."""
    return "\n".join(filter(None, (drawing_paragraph(p).strip() for p in node.iter(f"{A}p"))))


def drawing_paragraph(node: etree._Element) -> str:
    """A paragraph of DrawingML, its equations as LaTeX."""
    parts = []
    for child in node.iter(f"{A}t", f"{A}br", f"{M}oMath"):
        if child.tag == f"{M}oMath":
            parts.append(f" {latex(child)} ")
        else:
            parts.append(child.text or "" if child.tag == f"{A}t" else "\n")
    return "".join(parts)


def diagram_list(data: etree._Element) -> str:
    """What a diagram (SmartArt) says, from its data, as a list."""
    texts = (one_line(drawing_paragraph(p)) for p in data.iter(f"{A}p"))
    return "\n".join(f"- {text}" for text in texts if text)


def picture_ids(node: etree._Element) -> list[tuple[str, str]]:
    """(relationship id, alternative text) of the pictures in no text box, in order."""
    found = []
    for blip in drawn(node, f"{A}blip"):
        found.append((blip.get(f"{R}embed", "") or blip.get(f"{R}link", ""), alternative_text(blip)))
    found += [(image.get(f"{R}id", ""), "") for image in drawn(node, f"{_VML}imagedata")]
    return found


def alternative_text(blip: etree._Element) -> str:
    """The description that an author gave to a picture; file names and made-up ones are none."""
    for ancestor in blip.iterancestors():
        properties = ancestor.find(f"{_WP}docPr")
        if properties is not None:
            return described(properties.get("descr", ""))
    return ""


def described(text: str) -> str:
    """Alternative text, unless a program wrote it."""
    text = one_line(text)
    generated = "automatically generated" in text or re.fullmatch(
        r"\S+\.(?:png|jpe?g|gif|tiff?|bmp|emf|wmf)", text, re.I
    )
    return "" if generated else text


class _Plot(msgspec.Struct):
    """Series that share their categories: the names above the columns, and the points by their places."""

    categories: dict[int, str]
    header: list[str]
    columns: list[dict[int, str]]

    def table(self, title: str) -> Table:
        places = sorted({*self.categories, *(place for column in self.columns for place in column)})[:MAX_CHART_POINTS]
        rows = [(self.categories.get(p, str(p + 1)), *(column.get(p, "") for column in self.columns)) for p in places]
        return Table((tuple(self.header), *rows) if rows else (), 1 if rows else 0, title)


def chart_tables(root: etree._Element) -> list[Table]:
    """A chart's data: one row per category, one column per series.

    Series whose points lie at other places than those of the others (scattered ones) are a table of their own.
    """
    title = one_line("".join(node.text or "" for node in root.iterfind(f".//{C}chart/{C}title//{A}t")))
    zero = root.find(f"{C}date1904")
    points = partial(_points, since_1904=zero is not None and zero.get("val", "1") in ("1", "true"))
    plots: dict[tuple[tuple[int, str], ...], _Plot] = {}
    for number, series in enumerate(root.iter(f"{C}ser"), 1):
        scattered = series.find(f"{C}xVal")
        categories = points(series.find(f"{C}cat") if scattered is None else scattered)
        own = tuple(categories.items()) if scattered is not None else ()
        plot = plots.setdefault(own, _Plot({}, [""], []))
        plot.categories = plot.categories or categories
        plot.header.append(" ".join(points(series.find(f"{C}tx")).values()) or f"Series {number}")
        values = series.find(f"{C}val")
        plot.columns.append(points(values if values is not None else series.find(f"{C}yVal")))
    return [plot.table(title) for plot in plots.values()]


def _points(node: etree._Element | None, *, since_1904: bool) -> dict[int, str]:
    """Words by their places; numbers as their format shows them, categories of several levels as one name."""
    if node is None:
        return {}
    if levels := list(node.iter(f"{C}lvl")):
        return _of_levels([_points_of(level, since_1904=since_1904) for level in levels])
    points = _points_of(node, since_1904=since_1904)
    direct = node.find(f"{C}v")
    return points if points or direct is None else {0: one_line(direct.text or "")}


def _points_of(node: etree._Element, *, since_1904: bool) -> dict[int, str]:
    form = next((code.text or "" for code in node.iter(f"{C}formatCode")), "")
    points = {}
    for point in node.iter(f"{C}pt"):
        index, value = point.get("idx", "0"), point.find(f"{C}v")
        if index.isdigit() and value is not None:
            text, code = one_line(value.text or ""), point.get("formatCode", form)
            points[int(index)] = shown_as(code, text, since_1904=since_1904) if code else text
    return points


def _of_levels(levels: list[dict[int, str]]) -> dict[int, str]:
    """Categories under categories: those of an outer level, which come later, hold until the next one of it."""
    inner, *outer = levels
    names: dict[int, str] = {}
    above = [""] * len(outer)
    for place in sorted({place for level in levels for place in level}):
        above = [level.get(place, before) for level, before in zip(outer, above, strict=True)]
        names[place] = " ".join(filter(None, [*reversed(above), inner.get(place, "")]))
    return names
