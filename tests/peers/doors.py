"""What tests do at Trivium's doors, whether it is one process or many."""

from __future__ import annotations

import ssl
import subprocess
from typing import Any

import grpc
import httpx2
from waiting import LONG_PAUSE_S, wait_until
from warm_process import BIN, Warm

TRIVIUM = BIN / "trivium"
COMMANDS = ("trivium.client", *(f"trivium.cli.{name}" for name in ("ask", "documents", "graph", "ingest", "search")))
_TLS = ssl.create_default_context()  # each costs a client 20 ms of processor time, also where it is not used


class Doors:
    """A running Trivium: where it listens, the key it wants, and the environment of its command line."""

    warm = Warm(*COMMANDS)

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.key = ""
        self.url = ""

    def channel(self) -> grpc.Channel:
        """To the gRPC address."""
        raise NotImplementedError

    def http(self, key: str = "") -> httpx2.Client:
        headers = {"x-api-key": key or self.key} if key or self.key else {}
        return httpx2.Client(base_url=self.url, timeout=60, trust_env=False, verify=_TLS, headers=headers)

    def take(self, name: str, content: bytes | str, key: str = "", **fields: str) -> dict[str, Any]:
        """Upload one file and wait until it is ready, empty or failed; its record."""
        with self.http(key) as client:
            answer = client.post("/v1/sources", files={"file": (name, content)}, data=fields)
            assert answer.status_code == 202, answer.text
            return self.settled(answer.json()["id"], key)

    def settled(self, source_id: str, key: str = "", timeout_s: float = 120.0) -> dict[str, Any]:
        with self.http(key) as client:

            def told() -> dict[str, Any]:
                source: dict[str, Any] = client.get(f"/v1/sources/{source_id}").json()
                return source

            def ended() -> dict[str, Any] | None:
                source = told()
                return source if source["state"] not in ("pending", "running") else None

            source = wait_until(
                ended, f"{source_id} is settled", limit_s=timeout_s, told=told, longest_pause_s=LONG_PAUSE_S
            )
        assert source
        return source

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
        done = self.warm.run(["trivium", *arguments], self.env, 300)
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def wait_idle(self, timeout_s: float = 240.0) -> dict[str, int]:
        with self.http() as client:

            def counts() -> dict[str, int]:
                by_state: dict[str, int] = client.get("/v1/status").json()["by_state"]
                return by_state

            def busy(by_state: dict[str, int]) -> bool:
                return bool(by_state.get("pending") or by_state.get("running"))

            wait_until(lambda: not busy(counts()), "idle", limit_s=timeout_s, told=counts, longest_pause_s=LONG_PAUSE_S)
            return counts()
