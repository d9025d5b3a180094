"""The inference service as a process of its own, as it is deployed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

STOP_S = 60.0


class Service(NamedTuple):
    """Where it listens, and its process."""

    address: str
    metrics: str
    process: subprocess.Popen[str]

    def await_ready(self) -> None:
        """Return when every model has done a batch."""
        assert "Ready" in self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@contextmanager
def inference_service(port: int = 0, **settings: str) -> Iterator[Service]:
    """`trivium-gpu-inference` with `settings` (names as in `trivium.config`), listening; ended with the block."""
    own = {
        "inference_host": "127.0.0.1",
        "inference_port": str(port),
        "inference_metrics_port": "0",
        **settings,
    }
    environment = {**os.environ, **{f"TRIVIUM_{name.upper()}": value for name, value in own.items()}}
    command = [sys.executable, "-m", "trivium_inference.main"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            address, metrics = (process.stdout.readline().split()[-1] for _ in range(2))
            yield Service(address, metrics, process)
        finally:
            process.terminate()
            process.wait(STOP_S)
