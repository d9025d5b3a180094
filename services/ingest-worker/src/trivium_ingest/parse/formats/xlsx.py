"""XLSX: every sheet's rows in words, with sheet and row numbers; dates as dates, formulas by their stored values.

Sheets are streamed, cell by cell that exists: a sheet whose range was inflated to a million empty rows costs nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from xml.parsers.expat import ExpatError

from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, Senses
from trivium_ingest.parse.cells import CellFormats, column_of, row_of
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.package import Package
from trivium_ingest.parse.recognise import Reader
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.sheet import Row, add_rows
from trivium_ingest.parse.wordprocessing import C, chart_table
from trivium_ingest.parse.worksheet import Worksheet
from trivium_ingest.parse.xml_safe import has_doctype

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WHAT = "Excel workbook"
MAX_MERGED_CELLS = 20_000
MAX_SHEETS = 1_000


def recognise(sample: Sample) -> float:
    """A zip with Excel's main part."""
    return 1.0 if "xl/workbook.xml" in sample.members else 0.0


def read(blob: Blob, limits: ParseLimits, senses: Senses) -> ParsedDocument:
    """Sheets in the workbook's order; hidden ones are read too, and said to be hidden."""
    package = Package(blob.content, limits, _WHAT)
    out = Collector(limits)
    book = _Book(package, limits)
    reader = Reader(senses.ocr, limits, out)
    relations = package.relations("xl/workbook.xml")
    names = []
    for sheet in list(package.xml("xl/workbook.xml").iter(f"{S}sheet"))[:MAX_SHEETS]:
        name = sheet.get("name", "")
        relation = relations.get(sheet.get(_R_ID, ""))
        if relation is None or relation.target not in package:
            continue
        names.append(name)
        if sheet.get("state") in ("hidden", "veryHidden"):
            out.warn(f"The sheet {name} is hidden in the workbook.")
        try:
            add_rows(out, book.rows(relation.target), name)
            _attached(package, relation.target, name, out, reader)
        except NeverWill as failure:
            if failure.code != "corrupt_file":
                raise
            out.warn(f"Sheet {name}: {failure.message}")
    properties = package.core_properties()
    title = properties.pop("title", "")
    return out.document(MEDIA_TYPE, title=title, metadata={**properties, "sheets": ", ".join(names)})


def _attached(package: Package, part: str, sheet: str, out: Collector, reader: Reader) -> None:
    """Charts, pictures and comments of one sheet."""
    position = Position(sheet=sheet)
    for relation in package.relations(part).values():
        if relation.external or relation.target not in package:
            continue
        if relation.type == "comments":
            for comment in package.xml(relation.target).iter(f"{S}comment"):
                text = "".join(node.text or "" for node in comment.iter(f"{S}t"))
                row = row_of(comment.get("ref", ""))
                place = Position(sheet=sheet, rows=(row, row)) if row else position
                out.add(UnitKind.NOTE, f"{comment.get('ref', '')}: {text}", place)
        elif relation.type == "drawing":
            for drawn in package.relations(relation.target).values():
                if drawn.type == "chart" and drawn.target in package:
                    chart = package.xml(drawn.target)
                    if chart.find(f".//{C}title") is not None:
                        out.table(chart_table(chart), position)
                elif drawn.type == "image" and drawn.target in package:
                    reader.embedded(package.read(drawn.target), f"{sheet}: {drawn.target.rpartition('/')[2]}", position)


