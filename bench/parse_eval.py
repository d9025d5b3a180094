"""What the parsers find, how hostile files end, how other libraries do, and whether UDA's answers are retrieved.

Usage: python bench/parse_eval.py DATA [--only facts,hostile,rivals,uda] [--formats pdf,docx,...]

Run with `make eval-parse` (DATA=FOLDER with documents/ and uda/); figures are kept in bench/RESULTS.md. The files are
read under strace where it is installed, which tells every network call of every process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from parse_facts import by_format, entries, good
from parse_hostile import hostile
from rich.console import Console
from watch import Watch

PARTS = ("facts", "hostile", "rivals", "uda")
CONSOLE = Console(width=140)
_NETWORK_CALLS = "trace=connect,sendto,sendmsg,sendmmsg"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--only", default=",".join(PARTS))
    arguments.add_argument("--formats", default="", help="only these good files")
    arguments.add_argument("--untraced", action="store_true", help=argparse.SUPPRESS)  # the process that is traced
    options = arguments.parse_args()
    parts = options.only.split(",")
    folder = options.data / "documents"
    wanted = entries(folder)
    formats = set(filter(None, options.formats.split(",")))
    fine = [entry for entry in wanted if not entry.get("hostile") and (not formats or entry["format"] in formats)]
    bad = [entry for entry in wanted if entry.get("hostile")]
    if options.untraced:
        documents(folder, fine if "facts" in parts else [], bad if "hostile" in parts else [])
        return
    CONSOLE.print(f"load average at the start: {os.getloadavg()[0]:.1f}")
    if {"facts", "hostile"} & set(parts):
        traced(sys.argv[1:])
    if "rivals" in parts:
        from rivals import compared

        CONSOLE.print(compared(folder, fine))
    if "uda" in parts:
        from uda import compare

        CONSOLE.print(compare(options.data / "uda", {}))


def traced(arguments: list[str]) -> None:
    """Read the documents in a process of their own, and tell its network calls and those of its children."""
    with tempfile.TemporaryDirectory() as scratch:
        calls = Path(scratch) / "calls"
        command = [sys.executable, __file__, *arguments, "--untraced"]
        tracer = shutil.which("strace")
        if tracer:
            command = [tracer, "-f", "--seccomp-bpf", "-qq", "-e", _NETWORK_CALLS, "-o", str(calls), *command]
        subprocess.run(command, check=True)
        if tracer:
            outward = [line for line in calls.read_text().splitlines() if "AF_INET" in line]
            CONSOLE.print(
                f"calls that address IPv4 or IPv6, by strace, all processes: {len(outward)}", *outward[:5], sep="\n  "
            )
        else:
            CONSOLE.print("strace is not installed: network calls were not traced.")


def documents(folder: Path, fine: list[dict[str, Any]], bad: list[dict[str, Any]]) -> None:
    """Good files, then hostile ones, through one sandbox."""
    from trivium_inference.ocr import rapid_ocr
    from trivium_ingest.parse.sandbox import Bounds, Sandbox

    sandbox = Sandbox(rapid_ocr)
    faults = ["not asked for"]
    with Watch() as watch:
        if fine:
            tally, lost = good(sandbox, folder, fine)
            CONSOLE.print(by_format(tally), *(f"  {line}" for line in lost), sep="\n")
        if bad:
            table, faults = hostile(sandbox, folder, bad)
            CONSOLE.print(table)
    sandbox.close()
    if bad:
        CONSOLE.print(f"hostile files not as expected: {len(faults)} of {len(bad)}", *faults, sep="\n  ")
    bound = Bounds().memory_bytes / 1024**2
    CONSOLE.print(
        f"children: {len(watch.seen)}, largest {watch.peak_mb:.0f} MB of {bound:.0f}; "
        f"each in a network namespace of its own: {watch.apart}; packets sent: {watch.packets}"
    )


if __name__ == "__main__":
    main()
