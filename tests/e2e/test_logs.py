"""With TRIVIUM_LOG_FORMAT=json every line of every process is JSON, also of those whose servers are away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until

BIN = Path(sys.executable).parent
STOP_S = 20.0  # what a stop may take is tested elsewhere
NOBODY = "127.0.0.1:1"
SERVICES = {
    ("trivium", "serve"): "Stop with Ctrl-C.",
    ("trivium-query-api",): "gRPC  ",
    ("trivium-gpu-inference",): "Ready: ",
    ("trivium-ingest-control",): "Following uploads",
    ("trivium-ingest-worker",): "Cannot connect to redis",
    ("trivium-graph-worker",): "Cannot connect to redis",
}


def settings(folder: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("TRIVIUM_")},
        "TRIVIUM_LOG_FORMAT": "json",
        "TRIVIUM_DATA_DIR": str(folder),
        "TRIVIUM_REDIS_URL": f"redis://{NOBODY}/0",
        "TRIVIUM_S3_URL": f"http://{NOBODY}",
        "TRIVIUM_S3_ACCESS_KEY": "key",
        "TRIVIUM_S3_SECRET_KEY": "secret",
        "TRIVIUM_MILVUS_URL": f"http://{NOBODY}",
        "TRIVIUM_ELASTICSEARCH_URL": f"http://{NOBODY}",
        "TRIVIUM_NEO4J_URL": f"bolt://{NOBODY}",
        "TRIVIUM_INFERENCE_URL": NOBODY,
        "TRIVIUM_HTTP_PORT": "0",
        "TRIVIUM_GRPC_PORT": "0",
        "TRIVIUM_EVENTS_PORT": "0",
        "TRIVIUM_INFERENCE_PORT": "0",
        "TRIVIUM_INFERENCE_METRICS_PORT": "0",
    }


def parsed(written: str) -> list[dict[str, Any]]:
    """Every line, each of which must be JSON and say when, how grave and what."""
    told: list[dict[str, Any]] = [json.loads(line) for line in written.splitlines()]
    assert all({"time", "level", "event"} <= set(line) for line in told), written
    return told


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What each process has written, from its start until it had said what is awaited and was told to stop."""
    folder = tmp_path_factory.mktemp("logs")
    written = {command: folder / command[0] for command in SERVICES}
    with ExitStack() as stack:
        running = {command: stack.enter_context(started(command, log)) for command, log in written.items()}
        for command, process in running.items():
            log, awaited = written[command], SERVICES[command]
            wait_until(lambda: awaited in log.read_text() or process.poll() is not None, awaited, told=log.read_text)  # noqa: B023
            process.send_signal(signal.SIGTERM)
    return {command[0]: log for command, log in written.items()}


@contextmanager
def started(command: tuple[str, ...], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Ended with all its children, even if it does not heed a signal."""
    argv, own = [str(BIN / command[0]), *command[1:]], log.parent / f"{log.name}.data"
    with log.open("wb") as out:
        process = subprocess.Popen(argv, env=settings(own), stdout=out, stderr=out, start_new_session=True)
    try:
        yield process
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize(("name", "awaited"), [(command[0], awaited) for command, awaited in SERVICES.items()])
def test_every_line_of_a_process_is_json(logs: dict[str, Path], name: str, awaited: str) -> None:
    assert any(awaited in line["event"] for line in parsed(logs[name].read_text()))


def test_a_setting_that_does_not_fit_is_told_as_json(tmp_path: Path) -> None:
    wrong = {**settings(tmp_path), "TRIVIUM_LEASE_S": "soon"}
    done = subprocess.run(
        [str(BIN / "trivium-graph-worker")], env=wrong, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    [line] = parsed(done.stderr)
    assert (line["level"], "TRIVIUM_LEASE_S" in line["event"]) == ("error", True)
