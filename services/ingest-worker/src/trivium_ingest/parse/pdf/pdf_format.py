"""PDF: text in reading order, headings, outline, tables, figures, notes, equations, forms, OCR; attached files."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec
import pypdfium2
import pypdfium2.raw as pdfium

from trivium.domain.parsed import Box, ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import Members, with_children
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.pdf.annotations import Remark, read_annotations
from trivium_ingest.parse.pdf.attachments import listed_files
from trivium_ingest.parse.pdf.blocks import Block, Style, document_style, is_list, rejoin
from trivium_ingest.parse.pdf.contents import without_contents
from trivium_ingest.parse.pdf.continued import continue_tables
from trivium_ingest.parse.pdf.equations import mark_equations
from trivium_ingest.parse.pdf.figures import Album, Figure
from trivium_ingest.parse.pdf.notes import mark_footnotes
from trivium_ingest.parse.pdf.opening import HEADER_WITHIN, open_document
from trivium_ingest.parse.pdf.outline import Entry, mark_headings, read_outline
from trivium_ingest.parse.pdf.page import Page, read_page, render, turned
from trivium_ingest.parse.pdf.running import Running, running_texts
from trivium_ingest.parse.pdf.title import document_title
from trivium_ingest.parse.pdf.words import Frame
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import ZIP_MAGICS, Sample
from trivium_ingest.parse.text.clean import one_line

MEDIA_TYPE = "application/pdf"
_ENTRY_ABOVE = 12.0  # points that the text under a bookmark may begin above the place it names
_METADATA = ("Title", "Author", "Subject", "Keywords", "CreationDate", "ModDate", "Producer")


class _Area(msgspec.Struct):
    """What one page gives: blocks from its text layer, in the layout's frame, or paragraphs read from its pixels."""

    number: int
    blocks: list[Block]
    frame: Frame
    layout: Frame
    recognised: list[tuple[str, Box]]
    figures: list[Figure]
    remarks: list[Remark]

    @property
    def height(self) -> float:
        """Of the page as it is read."""
        return self.layout.size[1]


