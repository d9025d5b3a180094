"""The doorbell: "there may be work", from whoever has some to whoever hands it out."""

from __future__ import annotations

from typing import Protocol


class Doorbell(Protocol):
    """One bell. A lost ring costs a sweep, so nothing is kept of it but that it rang.

    Missing: without a ring, `wait` answers False when its time is over.
    Duplicate: many rings before somebody answers are one, and one of those who wait hears it.
    Half-done: `ring` never raises, whatever it meets; `wait` raises `TryLater` when the bell is away.
    """

    def ring(self) -> None: ...
    def wait(self, timeout_s: float) -> bool:
        """Whether it rang within `timeout_s` seconds, at once when it rang before."""
        ...
