"""CPU time and memory of processes with all their children, from /proc."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_USER_AND_SYSTEM_TIME = slice(11, 15)  # of the process and of its children that ended, behind the command's name
_PARENT = 1


def usage(roots: dict[str, int]) -> tuple[dict[str, float], dict[str, float]]:
    """CPU seconds so far, and resident MB, by the name of each root."""
    stats = _all()
    children: defaultdict[int, list[int]] = defaultdict(list)
    for pid, fields in stats.items():
        children[int(fields[_PARENT])].append(pid)
    spent, resident = {}, {}
    for name, root in roots.items():
        tree = [root]
        for pid in tree:
            tree += children[pid]
        ticks = sum(int(ticks) for pid in tree if pid in stats for ticks in stats[pid][_USER_AND_SYSTEM_TIME])
        spent[name] = ticks / _TICKS_A_SECOND
        resident[name] = sum(_resident_mb(pid) for pid in tree)
    return spent, resident


def servers(folder: Path) -> dict[str, int]:
    """The servers of `make services`, by name."""
    return {path.parent.name: int(path.read_text().split()[0]) for path in folder.glob("*/pid")}


def _all() -> dict[int, list[str]]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
