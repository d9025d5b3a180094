"""Many small requests to a store, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

AT_ONCE = 8  # requests in flight for one batch

A = TypeVar("A")
B = TypeVar("B")


def at_once(call: Callable[[A], B], batch: Sequence[A]) -> list[B]:
    """`call` for each of a batch, some at a time, in order; the first failure is raised when all have ended."""
    if len(batch) < 2:
        return [call(item) for item in batch]
    with ThreadPoolExecutor(min(AT_ONCE, len(batch))) as pool:  # threads of its own: a forked worker inherits none
        return list(pool.map(call, batch))
