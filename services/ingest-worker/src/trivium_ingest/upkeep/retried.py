"""A store that does not answer for a moment does not end an upkeep of hours."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from trivium.domain.errors import TryLater

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)

T = TypeVar("T", bound=Hashable)


def retried(work: Callable[[], Iterable[T]]) -> Iterator[T]:
    """What `work` yields; after `TryLater` it is begun again, and yields no item twice that is equal to another.

    Nothing `work` does may do harm when it is done again. Raises the last `TryLater` when the pauses are used up.
    """
    told: set[T] = set()
    for pause in (*PAUSES_S, None):
        try:
            for item in work():
                if item not in told:
                    told.add(item)
                    yield item
            return
        except TryLater:
            if pause is None:
                raise
            time.sleep(pause)
