from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeVar

import pytest
from PIL import Image, ImageDraw, ImageFont

from trivium.child_process.child import ChildProcess
from trivium.child_process.pool import ChildPool
from trivium.child_process.reply import Reply
from trivium.domain.errors import NeverWill
from trivium_inference.serving.ocr_process import MEMORY_BYTES, OcrProcess

T = TypeVar("T")


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


class Sabotaged(ChildPool[ChildProcess]):
    """The child is sent `signal` after each of the first `times` images."""

    def __init__(self, signal: int, times: int) -> None:
        module = "trivium_inference.serving.ocr_child"
        super().__init__(lambda: ChildProcess(module, "1", memory_bytes=MEMORY_BYTES), repeats_crashes=True)
        self.signal, self.times = signal, times
        self.asked: list[ChildProcess] = []

    def run(self, job: Callable[[ChildProcess], Reply[T]]) -> T:
        def struck(child: ChildProcess) -> Reply[T]:
            self.asked.append(child)
            if len(self.asked) > self.times:
                return job(child)
            timer = threading.Timer(0.3, os.kill, (child.pid, self.signal))  # long before it has loaded its models
            timer.start()
            try:
                return job(child)
            finally:
                timer.join()

        return super().run(struck)


def reader(children: ChildPool[ChildProcess], wall_s: float = 30) -> OcrProcess:
    made = OcrProcess(1, wall_s)
    made._children = children
    return made


def test_an_image_that_crashes_the_engine_fails_alone() -> None:
    with closing(reader(Sabotaged(signal.SIGSEGV, times=2))) as ocr:
        with pytest.raises(NeverWill) as failure:
            ocr.read(page("Crash"))
        assert failure.value.code == "ocr_crashed"
        assert ocr.read(page("Next"))[0].text == "Next"


def test_a_child_that_dies_of_something_else_is_replaced_unnoticed() -> None:
    children = Sabotaged(signal.SIGKILL, times=1)
    with closing(reader(children)) as ocr:
        assert ocr.read(page("Again"))[0].text == "Again"
        assert len(children.asked) == 2


def test_an_image_that_hangs_the_engine_is_given_up() -> None:
    children = Sabotaged(signal.SIGSTOP, times=1)
    with closing(reader(children, wall_s=1)) as ocr:
        with pytest.raises(NeverWill) as failure:
            ocr.read(page("Hang"))
        assert failure.value.code == "ocr_timeout"
        assert [one.is_alive for one in children.asked] == [False]
