"""OpenDocument (ISO/IEC 26300): text, lists, tables, notes and pictures of ODT and ODP."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Position, UnitKind
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.collector import NOWHERE, Collector
from trivium_ingest.parse.failures import password_needed, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.numerals import item_mark, whole
from trivium_ingest.parse.office.package import Package, unheard
from trivium_ingest.parse.office.wordprocessing import described
from trivium_ingest.parse.open_document.locks import locks
from trivium_ingest.parse.table import Table, guess_header_rows
from trivium_ingest.parse.text.clean import one_line

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE = f"{{{_SPACE}office:1.0}}"
TEXT = f"{{{_SPACE}text:1.0}}"
TABLE = f"{{{_SPACE}table:1.0}}"
DRAW = f"{{{_SPACE}drawing:1.0}}"
STYLE = f"{{{_SPACE}style:1.0}}"
PRESENTATION = f"{{{_SPACE}presentation:1.0}}"
_SVG = f"{{{_SPACE}svg-compatible:1.0}}"
_META = f"{{{_SPACE}meta:1.0}}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_MATH = "{http://www.w3.org/1998/Math/MathML}"
MAX_COLUMNS = 1_024  # a row's repeated cells are written as a count, which costs the writer nothing
MAX_DEPTH = 60  # from here on a text is one paragraph
_CURVES = ("line", "connector", "measure", "path", "polyline", "polygon", "regular-polygon", "circle", "ellipse")
_SHAPES = tuple(f"{DRAW}{name}" for name in ("frame", "g", "custom-shape", "rect", "caption", *_CURVES))
_ANCHORED = (f"{TEXT}note", f"{OFFICE}annotation", *_SHAPES)
# Stand in a paragraph's tree and are not its text.
_APART = frozenset([*_ANCHORED, f"{OFFICE}annotation-end", f"{TEXT}tracked-changes", f"{TEXT}ruby-text"])
_BIBLIOGRAPHY = tuple(f"{TEXT}{name}" for name in ("bibliography", "index-body", "index-title"))
_LOOKED_THROUGH = frozenset([f"{TEXT}section", f"{TEXT}numbered-paragraph", f"{DRAW}a", *_BIBLIOGRAPHY])
_ROW_GROUPS = frozenset(f"{TABLE}table-{name}" for name in ("header-rows", "rows", "row-group"))
_SHOWN = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n", f"{TEXT}s": " "}
_PROPERTIES = {f"{_DC}creator": "creator", f"{_DC}date": "modified", f"{_DC}language": "language"}
_PROPERTIES |= {f"{_DC}subject": "subject", f"{_META}creation-date": "created", f"{_META}keyword": "keywords"}


def open_package(content: bytes, limits: ParseLimits, what: str, tell: Callable[[str], None] = unheard) -> Package:
    """The package. Raises `NeverWill` as `Package` does, and `password_needed` or `encryption_unsupported`."""
    package = Package(content, limits, what, tell)
    if locks(package, what):
        raise password_needed(what)
    return package


def properties(package: Package) -> tuple[str, dict[str, str]]:
    """The title and the other properties, as the program that made the file wrote them."""
    if "meta.xml" not in package:
        return "", {}
    found: dict[str, str] = {}
    title = ""
    for node in package.xml("meta.xml").iter(*_PROPERTIES, f"{_DC}title"):
        if node.tag == f"{_DC}title":
            title = one_line(node.text or "")
        else:
            found[_PROPERTIES[str(node.tag)]] = one_line(node.text or "")
    return title, found


class Body:
    """Puts the content of a text, a text box or a slide's shape into a collector, all at one position."""

    def __init__(self, package: Package, limits: ParseLimits, out: Collector, reader: Reader) -> None:
        self._package = package
        self._limits = limits
        self._out = out
        self._reader = reader
        self._cells = 0
        self.numbers: dict[etree._Element, str] = {}  # what stands before paragraphs

    def blocks(self, parent: etree._Element, position: Position = NOWHERE, depth: int = 0) -> None:
        """Headings, paragraphs, lists, tables and shapes in order.

        Of indexes only a bibliography is read: the others repeat what stands elsewhere.
        """
        if depth > MAX_DEPTH:
            self._out.add(UnitKind.TEXT, _joined(parent), position)
            return
        for node in parent:
            if node.tag == f"{TEXT}h":
                self._out.heading(self._numbered(node), _count(node, f"{TEXT}outline-level", 10), position)
                self._anchored(node, position, depth)
            elif node.tag == f"{TEXT}p":
                self._out.add(UnitKind.TEXT, self._numbered(node), position)
                self._anchored(node, position, depth)
            elif node.tag == f"{TEXT}list":
                self._list(node, position, depth)
            elif node.tag == f"{TABLE}table":
                self._out.table(self.table(node), position)
                self._anchored(node, position, depth)
            elif node.tag in _ANCHORED:
                self._shape(node, position, depth)
            elif node.tag in _LOOKED_THROUGH:
                self.blocks(node, position, depth + 1)

    def _list(self, node: etree._Element, position: Position, depth: int) -> None:
        """A list as one unit; headings that are numbered as list items stay headings."""
        if next(node.iter(f"{TEXT}h"), None) is not None:
            for item in node.iterchildren(f"{TEXT}list-item", f"{TEXT}list-header"):
                self.blocks(item, position, depth + 1)
            return
        self._out.add(UnitKind.LIST, "\n".join(self._items(node, 0)), position, verbatim=True)
        self._anchored(node, position, depth)

    def _numbered(self, node: etree._Element) -> str:
        text = paragraph_text(node)
        return f"{self.numbers.get(node, '')} {text}".lstrip() if text else ""

    def _items(self, node: etree._Element, level: int) -> Iterator[str]:
        for item in node.iterchildren(f"{TEXT}list-item", f"{TEXT}list-header"):
            if level >= MAX_DEPTH:
                yield f"- {one_line(_joined(item, _ANCHORED))}"
                continue
            paragraphs = list(item.iterchildren(f"{TEXT}p"))
            own = one_line(" ".join(map(paragraph_text, paragraphs)))
            if own:
                number = next((self.numbers[node] for node in paragraphs if node in self.numbers), "")
                yield "  " * min(level, 8) + item_mark(number) + one_line(f"{number} {own}")
            for inner in item.iterchildren(f"{TEXT}list"):
                yield from self._items(inner, level + 1)

    def _anchored(self, node: etree._Element, position: Position, depth: int) -> None:
        """What hangs at a paragraph: notes, comments, pictures, text boxes; and its links."""
        for anchor in node.iter(f"{TEXT}a"):
            self._out.link(anchor.get(_HREF, ""))
        for child in node.iter(*_ANCHORED):
            if next(above for above in child.iterancestors() if above is node or above.tag in _ANCHORED) is node:
                self._shape(child, position, depth)

    def _shape(self, node: etree._Element, position: Position, depth: int) -> None:
        if node.tag == f"{TEXT}note":
            self._out.add(UnitKind.NOTE, _joined(node.find(f"{TEXT}note-body")), position)
        elif node.tag == f"{OFFICE}annotation":
            author, text = node.findtext(f"{_DC}creator") or "", _joined(node)
            self._out.add(UnitKind.NOTE, f"{author}: {text}" if author and text else text, position)
        elif node.tag == f"{DRAW}frame":
            self._frame(node, position, depth)
        else:
            self.blocks(node, position, depth + 1)

    def _frame(self, node: etree._Element, position: Position, depth: int) -> None:
        """A text box, a table, an embedded formula or chart, or a picture: the first that can be read."""
        for child in node:
            if child.tag == f"{DRAW}text-box":
                self.blocks(child, position, depth + 1)
                return
            if child.tag == f"{TABLE}table":
                self._out.table(self.table(child), position)
                return
            if child.tag == f"{DRAW}object" and self._object(child.get(_HREF, ""), position):
                return
        image = node.find(f"{DRAW}image")
        if image is None:
            return
        words = [described(node.findtext(f"{_SVG}title") or ""), described(node.findtext(f"{_SVG}desc") or "")]
        description = " ".join(dict.fromkeys(filter(None, words)))
        target = image.get(_HREF, "").removeprefix("./")
        if target not in self._package:
            self._out.add(UnitKind.IMAGE, description, position)
            return
        try:
            self._reader.embedded(self._package.read(target), target.rpartition("/")[2], position, description)
        except NeverWill as failure:
            if failure.code == "limit_exceeded":
                raise
            self._out.warn(f"{target}: {failure.message}")

    def _object(self, reference: str, position: Position) -> bool:
        """An embedded formula as its source, an embedded chart as its data."""
        part = f"{reference.removeprefix('./').rstrip('/')}/content.xml"
        if part not in self._package:
            return False
        root = self._package.readable_xml(part)
        if root is None:
            return False
        if root.tag == f"{_MATH}math":
            source = root.find(f".//{_MATH}annotation")
            words = (source.text or "") if source is not None else " ".join(map(str, root.itertext()))
            self._out.add(UnitKind.EQUATION, one_line(words), position)
            return True
        tables = list(root.iter(f"{TABLE}table"))
        for table in tables:
            self._out.table(self.table(table), position)
        return bool(tables)

    def table(self, node: etree._Element, depth: int = 0) -> Table:
        """A table; a merged cell's text is repeated in each row and column that it covers, but where it fills a row."""
        rows: list[tuple[str, ...]] = []
        marked = 0
        above: list[str] = []
        width = 0  # columns of the cell in the first one, also in the rows below that it covers
        for row, in_header in _rows(node):
            above = self._row(row, above, depth)
            cells = tuple(above)
            first = next(row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"), None)
            if first is not None and first.tag == f"{TABLE}table-cell":
                width = _count(first, f"{TABLE}number-columns-spanned", MAX_COLUMNS)
            if any(cells):
                marked += in_header and marked == len(rows)
                rows.append(cells if len(cells) > width else (cells[0],))
        return Table(tuple(rows), marked if 0 < marked < len(rows) else guess_header_rows(rows))

    def _row(self, row: etree._Element, above: list[str], depth: int) -> list[str]:
        cells: list[str] = []
        covered = 0  # columns that the last cell covers
        for cell in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            repeated = _count(cell, f"{TABLE}number-columns-repeated", MAX_COLUMNS)
            for _ in range(min(repeated, MAX_COLUMNS - len(cells))):
                if cell.tag == f"{TABLE}table-cell":
                    cells.append(self._cell(cell, depth))
                    covered = _count(cell, f"{TABLE}number-columns-spanned", MAX_COLUMNS) - 1
                elif covered > 0 and cells:
                    cells.append(cells[-1])
                    covered -= 1
                else:
                    cells.append(above[len(cells)] if len(cells) < len(above) else "")
        while cells and not cells[-1]:
            cells.pop()
        self._cells += len(cells)
        if self._cells > self._limits.max_cells:
            raise too_large("max_cells", f"more than {self._limits.max_cells:,} cells")
        return cells

    def _cell(self, cell: etree._Element, depth: int) -> str:
        parts = []
        for child in cell:
            if child.tag == f"{TABLE}table" and depth < MAX_DEPTH:
                parts.append(self.table(child, depth + 1).text())
            elif child.tag in (f"{TABLE}table", f"{TEXT}list"):
                parts.append(_joined(child, _ANCHORED))
            elif child.tag in (f"{TEXT}p", f"{TEXT}h"):
                parts.append(paragraph_text(child))
        return one_line(" ".join(parts))


def paragraph_text(node: etree._Element) -> str:
    """The paragraph as a reader sees it: without notes, comments and shapes that hang at it."""
    return "".join(_pieces(node)).strip()


def _pieces(top: etree._Element) -> Iterator[str]:
    waiting: list[etree._Element | str] = [top]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        yield " ".join((node.text or "").split("\n"))
        for child in reversed(node):
            waiting.append(" ".join((child.tail or "").split("\n")))
            if child.tag in _SHOWN:
                waiting.append(_SHOWN[child.tag])
            elif child.tag not in _APART:
                waiting.append(child)


def _joined(node: etree._Element | None, apart: tuple[str, ...] = ()) -> str:
    """All paragraphs in `node`, but for those in the elements that are told `apart`."""
    paragraphs = []
    waiting = [node] if node is not None else []
    while waiting:
        inner = waiting.pop()
        if inner.tag in (f"{TEXT}p", f"{TEXT}h"):
            paragraphs.append(paragraph_text(inner))
        waiting += [child for child in reversed(inner) if child.tag not in apart]
    return " ".join(filter(None, paragraphs))


def _rows(table: etree._Element) -> Iterator[tuple[etree._Element, bool]]:
    """A table's own rows, and whether each is a heading; how often an empty one repeats is of no interest."""
    waiting = [(child, False) for child in reversed(table)]
    while waiting:
        node, is_header = waiting.pop()
        if node.tag == f"{TABLE}table-row":
            yield node, is_header
        elif node.tag in _ROW_GROUPS:
            is_header = node.tag == f"{TABLE}table-header-rows"
            waiting += [(child, is_header) for child in reversed(node)]


def _count(node: etree._Element, name: str, most: int) -> int:
    """A positive number in an attribute, 1 when it is missing or none."""
    return max(1, min(whole(node.get(name, "")) or 1, most))
