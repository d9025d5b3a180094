"""A `trivium serve` process of the benchmark's own, on a free port over a given folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

TRIVIUM = Path(sys.executable).with_name("trivium")


@dataclass(frozen=True)
class Running:
    """Where it listens, and a client of it."""

    url: str
    pid: int
    client: httpx2.Client


@contextmanager
def running_server(data_dir: Path, **settings: str) -> Iterator[Running]:
    """Start, wait until it answers, stop at the end."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")}
    env |= {"TRIVIUM_DATA_DIR": str(data_dir), "TRIVIUM_HTTP_PORT": "0", "TRIVIUM_GRPC_PORT": "0"} | settings
    process = subprocess.Popen([TRIVIUM, "serve"], env=env, stdout=subprocess.DEVNULL)
    try:
        address = data_dir / "server.json"
        while not address.exists():
            if process.poll() is not None:
                raise SystemExit("trivium serve did not start; run it by hand to see why.")
            time.sleep(0.05)
        url = json.loads(address.read_text())["url"]
        with httpx2.Client(base_url=url, timeout=300, trust_env=False) as client:
            yield Running(url, process.pid, client)
    finally:
        process.terminate()
        process.wait(60)
