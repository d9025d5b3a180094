"""A process for work on files that may crash, hang or overfill it, and one that is replaced when it did."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Final

from trivium.logs.said import log_child

_TRIES: Final = 2  # a child may die of something else; twice is the message's fault


class Child:
    """`python -m MODULE SOCKET ARGUMENTS...` with messages of bytes both ways over SOCKET, a descriptor's number.

    It inherits the descriptors `keep` under their own numbers.
    """

    def __init__(self, module: str, *arguments: str, keep: Sequence[int] = ()) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", module, str(theirs.fileno()), *arguments]
            self._process = subprocess.Popen(
                command, stderr=subprocess.PIPE, pass_fds=[theirs.fileno(), *keep], start_new_session=True
            )
        if self._process.stderr is not None:
            log_child(self._process.stderr, module)
        self._pipe = Connection(ours.detach())
        self._receiving = threading.Lock()

    def send(self, message: bytes) -> None:
        """Raises `OSError` when the child died."""
        self._pipe.send_bytes(message)

    def receive(self, wall_s: float) -> bytes | None:
        """The child's next message, None when it takes longer. Raises `EOFError` or `OSError` when the child died."""
        with self._receiving:
            return self._pipe.recv_bytes() if self._pipe.poll(wall_s) else None

    def kill(self) -> None:
        """End it at once; a thread that waits in `receive` hears that it died."""
        self._process.kill()
        self._process.wait()
        with self._receiving, contextlib.suppress(OSError):
            self._pipe.close()


class Died(Exception):
    """The child died of a message, twice."""


class Late(Exception):
    """The child took too long."""


class RestartingChild:
    """Answers one message at a time. The child starts with the first; one that died or hung is replaced with the next.

    `ask` may be called from several threads.
    """

    def __init__(self, wall_s: float, module: str, *arguments: str) -> None:
        self._wall_s = wall_s
        self._command = (module, *arguments)
        self._turn = threading.Lock()
        self._child: Child | None = None

    def ask(self, message: bytes) -> bytes:
        """The answer. Raises `Died`, and `Late` after `wall_s`."""
        with self._turn:
            for _ in range(_TRIES):
                try:
                    return self._answer(message)
                except (EOFError, OSError):
                    self._end()
            raise Died

    def close(self) -> None:
        """End the child; the next message starts another."""
        with self._turn:
            self._end()

    def _answer(self, message: bytes) -> bytes:
        if self._child is None:
            self._child = Child(*self._command)
        self._child.send(message)
        answer = self._child.receive(self._wall_s)
        if answer is None:
            self._end()
            raise Late
        return answer

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None
