"""One PDF page: its blocks when it has a usable text layer, its pictures, or the whole page as pixels."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import msgspec
import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from PIL import Image

from trivium.images.rgb import MAX_READ_PIXELS, thinned
from trivium_ingest.parse.pdf.blocks import Block, margin_block, page_blocks
from trivium_ingest.parse.pdf.boxes import boxed
from trivium_ingest.parse.pdf.lines import Piece, pieces_of
from trivium_ingest.parse.pdf.right_to_left import RIGHT_TO_LEFT, read_mixed_words
from trivium_ingest.parse.pdf.tables import Rect, ruled_tables
from trivium_ingest.parse.pdf.visibility import MAX_OBJECTS, bounds_of, unseen_words
from trivium_ingest.parse.pdf.words import Frame, Word, page_frame, page_text, read_words, reading_turn, sideways

OCR_DPI = 200
MAX_RECTS = 4_000
MAX_FORM_PICTURES = 100
MAX_FORM_OBJECTS = 200
SCAN_SHARE = 0.5  # a picture that covers this much of a page with hardly any text is a scan
FEW_CHARACTERS = 25
MAX_BOLD_LINE_CHARS = 100  # longer bold lines are emphasis, not headings
_BOLD = re.compile(rb"bold|black|heavy|demi|cmbx|-bd\b|medi(?!um)", re.IGNORECASE)
_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\x01\x03-\x08\x0e-\x1f]")
MAX_UNMAPPED_SHARE = 0.25


class Picture(msgspec.Struct, frozen=True):
    """An image object's place on the page (points, as shown) and its own size in pixels."""

    handle: Any
    box: Rect
    width: int
    height: int


class Page(msgspec.Struct):
    """What was found: blocks in the layout's frame; pictures, and the boxes of what is drawn, on the page as shown."""

    blocks: list[Block]
    pictures: list[Picture]
    drawings: list[Rect]
    frame: Frame
    layout: Frame
    needs_ocr: bool = False


def read_page(page: Any) -> Page:
    """Words, tables and paragraphs in reading order, and the pictures."""
    frame = page_frame(page)
    text_page = pdfium.FPDFText_LoadPage(page)
    try:
        text = page_text(text_page)
        layout, words = _words(text_page, text, frame)
        rects, forms, pictures = _objects(page, frame, layout)
        unseen = unseen_words(page, text_page, words, layout)
        seen = [word for word in words if word.index not in unseen] if unseen else words
        hidden = _hidden_blocks([word for word in words if word.index in unseen]) if unseen else []
        if _needs_ocr(text, sum(len(word.text) for word in seen), pictures, frame):
            return Page(hidden, pictures, [], frame, layout, needs_ocr=True)
        tables, rest = ruled_tables(rects, seen) if len(rects) >= 4 else ([], seen)
        aside = {word.index for word in sideways(text_page, rest, layout)}
        upright = [word for word in rest if word.index not in aside] if aside else rest
        boxes, flowing = boxed(rects, upright, frame.width * frame.height) if len(rects) else ([], upright)
        blocks = page_blocks(sorted([*_pieces(text_page, flowing), *tables], key=lambda piece: piece.index))
        for box in boxes:  # before the last block, which may go on on the next page
            blocks[-1:-1] = page_blocks(_pieces(text_page, box))
        if aside:
            blocks.append(margin_block([word for word in rest if word.index in aside]))
        drawings = [*forms, *(turned(rect, layout, frame) for rect in rects)]
        return Page(blocks + hidden, pictures, drawings, frame, layout)
    finally:
        pdfium.FPDFText_ClosePage(text_page)


def _pieces(text_page: Any, words: list[Word]) -> list[Piece]:
    pieces = pieces_of(words)
    for piece in pieces:
        if len(piece.text) <= MAX_BOLD_LINE_CHARS:
            piece.bold = _is_bold(text_page, piece.index) and _is_bold(text_page, piece.last_index)
    return pieces


def _hidden_blocks(words: list[Word]) -> list[Block]:
    return [msgspec.structs.replace(block, hidden=True) for block in page_blocks(pieces_of(words))]


