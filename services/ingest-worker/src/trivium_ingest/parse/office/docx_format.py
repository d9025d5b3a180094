"""DOCX: paragraphs and tables in order, numbered headings and lists, notes, comments, boxes, pictures, equations."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.numerals import item_mark
from trivium_ingest.parse.office.numbering import Numbering
from trivium_ingest.parse.office.package import Package
from trivium_ingest.parse.office.wordprocessing import (
    DIAGRAM,
    C,
    R,
    Styles,
    W,
    Words,
    block_lines,
    chart_tables,
    children,
    diagram_list,
    drawn,
    picture_ids,
    table_of,
    text_boxes,
)
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_NOTES = (("footnotes", "footnote"), ("endnotes", "endnote"), ("comments", "comment"))


def recognise(sample: Sample) -> Evidence:
    """A zip with Word's main part."""
    return Evidence.CONTAINER_TYPE if _main_part(sample.members) else Evidence.NONE


def _main_part(names: frozenset[str] | list[str]) -> str:
    return next((name for name in names if name.startswith("word/document") and name.endswith(".xml")), "")


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Headers once, then the body, then footers, notes and comments."""
    out = Collector(limits)
    package = Package(blob.content, limits, "Word document", out.warn)
    return _Document(package, out, Reader(models.ocr, limits, out)).read()


class _Document:
    """Walks one document's parts."""

    def __init__(self, package: Package, out: Collector, reader: Reader) -> None:
        self._package = package
        self._out = out
        self._reader = reader
        self._part = _main_part(package.names("word/document"))
        self._relations = package.relations(self._part)
        self._styles = Styles.read(package, package.related(self._relations, "styles", "word/styles.xml"))
        body = self._package.xml(self._part).find(f"{W}body")
        if body is None:
            raise corrupt("Word document", "it has no body")
        self._body = body
        self._words = Words(body)
        numbering = package.related(self._relations, "numbering", "word/numbering.xml")
        lists = package.readable_xml(numbering) if numbering in package else None
        if lists is not None:
            self._words.numbers = Numbering(lists, self._styles).numbers(body, self._words)
        self._list: list[str] = []
        self._title = ""

    def read(self) -> ParsedDocument:
        self._running("header")
        self._blocks(self._body)
        if next(self._body.iter(f"{W}altChunk"), None) is not None:
            self._out.warn("A part of the document stands in another format inside it and was not read.")
        self._flush_list()
        self._running("footer")
        self._notes()
        for relation in self._relations.values():
            if relation.external:
                self._out.link(relation.target)
        properties = self._package.core_properties(self._out.warn)
        stated = properties.pop("title", "")
        title = stated or self._title or self._out.first_heading(1)
        return self._out.document(MEDIA_TYPE, title=title, metadata=properties)

    def _blocks(self, parent: etree._Element) -> None:
        """Paragraphs and tables in order; content controls and revisions are looked through."""
        for node in children(parent, f"{W}p", f"{W}tbl"):
            if node.tag == f"{W}p":
                self._paragraph(node)
            else:
                self._flush_list()
                self._out.table(table_of(node, self._words))
                self._attachments(node)

    def _paragraph(self, node: etree._Element) -> None:
        role = self._styles.role(node)
        if role.contents:
            return
        text = self._words.of(node)
        shown = self._words.numbered(node, text) if text else ""
        if role.level == 0 and role.list_depth is not None and text:
            number = self._words.numbers.get(node, "").strip()
            self._list.append("  " * role.list_depth + item_mark(number) + one_line(shown))
        else:
            self._flush_list()
            if role.level:
                self._out.heading(shown, role.level)
            elif role.title and text:
                self._title = self._title or one_line(text)
                self._out.heading(shown, 1)
            elif equation := self._words.displayed_equation(node):
                self._out.add(UnitKind.EQUATION, equation)
            else:
                self._out.add(UnitKind.TEXT, shown)
        self._attachments(node)

    def _flush_list(self) -> None:
        if self._list:
            self._out.add(UnitKind.LIST, "\n".join(self._list), verbatim=True)
            self._list = []

    def _attachments(self, node: etree._Element) -> None:
        """Text boxes, pictures, charts and diagrams anchored in a paragraph or table."""
        if not self._words.has_drawings(node):
            return
        for box in text_boxes(node):
            self._blocks(box)
        for identifier, description in picture_ids(node):
            relation = self._relations.get(identifier)
            if relation is None or relation.external or relation.target not in self._package:
                self._out.add(UnitKind.IMAGE, description)
                continue
            try:
                content = self._package.read(relation.target)
            except NeverWill as failure:
                self._out.warn(f"{relation.target}: {failure.message}")
                continue
            self._reader.embedded(content, relation.target.rpartition("/")[2], Position(), description)
        for chart in self._parts(node, f"{C}chart", f"{R}id"):
            for table in chart_tables(chart):
                self._out.table(table)
        for diagram in self._parts(node, DIAGRAM, f"{R}dm"):
            self._out.add(UnitKind.LIST, diagram_list(diagram))

    def _parts(self, node: etree._Element, tag: str, attribute: str) -> Iterator[etree._Element]:
        """What elements of that name refer to."""
        for mark in drawn(node, tag):
            relation = self._relations.get(mark.get(attribute, ""))
            if relation is not None and relation.target in self._package:
                part = self._package.readable_xml(relation.target)
                if part is not None:
                    yield part

    def _running(self, kind: str) -> None:
        seen = []
        for relation in self._relations.values():
            if relation.type == kind and relation.target in self._package:
                part = self._package.readable_xml(relation.target)
                lines = block_lines(part, Words(part)) if part is not None else []
                seen.append(" | ".join(filter(None, map(one_line, lines))))
        self._out.add_running(seen)

    def _notes(self) -> None:
        for part_name, tag in _NOTES:
            name = self._package.related(self._relations, part_name, f"word/{part_name}.xml")
            part = self._package.readable_xml(name) if name in self._package else None
            if part is None:
                continue
            words = Words(part)
            for note in part.iter(f"{W}{tag}"):
                if note.get(f"{W}type") in ("separator", "continuationSeparator", "continuationNotice"):
                    continue
                text = " ".join(filter(None, block_lines(note, words)))
                author = note.get(f"{W}author", "")
                self._out.add(UnitKind.NOTE, f"{author}: {text}" if author and text else text)


FORMAT = Format(
    name="DOCX",
    media_types=(MEDIA_TYPE, "application/vnd.ms-word.document.macroenabled.12"),
    extensions=("docx", "docm", "dotx"),
    version=9,
    recognise=recognise,
    read=read,
    cites="section",
    needs="OCR for text in pictures",
)
