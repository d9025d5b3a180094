"""The same good files through other libraries, each in a throw-away environment below the user's cache folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parse_facts import SPEECH, Tally, missing
from rich.table import Table

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "trivium" / "rivals"
HERE = Path(__file__).resolve().parent
UV = Path(sys.executable).with_name("uv")
LIMIT_S = 1_800
OFFLINE = {"HF_HUB_OFFLINE": "1", "UNSTRUCTURED_DISABLE_NOTICE": "1", "DO_NOT_TRACK": "1"}
_PIXELS = frozenset({"png", "tif", "jpg"})


def compared(folder: Path, wanted: Sequence[dict[str, Any]], ours: Tally) -> Table:
    """One row a library: facts found, seconds, MB a second. Those that do not install or start say so."""
    files = [entry for entry in wanted if entry["format"] not in SPEECH]
    total = sum(len(entry["facts"]) for entry in files)
    table = Table("reader", "facts found", "of", "s", "MB/s", "files that failed", title="The same files")
    table.add_row("trivium", str(ours.total[True]), str(total), *_speed(ours.size, ours.seconds), "")
    dry, wet = ours.seconds - ours.pixels, ours.pixels
    table.add_row("  of it reading pixels", "", "", f"{wet:.1f}", "", "")
    table.add_row("  without", "", "", f"{dry:.1f}", "", "")
    for name, requirement in _requirements().items():
        table.add_row(name, *_row(name, requirement, folder, files, total))
    return table


def _row(name: str, requirement: str, folder: Path, files: Sequence[dict[str, Any]], total: int) -> tuple[str, ...]:
    try:
        lines = _read(_python(name, requirement), name, [folder / entry["file"] for entry in files])
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as failure:
        return ("-", str(total), "-", "-", f"does not run here: {failure}"[:80])
    found, size = 0, 0
    for entry, line in zip(files, lines, strict=True):
        found += len(entry["facts"]) - len(missing(entry["facts"], line["text"], entry["format"] in _PIXELS))
        size += (folder / entry["file"]).stat().st_size
    failed = sum(bool(line["error"]) for line in lines)
    return (str(found), str(total), *_speed(size, sum(line["seconds"] for line in lines)), str(failed))


def _speed(size: int, seconds: float) -> tuple[str, str]:
    return f"{seconds:.1f}", f"{size / 1e6 / max(seconds, 1e-9):.2f}"


def _requirements() -> dict[str, str]:
    lines = (line.partition(": ") for line in (HERE / "rivals.txt").read_text().splitlines() if line[:1] != "#")
    return {name: requirement for name, _, requirement in lines}


def _python(name: str, requirement: str) -> Path:
    """The interpreter of the library's environment, made when it is not there or holds another version."""
    home = CACHE / name
    python, mark = home / "bin" / "python", home / "requirement"
    if not mark.exists() or mark.read_text() != requirement:
        subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, home], check=True)
        subprocess.run([UV, "pip", "install", "--quiet", "--python", python, requirement], check=True)
        mark.write_text(requirement)
    return python


def _read(python: Path, name: str, files: Sequence[Path]) -> list[dict[str, Any]]:
    command = [python, HERE / "rival_reader.py", name, *files]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=LIMIT_S, env={**os.environ, **OFFLINE}
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")][1:]
