"""What every call passes: whose it is, how long it may take, metrics, and rich errors."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import msgspec
import structlog
from grpc import StatusCode
from grpc.aio import AbortError, ServicerContext

from trivium.domain.errors import Conflict, NeverWill, Refused, TriviumError, TryLater
from trivium.rpc_status import abort
from trivium.telemetry import REQUEST_SECONDS, REQUESTS

Context = ServicerContext[Any, Any]

BY_CODE = {
    "deadline_passed": StatusCode.DEADLINE_EXCEEDED,
    "inference_busy": StatusCode.RESOURCE_EXHAUSTED,
    "inference_failed": StatusCode.INTERNAL,  # unlike UNAVAILABLE, clients do not repeat it by themselves
    "not_served": StatusCode.UNIMPLEMENTED,
}
BY_FAMILY: tuple[tuple[type[TriviumError], StatusCode], ...] = (
    (Conflict, StatusCode.ABORTED),
    (TryLater, StatusCode.UNAVAILABLE),
    (NeverWill, StatusCode.FAILED_PRECONDITION),
    (Refused, StatusCode.INVALID_ARGUMENT),
)


class Call(msgspec.Struct, frozen=True):
    """`caller` is the connection, among which the engines are shared fairly; `timeout_s` None: no deadline."""

    caller: str
    timeout_s: float | None


@asynccontextmanager
async def opened(method: str, context: Context) -> AsyncIterator[Call]:
    """Everything around one call's work; a `TriviumError` in the block becomes the call's rich status."""
    request_id = secrets.token_hex(8)
    started = time.perf_counter()
    code = StatusCode.OK
    try:
        yield Call(context.peer(), context.time_remaining())
    except TriviumError as error:
        code = _status(error)
        await abort(context, code, error, request_id)
    except AbortError:
        code = StatusCode.UNKNOWN
        raise
    except Exception as error:  # noqa: BLE001  the boundary: nothing of it may reach the caller
        code = StatusCode.INTERNAL
        structlog.get_logger().error("internal_error", request_id=request_id, exc_info=error)
        action = f"Try again; if it stays, report request {request_id} with the service's log."
        await abort(context, code, TriviumError("internal", "Something went wrong in inference.", action), request_id)
    except BaseException:
        code = grpc.StatusCode.CANCELLED
        raise
    finally:
        REQUESTS.labels("grpc", method, code.name).inc()
        REQUEST_SECONDS.labels("grpc", method).observe(time.perf_counter() - started)


def _status(error: TriviumError) -> StatusCode:
    if error.code in BY_CODE:
        return BY_CODE[error.code]
    return next((status for family, status in BY_FAMILY if isinstance(error, family)), StatusCode.INTERNAL)
