"""PPTX: each slide's title, text, tables, charts and pictures in reading order, then its speaker notes and comments."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.office.package import Package, Relation
from trivium_ingest.parse.office.wordprocessing import (
    DIAGRAM,
    A,
    C,
    R,
    chart_tables,
    described,
    diagram_list,
    drawing_paragraph,
    drawing_text,
)
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.table import Table, guess_header_rows
from trivium_ingest.parse.text.clean import one_line

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_MAIN = "ppt/presentation.xml"
_TITLES = ("title", "ctrTitle")
_REPEATED = ("dt", "ftr", "sldNum", "hdr", "sldImg")


class _Shape(msgspec.Struct):
    """A shape and where it stands on the slide (English Metric Units; groups' own scales are not applied).

    `placeholder` says which of the layout's places it fills (`title`, `body`), "" for none.
    """

    node: etree._Element
    placeholder: str
    top: int
    left: int


def recognise(sample: Sample) -> Evidence:
    """A zip with PowerPoint's main part."""
    return Evidence.CONTAINER_TYPE if _MAIN in sample.members else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Slides in the order of the presentation."""
    out = Collector(limits)
    package = Package(blob.content, limits, "PowerPoint presentation", out.warn)
    relations = package.relations(_MAIN)
    root = package.xml(_MAIN)
    slides = [relations.get(node.get(f"{R}id", "")) for node in root.iter(f"{P}sldId")]
    parts = [relation.target for relation in slides if relation is not None and relation.target in package]
    if len(parts) > limits.max_pages:
        raise too_large("max_pages", f"{len(parts):,} slides")
    reader = Reader(models.ocr, limits, out)
    first_title = ""
    for number, part in enumerate(parts, 1):
        try:
            title = _Slide(package, part, number, out, reader).read()
        except NeverWill as failure:
            if failure.code == "limit_exceeded":
                raise
            out.warn(f"Slide {number}: {failure.message}")
            continue
        first_title = first_title or (title if number == 1 else "")
    properties = package.core_properties(out.warn)
    stated = properties.pop("title", "")
    generic = stated.lower() in ("powerpoint presentation", "presentation", "slide 1", "untitled")
    title = first_title if generic or not stated else stated
    return out.document(MEDIA_TYPE, title=title, pages=len(parts), metadata=properties)


class _Slide:
    """Walks one slide."""

    def __init__(self, package: Package, part: str, number: int, out: Collector, reader: Reader) -> None:
        self._package = package
        self._part = part
        self._number = number
        self._out = out
        self._reader = reader
        self._position = Position(slide=number)
        self._relations = package.relations(part)

    def read(self) -> str:
        """Add the slide's units; returns its title."""
        root = self._package.xml(self._part)
        if root.get("show") in ("0", "false"):
            self._out.warn(f"Slide {self._number} is hidden in the presentation.")
        shapes = sorted(_shapes(root), key=lambda shape: (shape.top, shape.left))
        titles = [shape for shape in shapes if shape.placeholder in _TITLES]
        title = one_line(" ".join(drawing_text(shape.node) for shape in titles))
        self._out.leave_sections()
        self._out.heading(title, 1, self._position)
        for shape in shapes:
            if shape.placeholder not in (*_TITLES, *_REPEATED):
                self._shape(shape)
        for relation in self._relations.values():
            if relation.external:
                self._out.link(relation.target)
            elif relation.target in self._package:
                self._related(relation)
        return title

    def _shape(self, shape: _Shape) -> None:
        node = shape.node
        if node.tag == f"{P}pic":
            self._picture(node)
        elif node.tag == f"{P}graphicFrame":
            self._frame(node)
        else:
            self._body(node, shape.placeholder)

    def _body(self, node: etree._Element, placeholder: str) -> None:
        lines = [(int(_level(p)), one_line(drawing_paragraph(p))) for p in node.iter(f"{A}p")]
        lines = [(level, text) for level, text in lines if text]
        is_list = len(lines) > 1 and (placeholder in ("body", "obj", "") and node.find(f".//{P}ph") is not None)
        if is_list:
            text = "\n".join("  " * level + "- " + text for level, text in lines)
            self._out.add(UnitKind.LIST, text, self._position, verbatim=True)
        else:
            self._out.add(UnitKind.TEXT, "\n".join(text for _, text in lines), self._position)
        properties = node.find(f"*/{P}cNvPr")
        if properties is not None:  # a shape that is drawn may be described as a picture is
            self._out.add(UnitKind.IMAGE, described(properties.get("descr", "")), self._position)

    def _frame(self, node: etree._Element) -> None:
        stored = node.find(f".//{A}tbl")
        if stored is not None:
            self._out.table(_table(stored), self._position)
        for chart in node.iter(f"{C}chart"):
            relation = self._relations.get(chart.get(f"{R}id", ""))
            if relation is not None and relation.target in self._package:
                for table in chart_tables(self._package.xml(relation.target)):
                    self._out.table(table, self._position)
        for relation in self._smart_art(node):
            self._out.add(UnitKind.LIST, diagram_list(self._package.xml(relation.target)), self._position)

    def _smart_art(self, node: etree._Element) -> list[Relation]:
        found = []
        for data in node.iter(DIAGRAM):
            relation = self._relations.get(data.get(f"{R}dm", ""))
            if relation is not None and relation.target in self._package:
                found.append(relation)
        return found

    def _picture(self, node: etree._Element) -> None:
        properties = node.find(f"{P}nvPicPr/{P}cNvPr")
        description = described(properties.get("descr", "")) if properties is not None else ""
        blip = node.find(f".//{A}blip")
        relation = self._relations.get(blip.get(f"{R}embed", "")) if blip is not None else None
        if relation is None or relation.external or relation.target not in self._package:
            self._out.add(UnitKind.IMAGE, description, self._position)
            return
        try:
            content = self._package.read(relation.target)
        except NeverWill as failure:
            self._out.warn(f"Slide {self._number}: {failure.message}")
            return
        where = f"Slide {self._number}, {relation.target.rpartition('/')[2]}"
        self._reader.embedded(content, where, self._position, description)

    def _related(self, relation: Relation) -> None:
        """Speaker notes and comments stand in parts of their own."""
        if relation.type == "notesSlide":
            notes = self._package.xml(relation.target)
            for shape in _shapes(notes):
                if shape.placeholder not in _REPEATED:
                    self._out.add(UnitKind.NOTE, drawing_text(shape.node), self._position)
        elif relation.type == "comments":
            for comment in self._package.xml(relation.target).iter(f"{P}cm", "{*}cm"):
                classic = [node.text or "" for node in comment.iter(f"{P}text")]
                modern = [drawing_paragraph(p) for p in comment.iter(f"{A}p")]
                self._out.add(UnitKind.NOTE, " ".join(classic or modern), self._position)


def _shapes(root: etree._Element) -> Iterator[_Shape]:
    tree = root.find(f"{P}cSld/{P}spTree")
    if tree is not None:
        yield from _grouped(tree)


def _grouped(tree: etree._Element) -> Iterator[_Shape]:
    """Shapes of a tree; those in a group stand where the group stands, in their own order."""
    waiting: list[tuple[etree._Element, tuple[int, int] | None]] = [(node, None) for node in reversed(tree)]
    while waiting:
        node, origin = waiting.pop()
        if node.tag in (f"{P}sp", f"{P}pic", f"{P}graphicFrame", f"{P}cxnSp"):
            placeholder = _placeholder(node)
            top, left = origin or _offset(node, placeholder)
            yield _Shape(node, placeholder, top, left)
        elif node.tag == f"{P}grpSp":
            origin = origin or _offset(node, _placeholder(node))
            waiting += [(inner, origin) for inner in reversed(node)]
        elif isinstance(node.tag, str) and node.tag.endswith("}AlternateContent") and len(node):
            waiting += [(inner, origin) for inner in reversed(node[0])]


def _offset(node: etree._Element, placeholder: str) -> tuple[int, int]:
    offset = next(node.iter(f"{A}off"), None)
    if offset is None:
        return (0, 0) if placeholder in _TITLES else (1, 0)
    values = (offset.get("y", "0"), offset.get("x", "0"))
    top, left = (int(value) if value.lstrip("-").isdigit() else 0 for value in values)
    return top, left


def _placeholder(node: etree._Element) -> str:
    mark = node.find(f"*/{P}nvPr/{P}ph")
    return "" if mark is None else str(mark.get("type", "body"))


def _level(paragraph: etree._Element) -> str:
    properties = paragraph.find(f"{A}pPr")
    level = properties.get("lvl", "0") if properties is not None else "0"
    return level if level.isdigit() and len(level) == 1 else "0"


def _table(node: etree._Element) -> Table:
    rows: list[tuple[str, ...]] = []
    for row in node.iter(f"{A}tr"):
        cells: list[str] = []
        for column, cell in enumerate(row.iter(f"{A}tc")):
            text = one_line(drawing_text(cell))
            if cell.get("hMerge") in ("1", "true") and cells:
                text = cells[-1]
            elif cell.get("vMerge") in ("1", "true") and rows and column < len(rows[-1]):
                text = rows[-1][column]
            cells.append(text)
        if any(cells):
            rows.append(tuple(cells))
    properties = node.find(f"{A}tblPr")
    marked = properties is not None and properties.get("firstRow") in ("1", "true")
    return Table(tuple(rows), 1 if marked and len(rows) > 1 else guess_header_rows(rows))


FORMAT = Format(
    name="PPTX",
    media_types=(MEDIA_TYPE, "application/vnd.ms-powerpoint.presentation.macroenabled.12"),
    extensions=("pptx", "pptm", "ppsx", "potx"),
    version=4,
    recognise=recognise,
    read=read,
    cites="slide",
    needs="OCR for text in pictures",
)
