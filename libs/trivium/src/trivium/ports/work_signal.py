"""The work signal: "there may be work", from whoever has some to whoever hands it out."""

from __future__ import annotations

from typing import Protocol


class WorkSignal(Protocol):
    """One signal. A lost one costs a sweep, so nothing is kept of it but that it came.

    Missing: without a signal, `wait` answers False when its time is over.
    Duplicate: many signals before somebody waits are one, and one of those who wait gets it.
    Half-done: `notify` never raises, whatever it meets; `wait` raises `TryLater` when what carries it is away.
    """

    def notify(self) -> None: ...
    def wait(self, timeout_s: float) -> bool:
        """Whether there was a signal within `timeout_s` seconds, at once when it came before."""
        ...
