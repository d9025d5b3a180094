"""What is said past the logs, as lines of them: prints of this process, and the standard error of its children."""

from __future__ import annotations

import logging
import threading
from typing import IO, TextIO

MAX_LINE_BYTES = 16 * 1024  # of a child; longer ones come in pieces


class Printed:
    """A text stream whose every line is logged; it has no descriptor, so nobody writes past it."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, name: str, level: int, instead_of: TextIO) -> None:
        self.instead_of = instead_of
        self._log = logging.getLogger(name)
        self._log.setLevel(level)
        self._level = level
        self._begun = threading.local()

    def write(self, text: str) -> int:
        """Complete lines are logged, the rest when its end comes; each thread has its own."""
        *lines, self._begun.text = (getattr(self._begun, "text", "") + text).split("\n")
        for line in filter(str.strip, lines):
            self._log.log(self._level, "%s", line)
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Each as `write` does."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Nothing waits but what has no end yet."""

    def isatty(self) -> bool:
        """Nobody looks at it."""
        return False


def log_child(stderr: IO[bytes], name: str) -> None:
    """Log what a child process writes there as lines of `name`, until it ends; closes the stream."""
    threading.Thread(
        target=_follow, args=(stderr, logging.getLogger(name)), name=f"said by {name}", daemon=True
    ).start()


def _follow(stderr: IO[bytes], log: logging.Logger) -> None:
    with stderr:
        while line := stderr.readline(MAX_LINE_BYTES):
            if text := line.decode(errors="backslashreplace").strip():
                log.warning("%s", text)
