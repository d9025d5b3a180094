"""Trivium as a user runs it: a process of its own, reached over HTTP, gRPC and the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import msgspec
import pytest

START_S = 60.0
TRIVIUM = Path(sys.executable).with_name("trivium")
EXAMPLES = Path(__file__).parents[2] / "examples"
_GRPC = re.compile(r"^gRPC  (\S+)$", re.M)


class Server:
    """One `trivium serve` on free ports over `data_dir`."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        self.data_dir = data_dir
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")},
            "TRIVIUM_DATA_DIR": str(data_dir),
            "TRIVIUM_HTTP_PORT": "0",
            "TRIVIUM_GRPC_PORT": "0",
            **settings,
        }
        self.key = ""
        self.url = ""
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

    def http(self, key: str = "") -> httpx.Client:
        headers = {"x-api-key": key or self.key} if key or self.key else {}
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False, headers=headers)

    def take(self, name: str, content: bytes | str, key: str = "", **fields: str) -> dict[str, Any]:
        """Upload one file and wait until it is ready, empty or failed; its record."""
        with self.http(key) as client:
            answer = client.post("/v1/sources", files={"file": (name, content)}, data=fields)
            assert answer.status_code == 202, answer.text
            return self.settled(answer.json()["id"], key)

    def settled(self, source_id: str, key: str = "", timeout_s: float = 120.0) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        with self.http(key) as client:
            while time.monotonic() < deadline:
                source: dict[str, Any] = client.get(f"/v1/sources/{source_id}").json()
                if source["state"] not in ("pending", "running"):
                    return source
                time.sleep(0.05)
        raise AssertionError(f"not settled after {timeout_s} s: {source}")

    def search(self, query: str, mode: str = "hybrid", key: str = "", **more: Any) -> list[dict[str, Any]]:
        with self.http(key) as client:
            answer = client.post("/v1/search", json={"query": query, "mode": mode, **more})
            assert answer.status_code == 200, answer.text
            found = answer.json()
        assert not found["degraded"], found["degraded"]
        hits: list[dict[str, Any]] = found["hits"]
        return hits

    def ask(self, question: str, key: str = "", **more: Any) -> dict[str, Any]:
        with self.http(key) as client:
            answer = client.post("/v1/queries", json={"question": question, **more})
            assert answer.status_code == 200, answer.text
            given: dict[str, Any] = answer.json()
            return given

    def cli(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(TRIVIUM), *arguments], check=False, env=self.env, capture_output=True, text=True, timeout=300
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def wait_idle(self, timeout_s: float = 240.0) -> dict[str, int]:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            with self.http() as client:
                counts: dict[str, int] = client.get("/v1/status").json()["by_state"]
            if not counts.get("pending") and not counts.get("running"):
                return counts
            time.sleep(0.1)
        raise AssertionError(f"still busy after {timeout_s} s: {counts}")


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
