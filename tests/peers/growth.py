"""How cost grows with size, for tests of what hostile text may cost: a ratio, which a busy machine does not change."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 4
LINEAR = 8.0
"""Between linear work, which costs `TIMES` as much, and quadratic work, which costs its square."""
_ROUNDS = 3
_FLOOR_S = 0.005  # what costs less is all noise


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as much CPU `work(TIMES * size)` takes as `work(size)` just before it, the least of some rounds.

    Side by side, as a processor that another thread shares takes twice the time for the same work.
    """
    work(size)  # what is loaded or remembered by the first is no part of it
    return min(_ratio(work, size) for _ in range(_ROUNDS))


def _ratio(work: Callable[[int], object], size: int) -> float:
    small = _cpu_s(work, size)
    return _cpu_s(work, TIMES * size) / max(small, _FLOOR_S)


def _cpu_s(work: Callable[[int], object], size: int) -> float:
    """Without collecting garbage, as `timeit` does: that costs by what other tests left, not by the work."""
    collects = gc.isenabled()
    gc.disable()
    try:
        began = time.process_time()
        work(size)
        return time.process_time() - began
    finally:
        if collects:
            gc.enable()
