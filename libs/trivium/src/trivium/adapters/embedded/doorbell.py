"""The doorbell of one process."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Full, Queue


class LocalDoorbell:
    """See `trivium.ports.doorbell.Doorbell`."""

    def __init__(self) -> None:
        self._rang: Queue[None] = Queue(maxsize=1)

    def ring(self) -> None:
        """Wake one that waits, or the next that will."""
        with suppress(Full):  # it rang already
            self._rang.put_nowait(None)

    def wait(self, timeout_s: float) -> bool:
        """Whether it rang."""
        try:
            self._rang.get(timeout=timeout_s)
        except Empty:
            return False
        return True
