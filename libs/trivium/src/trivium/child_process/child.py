"""READ FIRST: a child process that reads strangers' files, from its parent's side.

    start -> it restricts itself (serve.py, restrict.py) -> messages both ways (messages.py), of which each is waited
    for until a deadline (deadline.py) -> a reply (reply.py), or how it failed (errors.py) -> the end

Children that are used again stand in a pool (pool.py).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from trivium.child_process.deadline import Deadline
from trivium.child_process.errors import ChildExited, Disconnected
from trivium.child_process.messages import Connection, Watch
from trivium.child_process.reply import Reply
from trivium.logs.said import log_child

M = TypeVar("M")
T = TypeVar("T")
_EXIT_S: Final = 5.0
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class ChildProcess:
    """`python -P -m MODULE DESCRIPTOR MEMORY_BYTES ARGUMENTS...`: a module that ends with `run_child`.

    `-P`: of the folder where somebody started Trivium nothing is imported, whatever its files are called.
    It inherits this process' environment, one end of a socket and the descriptors `keep`, under their own numbers. What
    it prints goes nowhere, what it says on its standard error is logged. `memory_bytes` bounds what it allocates.
    """

    def __init__(self, module: str, *arguments: str, memory_bytes: int, keep: Sequence[int] = ()) -> None:
        self.jobs = 0  # given to it so far
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(memory_bytes), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno(), *keep],
                start_new_session=True,  # Ctrl-C in a terminal reaches the parent, which ends its children
            )
        if self._process.stderr is not None:
            log_child(self._process.stderr, module)
        ours.setblocking(False)
        self._connection = Connection(ours.detach())
        self._receiving = threading.Lock()

    @property
    def pid(self) -> int:
        """The system's number for it."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """False once it has ended, by whatever."""
        return self._process.poll() is None

    @property
    def is_fit(self) -> bool:
        """Whether it can take another job."""
        return self.is_alive

    def ask(self, request: object, reply: type[Reply[T]], wall_s: float) -> Reply[T]:
        """The reply to a request. Raises as `receive`."""
        deadline = Deadline(wall_s)
        self.send(request, deadline)
        return self.receive(reply, deadline)

    def send(self, message: object, deadline: Deadline, watch: Watch = None) -> None:
        """Raises as `receive`."""
        try:
            self._connection.send(message, deadline, watch)
        except Disconnected:
            raise self._exited() from None

    def receive(self, kind: type[M], deadline: Deadline, watch: Watch = None) -> M:
        """Its next message. Raises `ChildExited` and `DeadlineExceeded`; `watch` as for a `Connection`."""
        with self._receiving:
            try:
                return self._connection.receive(kind, deadline, watch)
            except Disconnected:
                raise self._exited() from None

    def kill(self) -> None:
        """End it at once, with what it started in its process group; who waits in `receive` hears `ChildExited`."""
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        with self._receiving:
            self._connection.close()

    def _exited(self) -> ChildExited:
        try:
            return ChildExited(self._process.wait(_EXIT_S))
        except subprocess.TimeoutExpired:
            return ChildExited(None)


def resident_bytes(pid: int) -> int:
    """A process's memory in RAM; 0 where the system does not tell (then only the child's own limit holds)."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0