class _Book:
    """Shared strings and formats of one workbook."""

    def __init__(self, package: Package, limits: ParseLimits) -> None:
        self._package = package
        self._limits = limits
        self._cells = 0
        self._strings = self._shared_strings()
        self._formats = CellFormats.read(package)

    def _shared_strings(self) -> list[str]:
        name = "xl/sharedStrings.xml"
        if name not in self._package:
            return []
        strings = []
        for item in self._elements(name, f"{S}si"):
            texts = (node.text or "" for node in item.iter(f"{S}t") if not _phonetic(node))
            strings.append("".join(texts).strip())
        return strings

    def rows(self, part: str) -> list[Row]:
        """Rows that hold something; the text of a merged range stands in each of its cells."""
        sheet = Worksheet(self._shown)
        try:
            with self._package.stream(part) as stream:
                sheet.read(stream)
        except (ExpatError, zlib.error, EOFError, OSError, ValueError) as error:
            raise corrupt(_WHAT, str(error)[:120]) from error
        merged = _Merged(sheet.merged)
        rows = []
        for number, cells in sheet.rows:
            merged.fill(number, cells)
            if cells:
                rows.append(Row(number, _line(cells)))
        return rows

    def _shown(self, kind: str, style: str, text: str) -> str:
        self._cells += 1
        if self._cells > self._limits.max_cells:
            raise too_large("max_cells", f"more than {self._limits.max_cells:,} cells")
        if kind == "n":
            return self._formats.shown(text, style)
        if kind == "s":
            return self._strings[int(text)] if text.isdigit() and int(text) < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if text == "1" else "FALSE"
        return text

    def _elements(self, part: str, tag: str) -> Iterator[etree._Element]:
        """The elements of one kind, one at a time; each is emptied once it has been looked at."""
        with self._package.stream(part) as peek:
            if has_doctype(peek.read(65_536)):
                raise NeverWill(
                    "unsafe_xml",
                    f"This {_WHAT} declares its own document type or entities, which are never expanded.",
                    "Open it in Excel and save it again.",
                )
        try:
            with self._package.stream(part) as stream:
                options = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": True}
                for _, node in etree.iterparse(stream, tag=tag, remove_comments=True, recover=False, **options):
                    yield node
                    node.clear(keep_tail=False)
                    while node.getprevious() is not None:
                        del node.getparent()[0]
        except (etree.XMLSyntaxError, zlib.error, EOFError, OSError, ValueError) as error:
            raise corrupt(_WHAT, str(error)[:120]) from error


class _Merged:
    """Merged ranges of one sheet: only their first cell holds the text that a reader sees over all of them."""

    def __init__(self, ranges: Iterable[str]) -> None:
        self._covered: dict[int, dict[int, tuple[int, int]]] = {}
        self._texts: dict[tuple[int, int], str] = {}
        total = 0
        for stated in ranges:
            first, _, last = stated.partition(":")
            top, left, bottom, right = row_of(first), column_of(first), row_of(last), column_of(last)
            total += max(0, bottom - top + 1) * max(0, right - left + 1)
            if not (top and left and bottom and right) or total > MAX_MERGED_CELLS:
                continue
            for row in range(top, bottom + 1):
                places = self._covered.setdefault(row, {})
                places.update(dict.fromkeys(range(left, right + 1), (top, left)))

    def fill(self, number: int, cells: dict[int, str]) -> None:
        """Put the text of each range into the cells that it covers in this row."""
        for place, origin in self._covered.get(number, {}).items():
            if origin == (number, place):
                self._texts[origin] = cells.get(place, "")
            elif text := self._texts.get(origin, ""):
                cells.setdefault(place, text)


def _line(cells: dict[int, str]) -> tuple[str, ...]:
    last = max(cells)
    if len(cells) == last and next(iter(cells)) == 1:
        return tuple(cells[place] for place in sorted(cells))
    return tuple(cells.get(place, "") for place in range(1, last + 1))


def _phonetic(node: etree._Element) -> bool:
    parent = node.getparent()
    return parent is not None and parent.tag == f"{S}rPh"


FORMAT = Format(
    name="XLSX",
    media_types=(MEDIA_TYPE, "application/vnd.ms-excel.sheet.macroenabled.12"),
    extensions=("xlsx", "xlsm", "xltx"),
    version=1,
    recognise=recognise,
    read=read,
    cites="sheet and rows",
    needs="OCR for text in pictures",
)
