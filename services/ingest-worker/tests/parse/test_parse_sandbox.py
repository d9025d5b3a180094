"""The sandbox: what a hostile file does to its child never reaches the caller."""

from __future__ import annotations

import io
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from trivium.child_process.child import resident_bytes
from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.domain.parsed import Box
from trivium.domain.password import Password
from trivium.ports.inference import OcrLine
from trivium.ports.parser import Blob, ParserModels
from trivium_ingest.parse import parser_process
from trivium_ingest.parse.build import fingerprint
from trivium_ingest.parse.sandbox import Bounds, Sandbox

from .conftest import picture

TEXT = Blob("note.txt", b"The heron waits at the weir.")
IMAGE = Blob("scan.png", picture())
CODE = """
import errno, os, socket, sys, time
from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Box
from trivium.ports.inference import OcrLine

class Misbehaving:
    fingerprint = "misbehaving"
    def __init__(self, how):
        self.how = how
    def read(self, image):
        if self.how == "hang":
            time.sleep(60)
        if self.how == "slow":
            time.sleep(0.1)
        if self.how == "die":
            os.abort()
        if self.how == "leave":
            os._exit(0)
        if self.how == "grow":
            self.kept = [bytearray(20_000_000) for _ in range(500)]
        if self.how == "hoard":
            self.images = getattr(self, "images", 0) + 1
            if self.images > 4:  # one file is looked at from four sides
                raise RuntimeError("std::bad_alloc")
        if self.how == "litter":
            littered = [bytes(100_000) for _ in range(1_000)]
            self.kept = littered[::50]
        if self.how == "exhaust":
            raise RuntimeError("(-4:Insufficient memory) Failed to allocate 99 bytes")
        if self.how == "tell":
            raise RuntimeError("'Quillon' opens nothing")
        if self.how == "full":
            raise OSError(errno.ENOSPC, "No space left on device")
        if self.how == "quota":
            try:
                raise OSError(errno.EDQUOT, "Disk quota exceeded")
            except OSError as error:
                raise NeverWill("corrupt_file", "This image is damaged.") from error
        if self.how == "call":
            try:
                socket.create_connection(("127.0.0.1", int(os.environ["TRIVIUM_TEST_PORT"])), 2)
                return [OcrLine("connected", Box(0, 0, 9, 9), 1.0)]
            except OSError:
                return [OcrLine("no network", Box(0, 0, 9, 9), 1.0)]
        if self.how == "print":
            print("noise on the standard output", flush=True)
        return [OcrLine("read", Box(0, 0, 9, 9), 1.0)]

def hang(): return Misbehaving("hang")
def slow(): return Misbehaving("slow")
def die(): return Misbehaving("die")
def leave(): return Misbehaving("leave")
def grow(): return Misbehaving("grow")
def hoard(): return Misbehaving("hoard")
def litter(): return Misbehaving("litter")
def exhaust(): return Misbehaving("exhaust")
def tell(): return Misbehaving("tell")
def full(): return Misbehaving("full")
def quota(): return Misbehaving("quota")
def call(): return Misbehaving("call")
def noise(): return Misbehaving("print")
def broken(): raise RuntimeError("no model")
"""


