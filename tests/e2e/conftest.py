"""Trivium as a user runs it: a process of its own, reached over HTTP, gRPC and the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import msgspec
import pytest
from doors import TRIVIUM, Doors

START_S = 60.0
EXAMPLES = Path(__file__).parents[2] / "examples"
_GRPC = re.compile(r"^gRPC  (\S+)$", re.M)


class Server(Doors):
    """One `trivium serve` on free ports over `data_dir`."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        super().__init__(
            {
                **{k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")},
                "TRIVIUM_DATA_DIR": str(data_dir),
                "TRIVIUM_HTTP_PORT": "0",
                "TRIVIUM_GRPC_PORT": "0",
                **settings,
            }
        )
        self.data_dir = data_dir
        self.log = data_dir.parent / f"{data_dir.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen([str(TRIVIUM), "serve"], env=self.env, stdout=output, stderr=output)
        address = self.data_dir / "server.json"
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if address.exists():
                announced = msgspec.json.decode(address.read_bytes())
                if announced["pid"] == self.process.pid:
                    self.url = announced["url"]
                    return self
            time.sleep(0.05)
        raise AssertionError(f"trivium serve did not come up:\n{self.log.read_text()[-4000:]}")

    def channel(self) -> grpc.Channel:
        """To the gRPC address that the newest start printed."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            _, announced, printed = self.log.read_text().rpartition(self.url)
            if announced and (found := _GRPC.search(printed)):
                return grpc.insecure_channel(found[1])
            time.sleep(0.05)
        raise AssertionError(f"no gRPC address was printed:\n{self.log.read_text()[-4000:]}")

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait(30)


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers over folders of the test's own, and stops what still runs."""
    started: list[Server] = []

    def start(name: str = "data", **settings: str) -> Server:
        started.append(Server(tmp_path / name, **settings))
        return started[-1].start()

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a module that do not disturb each other."""
    running = Server(tmp_path_factory.mktemp("trivium") / "data").start()
    yield running
    running.stop()
