"""What an `Ocr` (`trivium.ports.inference`) promises: here, and behind the service."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from trivium.adapters.distributed.inference.models import RemoteOcr
from trivium.adapters.distributed.inference.server import Inference
from trivium.ports.inference import Ocr
from trivium_inference.ocr import RapidOcr

LINES = ("Invoice number 4711", "Due on the third of May")
WIDTH, HEIGHT = 640, 220


def page(*lines: str) -> np.ndarray:
    drawn = Image.new("RGB", (WIDTH, HEIGHT), "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(drawn).text((30, 30 + 90 * number), line, fill="black", font=ImageFont.load_default(28))
    return np.asarray(drawn)


@pytest.fixture(scope="module")
def embedded() -> Ocr:
    return RapidOcr()


@pytest.fixture(scope="module")
def remote(inference: Inference) -> Ocr:
    return RemoteOcr(inference)


@pytest.fixture(params=["embedded", "remote"])
def ocr(request: pytest.FixtureRequest) -> Ocr:
    found: Ocr = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("image", [np.zeros((0, 10, 3), np.uint8), np.zeros((1, 1, 3), np.uint8), page()])
def test_empty_pictures_have_no_lines(ocr: Ocr, image: np.ndarray) -> None:
    assert ocr.read(image) == []


def test_order_lines_come_as_they_are_read_with_their_places(ocr: Ocr) -> None:
    read = ocr.read(page(*LINES))
    assert tuple(line.text for line in read) == LINES
    for line, other in pairwise(read):
        assert line.box.bottom <= other.box.top
    for line in read:
        assert 0 <= line.box.left < line.box.right <= WIDTH
        assert 0 <= line.box.top < line.box.bottom <= HEIGHT
        assert 0 < line.confidence <= 1


@pytest.mark.parametrize("turns", range(4))
def test_a_line_that_lies_on_its_side_or_head_says_so(ocr: Ocr, turns: int) -> None:
    read = ocr.read(np.ascontiguousarray(np.rot90(page(*LINES), -turns)))
    assert sorted(line.text for line in read) == sorted(LINES)
    assert [line.turned for line in read] == [turns, turns]


def test_duplicate_the_same_picture_is_read_the_same(ocr: Ocr) -> None:
    assert ocr.read(page(*LINES)) == ocr.read(page(*LINES))


def test_readings_are_shared_between_both(embedded: Ocr, remote: Ocr) -> None:
    assert remote.fingerprint == embedded.fingerprint
    assert remote.read(page(*LINES)) == embedded.read(page(*LINES))
