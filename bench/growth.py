"""Whether ingest, search and memory stay flat as passages become many, embedded, through the product's own doors.

Usage: python bench/growth.py [--passages 100000] [--characters 2000]

Run with `make bench-growth`; figures are kept in bench/RESULTS.md. Pages of made text are uploaded until there are
3,000, 10,000, 30,000 and 100,000 passages, or as many as are asked for. At each size: what a passage cost since the
size before, and the last 1,500 of them; searches, none of them asked before; memory of the server with its children;
and the same of a server that has just been started over them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from processes import usage
from report import machine
from rich.console import Console
from rich.table import Table
from serving import Running, running_server
from speed import Writer, submit, wait_idle

SIZES = (3_000, 10_000, 30_000, 100_000)
LAST = 1_500  # passages: some half minute
CHUNK = 1_000  # characters that a passage of a longer text holds, about
WARM_UP = 20
QUESTIONS = 100
POLL_S = 0.5  # a status counts every document
COLUMNS = (
    *("passages", "documents", "ms a passage since the size before (CPU)", f"of the last {LAST:,} (CPU)"),
    *("search p50 / p95, ms", "resident MB", "on disk MB", "start, s", "first search, s", "resident MB then", "load"),
)


class Cost(msgspec.Struct, frozen=True):
    """Seconds that passages took: elapsed, and of processors, the server's with its children."""

    passages: int
    wall_s: float
    cpu_s: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.passages + other.passages, self.wall_s + other.wall_s, self.cpu_s + other.cpu_s)

    def __str__(self) -> str:
        wall_ms, cpu_ms = (1000 * spent / max(1, self.passages) for spent in (self.wall_s, self.cpu_s))
        return f"{wall_ms:.1f} ({cpu_ms:.1f})"


class Growing:
    """Pages that were uploaded so far, and their writer."""

    def __init__(self, characters: int) -> None:
        self.pages = 0
        self.passages = 0
        self._characters = characters
        self._writer = Writer(4)

    def up_to(self, passages: int, server: Running) -> Cost:
        """Upload until there are about so many, and wait for the last one."""
        before = self.passages
        pages = max(0, passages - before) // max(1, self._characters // CHUNK)
        spent_s, began = _cpu_s(server), time.perf_counter()
        submit(server.client, self._writer, pages, self._characters, first=self.pages)
        status = wait_idle(server.client, POLL_S)
        self.pages += pages
        self.passages = status["chunks"]
        return Cost(self.passages - before, time.perf_counter() - began, _cpu_s(server) - spent_s)

    def searched(self, server: Running) -> list[float]:
        """Milliseconds of each search."""
        return [_searched_ms(server, self._writer) for _ in range(WARM_UP + QUESTIONS)][WARM_UP:]

    def searched_once(self, server: Running) -> float:
        """Seconds of one search."""
        return _searched_ms(server, self._writer) / 1000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--passages", type=int, default=SIZES[-1])
    arguments.add_argument("--characters", type=int, default=2000, help="of a page")
    options = arguments.parse_args()
    console = Console(width=160)
    table = Table(*COLUMNS, title=f"Growth, pages of {options.characters:,} characters: {machine()}")
    sizes = [*(size for size in SIZES if size < options.passages), options.passages]
    with tempfile.TemporaryDirectory() as folder:
        for row in grown(Path(folder), sizes, Growing(options.characters)):
            console.print(*row, sep=" | ")
            table.add_row(*row)
    console.print(table)


def grown(folder: Path, sizes: list[int], growing: Growing) -> Iterator[tuple[str, ...]]:
    """A row at each size."""
    for size in sizes:
        with running_server(folder) as server:
            begun = growing.up_to(size - LAST, server)
            last = growing.up_to(size, server)
            spent_ms = growing.searched(server)
            resident_mb = _resident_mb(server)
        began = time.perf_counter()
        with running_server(folder) as server:
            start_s = time.perf_counter() - began
            first_s = growing.searched_once(server)
            fresh_mb = _resident_mb(server)
        yield (
            *(f"{growing.passages:,}", f"{growing.pages:,}", f"{begun + last}", f"{last}"),
            f"{statistics.median(spent_ms):.1f} / {statistics.quantiles(spent_ms, n=20)[18]:.1f}",
            *(f"{resident_mb:,.0f}", f"{_on_disk_mb(folder):,.0f}", f"{start_s:.1f}", f"{first_s:.2f}"),
            *(f"{fresh_mb:,.0f}", f"{os.getloadavg()[0]:.1f}"),
        )


def _searched_ms(server: Running, writer: Writer) -> float:
    asked = {"query": writer.question(), "top_k": 10}
    began = time.perf_counter()
    answer = server.client.post("/v1/search", json=asked).raise_for_status().json()
    spent_ms = 1000 * (time.perf_counter() - began)
    if answer.get("degraded"):
        raise SystemExit(f"A source took no part: {answer['degraded']}")
    return spent_ms


def _cpu_s(server: Running) -> float:
    return usage({"serve": server.pid})[0]["serve"]


def _resident_mb(server: Running) -> float:
    return usage({"serve": server.pid})[1]["serve"]


def _on_disk_mb(folder: Path) -> float:
    return sum(path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) * 512 / 1e6


if __name__ == "__main__":
    main()
