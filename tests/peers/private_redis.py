"""A Redis of the test's own, which it may empty, kill and bring back with an old state."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import redis
from local_services import SERVICES_DIR
from waiting import wait_until

_DURABLE = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")


class PrivateRedis:
    """One server on a free port, its append-only file in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start on what the folder holds; returns when it answers."""
        root = SERVICES_DIR / "redis/root/usr"
        installed = root / "bin/redis-server"
        program = str(installed) if installed.exists() else shutil.which("redis-server")
        assert program, "no Redis is installed: `make services`"
        libraries = ":".join(str(found) for found in root.glob("lib/*-linux-gnu"))
        self._process = subprocess.Popen(
            [program, "--bind", "127.0.0.1", "--port", str(self._port), "--dir", str(self.folder), *_DURABLE],
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
            stdout=subprocess.DEVNULL,
        )
        wait_until(self._up, "Redis answers")

    def _up(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def kill(self) -> None:
        """SIGKILL."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def pause(self) -> None:
        """SIGSTOP: connections stay open and nothing is answered."""
        if self._process:
            self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT."""
        if self._process:
            self._process.send_signal(signal.SIGCONT)

    def client(self) -> redis.Redis:
        """A client of the test's own."""
        return redis.Redis.from_url(self.url)

    def flush(self) -> None:
        """FLUSHALL."""
        with self.client() as client:
            client.flushall()
