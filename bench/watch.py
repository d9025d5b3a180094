"""Watches the children of this process: peak memory, and packets that left their network namespaces."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

INTERVAL_S = 0.02


@dataclass
class Seen:
    """Of one child: its largest resident size, packets and bytes sent, and whether its network is its own."""

    peak_mb: float = 0.0
    packets: int = 0
    apart: bool = False


@dataclass
class Watch:
    """A thread that looks at every child while the block runs."""

    seen: dict[int, Seen] = field(default_factory=dict)

    def __enter__(self) -> Watch:
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    @property
    def peak_mb(self) -> float:
        return max((seen.peak_mb for seen in self.seen.values()), default=0.0)

    @property
    def packets(self) -> int:
        return sum(seen.packets for seen in self.seen.values())

    @property
    def apart(self) -> bool:
        """True when every child has a network namespace of its own."""
        return bool(self.seen) and all(seen.apart for seen in self.seen.values())

    def resident_mb(self) -> float:
        """What the children hold now, together."""
        pages = (Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in _parsing_children())
        return sum(int(count) * os.sysconf("SC_PAGE_SIZE") / 1e6 for count in pages)

    def _run(self) -> None:
        while not self._end.wait(INTERVAL_S):
            for pid in _parsing_children():
                self._look(pid)

    def _look(self, pid: int) -> None:
        seen = self.seen.setdefault(pid, Seen())
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            seen.apart = seen.apart or Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
            sent = _sent(Path(f"/proc/{pid}/net/dev").read_text()) if seen.apart else {}
        except OSError:
            return  # it ended meanwhile
        peak = next((line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")), "0")
        seen.peak_mb = max(seen.peak_mb, int(peak) / 1024)
        seen.packets = max(seen.packets, sum(sent.values()))


def children_cpu_s() -> float:
    """Processor time so far of the parsing children that live, all threads."""
    threads = (path for pid in _parsing_children() for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(int(path.read_text().split()[0]) for path in threads) / 1e9


def _parsing_children() -> list[int]:
    """Direct children that run the parsers."""
    pids = []
    for task in Path("/proc/self/task").glob("*/children"):
        try:
            pids += [int(pid) for pid in task.read_text().split()]
        except OSError:
            continue
    return [pid for pid in pids if _parses(pid)]


def _parses(pid: int) -> bool:
    try:
        return b"trivium_ingest.parse.child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _sent(table: str) -> dict[str, int]:
    """Packets sent by device, of /proc/net/dev (field 10 of a line, behind the name)."""
    rows = (line.partition(":") for line in table.splitlines()[2:])
    return {name.strip(): int(fields.split()[9]) for name, _, fields in rows if fields.split()}
