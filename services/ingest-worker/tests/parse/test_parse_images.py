"""Images: the right way up, page by page, and never decoded when too large."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from heic import HEIC
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Box, ParsedDocument, Unit, UnitKind
from trivium.ports.inference import OcrLine

from .conftest import InkOcr, Parse, picture


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP"])
def test_every_image_format_is_read_with_boxes_in_pixels(parse: Parse, ocr: InkOcr, kind: str) -> None:
    document = parse(picture(kind), "scan.txt", ocr=ocr)
    (unit,) = words(document)
    assert document.media_type == f"image/{kind.lower()}"
    assert (unit.text, unit.ocr) == ("ink", True)
    box = unit.position.box
    assert box is not None
    assert box.left == pytest.approx(10, abs=2)
    assert box.bottom == pytest.approx(21, abs=2)


def test_exif_orientation_is_honoured(parse: Parse, ocr: InkOcr) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned clockwise
    parse(picture("JPEG", exif=exif), ocr=ocr)
    assert ocr.shapes[0] == (200, 100, 3)


def test_each_page_of_a_tiff_is_read(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    pages = [Image.open(io.BytesIO(picture())) for _ in range(3)]
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
    document = parse(stream.getvalue(), ocr=ocr)
    assert [unit.position.page for unit in words(document)] == [1, 2, 3]
    assert document.pages == 3


def test_pages_beside_damaged_ones_are_read(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    pages = [Image.open(io.BytesIO(picture())) for _ in range(3)]
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:], compression="tiff_lzw")
    whole = bytearray(stream.getvalue())
    with Image.open(stream) as image:
        image.seek(1)
        second = image.tag_v2[273][0]  # where its strip begins
        image.seek(2)
        third = image.tag_v2[273][0]
    whole[second : second + 8] = b"\xff" * 8
    damaged = parse(bytes(whole), ocr=ocr)
    assert [unit.position.page for unit in words(damaged)] == [1, 3]
    assert damaged.warnings[0].startswith("Page 2: This image is damaged")
    cut = parse(stream.getvalue()[: third + 8], ocr=ocr)
    assert [unit.position.page for unit in words(cut)] == [1, 2]
    assert cut.warnings == ("The file breaks off behind page 2.",)


def test_a_header_of_a_hundred_million_pixels_is_refused_before_decoding(parse: Parse, ocr: InkOcr) -> None:
    header = struct.pack(">IIBBBBB", 10_000, 10_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    content += struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    with pytest.raises(NeverWill, match=r"10000 x 10000 pixels.*max_pixels"):
        parse(content, ocr=ocr)
    assert ocr.shapes == []


def test_every_page_is_kept_to_be_shown(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    pages = [Image.open(io.BytesIO(picture())) for _ in range(2)]
    pages[1] = pages[1].rotate(90, expand=True)
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
    for content, kinds in ((stream.getvalue(), ["jpeg", "jpeg"]), (picture("PNG"), ["png"]), (HEIC, ["jpeg"])):
        document = parse(content, ocr=ocr)
        assert [asset.media_type for asset in document.assets] == [f"image/{kind}" for kind in kinds]
        shown = [unit.asset for unit in document.units if unit.kind is UnitKind.IMAGE]
        assert shown == [asset.name for asset in document.assets]
        assert all(Image.open(io.BytesIO(asset.content)).width for asset in document.assets)


def test_a_document_keeps_no_more_pictures_than_the_limit(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    pages = [picture_of(shade) for shade in (10, 90, 170)]
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
    document = parse(stream.getvalue(), ocr=ocr, limits={"max_assets": 2})
    assert len(document.assets) == 2
    assert any("max_assets" in warning for warning in document.warnings)


def picture_of(shade: int) -> Image.Image:
    return Image.new("RGB", (40, 40), (shade, shade, shade))


def words(document: ParsedDocument) -> list[Unit]:
    return [unit for unit in document.units if unit.text]


def test_an_image_without_text_gives_a_warning_and_no_text(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(stream, "PNG")
    document = parse(stream.getvalue(), ocr=ocr)
    assert document.text == ""
    assert document.warnings == ("No text was found in the image.",)


def test_a_cut_image_is_called_corrupt(parse: Parse, ocr: InkOcr) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(picture("PNG", (400, 400))[:200], ocr=ocr)
    assert failure.value.code == "corrupt_file"


def test_no_more_images_than_the_limit_are_recognised(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    pages = [Image.open(io.BytesIO(picture())) for _ in range(4)]
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
    document = parse(stream.getvalue(), ocr=ocr, limits={"max_ocr_pages": 2})
    assert len(words(document)) == 2


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_of_many_pixels_is_read_smaller_and_cited_in_its_own_pixels(
    parse: Parse, ocr: InkOcr, kind: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned clockwise
    image = Image.new("L", (5001, 3000), "white")
    ImageDraw.Draw(image).rectangle((1000, 1000, 1499, 2499), fill="black")
    stream = io.BytesIO()
    image.save(stream, kind, exif=exif)
    (unit,) = words(parse(stream.getvalue(), ocr=ocr))
    height, width, _ = ocr.shapes[0]
    assert 11_000_000 < height * width <= 12_000_000
    assert height / width == pytest.approx(5001 / 3000, rel=0.001)
    box = unit.position.box
    assert box is not None
    assert (box.left, box.top, box.right, box.bottom) == pytest.approx((500, 1000, 2000, 1500), abs=3)


def test_heic_is_read_by_its_content(parse: Parse, ocr: InkOcr) -> None:
    document = parse(HEIC, "photo.jpg", ocr=ocr)
    (unit,) = words(document)
    assert (document.media_type, unit.text) == ("image/heic", "ink")
    assert unit.position.box is not None
    assert unit.position.box.left == pytest.approx(10, abs=2)
    with pytest.raises(NeverWill) as failure:
        parse(HEIC[:200], ocr=ocr)
    assert failure.value.code == "corrupt_file"
    with pytest.raises(NeverWill, match="max_pixels"):
        parse(HEIC, ocr=ocr, limits={"max_pixels": 1000})


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_orientation_holds_in_every_format_that_has_it(parse: Parse, ocr: InkOcr, kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 8
    parse(picture(kind, exif=exif), ocr=ocr)
    assert ocr.shapes[0] == (200, 100, 3)


def test_an_animation_gives_its_first_frame(parse: Parse, ocr: InkOcr) -> None:
    stream = io.BytesIO()
    images = [Image.open(io.BytesIO(picture())), Image.new("RGB", (200, 100), "black")]
    images[0].save(stream, "GIF", save_all=True, append_images=images[1:])
    document = parse(stream.getvalue(), ocr=ocr)
    assert len(words(document)) == 1
    assert len(ocr.shapes) == 1


def test_what_only_begins_like_an_image_is_corrupt(parse: Parse, ocr: InkOcr) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(b"II*\0nothing of the kind", ocr=ocr)
    assert failure.value.code == "corrupt_file"


class BarOcr:
    """Reads every bar as how long it is, however it lies; a grey one stands above the others where all are upright."""

    fingerprint = "bars"

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        """Sure of each line by itself, from top to bottom and from left to right of the image as it lies."""
        boxes = sorted((_around_shade(image, shade) for shade in (GREY, *BLACK)), key=lambda box: (box.top, box.left))
        first, last = _around_shade(image, GREY), _around_shade(image, BLACK[-1])
        wide = first.right - first.left > first.bottom - first.top
        turned = (0 if first.top < last.top else 2) if wide else (1 if first.left > last.left else 3)
        lengths = (round(max(box.right - box.left, box.bottom - box.top)) for box in boxes)
        return [OcrLine(f"long {length}", box, 0.99, turned) for length, box in zip(lengths, boxes, strict=True)]


GREY, BLACK = 90, (10, 20, 30)


def _around_shade(image: NDArray[np.uint8], shade: int) -> Box:
    rows, columns = np.nonzero(image[:, :, 0] == shade)
    return Box(float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1))


@pytest.mark.parametrize("turns", range(4))
def test_a_scan_that_lies_on_its_side_or_head_is_read_in_order(parse: Parse, turns: int) -> None:
    page = Image.new("RGB", (400, 300), "white")
    bars = {
        GREY: (40, 40, 340, 60),
        BLACK[0]: (40, 70, 320, 90),
        BLACK[1]: (40, 200, 310, 220),
        BLACK[2]: (40, 230, 140, 250),
    }
    for shade, (left, top, right, bottom) in bars.items():
        ImageDraw.Draw(page).rectangle((left, top, right - 1, bottom - 1), fill=(shade, shade, shade))
    stream = io.BytesIO()
    page.rotate(-90 * turns, expand=True).save(stream, "PNG")
    first, second = words(parse(stream.getvalue(), ocr=BarOcr()))
    assert [first.text, second.text] == ["long 300 long 280", "long 270 long 100"]
    assert (
        first.position.box
        == [Box(40, 40, 340, 90), Box(210, 40, 260, 340), Box(60, 210, 360, 260), Box(40, 60, 90, 360)][turns]
    )
