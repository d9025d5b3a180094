"""A page of a PDF or an image as PNG, with boxes marked. Runs in a child process of its own (`child.py`)."""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Iterator, Sequence

import pi_heif  # type: ignore[import-untyped]
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageDraw

from trivium.domain.errors import NotFound
from trivium.domain.parsed import Box
from trivium.images.damaged import DAMAGED
from trivium.images.rgb import rgb
from trivium_query.pages.order import Order

DPI = 110
MAX_EDGE = 2_400  # pixels of the picture that is answered
MAX_PIXELS = 60_000_000  # of an image that is opened, as when it was parsed
MAX_MATCHES = 1_000  # of a quote on its page
IMAGE_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "HEIF")
pi_heif.register_heif_opener(thumbnails=False)
_MARK = (255, 214, 0, 90)
_EDGE = (214, 120, 0, 255)
_POINT = 72.0
_NEAR = 10.0  # points around a box's corner in which its first character is


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
        if document.get_formtype() == pdfium.FORMTYPE_ACRO_FORM:
            document.init_forms()
    except pypdfium2.PdfiumError as error:
        raise _not_drawn("the PDF cannot be opened") from error
    if order.page > len(document):
        raise _no_such_page(order.page, len(document))
    try:
        page = document[order.page - 1]
        scale = min(DPI / _POINT, MAX_EDGE / max(1.0, *page.get_size()))
        picture = page.render(scale=scale).to_pil().convert("RGB")
        return picture, scale, _found(page, order) or order.boxes
    except pypdfium2.PdfiumError as error:
        raise _not_drawn("the page is damaged") from error


def _found(page: pypdfium2.PdfPage, order: Order) -> list[Box]:
    """Where the quote stands within the order's boxes, or behind where they begin, or else where it first does.

    A box a line. A paragraph's own box is that of its first column. Nothing where the quote does not stand in one
    piece, or the page is turned.
    """
    quote = " ".join(order.quote.replace("\0", " ").split())  # PDFium's text ends there; it looks for none for ever
    if not quote or page.get_rotation():
        return []
    left, _, _, top = page.get_bbox()
    text = page.get_textpage()
    begin = 0
    if order.boxes:
        begin = text.get_index(order.boxes[0].left + left, top - order.boxes[0].top, _NEAR, _NEAR) or 0
    first: list[Box] = []
    behind: list[Box] = []
    for at, lines in itertools.islice(_matches(text, quote, left, top), MAX_MATCHES):
        first = first or lines
        if at >= begin:
            behind = behind or lines
        if lines and (not order.boxes or _stands_in(lines[0], order.boxes)):
            return lines
    return behind or first


def _matches(text: pypdfium2.PdfTextPage, quote: str, left: float, top: float) -> Iterator[tuple[int, list[Box]]]:
    """Each place by its first character, with a box a line, from the page's `left` and `top`.

    First in the same letters and whole words, then in any case, and inside words.
    """
    for exact in (True, False):
        searcher = text.search(quote, match_case=exact, match_whole_word=exact)
        while match := searcher.get_next():
            places = [text.get_rect(number) for number in range(text.count_rects(*match))]
            yield match[0], [Box(x0 - left, top - y1, x1 - left, top - y0) for x0, y0, x1, y1 in places]


def _stands_in(line: Box, boxes: Sequence[Box]) -> bool:
    x, y = (line.left + line.right) / 2, (line.top + line.bottom) / 2
    return any(box.left <= x <= box.right and box.top <= y <= box.bottom for box in boxes)


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
            longest = max(image.size)
            upright = Image.fromarray(rgb(image))
    except DAMAGED as error:
        raise _not_drawn("it is neither a PDF nor an image that can be opened") from error
    scale = min(1.0, MAX_EDGE / max(upright.size))
    if scale < 1:
        upright = upright.resize((max(1, int(upright.width * scale)), max(1, int(upright.height * scale))))
    return upright, max(upright.size) / longest, order.boxes


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