def recognise(sample: Sample) -> Evidence:
    """`%PDF-` anywhere in the first kilobyte, but not of an archive whose first member is a PDF."""
    if sample.head.startswith(ZIP_MAGICS):
        return Evidence.NONE
    place = sample.head.find(b"%PDF-", 0, HEADER_WITHIN)
    if place == 0:
        return Evidence.SIGNATURE
    return Evidence.STRUCTURE if place > 0 else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Read page by page, then decide what is heading and what repeats, then write down the units."""
    out = Collector(limits)
    with_ocr = Reader(models.ocr, limits, out)
    document, cut_off = open_document(blob.content, blob.password)
    try:
        count = pdfium.FPDF_GetPageCount(document.raw)
        if count > limits.max_pages:
            raise too_large("max_pages", f"{count:,} pages")
        metadata = {key: value for key in _METADATA if (value := document.get_metadata_value(key))}
        entries = read_outline(document)
        members = Members(blob, limits, out)
        areas = list(_areas(document, count, limits, with_ocr, out, members))
        listed_files(document.raw, members)
    finally:
        document.close()
    if count == 0:
        raise corrupt("PDF", "it has no pages")
    pages = [area.blocks for area in areas]
    style = document_style(pages)
    running = running_texts(pages, [area.height for area in areas], style, metadata.get("Title", ""))
    dropped = _drop_running(areas, running)
    for area in areas:
        mark_footnotes(area.blocks, style, area.height)
        mark_equations(area.blocks)
    continue_tables([area.blocks for area in areas])
    kept = [block for area in areas for block in area.blocks]
    mark_headings(kept, entries, style)
    for area in areas:
        _turn(area.blocks, area.layout, area.frame)
    _write_all(out, areas, rejoin(without_contents(kept)), style, entries)
    if cut_off and not out.units:
        raise corrupt("PDF")
    if cut_off:
        out.warn("The file is cut off at its end; what was left of it was read.")
    metadata["running_text"] = " | ".join(dropped[:5])
    title = document_title(metadata.pop("Title", ""), pages, style, running)
    named = {key.lower(): value for key, value in metadata.items()}
    return with_children(out.document(MEDIA_TYPE, title=title, pages=count, metadata=named), members.children)


def _drop_running(areas: list[_Area], running: Running) -> list[str]:
    """Take headers, footers and page numbers out of the pages; answers what they say."""
    dropped: dict[str, None] = {}
    for area in areas:
        kept = []
        for block in area.blocks:
            if running.leaves_out(block, area.height):
                dropped[one_line(block.text)] = None
            else:
                kept.append(block)
        area.blocks = kept
    return list(dropped)


def _areas(
    document: pypdfium2.PdfDocument, count: int, limits: ParseLimits, reader: Reader, out: Collector, members: Members
) -> Iterator[_Area]:
    if pdfium.FPDF_GetFormType(document.raw) == pdfium.FORMTYPE_ACRO_FORM:
        document.init_forms()
    form = document.formenv.raw if document.formenv else None
    album = Album(document.raw, limits, reader, out)
    characters = 0
    for number in range(1, count + 1):
        page = pdfium.FPDF_LoadPage(document.raw, number - 1)
        if not page:
            out.warn(f"Page {number} is damaged and was left out.")
            continue
        if form:
            pdfium.FORM_OnAfterLoadPage(page, form)  # without it no box is ticked
        try:
            found = read_page(page)
            for block in found.blocks:
                block.page = number
            area = _Area(number, found.blocks, found.frame, found.layout, [], [], [])
            area.remarks, links = read_annotations(document.raw, form, page, found.frame, members)
            for link in links:
                out.link(link)
            if found.needs_ocr:
                area.recognised = _read_pixels(page, found, number, reader, out)
            else:
                area.figures = album.figures(page, found, number)
                _turn(area.blocks, found.layout, found.frame)
                album.caption(page, found, area.blocks, area.figures)
                _turn(area.blocks, found.frame, found.layout)
        finally:
            if form:
                pdfium.FORM_OnBeforeClosePage(page, form)
            pdfium.FPDF_ClosePage(page)
        characters += sum(len(block.text) for block in area.blocks)
        if characters > limits.max_text_chars:
            raise too_large("max_text_chars", f"more than {limits.max_text_chars:,} characters of text")
        yield area


def _turn(blocks: list[Block], frame: Frame, other: Frame) -> None:
    """Move the blocks from one frame of their page to another."""
    if frame.turns != other.turns:
        for block in blocks:
            rect = turned((block.left, block.top, block.right, block.bottom), frame, other)
            block.left, block.top, block.right, block.bottom = rect


def _read_pixels(page: Any, found: Page, number: int, reader: Reader, out: Collector) -> list[tuple[str, Box]]:
    if not reader.available:
        reader.refuse(f"Page {number}")
        return []
    pixels, scale = render(page, found.frame)
    read = reader.paragraphs(pixels, f"Page {number}")
    if not read:
        out.warn(f"Page {number}: no usable text layer, and OCR found no text.")
    return [(p.text, _scaled(p.box, scale)) for p in read]


def _write_all(out: Collector, areas: list[_Area], blocks: list[Block], style: Style, entries: list[Entry]) -> None:
    """The units in reading order; the outline's sections open where no heading does it."""
    text = {number: list(group) for number, group in groupby(blocks, key=lambda block: block.page)}
    open_sections = not any(style.level(block) for block in blocks)
    waiting = deque(entry for entry in entries if entry.page) if open_sections else deque[Entry]()
    for area in areas:
        for block in text.get(area.number, ()):
            while waiting and _has_begun(waiting[0], area, block.top):
                entry = waiting.popleft()
                out.begin_section(entry.title, entry.level)
            _write(out, block, style)
        _write_recognised(out, area)


def _has_begun(entry: Entry, area: _Area, top: float) -> bool:
    if entry.page != area.number or entry.y is None:
        return entry.page <= area.number
    return area.frame.place(area.frame.left, entry.y, area.frame.left, entry.y)[1] <= top + _ENTRY_ABOVE


def _write(out: Collector, block: Block, style: Style) -> None:
    position = Position(page=block.page, box=_rounded(block.left, block.top, block.right, block.bottom))
    if block.kind is not None:
        out.add(block.kind, block.text, position, ocr=block.ocr, hidden=block.hidden, asset=block.asset)
    elif block.table is not None:
        out.table(block.table, position, hidden=block.hidden)
    elif level := style.level(block):
        out.heading(block.text, level, position)
    else:
        out.add(UnitKind.LIST if is_list(block.text) else UnitKind.TEXT, block.text, position, hidden=block.hidden)


def _write_recognised(out: Collector, area: _Area) -> None:
    for remark in area.remarks:
        out.add(remark.kind, remark.text, Position(page=area.number, box=_rounded(*remark.box)), hidden=remark.hidden)
    for text, box in area.recognised:
        out.add(UnitKind.TEXT, text, Position(page=area.number, box=box), ocr=True)
    for figure in area.figures:
        place = Position(page=area.number, box=_rounded(*figure.box))
        out.add(UnitKind.IMAGE, figure.text, place, ocr=bool(figure.text), asset=out.asset(figure.shown))


def _scaled(box: Box, scale: float) -> Box:
    return _rounded(box.left / scale, box.top / scale, box.right / scale, box.bottom / scale)


def _rounded(left: float, top: float, right: float, bottom: float) -> Box:
    return Box(round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))


FORMAT = Format(
    name="PDF",
    media_types=(MEDIA_TYPE,),
    extensions=("pdf",),
    version=11,
    recognise=recognise,
    read=read,
    cites="page and box",
    needs="OCR for scanned pages",
)
