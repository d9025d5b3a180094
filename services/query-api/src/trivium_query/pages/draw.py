"""A page of a PDF or an image as PNG, with boxes marked. Runs in a child process of its own (`child.py`)."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence

import pypdfium2
from PIL import Image, ImageDraw, ImageOps

from trivium.domain.errors import NotFound
from trivium.domain.parsed import Box
from trivium_query.pages.order import Order

DPI = 110
MAX_EDGE = 2_400  # pixels of the picture that is answered
MAX_PIXELS = 60_000_000  # of an image that is opened, as when it was parsed
IMAGE_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP")
_MARK = (255, 214, 0, 90)
_EDGE = (214, 120, 0, 255)
_POINT = 72.0


def draw(order: Order) -> bytes:
    """The page as PNG. Raises `NotFound` (`no_such_page`, `page_not_drawn`)."""
    if b"%PDF-" in order.content[:1024]:
        picture, scale, boxes = _pdf_page(order)
    else:
        picture, scale, boxes = _image_page(order)
    return _png(_marked(picture, [_scaled(box, scale) for box in boxes]))


def _pdf_page(order: Order) -> tuple[Image.Image, float, Sequence[Box]]:
    try:
        document = pypdfium2.PdfDocument(order.content, password=order.password.text if order.password else None)
    except pypdfium2.PdfiumError as error:
        raise _not_drawn("the PDF cannot be opened") from error
    if order.page > len(document):
        raise _no_such_page(order.page, len(document))
    try:
        page = document[order.page - 1]
        scale = min(DPI / _POINT, MAX_EDGE / max(1.0, *page.get_size()))
        picture = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
        return picture, scale, _found(page, order.quote) or order.boxes
    except pypdfium2.PdfiumError as error:
        raise _not_drawn("the page is damaged") from error


def _found(page: pypdfium2.PdfPage, quote: str) -> list[Box]:
    """Where the quote stands, a box a line; nothing where it does not stand in one piece, or the page is turned."""
    if not quote or page.get_rotation():
        return []
    text = page.get_textpage()
    searcher = text.search(" ".join(quote.split()))
    match = searcher.get_next()
    if match is None:
        return []
    start, count = match
    left, bottom, _, top = page.get_bbox()
    del bottom
    boxes = []
    for number in range(text.count_rects(start, count)):
        x0, y0, x1, y1 = text.get_rect(number)
        boxes.append(Box(x0 - left, top - y1, x1 - left, top - y0))
    return boxes


def _image_page(order: Order) -> tuple[Image.Image, float, Sequence[Box]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(order.content), formats=IMAGE_FORMATS)
            frames = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            if order.page > frames:
                raise _no_such_page(order.page, frames)
            if frames > 1:
                image.seek(order.page - 1)
            if image.width * image.height > MAX_PIXELS:
                raise _not_drawn("the image is too large")
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise _not_drawn("it is neither a PDF nor an image that can be opened") from error
    scale = min(1.0, MAX_EDGE / max(upright.size))
    if scale < 1:
        upright = upright.resize((max(1, int(upright.width * scale)), max(1, int(upright.height * scale))))
    return upright, scale, order.boxes


def _marked(picture: Image.Image, boxes: Sequence[Box]) -> Image.Image:
    if not boxes:
        return picture
    layer = Image.new("RGBA", picture.size)
    pen = ImageDraw.Draw(layer)
    for box in boxes:
        pen.rectangle((box.left, box.top, box.right, box.bottom), fill=_MARK, outline=_EDGE, width=2)
    return Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")


def _scaled(box: Box, scale: float) -> Box:
    left, right = sorted((box.left * scale, box.right * scale))
    top, bottom = sorted((box.top * scale, box.bottom * scale))
    return Box(left, top, right, bottom)


def _png(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=3)
    return stream.getvalue()


def _no_such_page(page: int, pages: int) -> NotFound:
    return NotFound("no_such_page", f"There is no page {page}; the original has {pages}.", "Ask for one that it has.")


def _not_drawn(reason: str) -> NotFound:
    return NotFound("page_not_drawn", f"The page cannot be drawn: {reason}.", "Download the original instead.")
