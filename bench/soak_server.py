"""The server of a soak: started, stopped and killed on one port, and watched."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from processes import usage
from serving import TRIVIUM

START_S = 120.0
STOP_S = 120.0
EVERY_S = 5.0  # memory is looked at
TOLD_EVERY = 12  # samples


@dataclass(frozen=True)
class Sample:
    """What the server held `at_s` seconds after the watch began: itself, and with its children."""

    at_s: float
    own_mb: float
    all_mb: float


class Server:
    """`trivium serve` over `data_dir`, on a port that it keeps."""

    def __init__(self, data_dir: Path, log: Path) -> None:
        self.samples: list[Sample] = []
        self._log = log
        port = _free_port()
        ours = {"TRIVIUM_DATA_DIR": str(data_dir), "TRIVIUM_HTTP_PORT": str(port), "TRIVIUM_GRPC_PORT": "0"}
        self._env = {k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")} | ours
        self._client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Start it; the seconds until it answers."""
        began = time.monotonic()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([TRIVIUM, "serve"], env=self._env, stdout=log, stderr=log)
        while time.monotonic() < began + START_S:
            if self._process.poll() is not None:
                break
            try:
                self._client.get("/v1/status").raise_for_status()
            except httpx2.HTTPError:
                time.sleep(0.1)
            else:
                return time.monotonic() - began
        raise SystemExit(f"trivium serve did not come up:\n{self._log.read_text()[-4000:]}")

    def end(self, number: int) -> tuple[float, int]:
        """Send it a signal; the seconds until it ended, and its status."""
        assert self._process is not None
        began = time.monotonic()
        self._process.send_signal(number)
        status = self._process.wait(STOP_S)
        return time.monotonic() - began, status

    def request(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """Raises `httpx2.TransportError` while it is away."""
        return self._client.request(method, path, **more)

    def sources(self) -> list[dict[str, Any]]:
        """Every document, those inside others too."""
        found: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = self._client.get("/v1/sources", params={"limit": 100, "cursor": cursor}).raise_for_status().json()
            found += page["sources"]
            cursor = page.get("cursor", "")
            if not cursor:
                return found

    def audit(self) -> str:
        """What `trivium audit` says; "" when every store is as it should be. The server must have ended."""
        done = subprocess.run([TRIVIUM, "audit"], env=self._env, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def watch(self, is_over: Callable[[], bool]) -> None:
        """Take samples until then, and tell one a minute."""
        began = time.monotonic()
        while not is_over():
            if (pid := self._process.pid if self._process else 0) and (own := _own_mb(pid)):
                _, resident = usage({"serve": pid})
                self.samples.append(Sample(time.monotonic() - began, own, resident["serve"]))
                if len(self.samples) % TOLD_EVERY == 0:
                    last = self.samples[-1]
                    print(f"{last.at_s / 60:5.1f} min  {own:6.0f} MB, {last.all_mb:6.0f} with children", flush=True)
            time.sleep(EVERY_S)


def slope_mb_a_minute(points: Sequence[tuple[float, float]]) -> float:
    """Least squares over (seconds, MB)."""
    at, size = np.array(points).T
    return float(np.polyfit(at / 60, size, 1)[0])


def _own_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, IndexError):
        return 0.0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