def turned(rect: Rect, frame: Frame, other: Frame) -> Rect:
    """A rectangle of one frame of the page in another one, which is turned otherwise."""
    if frame.turns == other.turns:
        return rect
    turns = (other.turns - frame.turns) % 4
    width, height = frame.size
    return Frame(0.0, height, width, height, turns).place(rect[0], height - rect[1], rect[2], height - rect[3])


def render(page: Any, frame: Frame, dpi: int = OCR_DPI, region: Rect | None = None) -> tuple[NDArray[np.uint8], float]:
    """The page, or a region of it, as RGB pixels, and how many pixels a point has."""
    width, height = frame.size
    left, top, right, bottom = region or (0.0, 0.0, width, height)
    scale = min(dpi / 72, (MAX_READ_PIXELS / max(1.0, (right - left) * (bottom - top))) ** 0.5)
    columns, rows = max(1, int((right - left) * scale)), max(1, int((bottom - top) * scale))
    whole = max(1, int(width * scale)), max(1, int(height * scale))
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, pdfium.FPDFBitmap_BGR, None, 0)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, 0xFFFFFFFF)
        place = -int(left * scale), -int(top * scale), *whole
        pdfium.FPDF_RenderPageBitmap(bitmap, page, *place, 0, pdfium.FPDF_ANNOT)
        return _rgb(bitmap), scale
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def picture_pixels(document: Any, page: Any, picture: Picture) -> NDArray[np.uint8] | None:
    """The picture's own pixels as RGB, fewer where they are too many, or None when PDFium cannot decode it.

    What its mask leaves out is white.
    """
    rendered = _rendered(document, page, picture)
    if rendered is not None:
        return rendered
    bitmap = pdfium.FPDFImageObj_GetBitmap(picture.handle)
    if not bitmap:
        return None
    try:
        return _rgb(bitmap)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def _rendered(document: Any, page: Any, picture: Picture) -> NDArray[np.uint8] | None:
    """The picture as RGB on white; None where it has no mask and is rendered fainter or smaller than it is."""
    share = min(1.0, (MAX_READ_PIXELS / (picture.width * picture.height)) ** 0.5)
    placed = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(picture.handle, placed)
    size = pdfium.FS_MATRIX(a=int(picture.width * share), d=int(picture.height * share))
    pdfium.FPDFPageObj_SetMatrix(picture.handle, size)  # it is rendered as large as its place on the page
    try:
        bitmap = pdfium.FPDFImageObj_GetRenderedBitmap(document, page, picture.handle)
    finally:
        pdfium.FPDFPageObj_SetMatrix(picture.handle, placed)
    if not bitmap:
        return None
    try:
        pixels = _channels(bitmap)
        alpha = pixels[:, :, 3]
        lowest = alpha.min()
        if lowest == alpha.max():
            return _as_rgb(pixels) if lowest == 255 and share == 1.0 else None
        laid = Image.new("RGB", (alpha.shape[1], alpha.shape[0]), "white")
        laid.paste(Image.fromarray(_as_rgb(pixels)), mask=Image.fromarray(alpha))
        return np.array(laid)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def _rgb(bitmap: Any) -> NDArray[np.uint8]:
    pixels = _channels(bitmap)
    height, width, _ = pixels.shape
    if width * height > MAX_READ_PIXELS:
        small = thinned(width, height, lambda top, bottom: Image.fromarray(_as_rgb(pixels[top:bottom])))
        return np.asarray(small, dtype=np.uint8)
    return _as_rgb(pixels)


def _channels(bitmap: Any) -> NDArray[np.uint8]:
    """The bitmap's own memory: rows, columns, and PDFium's grey or its blue, green, red and alpha."""
    width, height = pdfium.FPDFBitmap_GetWidth(bitmap), pdfium.FPDFBitmap_GetHeight(bitmap)
    stride = pdfium.FPDFBitmap_GetStride(bitmap)
    address = pdfium.FPDFBitmap_GetBuffer(bitmap)
    raw = (ctypes.c_ubyte * (stride * height)).from_address(ctypes.cast(address, ctypes.c_void_p).value or 0)
    lines = np.frombuffer(raw, dtype=np.uint8).reshape(height, stride)
    kind = pdfium.FPDFBitmap_GetFormat(bitmap)
    channels = {pdfium.FPDFBitmap_Gray: 1, pdfium.FPDFBitmap_BGR: 3}.get(kind, 4)
    return lines[:, : width * channels].reshape(height, width, channels)


