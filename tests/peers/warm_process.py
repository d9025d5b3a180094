"""Trivium's programs as processes of their own that find their imports done: forks of one that did nothing else.

Imports are most of what a start costs, and tests start programs by the hundred. Everything else is a process's own:
settings, threads, descriptors, signals, its end. Programs start as a user starts them in `tests/e2e/test_logs.py`,
`test_readme.py` and `test_offline.py`, where no test runs (what is measured starts so) and where there is no Linux.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import IO, Any, NoReturn

BIN = Path(sys.executable).parent
_NUMBER = struct.Struct("i")
_REQUEST_BYTES = 1 << 17
_TESTS_OWN = ("TRIVIUM_", "PYTEST_")  # what is read once a program runs; of the rest its libraries read some before


class WarmProcess:
    """What tests use of a `subprocess.Popen`. `told`: where its number comes, and how it ended."""

    def __init__(self, told: int) -> None:
        self._told = told
        self.returncode: int | None = None
        self.pid = self._number(None)

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self.returncode = self._number(timeout)
            os.close(self._told)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _number(self, timeout: float | None) -> int:
        waiter = select.poll()
        waiter.register(self._told, select.POLLIN)
        if not waiter.poll(None if timeout is None else 1000 * timeout):
            raise subprocess.TimeoutExpired("a warm process", timeout or 0)
        number = os.read(self._told, _NUMBER.size)
        assert number, "the process that is forked has ended"
        return int(_NUMBER.unpack(number)[0])


Started = WarmProcess | subprocess.Popen[bytes]


class Warm:
    """Starts programs. `prepared`: each a `MODULE` or `MODULE:FUNCTION`, what the process that is forked does first."""

    def __init__(self, *prepared: str) -> None:
        self._prepared = prepared
        self._requests: socket.socket | None = None
        self._env: dict[str, str] = {}

    def start(self, command: Sequence[str], env: Mapping[str, str], stdout: IO[Any], stderr: IO[Any]) -> Started:
        """`command`: a program of ours, by its name, and its arguments."""
        if self._requests is None and sys.platform == "linux" and "PYTEST_VERSION" in os.environ:
            self._env = _others(os.environ)
            self._requests = self._begin()
        if self._requests is None or _others(env) != self._env:
            return subprocess.Popen([str(BIN / command[0]), *command[1:]], env=env, stdout=stdout, stderr=stderr)
        told, tells = os.pipe()
        request = json.dumps([list(command), dict(env), str(Path.cwd())]).encode()
        socket.send_fds(self._requests, [request], [stdout.fileno(), stderr.fileno(), tells])
        os.close(tells)
        return WarmProcess(told)

    def run(self, command: Sequence[str], env: Mapping[str, str], timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Its status and what it wrote."""
        with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
            process = self.start(command, env, stdout, stderr)
            try:
                status = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess(command, status, stdout.read(), stderr.read())

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-P", __file__, str(theirs.fileno()), *self._prepared]
            forked = subprocess.Popen(command, env=self._env, pass_fds=[theirs.fileno()])

        def end() -> None:
            ours.close()
            forked.wait()

        atexit.register(end)
        return ours


def _others(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if not name.startswith(_TESTS_OWN)}


def _fork_when_asked(requests: socket.socket) -> None:
    """Ends when nobody can ask any more."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    telling: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([requests.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 1024)
            _tell_ends(telling)
        if requests.fileno() not in ready:
            continue
        request, descriptors, _, _ = socket.recv_fds(requests, _REQUEST_BYTES, 3)
        if not request:
            return
        *output, tells = descriptors
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            for descriptor in (woken, wakes, tells, requests.detach(), *telling.values()):
                os.close(descriptor)
            command, env, folder = json.loads(request)
            _become(command, env, folder, output)
        for descriptor in output:
            os.close(descriptor)
        telling[pid] = tells
        os.write(tells, _NUMBER.pack(pid))


def _tell_ends(telling: dict[int, int]) -> None:
    while telling:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        tells = telling.pop(pid)
        with contextlib.suppress(BrokenPipeError):
            os.write(tells, _NUMBER.pack(os.waitstatus_to_exitcode(status)))
        os.close(tells)


def _become(command: Sequence[str], env: Mapping[str, str], folder: str, output: Sequence[int]) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for descriptor, own in zip(output, (1, 2), strict=True):
        os.dup2(descriptor, own)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [str(BIN / command[0]), *command[1:]]
    (program,) = entry_points(group="console_scripts", name=command[0])
    sys.exit(program.load()())


if __name__ == "__main__":
    for word in sys.argv[2:]:
        module, _, prepare = word.partition(":")
        imported = importlib.import_module(module)
        if prepare:
            getattr(imported, prepare)()
    gc.collect()
    gc.freeze()
    _fork_when_asked(socket.socket(fileno=int(sys.argv[1])))
