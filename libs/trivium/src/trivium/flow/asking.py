"""Whether somebody waits for an answer of this process, so that work that can wait does."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

LATELY_S = 1.0  # who has just been answered may well ask again


class Asking:
    """The questions that are being answered. Safe among threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open = 0
        self._last = -math.inf

    @contextmanager
    def question(self) -> Iterator[None]:
        """One is being answered during the block."""
        with self._changed:
            self._open += 1
        try:
            yield
        finally:
            with self._changed:
                self._open -= 1
                self._last = time.monotonic()
                self._changed.notify_all()

    def lately(self) -> bool:
        """Whether one is open, or was a moment ago."""
        with self._changed:
            return self._open > 0 or time.monotonic() - self._last < LATELY_S

    def wait_for_none(self, timeout_s: float) -> bool:
        """Until none is open, for so long at most. Returns whether none is."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout_s)