@pytest.fixture
def engines(tmp_path, monkeypatch):  # type: ignore[no-untyped-def]
    """OCR engines that misbehave, importable in the child as well."""
    (tmp_path / "misbehaving_engines.py").write_text(CODE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    import misbehaving_engines

    yield misbehaving_engines
    sys.modules.pop("misbehaving_engines", None)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox()
    yield made
    made.close()


def test_a_warm_child_answers_in_a_small_part_of_the_time_that_its_start_took(sandbox: Sandbox) -> None:
    first = _timed(sandbox)
    assert min(_timed(sandbox) for _ in range(20)) < first / 10


PARSERS_NAMED = """
import sys
from trivium_ingest.assembly import ingest_stages
from trivium_ingest.parse.sandbox import Sandbox
sandbox = Sandbox()
named = sandbox.fingerprint()
sandbox.close()
print(named, *sorted(sys.modules))
"""


def test_the_child_names_the_parsers_and_its_parent_loads_none() -> None:
    told = subprocess.run([sys.executable, "-c", PARSERS_NAMED], stdout=subprocess.PIPE, check=True, text=True)
    named, *loaded = told.stdout.split()
    assert named == fingerprint()
    assert not {"trivium_ingest.parse.registry", "lxml", "PIL", "av", "pypdfium2"}.intersection(loaded)


def _timed(sandbox: Sandbox) -> float:
    began = time.perf_counter()
    assert sandbox.parse(TEXT).text == "The heron waits at the weir."
    return time.perf_counter() - began


def test_failures_come_back_with_their_reason(sandbox: Sandbox) -> None:
    with pytest.raises(NeverWill) as failure:
        sandbox.parse(Blob("x.bin", bytes(range(256)) * 8))
    assert failure.value.code == "unsupported_format"
    assert failure.value.action


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("die", "parser_crashed"),
        ("leave", "parser_crashed"),
        ("hang", "parser_timeout"),
        ("grow", "parser_out_of_memory"),
    ],
)
def test_a_child_that_misbehaves_costs_its_file_and_nothing_else(engines, how: str, code: str) -> None:  # type: ignore[no-untyped-def]
    made = Sandbox(getattr(engines, how), bounds=Bounds(wall_s=2 if how == "hang" else 60, memory_bytes=500_000_000))
    try:
        assert made.parse(TEXT).units
        with pytest.raises(NeverWill) as failure:
            made.parse(IMAGE)
        assert failure.value.code == code
        assert made.parse(TEXT).units  # a fresh child
    finally:
        made.close()


def test_a_scan_of_many_pages_may_take_its_time_page_by_page(engines) -> None:  # type: ignore[no-untyped-def]
    pages = [Image.open(io.BytesIO(picture())) for _ in range(5)]
    scan = io.BytesIO()
    pages[0].save(scan, "TIFF", save_all=True, append_images=pages[1:])
    with closing(Sandbox(engines.slow, bounds=Bounds(wall_s=1))) as made:
        assert made.parse(Blob("scan.tif", scan.getvalue())).text.count("read") == 5


def test_what_other_files_left_in_a_child_costs_no_file(engines) -> None:  # type: ignore[no-untyped-def]
    with closing(Sandbox(engines.hoard)) as made:
        for _ in range(3):  # a child that read one has no memory for the next
            assert made.parse(IMAGE).text == "read"


def test_a_picture_within_the_limit_of_pixels_is_read_within_the_memory() -> None:
    stream = io.BytesIO()
    Image.new("RGBA", (5000, 4000), "white").save(stream, "PNG", compress_level=1)
    with closing(Sandbox(bounds=Bounds(memory_bytes=380_000_000))) as sandbox:
        assert sandbox.parse(Blob("plan.png", stream.getvalue())).metadata["width"] == "5000"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed, and can be told not to")
def test_a_child_gives_back_what_a_file_leaves_free_between_what_it_keeps(engines) -> None:  # type: ignore[no-untyped-def]
    with closing(Sandbox(engines.litter)) as sandbox:
        sandbox.parse(TEXT)
        before = _resident_mb()
        sandbox.parse(IMAGE)
        sandbox.parse(TEXT)  # answered once the image's child has put its memory in order
        assert _resident_mb() < before + 50


def _resident_mb() -> float:
    """Of this process' only child."""
    (task,) = [path for path in Path("/proc/self/task").glob("*/children") if path.read_text()]
    return resident_bytes(int(task.read_text())) / 1e6


def test_a_file_that_a_fresh_child_has_no_memory_for_says_so(engines) -> None:  # type: ignore[no-untyped-def]
    with closing(Sandbox(engines.exhaust)) as made:
        for _ in range(2):
            with pytest.raises(NeverWill) as failure:
                made.parse(IMAGE)
            assert failure.value.code == "parser_out_of_memory"
        assert made.parse(TEXT).units


@pytest.mark.parametrize("how", ["full", "quota"])
def test_a_full_scratch_disk_is_no_fault_of_the_file(engines, how: str) -> None:  # type: ignore[no-untyped-def]
    with closing(Sandbox(getattr(engines, how))) as made:
        with pytest.raises(TryLater) as failure:
            made.parse(IMAGE)
        assert failure.value.code == "disk_full"
        assert made.parse(TEXT).units


