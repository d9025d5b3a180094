"""What tests do at Trivium's doors, whether it is one process or many."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import grpc
import httpx

TRIVIUM = Path(sys.executable).with_name("trivium")


class Doors:
    """A running Trivium: where it listens, the key it wants, and the environment of its command line."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.key = ""
        self.url = ""

    def channel(self) -> grpc.Channel:
        """To the gRPC address."""
        raise NotImplementedError

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
