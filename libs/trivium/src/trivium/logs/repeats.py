"""What repeats is counted, not repeated: which lines are told, and what is told of the others. Pure but for its notes.

The first line of its kind is told at once; those that follow within `WINDOW_S` are counted, and the last of them is
told with their number when the window ends.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import msgspec

WINDOW_S = 30.0
MAX_KINDS = 1000  # kinds of lines that are remembered; past it, all that are due are told and the rest forgotten
REPEATED = "repeated"
_NUMBERS = re.compile(r"\d+")
_ABOUT = ("event", "code", "stage", "engine", "key", "exception")

Kind = tuple[Any, ...]


def kind_of(record: logging.LogRecord) -> Kind:
    """What makes two lines the same one.

    A warning is of something that goes on by itself, so one document's is the repetition of another's; an error asks
    somebody to act on that document, or on that request, whose id its caller was told to report. Of a library's words,
    numbers do not count.
    """
    if isinstance(record.msg, dict):
        said = tuple(record.msg.get(name) for name in _ABOUT)
        about = record.msg.get("document") or record.msg.get("trace")
        return (record.levelno, *said, about if record.levelno >= logging.ERROR else None)
    return (record.levelno, record.name, _NUMBERS.sub("#", record.getMessage()))


class _Window(msgspec.Struct):
    """From when on a kind of line may be told again, and what came meanwhile."""

    ends: float
    count: int = 0
    last: logging.LogRecord | None = None


class Repeats:
    """Decides for each line; `now` is any clock that only goes forward."""

    def __init__(self, window_s: float = WINDOW_S) -> None:
        self._window_s = window_s
        self._windows: dict[Kind, _Window] = {}

    def first(self, record: logging.LogRecord, now: float) -> bool:
        """Whether this line is told at once; else it is counted."""
        window = self._windows.get(kind := kind_of(record))
        if window is None:
            self._windows[kind] = _Window(now + self._window_s)
            return True
        window.count += 1
        window.last = record
        return False

    def due(self, now: float) -> list[logging.LogRecord]:
        """The last lines of those kinds whose window has ended, with how often they came since the one before."""
        return self._told([kind for kind, window in self._windows.items() if window.ends <= now], now)

    def rest(self) -> list[logging.LogRecord]:
        """All that were counted and not told yet: for the end, and for when too many kinds are remembered."""
        told = self._told(list(self._windows), 0.0)
        self._windows.clear()
        return told

    @property
    def full(self) -> bool:
        """Whether no more should be remembered."""
        return len(self._windows) > MAX_KINDS

    def next_end(self) -> float | None:
        """When the first window ends, None without one."""
        return min((window.ends for window in self._windows.values()), default=None)

    def _told(self, kinds: list[Kind], now: float) -> list[logging.LogRecord]:
        told = []
        for kind in kinds:
            window = self._windows.pop(kind)
            if window.last is not None:
                setattr(window.last, REPEATED, window.count)
                told.append(window.last)
                self._windows[kind] = _Window(now + self._window_s)
        return told
