"""How a bench tells its figures: each as soon as it is known, and all of them in a table at the end."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

Row = tuple[str, str, str]
"""What, what was measured, and what is to be reached."""


def report(title: str, measurements: Iterable[Callable[[], Sequence[Row]]]) -> None:
    """Measure one after the other."""
    console = Console()
    table = Table(
        "what", "measured", "reach", title=f"{title}: {machine()}; load {os.getloadavg()[0]:.1f} at the start"
    )
    for measure in measurements:
        for row in measure():
            console.print(*row)
            table.add_row(*row)
    console.print(table)


def p50_p95(spent_ms: Sequence[float]) -> str:
    """Median and 95th percentile of milliseconds."""
    return f"p50 {statistics.median(spent_ms):.1f} ms, p95 {statistics.quantiles(spent_ms, n=20)[18]:.1f} ms"


def machine() -> str:
    """Processor, cores and vector unit."""
    told = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", told)
    units = [unit for unit in ("amx_bf16", "avx512_bf16", "avx512f", "avx2") if unit in told]
    name = model[1] if model else platform.processor()
    return f"{name}, {len(os.sched_getaffinity(0))} cores, {units[0] if units else 'no vector unit'}"
