"""The doorbell of one process."""

from __future__ import annotations

import threading


class LocalDoorbell:
    """See `trivium.ports.doorbell.Doorbell`."""

    def __init__(self) -> None:
        self._rang = threading.Event()

    def ring(self) -> None:
        """Wake one that waits, or the next that will."""
        self._rang.set()

    def wait(self, timeout_s: float) -> bool:
        """Whether it rang."""
        rang = self._rang.wait(timeout_s)
        self._rang.clear()
        return rang
