"""How talking with a child process fails."""

from __future__ import annotations

import signal


class Disconnected(Exception):
    """The other side is gone, or what it sent is no message."""


class DeadlineExceeded(Exception):
    """The other side took too long."""


class ChildExited(Exception):
    """The child ended without an answer; `status` is None where it lives and what it sent is none."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    @property
    def how(self) -> str:
        """For a person."""
        if self.status is None:
            return "it answered with something that is no result"
        if self.status == 0:
            return "it ended without an answer"
        return signal.Signals(-self.status).name if self.status < 0 else f"exit status {self.status}"


class MemoryExhausted(Exception):
    """The child has no memory for this; `was_used`: it may be what other jobs left."""

    def __init__(self, *, was_used: bool = False) -> None:
        super().__init__()
        self.was_used = was_used
