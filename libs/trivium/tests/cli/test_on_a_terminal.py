"""What a person sees: the commands on a pseudo-terminal, as processes of their own."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from waiting import wait_until

if TYPE_CHECKING:
    from .conftest import World

PROGRAM = [sys.executable, "-c", "from trivium.cli.main import main; main()"]


@contextmanager
def on_a_terminal(server: str, folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The process, and the terminal's other side."""
    ours, theirs = pty.openpty()
    variables = os.environ | {"TRIVIUM_URL": server, "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=variables
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_all(process: subprocess.Popen[bytes], terminal: int) -> str:
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux's way of saying that the other side is closed
            break
        if not piece:
            break
        shown += piece
    process.wait(30)
    return shown.decode().replace("\r\n", "\n")


def prompted(terminal: int) -> str:
    """What is shown up to the next prompt."""
    shown = b""
    while not shown.endswith(b"> "):
        shown += os.read(terminal, 65536)
    return shown.decode()


def test_an_ingest_shows_a_bar_for_every_stage(server: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada wrote the first program.")
    with on_a_terminal(server, tmp_path, "ingest", "a.txt") as (process, terminal):
        shown = read_all(process, terminal)
    assert process.returncode == 0
    for stage in ("send", "parse", "chunk", "enrich", "embed", "index", "extract", "link", "publish"):
        assert f"{stage} " in shown
    assert "1 ready (1 passage)" in shown


def test_an_answer_is_written_as_it_comes_and_stands_once(server: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada wrote the first program.")
    subprocess.run([*PROGRAM, "ingest", "a.txt"], cwd=tmp_path, env=os.environ | {"TRIVIUM_URL": server}, check=True)
    with on_a_terminal(server, tmp_path, "ask", "program") as (process, terminal):
        shown = read_all(process, terminal)
    assert process.returncode == 0
    assert "[withdrawn: a better one follows]" in shown
    assert shown.count("Ada wrote the first program. [Source: a.txt, chunk 1]") == 1
    assert "1. a.txt, chunk 1 (page 3)" in shown


def test_an_answer_that_breaks_off_is_an_error_on_a_line_of_its_own(server: str, tmp_path: Path) -> None:
    with on_a_terminal(server, tmp_path, "ask", "slowly", "please") as (process, terminal):
        shown = read_all(process, terminal)
    assert process.returncode == 1
    assert "half an ans\nError: The language model went away.\nAsk again.\n" in shown


def test_a_chat_goes_on_after_a_failure_and_ends_with_ctrl_d(server: str, tmp_path: Path) -> None:
    with on_a_terminal(server, tmp_path, "chat") as (process, terminal):
        shown = ""
        for typed in (b"slowly please\n", b"Paris\n", b"\x04"):
            shown += prompted(terminal)
            os.write(terminal, typed)
        shown += read_all(process, terminal)
    assert process.returncode == 0
    assert "Error: The language model went away. Ask again." in shown
    assert "trivium ingest FOLDER" in shown


def test_documents_are_a_table_that_cuts_nothing(server: str, tmp_path: Path) -> None:
    name = "a-rather-long-name-for-a-file.txt"
    (tmp_path / name).write_text("Ada.")
    subprocess.run([*PROGRAM, "ingest", name], cwd=tmp_path, env=os.environ | {"TRIVIUM_URL": server}, check=True)
    with on_a_terminal(server, tmp_path, "documents") as (process, terminal):
        shown = read_all(process, terminal)
    assert name in shown
    assert "ready" in shown


def test_interrupting_the_wait_ends_it_without_a_traceback(server: str, world: World, tmp_path: Path) -> None:
    world.hold = True
    (tmp_path / "a.txt").write_text("Ada.")
    with on_a_terminal(server, tmp_path, "ingest", "a.txt") as (process, terminal):
        wait_until(lambda: world.accepted, "the file is accepted")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        shown = read_all(process, terminal)
    assert process.returncode == 130
    assert "Interrupted." in shown
    assert "Traceback" not in shown
