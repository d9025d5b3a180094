"""PDF: text in reading order, headings, tables, and OCR for scanned pages and pictures, each with page and box."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec
import pypdfium2
import pypdfium2.raw as pdfium

from trivium.domain.parsed import Box, ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, Senses
from trivium_ingest.parse.clean import one_line
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.failures import corrupt, password_needed, too_large
from trivium_ingest.parse.pdf.blocks import (
    Block,
    Style,
    at_edge,
    document_style,
    is_list,
    is_page_number,
    rejoin,
    running_key,
    running_texts,
)
from trivium_ingest.parse.pdf.fields import form_fields
from trivium_ingest.parse.pdf.page import (
    MIN_PICTURE_EDGE,
    MIN_PICTURE_SHARE,
    Page,
    Picture,
    picture_pixels,
    read_page,
    render,
    shown,
)
from trivium_ingest.parse.pdf.tables import Rect
from trivium_ingest.parse.recognise import Reader
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import ZIP_MAGICS, Sample

MEDIA_TYPE = "application/pdf"
_HEADER_WITHIN = 1024  # ISO 32000-1, annex H: readers accept the header anywhere in the first 1024 bytes
_NOT_A_TITLE = re.compile(
    r"^(?:untitled|document\d*|microsoft (?:word|powerpoint|excel)|powerpoint presentation|slide \d|title|"
    r"(?:pdf|print|scan)\b.{0,12}$)|\.(?:docx?|pdf|indd|qxd|pptx?|xlsx?|tex|dvi|rtf|odt|txt|html?)$|^[\W\d_]*$",
    re.IGNORECASE,
)
_CATALOG = re.compile(rb"(?<!\d)(\d{1,8})\s+0\s+obj\s*<<[^>]{0,300}?/Type\s*/Catalog")
_TITLE_RATIO = 1.25
_MAX_TITLE_CHARS = 200
_MIN_STATED_WORDS = 3  # a shorter title that the first page does not show is mostly a file name
_METADATA = ("Title", "Author", "Subject", "Keywords", "CreationDate", "ModDate", "Producer")


class _Area(msgspec.Struct):
    """What one page gives: blocks from its text layer, or paragraphs read from its pixels."""

    number: int
    blocks: list[Block]
    height: float
    recognised: list[tuple[str, Box]]
    pictures: list[tuple[str, Box]]
    fields: list[tuple[str, Rect]]


def recognise(sample: Sample) -> float:
    """`%PDF-` anywhere in the first kilobyte, but not of an archive whose first member is a PDF."""
    if sample.head.startswith(ZIP_MAGICS):
        return 0.0
    place = sample.head.find(b"%PDF-", 0, _HEADER_WITHIN)
    return 1.0 if place == 0 else 0.9 * (place > 0)


def read(blob: Blob, limits: ParseLimits, senses: Senses) -> ParsedDocument:
    """Read page by page, then decide what is heading and what repeats, then write down the units."""
    out = Collector(limits)
    with_ocr = Reader(senses.ocr, limits, out)
    document, cut_off = _open(blob.content)
    try:
        count = pdfium.FPDF_GetPageCount(document.raw)
        if count > limits.max_pages:
            raise too_large("max_pages", f"{count:,} pages")
        metadata = {key: value for key in _METADATA if (value := document.get_metadata_value(key))}
        areas = list(_areas(document, count, limits, with_ocr, out))
    finally:
        document.close()
    if count == 0:
        raise corrupt("PDF", "it has no pages")
    pages = [area.blocks for area in areas]
    style = document_style(pages)
    running = running_texts(pages, [area.height for area in areas])
    dropped: dict[str, None] = {}
    kept: list[Block] = []
    for area in areas:
        for block in area.blocks:
            block.page = area.number
            repeated = running_key(block) in running or is_page_number(block)
            if repeated and at_edge(block, area.height):
                dropped[one_line(block.text)] = None
            else:
                kept.append(block)
    by_page = groupby(rejoin(kept), key=lambda block: block.page)
    text = {number: list(blocks) for number, blocks in by_page}
    for area in areas:
        for block in text.get(area.number, ()):
            _write(out, block, style)
        _write_recognised(out, area)
    if cut_off and not out.units:
        raise corrupt("PDF")
    if cut_off:
        out.warn("The file is cut off at its end; what was left of it was read.")
    metadata["running_text"] = " | ".join(list(dropped)[:5])
    title = _title(metadata.pop("Title", ""), pages, style, running)
    return out.document(MEDIA_TYPE, title=title, pages=count, metadata={k.lower(): v for k, v in metadata.items()})


def _open(content: bytes) -> tuple[pypdfium2.PdfDocument, bool]:
    """The document, and whether its lost end had to be replaced."""
    start = max(0, content.find(b"%PDF-", 0, _HEADER_WITHIN))
    content = content[start:] if start else content
    try:
        return pypdfium2.PdfDocument(content), False
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == pdfium.FPDF_ERR_PASSWORD:
            raise password_needed("PDF") from error
        if code == pdfium.FPDF_ERR_SECURITY:
            raise password_needed("PDF (its encryption is not a standard one)") from error
        if (mended := _with_trailer(content)) is None:
            raise corrupt("PDF") from error
    try:
        return pypdfium2.PdfDocument(mended), True
    except pypdfium2.PdfiumError as error:
        raise corrupt("PDF") from error


def _with_trailer(content: bytes) -> bytes | None:
    """A file cut before its trailer, with one that names the catalog; None when there is no catalog in it."""
    catalog = None
    for catalog in _CATALOG.finditer(content):  # noqa: B007 - the last one counts
        pass
    if catalog is None:
        return None
    return content + b"\nendobj\ntrailer\n<< /Root %d 0 R >>\nstartxref\n0\n%%%%EOF\n" % int(catalog.group(1))


def _areas(
    document: pypdfium2.PdfDocument, count: int, limits: ParseLimits, reader: Reader, out: Collector
) -> Iterator[_Area]:
    if pdfium.FPDF_GetFormType(document.raw) == pdfium.FORMTYPE_ACRO_FORM:
        document.init_forms()
    form = document.formenv.raw if document.formenv else None
    seen: set[tuple[int, int, int]] = set()
    characters = 0
    for number in range(1, count + 1):
        page = pdfium.FPDF_LoadPage(document.raw, number - 1)
        if not page:
            out.warn(f"Page {number} is damaged and was left out.")
            continue
        try:
            found = read_page(page)
            area = _Area(number, found.blocks, found.layout.size[1], [], [], [])
            if form is not None:
                area.fields = form_fields(form, page, found.frame)
            if found.needs_ocr:
                area.recognised = _read_pixels(page, found, number, reader, out)
            else:
                area.pictures = _read_pictures(found, number, limits, reader, seen)
        finally:
            pdfium.FPDF_ClosePage(page)
        characters += sum(len(block.text) for block in area.blocks)
        if characters > limits.max_text_chars:
            raise too_large("max_text_chars", f"more than {limits.max_text_chars:,} characters of text")
        for block in area.blocks:
            rect = shown((block.left, block.top, block.right, block.bottom), found.layout, found.frame)
            if found.layout.turns != found.frame.turns:
                block.left, block.top, block.right, block.bottom = rect
        yield area


def _read_pixels(page: Any, found: Page, number: int, reader: Reader, out: Collector) -> list[tuple[str, Box]]:
    if not reader.available:
        reader.refuse(f"Page {number}")
        return []
    pixels, scale = render(page, found.frame)
    read = reader.paragraphs(pixels, f"Page {number}")
    if not read:
        out.warn(f"Page {number}: no usable text layer, and OCR found no text.")
    return [(p.text, _scaled(p.box, scale)) for p in read]


def _read_pictures(
    found: Page, number: int, limits: ParseLimits, reader: Reader, seen: set[tuple[int, int, int]]
) -> list[tuple[str, Box]]:
    """Text in the pictures of a page that has text of its own; a picture that comes again is read once."""
    area = found.frame.width * found.frame.height
    read = []
    for picture in found.pictures:
        if not _worth_reading(picture, area, limits):
            continue
        if not reader.available:
            reader.refuse(f"Page {number}")
            break
        pixels = picture_pixels(picture)
        if pixels is None:
            continue
        key = (picture.width, picture.height, hash(pixels[::7, ::7].tobytes()))
        if key in seen:
            continue
        seen.add(key)
        lines = [paragraph.text for paragraph in reader.paragraphs(pixels, f"Page {number}")]
        if lines:
            read.append(("\n".join(lines), Box(*picture.box)))
    return read


def _worth_reading(picture: Picture, page_area: float, limits: ParseLimits) -> bool:
    left, top, right, bottom = picture.box
    large = (right - left) * (bottom - top) >= MIN_PICTURE_SHARE * page_area
    edges = min(picture.width, picture.height) >= MIN_PICTURE_EDGE
    return large and edges and picture.width * picture.height <= limits.max_pixels


def _write(out: Collector, block: Block, style: Style) -> None:
    position = Position(page=block.page, box=_rounded(block.left, block.top, block.right, block.bottom))
    if block.table is not None:
        out.table(block.table, position)
    elif level := style.level(block):
        out.heading(block.text, level, position)
    else:
        out.add(UnitKind.LIST if is_list(block.text) else UnitKind.TEXT, block.text, position)


def _write_recognised(out: Collector, area: _Area) -> None:
    for text, rect in area.fields:
        out.add(UnitKind.TEXT, text, Position(page=area.number, box=_rounded(*rect)))
    for text, box in area.recognised:
        out.add(UnitKind.TEXT, text, Position(page=area.number, box=box), ocr=True)
    for text, box in area.pictures:
        out.add(UnitKind.IMAGE, text, Position(page=area.number, box=box), ocr=True)


def _title(stated: str, pages: list[list[Block]], style: Style, running: set[str]) -> str:
    """The largest heading of the first page when it stands out, else the file's own title if it is sensible."""
    first = [b for b in (pages[0] if pages else []) if b.table is None and running_key(b) not in running]
    stated = one_line(stated)
    sensible = 3 <= len(stated) <= _MAX_TITLE_CHARS and not _NOT_A_TITLE.search(stated)
    if sensible and any(stated.lower() in one_line(block.text).lower() for block in first):
        return stated
    headings = [b for b in first if style.level(b) and b.size >= _TITLE_RATIO * style.body]
    if headings:
        largest = max(headings, key=lambda block: block.size)
        if len(largest.text) <= _MAX_TITLE_CHARS:
            return largest.text
    return stated if sensible and len(stated.split()) >= _MIN_STATED_WORDS else ""


def _scaled(box: Box, scale: float) -> Box:
    return _rounded(box.left / scale, box.top / scale, box.right / scale, box.bottom / scale)


def _rounded(left: float, top: float, right: float, bottom: float) -> Box:
    return Box(round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))


FORMAT = Format(
    name="PDF",
    media_types=(MEDIA_TYPE,),
    extensions=("pdf",),
    version=1,
    recognise=recognise,
    read=read,
    cites="page and box",
    needs="OCR for scanned pages",
)
