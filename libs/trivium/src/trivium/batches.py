"""Many rows as a few requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def batches(rows: Iterable[T], limit: int, weight: Callable[[T], int] = lambda _: 1) -> Iterator[list[T]]:
    """The rows in order, in lists that weigh at most `limit` together, or of one row."""
    batch: list[T] = []
    total = 0
    for row in rows:
        weighs = weight(row)
        if batch and total + weighs > limit:
            yield batch
            batch, total = [], 0
        batch.append(row)
        total += weighs
    if batch:
        yield batch
