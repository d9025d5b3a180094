"""How long the next step of another process is waited for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Deadline:
    """`wall_s` from now, and anew with each step that is worth it."""

    def __init__(self, wall_s: float) -> None:
        self._wall_s = wall_s
        self.renew()

    @property
    def left_s(self) -> float:
        """Below zero once it is over."""
        return self._at - time.monotonic()

    def renew(self) -> None:
        """`wall_s` from now."""
        self._at = time.monotonic() + self._wall_s

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What this process does meanwhile is not the other's time."""
        left_s = self.left_s
        yield
        self._at = max(self._at, time.monotonic() + left_s)
