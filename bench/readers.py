"""The same files by Trivium's parsers and by the library `unstructured` through Trivium, in the sandbox, without OCR.

Usage: python bench/readers.py FOLDER    (`make test-unstructured`, which runs it where that library is installed)

FOLDER holds manifest.jsonl as parse_facts.py says. Files inside files are not read. Prints a table for RESULTS.md.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "peers"))

from parse_facts import SPEECH, entries, missing
from unstructured_model import model

from trivium.domain.errors import TriviumError
from trivium.domain.readers import Reader
from trivium.ports.parser import Blob
from trivium_ingest.parse.sandbox import Bounds, Sandbox


def main() -> None:
    folder = Path(sys.argv[1])
    wanted = [each for each in entries(folder) if not each.get("hostile") and each["format"] not in SPEECH]
    formats = sorted({entry["format"] for entry in wanted})
    with closing(Sandbox(None, bounds=Bounds(wall_s=60), unstructured_model=str(model()))) as sandbox:
        told = {reader: [measured(sandbox, folder, entry, reader) for entry in wanted] for reader in Reader}
    print(f"{len(wanted)} files, load average {os.getloadavg()[0]:.1f}\n")
    print("| format | files | facts | own | own, s | unstructured | unstructured, s |\n|---|---|---|---|---|---|---|")
    for name in (*formats, ""):
        chosen = [at for at, entry in enumerate(wanted) if name in ("", entry["format"])]
        facts = sum(len(wanted[at]["facts"]) for at in chosen)
        cells = [cell for lines in told.values() for cell in row([lines[at] for at in chosen])]
        print(f"| {' | '.join([name or 'all', str(len(chosen)), str(facts), *cells])} |")


def measured(sandbox: Sandbox, folder: Path, entry: dict[str, Any], reader: Reader) -> tuple[int, float, bool]:
    """Facts found, seconds, and whether it was read at all."""
    path = folder / entry["file"]
    began = time.perf_counter()
    try:
        document = sandbox.parse(Blob(path.name, path.read_bytes()), reader=reader)
    except TriviumError:
        return 0, time.perf_counter() - began, False
    spent = time.perf_counter() - began
    found = len(entry["facts"]) - len(missing(entry["facts"], f"{document.title}\n{document.text}", recognised=False))
    return found, spent, True


def row(lines: list[tuple[int, float, bool]]) -> list[str]:
    """Facts found (files read), and the seconds of those read."""
    read = [line for line in lines if line[2]]
    return [f"{sum(found for found, *_ in lines)} ({len(read)})", f"{sum(spent for _, spent, _ in read):.2f}"]


if __name__ == "__main__":
    main()