def _as_rgb(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """PDFium's grey, or its blue, green and red, as a copy."""
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else np.ascontiguousarray(pixels[:, :, 2::-1])


def _words(text_page: Any, text: str, frame: Frame) -> tuple[Frame, list[Word]]:
    words = read_words(text_page, text, frame)
    turn = reading_turn(text_page, words, frame)
    if turn:
        frame = frame.turned(turn)
        words = read_words(text_page, text, frame)
    return frame, read_mixed_words(text_page, text, frame) if RIGHT_TO_LEFT.search(text) else words


def _objects(page: Any, frame: Frame, layout: Frame) -> tuple[list[Rect], list[Rect], list[Picture]]:
    """Rectangles and rules in the layout's frame; forms' boxes and pictures in the page's, also those in forms."""
    rects: list[Rect] = []
    forms: list[Rect] = []
    pictures: list[Picture] = []
    count = min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)
    get, kind_of, text = pdfium.FPDFPage_GetObject, pdfium.FPDFPageObj_GetType, pdfium.FPDF_PAGEOBJ_TEXT
    for number in range(count):
        handle = get(page, number)
        kind = kind_of(handle)
        if kind == text:
            continue  # nearly all objects of nearly all pages
        if kind == pdfium.FPDF_PAGEOBJ_PATH and len(rects) < MAX_RECTS:
            bounds = bounds_of(handle)
            if bounds and _drawn(handle):
                rects.append(layout.place(*bounds))
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            pictures.extend(_picture(handle, frame))
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and len(pictures) < MAX_FORM_PICTURES:
            inside = [pdfium.FPDFFormObj_GetObject(handle, n) for n in range(_form_size(handle))]
            images = [inner for inner in inside if kind_of(inner) == pdfium.FPDF_PAGEOBJ_IMAGE]
            matrix = pdfium.FS_MATRIX()
            pdfium.FPDFPageObj_GetMatrix(handle, matrix)
            pictures.extend(picture for inner in images for picture in _picture(inner, frame, matrix))
            if bounds := bounds_of(handle):
                forms.append(frame.place(*bounds))
    return ([] if len(rects) >= MAX_RECTS else rects), forms, pictures


def _form_size(handle: Any) -> int:
    return min(int(pdfium.FPDFFormObj_CountObjects(handle)), MAX_FORM_OBJECTS)


def _picture(handle: Any, frame: Frame, form: Any = None) -> list[Picture]:
    """The picture, placed by the matrix of the form that it stands in, if any."""
    bounds = bounds_of(handle)
    if bounds and form is not None:
        corners = [(x, y) for x in bounds[::2] for y in bounds[1::2]]
        xs = [form.a * x + form.c * y + form.e for x, y in corners]
        ys = [form.b * x + form.d * y + form.f for x, y in corners]
        bounds = min(xs), min(ys), max(xs), max(ys)
    width, height = ctypes.c_uint(), ctypes.c_uint()
    if not bounds or not pdfium.FPDFImageObj_GetImagePixelSize(handle, width, height):
        return []
    return [Picture(handle, frame.place(*bounds), width.value, height.value)]


def _drawn(handle: Any) -> bool:
    """False for clipping paths and for the white ground behind text."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(handle, fill, stroke)
    if stroke.value:
        return True
    colour = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFPageObj_GetFillColor(handle, *colour)
    return bool(fill.value) and any(part.value < 250 for part in colour[:3])


def _needs_ocr(text: str, visible: int, pictures: list[Picture], frame: Frame) -> bool:
    unmapped = len(_UNMAPPED.findall(text))
    if visible >= FEW_CHARACTERS:
        return unmapped > MAX_UNMAPPED_SHARE * visible
    area = max(1.0, frame.width * frame.height)
    largest = max(((p.box[2] - p.box[0]) * (p.box[3] - p.box[1]) for p in pictures), default=0.0)
    return largest >= SCAN_SHARE * area


def _is_bold(text_page: Any, index: int) -> bool:
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(text_page, index, name, 128, flags)
    return bool(length) and (bool(_BOLD.search(name.value)) or bool(flags.value & (1 << 18)))
