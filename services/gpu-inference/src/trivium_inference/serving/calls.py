"""What every call of this service passes: whose it is, how long it may take, and what its failures are over gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from grpc import StatusCode

from trivium.domain.errors import Conflict, NeverWill, Refused, TriviumError, TryLater
from trivium.rpc_calls import Context, accounted

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
    async with accounted(method, context, _status):
        yield Call(context.peer(), context.time_remaining())


def _status(error: TriviumError) -> StatusCode:
    if error.code in BY_CODE:
        return BY_CODE[error.code]
    return next((status for family, status in BY_FAMILY if isinstance(error, family)), StatusCode.INTERNAL)
