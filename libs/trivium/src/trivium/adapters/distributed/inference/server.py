"""The connection to the inference service, and what its failures mean."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Generator, Iterator
from typing import Any, Final

import grpc
import msgspec

from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.rpc_status import reason_of
from trivium.tracing import spans
from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceStub

QUERY_TIMEOUT_S: Final = 10.0  # somebody waits; the search's own budget is shorter, this frees the thread that asks
PROBE_TIMEOUT_S: Final = 1.5  # below what readiness waits, so that the reason is told
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024  # as the service takes

# gRPC repeats a call that found nobody or a full queue, with jitter, within the call's deadline.
_RETRIES: Final = {
    "maxAttempts": 5,
    "initialBackoff": "0.1s",
    "maxBackoff": "2s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"],
}
_OPTIONS: Final = (
    (
        "grpc.service_config",
        msgspec.json.encode(
            {
                "methodConfig": [{"name": [{"service": "trivium.v1.InferenceService"}], "retryPolicy": _RETRIES}],
                "loadBalancingConfig": [{"round_robin": {}}],  # over all addresses that the name stands for
            }
        ).decode(),
    ),
    ("grpc.per_rpc_retry_buffer_size", MAX_MESSAGE_BYTES),  # a larger call would not be repeated
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 30_000),  # finds out that the other machine is gone
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),  # gRPC's own two minutes would outlast every restart
)
_NEVER: Final = frozenset(
    {
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)


class Inference:
    """A connection to the inference service at `address` (host:port), made at the first call.

    Where the name stands for several addresses, they are asked in turn.

    For many threads; a forked process makes a connection of its own. Calls raise `TryLater` when the service is away,
    busy or late, and `NeverWill` when it cannot do what is asked.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._process = 0
        self._channel: grpc.Channel | None = None
        self._inherited: grpc.Channel | None = None  # the parent's: closing it here would wait for threads left there
        self._info: pb.InfoResponse | None = None

    @property
    def info(self) -> pb.InfoResponse:
        """Which models are served: asked once, and again when an answer tells that they have changed."""
        found = self._info
        if found is None:
            found = self._info = self.call("Info", pb.InfoRequest(), QUERY_TIMEOUT_S)
        return found

    async def info_async(self) -> pb.InfoResponse:
        """`info` without blocking, in any event loop."""
        found = self._info
        if found is None:
            found = self._info = await self.call_async("Info", pb.InfoRequest(), QUERY_TIMEOUT_S)
        return found

    def check_model(self, answered: str, expected: str) -> None:
        """Raises `TryLater` (`model_changed`) when the model that answered is another than `info` named."""
        if answered != expected:
            self._info = None
            raise TryLater("model_changed", f"The model at {self.address} is {answered} now.", "Ask again.")

    def call(self, method: str, request: Any, timeout_s: float) -> Any:
        """The answer of one method."""
        _check_size(request)
        try:
            with spans.calling(f"inference {method}", rpc__system="grpc"):
                return getattr(self._stub(), method)(request, timeout=timeout_s, metadata=_metadata())
        except grpc.RpcError as error:
            raise self._explained(error) from error

    def stream(self, method: str, requests: Iterator[Any], timeout_s: float) -> Generator[Any, None, None]:
        """The answers of a method that has many; ending the iteration cancels the call."""
        call = getattr(self._stub(), method)(requests, timeout=timeout_s, metadata=_metadata())
        try:
            with spans.beside(f"inference {method}", rpc__system="grpc"):
                yield from call
        except grpc.RpcError as error:
            raise self._explained(error) from error
        finally:
            call.cancel()

    async def call_async(self, method: str, request: Any, timeout_s: float) -> Any:
        """The same without blocking, in any event loop; cancelling it cancels the call."""
        _check_size(request)
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def wake(_: object) -> None:
            with contextlib.suppress(RuntimeError):  # nobody waits in a loop that is closed
                loop.call_soon_threadsafe(ended.set)

        call = getattr(self._stub(), method).future(request, timeout=timeout_s, metadata=_metadata())
        call.add_done_callback(wake)
        try:
            with spans.beside(f"inference {method}", rpc__system="grpc"):
                await ended.wait()
                return call.result()
        except asyncio.CancelledError:
            call.cancel()
            raise
        except grpc.RpcError as error:
            raise self._explained(error) from error

    async def answers(self) -> None:
        """Returns when a question came back as a vector; raises as calls do."""
        asked = pb.EmbedRequest(queries=pb.EmbedRequest.Queries(texts=["Are you there?"]))
        await self.call_async("Embed", asked, PROBE_TIMEOUT_S)

    def close(self) -> None:
        """Hang up. The next call connects again."""
        with self._lock:
            channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def _stub(self) -> InferenceServiceStub:
        with self._lock:
            if self._channel is None or self._process != os.getpid():
                self._process, self._inherited = os.getpid(), self._channel
                self._channel = grpc.insecure_channel(self.address, options=_OPTIONS)
            return InferenceServiceStub(self._channel)

    def _explained(self, error: Any) -> TriviumError:
        reason = reason_of(error)
        code = reason.reason.lower()
        if code == "model_changed":
            self._info = None
        if error.code() in _NEVER:
            return NeverWill(code or "inference_refused", error.details(), reason.metadata["action"])
        return TryLater(
            code or "inference_unavailable",
            f"The inference service at {self.address} does not answer: {error.details()}"[:500],
            reason.metadata["action"] or "See that trivium-gpu-inference runs there (TRIVIUM_INFERENCE_URL).",
        )


def _metadata() -> tuple[tuple[str, str], ...] | None:
    """What the service may stand its own spans below."""
    return tuple(spans.headers().items()) or None


def _check_size(request: Any) -> None:
    if (size := request.ByteSize()) > MAX_MESSAGE_BYTES:
        raise NeverWill(
            "request_too_large",
            f"A text or image of {size:,} bytes is more than the inference service takes.",
            "Divide it, or use a smaller image.",
        )
