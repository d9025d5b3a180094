"""What every process that decodes strangers' files promises: no network, and no more memory than it is given.

A decoder that a file has taken over is simulated: it calls the C library, past everything that Python forbids.
"""

from __future__ import annotations

import asyncio
import io
import os
import platform
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from PIL import Image
from restricted import restricted_python
from structlog.testing import capture_logs

from trivium.child_process.network_probe import network_lock, warn_unless_locked
from trivium.config import Settings
from trivium.domain.errors import TriviumError
from trivium.ports.parser import Blob
from trivium_inference.audio import Recording
from trivium_inference.serving.ocr_process import OcrProcess
from trivium_inference.visual_images import Frame
from trivium_inference.visual_process import PictureProcess
from trivium_ingest.parse.sandbox import Sandbox
from trivium_query.pages.build import order_of, page_image

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="the filter's systems"
)

TAKEN_OVER = """
import ctypes, os, socket, struct, sys

def _take_over(*_, **__):
    libc = ctypes.CDLL(None)
    port = socket.htons(int(os.environ["TRIVIUM_TEST_PORT"]))
    address = struct.pack("=HH4s8x", socket.AF_INET, port, bytes([127, 0, 0, 1]))
    line = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
    said = "connected" if line >= 0 and libc.connect(line, address, len(address)) == 0 else "no network"
    try:
        bytearray(8 << 30)
        said += ", all the memory"
    except MemoryError:
        said += ", no memory"
    os.write(os.open(os.environ["TRIVIUM_TEST_TOLD"], os.O_WRONLY), said.encode())
    raise ValueError("taken over")

if not sys.flags.isolated and "-m" in sys.orig_argv and "trivium.child_process.restrict" not in sys.orig_argv:
    import av, PIL.Image
    av.open = PIL.Image.open = _take_over
"""
FRAME = Frame(32, 32, crop=True, mean=(0.0, 0.0, 0.0), std=(1.0, 1.0, 1.0))


def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(file, "PNG")
    return file.getvalue()


def parse() -> None:
    with closing(Sandbox()) as sandbox:
        sandbox.parse(Blob("scan.png", picture()))


def draw() -> None:
    asyncio.run(page_image(order_of(Blob("scan.png", picture()), 1, None)))


def hear() -> None:
    with tempfile.TemporaryFile() as file, closing(Recording(file)) as recording:
        list(recording.windows())


def read() -> None:
    with closing(OcrProcess(1)) as ocr:
        ocr.read(picture())


def see() -> None:
    with closing(PictureProcess(FRAME)) as pictures:
        pictures.read(picture())


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """What a decoder that was taken over got; children that start now are."""
    (tmp_path / "sitecustomize.py").write_text(TAKEN_OVER)
    line = tmp_path / "told"
    os.mkfifo(line)
    reading = os.open(line, os.O_RDONLY | os.O_NONBLOCK)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setenv("TRIVIUM_TEST_TOLD", str(line))
        monkeypatch.setenv("TRIVIUM_TEST_PORT", str(server.getsockname()[1]))
        yield lambda: os.read(reading, 4096).decode()
    os.close(reading)


@pytest.mark.parametrize("refused", [(), ("unshare",)], ids=["everything", "no_namespaces"])
@pytest.mark.parametrize("decode", [parse, draw, hear, read, see])
def test_a_decoder_that_a_file_takes_over_has_neither_network_nor_memory(
    decode: Callable[[], None],
    refused: tuple[str, ...],
    told: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if refused:
        monkeypatch.setattr(sys, "executable", restricted_python(tmp_path, *refused))
    with suppress(TriviumError):
        decode()
    assert told() == "no network, no memory"


@pytest.mark.parametrize(
    ("refused", "ok"), [((), True), (("unshare",), True), (("unshare", "seccomp"), False)], ids=["all", "some", "none"]
)
def test_where_the_kernel_gives_no_lock_the_start_and_the_doctor_say_so(
    refused: tuple[str, ...], ok: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if refused:
        monkeypatch.setattr(sys, "executable", restricted_python(tmp_path, *refused))
    (finding,) = network_lock(Settings())
    assert finding.ok == ok
    assert ("seccomp" in finding.action) != ok
    with capture_logs() as logs:
        warn_unless_locked()
    assert [log["event"] for log in logs] == ([] if ok else ["network_not_locked"])
