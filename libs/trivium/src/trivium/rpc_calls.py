"""What every gRPC call passes in every service: a request id, metrics, and rich errors."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from grpc import StatusCode
from grpc.aio import AbortError, ServicerContext

from trivium.domain.errors import TriviumError, TryLater
from trivium.rpc_status import abort
from trivium.telemetry import REQUEST_SECONDS, REQUESTS, REQUESTS_INFLIGHT, told_fault
from trivium.tracing import spans

Context = ServicerContext[Any, Any]


@asynccontextmanager
async def accounted(
    method: str, context: Context, status_of: Callable[[TriviumError], StatusCode]
) -> AsyncIterator[None]:
    """Around one call's work: a `TriviumError` in the block becomes the call's rich status, a fault of ours INTERNAL.

    Lines logged meanwhile carry as their `trace` the request id that the caller of a failed call is told.
    """
    metadata = dict(context.invocation_metadata() or ()) if spans.listening() else {}
    with spans.serving(method, str(metadata.get(spans.TRACEPARENT, "")), rpc__system="grpc") as span:
        async with _accounted(method, context, status_of, span):
            yield


@asynccontextmanager
async def _accounted(
    method: str, context: Context, status_of: Callable[[TriviumError], StatusCode], span: spans.Span
) -> AsyncIterator[None]:
    request_id = spans.current_trace_id() or secrets.token_hex(8)
    started = time.perf_counter()
    code = StatusCode.OK
    try:
        with REQUESTS_INFLIGHT.track_inprogress(), structlog.contextvars.bound_contextvars(trace=request_id):
            yield
    except TriviumError as error:
        code = status_of(error)
        await abort(context, code, error, request_id)
    except AbortError:
        code = StatusCode.UNKNOWN
        raise
    except Exception as error:  # noqa: BLE001  the boundary: nothing of it may reach the caller
        told = told_fault(error, request_id)
        code = status_of(told) if isinstance(told, TryLater) else StatusCode.INTERNAL
        await abort(context, code, told, request_id)
    except BaseException:
        code = StatusCode.CANCELLED
        raise
    finally:
        span.tell(rpc__grpc__status_code=code.value[0])
        REQUESTS.labels("grpc", method, code.name).inc()
        REQUEST_SECONDS.labels("grpc", method).observe(time.perf_counter() - started)
