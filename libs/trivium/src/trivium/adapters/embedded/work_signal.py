"""The work signal of one process."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Full, Queue


class LocalWorkSignal:
    """See `trivium.ports.work_signal.WorkSignal`."""

    def __init__(self) -> None:
        self._signalled: Queue[None] = Queue(maxsize=1)

    def notify(self) -> None:
        """Wake one that waits, or the next that will."""
        with suppress(Full):  # signalled already
            self._signalled.put_nowait(None)

    def wait(self, timeout_s: float) -> bool:
        """Whether there was a signal."""
        try:
            self._signalled.get(timeout=timeout_s)
        except Empty:
            return False
        return True
