"""The service as it is deployed: a process, asked by the client that workers and the query service use."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from inference_peer import Service, inference_service
from waiting import wait_until

from trivium.adapters.distributed.inference.models import RemoteEmbedder, RemoteReranker
from trivium.adapters.distributed.inference.server import Inference
from trivium.domain.errors import TryLater
from trivium.ports.inference import Passage

WORKER_MB = 300


def read(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        text: str = answer.read().decode()
        return text


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


async def test_the_service_tells_its_health_and_what_it_did() -> None:
    with inference_service() as service, closing(Inference(service.address)) as inference:
        service.await_ready()
        with grpc.insecure_channel(service.address) as channel:
            status = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest()).status
        assert status == health_pb2.HealthCheckResponse.SERVING
        RemoteEmbedder(inference).embed_passages([Passage("the bridge")])
        metrics = await asyncio.to_thread(read, service.metrics)
        assert 'trivium_inference_batch_seconds_count{engine="images"}' in metrics
        assert 'trivium_inference_items_total{engine="passages",outcome="done"}' in metrics


def test_sigterm_lets_running_calls_end_and_refuses_new_ones() -> None:
    with inference_service() as service, closing(Inference(service.address)) as inference:
        embedder = RemoteEmbedder(inference)
        service.await_ready()
        embedder.embed_passages([Passage("the bridge")])
        before = batches(service)
        passages = [Passage(f"word {number} " * 60) for number in range(40)]  # a fraction of what a stop leaves them
        with ThreadPoolExecutor(1) as threads:
            running = threads.submit(embedder.embed_passages, passages)
            wait_until(lambda: batches(service) > before, "the model has the passages", pause_s=0.005)
            assert not running.done()
            service.process.send_signal(signal.SIGTERM)
            assert len(running.result()) == len(passages)
        assert service.process.wait(30) == 0


def batches(service: Service) -> float:
    """How many batches of passages the model was given."""
    [count] = re.findall(r'^trivium_inference_batch_cost_count{engine="passages"} (\S+)', read(service.metrics), re.M)
    return float(count)


@pytest.mark.models
def test_a_client_outlasts_a_restart_and_notices_another_model(tiny_model: Callable[[str], Path]) -> None:
    port = free_port()
    with closing(Inference(f"127.0.0.1:{port}")) as inference:
        embedder = RemoteEmbedder(inference)
        with inference_service(port):
            first = embedder.fingerprint
            assert embedder.embed_queries(["river"]).shape == (1, 384)
        with pytest.raises(TryLater) as failure:
            embedder.embed_queries(["river"])
        assert failure.value.code == "inference_unavailable"
        assert "TRIVIUM_INFERENCE_URL" in failure.value.action
        with inference_service(port, embed_model=str(tiny_model("mean")), embed_backend="torch"):
            assert embedder.fingerprint == first  # nobody has asked yet
            wait_until(lambda: refused(embedder) == "model_changed", "the other model is noticed")
            assert embedder.fingerprint != first
            assert embedder.embed_queries(["river"]).shape == (1, 32)


def refused(embedder: RemoteEmbedder) -> str:
    """Why the embedder does not embed; empty when it does."""
    try:
        embedder.embed_queries(["river"])
    except TryLater as error:
        return error.code
    return ""


async def test_a_service_that_is_away_is_to_be_tried_later() -> None:
    with closing(Inference(f"127.0.0.1:{free_port()}")) as inference:
        with pytest.raises(TryLater):
            await RemoteReranker(inference, "x").score("a", ["b"])
        with pytest.raises(TryLater):
            RemoteEmbedder(inference).count_tokens(["a"])


@pytest.mark.parametrize("setting", ["EMBED_MODEL", "INFERENCE_PORT"])
def test_a_start_that_cannot_succeed_says_why(tmp_path: Path, setting: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bad = taken.getsockname()[1] if setting == "INFERENCE_PORT" else tmp_path
        done = subprocess.run(
            [sys.executable, "-m", "trivium_inference.main"],
            env={**os.environ, "TRIVIUM_INFERENCE_METRICS_PORT": "0", f"TRIVIUM_{setting}": str(bad)},
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"TRIVIUM_{setting}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_worker_that_asks_the_service_loads_no_model_and_stays_small() -> None:
    script = Path(__file__).with_name("light_worker.py")
    with inference_service() as service:
        done = subprocess.run(
            [sys.executable, str(script), service.address], capture_output=True, text=True, check=True, timeout=120
        )
    found = json.loads(done.stdout)
    assert found["text"] == "Invoice number 4711"
    assert found["loaded"] == []
    assert max(found["mb"]) < WORKER_MB
