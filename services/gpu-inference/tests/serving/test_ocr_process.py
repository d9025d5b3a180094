from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from PIL import Image, ImageDraw, ImageFont

from trivium.domain.errors import NeverWill
from trivium_inference.child import RestartingChild
from trivium_inference.serving.ocr_process import OcrProcess


def page(text: str, form: str = "PNG") -> bytes:
    image = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(image).text((30, 30), text, fill="black", font=ImageFont.load_default(28))
    file = io.BytesIO()
    image.save(file, form)
    return file.getvalue()


@pytest.fixture(scope="module")
def ocr() -> Iterator[OcrProcess]:
    with closing(OcrProcess(1, wall_s=30)) as made:
        yield made


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
def test_an_image_is_read(ocr: OcrProcess, form: str) -> None:
    (line,) = ocr.read(page("Invoice number 4711", form))
    assert line.text == "Invoice number 4711"
    assert line.box.right < 640


@pytest.mark.parametrize("content", [b"", b"no image", page("cut")[:200], b"GIF89a" + bytes(100)])
def test_what_is_no_image_is_told_and_the_next_is_read(ocr: OcrProcess, content: bytes) -> None:
    with pytest.raises(NeverWill) as failure:
        ocr.read(content)
    assert failure.value.code == "corrupt_image"
    assert ocr.read(page("Next"))[0].text == "Next"


def test_a_bomb_is_not_unpacked(ocr: OcrProcess) -> None:
    file = io.BytesIO()
    Image.new("1", (50_000, 50_000)).save(file, "PNG")
    with pytest.raises(NeverWill, match="pixels"):
        ocr.read(file.getvalue())


class Sabotaged(RestartingChild):
    """Is sent `signal` after each of the first `times` images."""

    def __init__(self, signal: int, times: int, wall_s: float = 30) -> None:
        super().__init__(wall_s, "trivium_inference.serving.ocr_child", "1")
        self.signal, self.times, self.asked = signal, times, 0

    def _answer(self, message: bytes) -> bytes:
        self.asked += 1
        if self.asked > self.times:
            return super()._answer(message)
        strike: Callable[[], None] = lambda: os.kill(self._child._process.pid, self.signal)  # type: ignore[union-attr]  # noqa: E731
        timer = threading.Timer(0.3, strike)  # long before the child has loaded its models
        timer.start()
        try:
            return super()._answer(message)
        finally:
            timer.join()


def reader(child: RestartingChild, wall_s: float = 30) -> OcrProcess:
    made = OcrProcess(1, wall_s)
    made._child = child
    return made


def test_an_image_that_crashes_the_engine_fails_alone() -> None:
    with closing(reader(Sabotaged(signal.SIGSEGV, times=2))) as ocr:
        with pytest.raises(NeverWill) as failure:
            ocr.read(page("Crash"))
        assert failure.value.code == "ocr_crashed"
        assert ocr.read(page("Next"))[0].text == "Next"


def test_a_child_that_dies_of_something_else_is_replaced_unnoticed() -> None:
    child = Sabotaged(signal.SIGKILL, times=1)
    with closing(reader(child)) as ocr:
        assert ocr.read(page("Again"))[0].text == "Again"
        assert child.asked == 2


def test_an_image_that_hangs_the_engine_is_given_up() -> None:
    child = Sabotaged(signal.SIGSTOP, times=1, wall_s=1)
    with closing(reader(child, wall_s=1)) as ocr:
        with pytest.raises(NeverWill) as failure:
            ocr.read(page("Hang"))
        assert failure.value.code == "ocr_timeout"
        assert child._child is None
