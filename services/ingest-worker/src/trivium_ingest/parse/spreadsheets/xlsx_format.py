"""XLSX: every sheet's rows in words, with sheet and row numbers; dates as dates, formulas by their stored values.

Sheets are streamed, and only cells that exist are looked at: a range inflated to a million empty rows costs nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from xml.parsers.expat import ExpatError

from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.office.package import Package, Relation
from trivium_ingest.parse.office.wordprocessing import FALLBACK, C, R, chart_tables, diagram_list, drawing_text
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.spreadsheets.cells import CellFormats, S, column_of, row_of
from trivium_ingest.parse.spreadsheets.merged import Merged, Range
from trivium_ingest.parse.spreadsheets.shared_strings import shared_strings, unescaped
from trivium_ingest.parse.spreadsheets.sheet import Row, add_rows
from trivium_ingest.parse.spreadsheets.worksheet import Worksheet
from trivium_ingest.parse.spreadsheets.worksheet_rows import Show

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_WHAT = "Excel workbook"
_BOOK, _STRINGS, _STYLES = "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml"
_NO_STRING = "Cells refer to shared strings that the workbook does not have; what they said is missing."
_NO_VALUE = (
    "Formulas whose values the file does not hold are left out: open it in a spreadsheet program, save it, and upload"
    " the new copy."
)
MAX_SHEETS = 1_000


def recognise(sample: Sample) -> Evidence:
    """A zip with Excel's main part."""
    return Evidence.CONTAINER_TYPE if _BOOK in sample.members else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Sheets in the workbook's order; hidden ones are read too, and said to be hidden."""
    out = Collector(limits)
    package = Package(blob.content, limits, _WHAT, out.warn)
    relations = package.relations(_BOOK)
    book = _Book(package, relations, limits, out)
    reader = Reader(models.ocr, limits, out)
    names = []
    for sheet in list(package.xml(_BOOK).iter(f"{S}sheet"))[:MAX_SHEETS]:
        name = sheet.get("name", "")
        relation = relations.get(sheet.get(f"{R}id", ""))
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
    properties = package.core_properties(out.warn)
    title = properties.pop("title", "")
    return out.document(MEDIA_TYPE, title=title, metadata={**properties, "sheets": ", ".join(names)})


def _attached(package: Package, part: str, sheet: str, out: Collector, reader: Reader) -> None:
    """Charts, pictures, text boxes, diagrams and comments of one sheet."""
    position = Position(sheet=sheet)
    for relation in package.relations(part).values():
        if relation.external or relation.target not in package:
            continue
        if relation.type == "comments":
            for comment in package.xml(relation.target).iter(f"{S}comment"):
                text = unescaped("".join(node.text or "" for node in comment.iter(f"{S}t")))
                row = row_of(comment.get("ref", ""))
                place = Position(sheet=sheet, rows=(row, row)) if row else position
                out.add(UnitKind.NOTE, f"{comment.get('ref', '')}: {text}", place)
        elif relation.type == "drawing":
            _drawn(package, relation.target, sheet, out, reader)


def _drawn(package: Package, part: str, sheet: str, out: Collector, reader: Reader) -> None:
    """What one drawing shows."""
    position = Position(sheet=sheet)
    shapes = package.readable_xml(part)
    for shape in shapes.iter(f"{_XDR}sp") if shapes is not None else ():
        if next(shape.iterancestors(FALLBACK), None) is None:  # those say that Excel is too old for what is drawn
            out.add(UnitKind.TEXT, drawing_text(shape), position)
    for drawn in package.relations(part).values():
        if drawn.external or drawn.target not in package:
            continue
        if drawn.type == "chart":
            _chart(package.xml(drawn.target), position, out)
        elif drawn.type == "diagramData":
            diagram = package.readable_xml(drawn.target)
            out.add(UnitKind.LIST, diagram_list(diagram) if diagram is not None else "", position)
        elif drawn.type == "image":
            reader.embedded(package.read(drawn.target), f"{sheet}: {drawn.target.rpartition('/')[2]}", position)


def _chart(chart: etree._Element, position: Position, out: Collector) -> None:
    """Without a title it only repeats cells."""
    if chart.find(f".//{C}title") is not None:
        for table in chart_tables(chart):
            out.table(table, position)


class _Book:
    """Shared strings and formats of one workbook."""

    def __init__(self, package: Package, relations: dict[str, Relation], limits: ParseLimits, out: Collector) -> None:
        self._package = package
        self._limits = limits
        self._out = out
        self._cells = 0
        self._strings = self._shared_strings(package.related(relations, "sharedStrings", _STRINGS))
        self._formats = CellFormats.read(package, package.related(relations, "styles", _STYLES))

    def _shared_strings(self, part: str) -> list[str]:
        if part not in self._package:
            return []
        with _read_as_xml(), self._package.stream(part) as stream:
            return shared_strings(stream)

    def rows(self, part: str) -> list[Row]:
        """Rows that hold something; the text of a merged range stands in each of its cells."""
        sheet = Worksheet(self._showing, self._limits.max_cells, self._cells)
        with _read_as_xml(), self._package.stream(part) as stream:
            sheet.read(stream)
        self._cells = sheet.cells
        if sheet.unvalued:
            self._out.warn(_NO_VALUE)
        merged = Merged(map(_range, sheet.merged))
        lines = ((number, merged.filled(number, cells)) for number, cells in sheet.rows)
        return [Row(number, cells) for number, cells in lines if cells]

    def _showing(self, kind: str, style: str) -> Show:
        if kind == "n":
            return self._formats.showing(style)
        if kind == "s":
            return self._shared
        return _truth if kind == "b" else unescaped

    def _shared(self, text: str) -> str:
        if text.isdigit() and int(text) < len(self._strings):
            return self._strings[int(text)]
        self._out.warn(_NO_STRING)
        return ""


def _range(stated: str) -> Range:
    first, _, last = stated.partition(":")
    return row_of(first), column_of(first), row_of(last), column_of(last)


def _truth(text: str) -> str:
    return "TRUE" if text == "1" else "FALSE"


@contextmanager
def _read_as_xml() -> Iterator[None]:
    try:
        yield
    except (ExpatError, zlib.error, EOFError, OSError, ValueError) as error:
        raise corrupt(_WHAT, str(error)[:120]) from error


FORMAT = Format(
    name="XLSX",
    media_types=(MEDIA_TYPE, "application/vnd.ms-excel.sheet.macroenabled.12"),
    extensions=("xlsx", "xlsm", "xltx"),
    version=6,
    recognise=recognise,
    read=read,
    cites="sheet and rows",
    needs="OCR for text in pictures",
)
