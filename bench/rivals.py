"""The same good files through other libraries, each in an environment of its own.

One rule for all: every reader reads all files one by one in a running process, then all once more. Trivium does so
through its sandbox, as in production, without OCR and with it.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from environments import python_of
from parse_facts import SPEECH, Outcome, missing, read
from rich.table import Table
from watch import children_cpu_s

from trivium_ingest.parse.sandbox import Sandbox

HERE = Path(__file__).resolve().parent
LIMIT_S = 1_800
OFFLINE = {"HF_HUB_OFFLINE": "1", "UNSTRUCTURED_DISABLE_NOTICE": "1", "DO_NOT_TRACK": "1"}
_PIXELS = frozenset({"png", "tif", "jpg"})
# What each of `rival_reader.READERS` gives, as its results were seen to be; libraries as in rivals.txt.
_GIVES = {
    "kreuzberg": "plain text",
    "kreuzberg-structure": "Markdown; headings, tables but in PDFs, boxes in PDFs",
    "markitdown": "Markdown",
    "unstructured": "kinds of elements, tables but in PDFs, boxes in PDFs",
}


class Line(msgspec.Struct):
    """One file by one reader, read twice; `cpu_s` is the processor time of the second reading, all threads.

    `recognised` when what was found stood in pixels.
    """

    file: str
    first_s: float
    again_s: float
    cpu_s: float
    text: str
    error: str
    recognised: bool = False

    @property
    def is_read(self) -> bool:
        return not self.error and bool(self.text.strip())


def compared(folder: Path, wanted: Sequence[dict[str, Any]]) -> Table:
    """One row a reader: facts, files, seconds over the files that it reads, and Trivium's over the same ones."""
    entries = [entry for entry in wanted if entry["format"] not in SPEECH]
    files = [folder / entry["file"] for entry in entries]
    bare, whole = _ours(files, ocr=False), _ours(files, ocr=True)
    total = sum(len(entry["facts"]) for entry in entries)
    seconds = ("s: first", "again (CPU)", "trivium on these: first", "again (CPU)", "with OCR (CPU)")
    table = Table("reader", "gives", f"facts of {total}", f"files of {len(files)}", *seconds, title="The same files")
    for name, lines in (("trivium, no OCR", bare), ("trivium", whole)):
        table.add_row(name, "units with kind and place", *_row(entries, lines, bare, whole))
    for name, gives in _GIVES.items():
        try:
            lines = _theirs(name, files)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as failure:
            table.add_row(name, f"does not run here: {failure}"[:80])
            continue
        for line, entry in zip(lines, entries, strict=True):
            line.recognised = entry["format"] in _PIXELS
        table.add_row(name, gives, *_row(entries, lines, bare, whole))
    return table


def _row(
    entries: Sequence[dict[str, Any]], lines: Sequence[Line], bare: Sequence[Line], whole: Sequence[Line]
) -> tuple[str, ...]:
    lost = (missing(entry["facts"], line.text, line.recognised) for entry, line in zip(entries, lines, strict=True))
    found = sum(len(entry["facts"]) - len(gone) for entry, gone in zip(entries, lost, strict=True))
    read_ones = [number for number, line in enumerate(lines) if line.is_read]

    def first(measured: Sequence[Line]) -> str:
        return f"{sum(measured[number].first_s for number in read_ones):.2f}"

    def again(measured: Sequence[Line]) -> str:
        wall_s, cpu_s = (sum(getattr(measured[number], name) for number in read_ones) for name in ("again_s", "cpu_s"))
        return f"{wall_s:.2f} ({cpu_s:.2f})"

    return (str(found), str(len(read_ones)), first(lines), again(lines), first(bare), again(bare), again(whole))


def _ours(files: Sequence[Path], *, ocr: bool) -> list[Line]:
    """By a child that runs already, as a worker's does; files inside a file are read as well."""
    from trivium_inference.ocr import rapid_ocr

    sandbox = Sandbox(rapid_ocr if ocr else None)
    try:
        read(sandbox, HERE / "rivals.txt")
        first = [read(sandbox, path) for path in files]
        again = [_with_cpu(sandbox, path) for path in files]
    finally:
        sandbox.close()
    return [
        Line(str(path), one.seconds, two.seconds, cpu_s, two.text, two.code, two.recognised)
        for path, one, (two, cpu_s) in zip(files, first, again, strict=True)
    ]


def _with_cpu(sandbox: Sandbox, path: Path) -> tuple[Outcome, float]:
    """Processor time of this process and of the child."""
    spent = time.process_time() + children_cpu_s()
    outcome = read(sandbox, path)
    return outcome, time.process_time() + children_cpu_s() - spent


def _theirs(name: str, files: Sequence[Path]) -> list[Line]:
    command = [python_of(name.partition("-")[0]), HERE / "rival_reader.py", name, *files]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=LIMIT_S, env={**os.environ, **OFFLINE}
    )
    return [msgspec.json.decode(line, type=Line) for line in done.stdout.splitlines() if line.startswith("{")]
