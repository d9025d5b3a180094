"""READ FIRST: the inference service. A request becomes items, items wait in a fair queue, batches go through a model.

service.py -> batcher.py, fair_queue.py -> engines.py: embed.py, rerank.py, ocr_process.py, speech.py, visual.py.
health.py asks each of them. A recording waits on disk (recordings.py) and becomes items window by window.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
import msgspec
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import SERVICE_NAME as HEALTH
from grpc_health.v1.health import aio as health_aio  # type: ignore[attr-defined]  # its stubs lag behind
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.rpc_requests import DecodableOnly
from trivium.stopping import STOP_S, Stopping, begin_on_signals, end_in_time
from trivium.v1 import inference_pb2, inference_pb2_grpc
from trivium_inference.audio import MAX_DURATION_S
from trivium_inference.serving.engines import Engines, open_engines
from trivium_inference.serving.health import watch
from trivium_inference.serving.service import Inference

GRACE_S: Final = 4.0  # for running calls, at SIGTERM: half of what a stop may take (`STOP_S`)
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024  # a photograph as PNG; clients keep texts far below
MAX_CALLS: Final = 1024  # at a time; more are told RESOURCE_EXHAUSTED
LONGEST_CALL_S: Final = MAX_DURATION_S + 300  # the longest recording, at the pace of speech, and a margin
SERVICE: Final = inference_pb2.DESCRIPTOR.services_by_name["InferenceService"].full_name
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # else a second server would share the port in silence
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),  # clients may ask that often whether we are there
    ("grpc.max_connection_age_ms", 60_000),  # a client looks its name up again, and so finds replicas that are new
    ("grpc.max_connection_age_grace_ms", int(LONGEST_CALL_S * 1000)),  # what it has asked before is still answered
)


class Listening(msgspec.Struct, frozen=True):
    """Where the service is, with the ports that it really got."""

    grpc: str
    metrics: str


def serve(settings: Settings, on_listening: Callable[[Listening], None], on_ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; then running calls get `GRACE_S` to end, and the process `STOP_S`.

    `on_listening` is called when the port is open, `on_ready` when every engine has done a batch. Raises `Refused`
    (`port_in_use`) and `NeverWill` (`model_missing`, `model_unsupported`, `no_speech_model`) before anything is served.
    """
    stopping = Stopping()
    end_in_time(stopping, STOP_S)
    with _metrics(settings) as metrics, open_engines(settings) as engines:
        begin_on_signals(stopping)
        asyncio.run(_serve(settings, engines, stopping, lambda rpc: on_listening(Listening(rpc, metrics)), on_ready))


async def _serve(
    settings: Settings,
    engines: Engines,
    stopping: Stopping,
    on_listening: Callable[[str], None],
    on_ready: Callable[[], None],
) -> None:
    host = _in_address(settings.inference_host)
    async with running(engines, f"{host}:{settings.inference_port}", on_ready=on_ready) as port:
        on_listening(f"{host}:{port}")
        await asyncio.to_thread(stopping.wait)  # the loop itself takes no signal: one that is stuck could not end


@asynccontextmanager
async def running(
    engines: Engines, address: str, *, on_ready: Callable[[], None] = lambda: None, grace_s: float = GRACE_S
) -> AsyncIterator[int]:
    """The server on `address` (port 0 for any) while the block runs; gives its port.

    Health is NOT_SERVING until every engine has done a batch, whenever one fails to, and from the block's end on.
    Raises `Refused` (`port_in_use`).
    """
    server = grpc.aio.server(interceptors=(DecodableOnly(),), options=_OPTIONS, maximum_concurrent_rpcs=MAX_CALLS)
    inference = Inference(engines)
    inference_pb2_grpc.add_InferenceServiceServicer_to_server(inference, server)
    health = health_aio.HealthServicer()
    add_HealthServicer_to_server(health, server)
    reflection.enable_server_reflection((SERVICE, HEALTH, reflection.SERVICE_NAME), server)
    port = _listen(server, address)
    await _set_health(health, serving=False)
    await server.start()
    watching = asyncio.create_task(_watch(engines, health, on_ready))
    try:
        yield port
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        await health.enter_graceful_shutdown()
        await server.stop(grace_s)
        inference.close()


async def _watch(engines: Engines, health: Any, on_ready: Callable[[], None]) -> None:
    ready = False

    async def report(healthy: bool) -> None:
        nonlocal ready
        await _set_health(health, serving=healthy)
        if healthy and not ready:
            ready = True
            on_ready()

    await watch(engines.canaries, report)


async def _set_health(health: Any, *, serving: bool) -> None:
    status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
    for name in ("", SERVICE):
        await health.set(name, status)


def _listen(server: grpc.aio.Server, address: str) -> int:
    try:
        host, _, port = address.rpartition(":")
        socket.create_server((host.strip("[]"), int(port)), family=_family(host)).close()
        return server.add_insecure_port(address)
    except (OSError, RuntimeError) as error:
        raise _port_in_use(address, "TRIVIUM_INFERENCE_PORT") from error


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


@contextlib.contextmanager
def _metrics(settings: Settings) -> Any:
    host, port = settings.inference_host, settings.inference_metrics_port
    try:
        server, thread = start_http_server(port, addr=host)
    except OSError as error:
        raise _port_in_use(f"{host}:{port}", "TRIVIUM_INFERENCE_METRICS_PORT") from error
    try:
        yield f"http://{_in_address(host)}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _port_in_use(address: str, variable: str) -> Refused:
    return Refused(
        "port_in_use",
        f"Cannot listen on {address}: the port is in use or not allowed.",
        f"Stop what listens there, or set {variable} to another port.",
    )
