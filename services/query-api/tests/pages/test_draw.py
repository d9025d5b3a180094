"""What the page as it looks shows: what was read of it, the right way up."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from heic import HEIC
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from trivium.domain.parsed import Box
from trivium_query.pages.draw import DPI, draw
from trivium_query.pages.order import Order

DARK, BRIGHT = 60, 200
BAR = (10, 10, 61, 21)


def picture(mode: str, ground: object, ink: object) -> Image.Image:
    image = Image.new(mode, (200, 100), ground)  # type: ignore[arg-type]
    ImageDraw.Draw(image).rectangle((BAR[0], BAR[1], BAR[2] - 1, BAR[3] - 1), fill=ink)  # type: ignore[arg-type]
    return image


def saved(image: Image.Image, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def numbers(type_of_number: str, ground: float, ink: float) -> Image.Image:
    grey = np.asarray(picture("L", 1, 0), type_of_number)
    return Image.fromarray(ink + grey * np.asarray(ground - ink, type_of_number))


def drawn(order: Order) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(draw(order))).convert("L"))


def bar_of(shown: NDArray[np.uint8]) -> tuple[int, ...]:
    """Where the dark pixels are on a bright ground."""
    dark = shown < DARK
    assert dark.any()
    assert (shown > BRIGHT).mean() > 0.9
    rows, columns = np.nonzero(dark)
    return int(columns.min()), int(rows.min()), int(columns.max() + 1), int(rows.max() + 1)


@pytest.mark.parametrize(
    "content",
    [
        saved(picture("RGBA", (0, 0, 0, 0), (0, 0, 0, 255))),
        saved(picture("LA", (0, 0), (0, 255))),
        saved(numbers("uint16", 33_000, 3_000)),
        saved(numbers("uint16", 33_000, 3_000), "TIFF"),
        saved(numbers("float32", 0.9, 0.1), "TIFF"),
        HEIC,
    ],
    ids=["RGBA", "LA", "16 bits", "16 bits, TIFF", "numbers", "HEIC"],
)
def test_an_image_looks_as_it_was_read(content: bytes) -> None:
    assert bar_of(drawn(Order(content, 1))) == pytest.approx(BAR, abs=1)


def turned_jpeg(*also: bytes) -> bytes:
    """A photograph that is shown turned clockwise, with more in its Exif."""
    entries = sorted([struct.pack(">HHIHH", 0x112, 3, 1, 6, 0), *also])
    exif = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, len(entries)) + b"".join(entries) + struct.pack(">I", 0)
    plain = saved(picture("RGB", "white", "black"), "JPEG")
    return plain[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + plain[2:]


@pytest.mark.parametrize(
    "also",
    [(), (struct.pack(">HHI4s", 0x11A, 2, 4, b"abc\0"),), (struct.pack(">HHIi", 0x100, 9, 1, -5),)],
    ids=["nothing", "a resolution in words", "a width below zero"],
)
def test_a_photograph_is_upright_whatever_else_its_exif_says(also: tuple[bytes, ...]) -> None:
    shown = drawn(Order(turned_jpeg(*also), 1))
    assert shown.shape == (200, 100)
    assert bar_of(shown) == pytest.approx((79, 10, 90, 61), abs=2)


def test_a_place_in_a_large_image_is_marked_in_the_smaller_one() -> None:
    large = Image.new("RGB", (5000, 4000), "white")
    shown = np.asarray(
        Image.open(io.BytesIO(draw(Order(saved(large), 1, (Box(2500, 1000, 3750, 2000),))))).convert("RGB")
    )
    assert shown.shape == (1920, 2400, 3)
    rows, columns = np.nonzero(shown[:, :, 2] < BRIGHT)
    assert (columns.min(), rows.min(), columns.max(), rows.max()) == pytest.approx((1200, 480, 1800, 960), abs=2)


def test_what_a_form_is_filled_with_is_shown() -> None:
    stream = io.BytesIO()
    canvas = Canvas(stream)
    canvas.acroForm.textfield(name="Engineer", value="Ilse Brandt", x=100, y=500, width=200, height=30, borderWidth=0)
    canvas.showPage()
    canvas.save()
    assert (drawn(Order(stream.getvalue(), 1)) < DARK).any()


HIGH, LOW = 740, 400
SAID = {
    HIGH: "The gates were investigated in May. No damage was found.",
    LOW: "Gate of the ford: was there no damage? No damage was found.",
}


def report() -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(600, 800))
    canvas.setFont("Helvetica", 11)
    for height, text in SAID.items():
        canvas.drawString(72, height, text)
    canvas.showPage()
    canvas.save()
    return stream.getvalue()


def marked(order: Order) -> tuple[float, ...]:
    """The box around what is yellow, in points; nothing where nothing is."""
    shown = np.asarray(Image.open(io.BytesIO(draw(order))).convert("RGB"))
    rows, columns = np.nonzero(shown[:, :, 2] < shown[:, :, 0] - 40.0)
    if not rows.size:
        return ()
    return tuple(float(edge) * 72 / DPI for edge in (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1))


@pytest.mark.parametrize(
    ("quote", "passage", "line"),
    [
        ("No damage was found.", HIGH, HIGH),
        ("No damage was found.", LOW, LOW),
        ("No damage was found.", None, HIGH),
        ("No damage was found.", 200, HIGH),
        ("Gate", None, LOW),
        ("gates", HIGH, HIGH),
        ("vestigat", None, HIGH),
    ],
)
def test_a_quote_is_marked_where_its_passage_stands_and_else_where_it_first_does(
    quote: str, passage: int | None, line: int
) -> None:
    boxes = (Box(72, 788 - passage, 500, 804 - passage),) if passage else ()
    left, top, right, bottom = marked(Order(report(), 1, boxes, quote))
    before = SAID[line].partition(quote)[0]
    begins, ends = (72 + stringWidth(text, "Helvetica", 11) for text in (before, before + quote))
    assert (left, right) == pytest.approx((begins, ends), abs=2)
    assert 800 - line - 12 < top < bottom < 800 - line + 5


def test_a_quote_behind_its_paragraphs_first_column_is_marked_in_the_second() -> None:
    """A paragraph's box is that of its first column."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(600, 800))
    canvas.setFont("Helvetica", 11)
    for left, height, text in (
        (72, 760, "No damage was found."),
        (72, 100, "The gates were investigated in May, and"),
        (320, 700, "in June again. No damage was found."),
        (320, 600, "No damage was found."),
    ):
        canvas.drawString(left, height, text)
    canvas.showPage()
    canvas.save()
    left, top, *_ = marked(Order(stream.getvalue(), 1, (Box(72, 690, 280, 704),), "No damage was found."))
    assert left == pytest.approx(320 + stringWidth("in June again. ", "Helvetica", 11), abs=2)
    assert 800 - 700 - 12 < top < 800 - 700


@pytest.mark.parametrize("quote", [" ", "\0", "Some damage was found."])
def test_what_does_not_stand_on_the_page_leaves_the_passage_marked(quote: str) -> None:
    assert marked(Order(report(), 1, (), quote)) == ()
    passage = Box(72, 388, 500, 404)
    assert marked(Order(report(), 1, (passage,), quote)) == pytest.approx((72, 388, 500, 404), abs=2)