def test_the_child_cannot_reach_the_network(engines, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("TRIVIUM_TEST_PORT", str(server.getsockname()[1]))
        made = Sandbox(engines.call)
        try:
            assert made.parse(IMAGE).text == "no network"
        finally:
            made.close()


def test_what_a_library_prints_does_not_disturb_the_answer(engines) -> None:  # type: ignore[no-untyped-def]
    made = Sandbox(engines.noise)
    try:
        assert made.parse(IMAGE).text == "read"
    finally:
        made.close()


def test_an_engine_that_does_not_start_is_not_the_files_fault(engines) -> None:  # type: ignore[no-untyped-def]
    made = Sandbox(engines.broken)
    try:
        with pytest.raises(TryLater, match="no model"):
            made.parse(IMAGE)
        assert made.parse(TEXT).units
    finally:
        made.close()


def test_a_child_that_loads_unstructured_is_waited_for_beyond_the_usual_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_process, "_START_S", 0.0)
    with closing(Sandbox()) as quick, pytest.raises(TryLater, match="does not start"):
        quick.fingerprint()
    with closing(Sandbox(loads_unstructured=True)) as patient:
        assert patient.fingerprint() == fingerprint()


@pytest.mark.skipif(sys.platform != "linux", reason="finds the child in /proc")
def test_an_idle_child_ends_and_one_with_its_engine_waits_longer(engines) -> None:  # type: ignore[no-untyped-def]
    made = Sandbox(engines.noise, bounds=Bounds(idle_s=0.2))
    try:
        first = made.parse(TEXT)
        while _children():
            time.sleep(0.05)
        assert made.parse(TEXT) == first
        made.parse(IMAGE)
        with_engine = _children()
        time.sleep(1.0)
        assert _children() == with_engine
    finally:
        made.close()


def test_many_threads_share_the_pool(sandbox: Sandbox) -> None:
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(sandbox.parse(TEXT).text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["The heron waits at the weir."] * 8


def test_a_closed_sandbox_leaves_no_process(sandbox: Sandbox) -> None:
    sandbox.parse(TEXT)
    sandbox.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    with pytest.raises(TryLater):
        sandbox.parse(TEXT)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the child in /proc")
def test_a_killed_child_is_replaced(sandbox: Sandbox) -> None:
    sandbox.parse(TEXT)
    (child,) = _children()
    os.kill(child, signal.SIGKILL)
    time.sleep(0.1)
    assert sandbox.parse(TEXT).units


def _children() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _is_ours(entry)]


def _is_ours(entry: Path) -> bool:
    try:
        state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
        return int(parent) == os.getpid() and state != "Z"
    except OSError:
        return False


class Elsewhere:
    """An engine of the worker's own process: fails when it is told to."""

    fingerprint = "elsewhere"

    def __init__(self, failure: Exception | None = None, wait_s: float = 0) -> None:
        self.failure, self.wait_s = failure, wait_s
        self.shapes: list[tuple[int, ...]] = []

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        self.shapes.append(image.shape)
        time.sleep(self.wait_s)
        if self.failure is not None:
            raise self.failure
        return [OcrLine("read elsewhere", Box(0, 0, 99, 9), 1.0)]


def test_children_ask_an_engine_that_is_elsewhere() -> None:
    ocr = Elsewhere()
    with closing(Sandbox(models=ParserModels(ocr))) as made:
        assert made.parse(IMAGE).text == "read elsewhere"
        assert ocr.shapes[0][2] == 3
        assert made.parse(TEXT).units


@pytest.mark.parametrize("family", [NeverWill, TryLater])
def test_a_failure_of_an_engine_elsewhere_keeps_its_family(family: type[TriviumError]) -> None:
    with closing(Sandbox(models=ParserModels(Elsewhere(family("engine", "It does not.", "Help it."))))) as made:
        with pytest.raises(family) as failure:
            made.parse(IMAGE)
        assert (failure.value.code, failure.value.action) == ("engine", "Help it.")
        assert made.parse(TEXT).units


def test_time_spent_waiting_for_an_engine_elsewhere_is_not_the_files() -> None:
    with closing(Sandbox(models=ParserModels(Elsewhere(wait_s=2.5)), bounds=Bounds(wall_s=2))) as made:
        assert made.parse(IMAGE).text == "read elsewhere"


def test_what_a_library_says_of_a_password_is_not_passed_on(engines) -> None:  # type: ignore[no-untyped-def]
    scan = Blob("scan.png", picture(), password=Password("Quillon"))
    with closing(Sandbox(engines.tell)) as sandbox, pytest.raises(NeverWill) as failure:
        sandbox.parse(scan)
    assert "RuntimeError: '********' opens nothing" in failure.value.message
