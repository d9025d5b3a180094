"""The families of failure, by what the caller should do next.

Adapters translate driver exceptions into these at their boundary; `trivium.telemetry`
and the services map them to Celery, gRPC and HTTP in one table each.
"""

from __future__ import annotations


class TriviumError(Exception):
    """Base of every error that Trivium raises on purpose.

    `code` is stable and machine-readable (`unsupported_format`), `message` says what was wrong
    with which input, `action` says what the reader can do about it.
    """

    def __init__(self, code: str, message: str, action: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.action = action

    def __str__(self) -> str:
        return f"{self.message} {self.action}".strip()


class TryLater(TriviumError):
    """A passing fault (store down, 429, timeout): retry with jittered back-off.

    `retry_after_s` is when to come back, in seconds, where whoever refused has said so; 0 where not.
    """

    def __init__(self, code: str, message: str, action: str = "", retry_after_s: float = 0.0) -> None:
        super().__init__(code, message, action)
        self.retry_after_s = retry_after_s


class NeverWill(TriviumError):
    """The input can never succeed (encrypted, corrupt, too large): dead letter with a reason."""


class Refused(TriviumError):
    """The request itself is wrong or not allowed: tell the caller, change nothing."""


class NotFound(Refused):
    """What the request names does not exist for this tenant."""


class Conflict(TryLater):
    """Someone else changed the record first; re-read the world before acting."""
