"""A process for work on files that may crash, hang or overfill it."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection


class Child:
    """`python -m MODULE SOCKET ARGUMENTS...` with messages of bytes both ways over SOCKET, a descriptor's number.

    It inherits the descriptors `keep` under their own numbers.
    """

    def __init__(self, module: str, *arguments: str, keep: Sequence[int] = ()) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", module, str(theirs.fileno()), *arguments]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno(), *keep], start_new_session=True)
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
