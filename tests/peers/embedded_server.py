"""Trivium as a user runs it: a process of its own, reached over HTTP, gRPC and the command line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import grpc
import msgspec
from doors import COMMANDS, Doors
from waiting import wait_until
from warm_process import Started, Warm

PATIENCE = {f"TRIVIUM_{source}_BUDGET_S": "20" for source in ("VECTOR", "KEYWORD", "GRAPH")}  # of a busy machine
WARM = Warm(
    *COMMANDS,
    "trivium.cli.serve",
    "trivium_embedded.server",
    "trivium_inference.local",
    "trivium_inference.openvino_runtime:load_openvino",
    "tokenizers",
    "fastapi_offline",
    "trivium.struct_types:prepare_struct_types",
)
_GRPC = re.compile(r"^gRPC  (\S+)$", re.M)


class Server(Doors):
    """One `trivium serve` on free ports over `data_dir`."""

    warm = WARM

    def __init__(self, data_dir: Path, **settings: str) -> None:
        super().__init__(
            {
                **{k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")},
                "TRIVIUM_DATA_DIR": str(data_dir),
                "TRIVIUM_HTTP_PORT": "0",
                "TRIVIUM_GRPC_PORT": "0",
                **PATIENCE,
                **settings,
            }
        )
        self.data_dir = data_dir
        self.log = data_dir.parent / f"{data_dir.name}.log"
        self.process: Started | None = None

    def start(self) -> Server:
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = self.warm.start(["trivium", "serve"], self.env, output, output)
        self.url = wait_until(self._announced, "trivium serve is up", told=self._told)
        return self

    def _announced(self) -> str:
        assert self.process is not None
        assert self.process.poll() is None, f"trivium serve ended:\n{self._told()}"
        address = self.data_dir / "server.json"
        if not address.exists():
            return ""
        announced = msgspec.json.decode(address.read_bytes())
        return str(announced["url"]) if announced["pid"] == self.process.pid else ""

    def _told(self) -> str:
        return self.log.read_text()[-4000:]

    def channel(self) -> grpc.Channel:
        """To the gRPC address that the newest start printed."""

        def printed() -> re.Match[str] | None:
            _, announced, after = self.log.read_text().rpartition(self.url)
            return _GRPC.search(after) if announced else None

        found = wait_until(printed, "the gRPC address is printed", told=self._told)
        assert found
        return grpc.insecure_channel(found[1])

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait(30)
