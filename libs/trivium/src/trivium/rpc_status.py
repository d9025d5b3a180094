"""Failures over gRPC: a `TriviumError` as google.rpc.Status with ErrorInfo, and back."""

from __future__ import annotations

import math
from typing import Any, cast

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from trivium.domain.errors import TriviumError
from trivium.domain.limits import TooMany

DOMAIN = "trivium"
DETAILS_KEY = "grpc-status-details-bin"


async def abort(
    context: grpc.aio.ServicerContext[Any, Any], code: grpc.StatusCode, error: TriviumError, request_id: str
) -> None:
    """End the call with google.rpc.ErrorInfo: `reason` is the error's code, `metadata` says what to do.

    Of a limit also google.rpc.RetryInfo: when to come back.
    """
    info = ErrorInfo(
        reason=error.code.upper(), domain=DOMAIN, metadata={"action": error.action, "request_id": request_id}
    )
    packed = AnyMessage()
    packed.Pack(info)
    number: int = code.value[0]
    details = [packed]
    if isinstance(error, TooMany):
        wait = RetryInfo()
        wait.retry_delay.FromMilliseconds(math.ceil(error.retry_after_s * 1000))
        details.append(AnyMessage())
        details[1].Pack(wait)
    status = Status(code=number, message=error.message, details=details)
    await context.abort(code, error.message, ((DETAILS_KEY, status.SerializeToString()),))


def reason_of(error: grpc.Call) -> ErrorInfo:
    """What `abort` said at the other end; an empty one when the failure is not Trivium's own."""
    info = ErrorInfo()
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY:
            for detail in Status.FromString(cast("bytes", value)).details:
                if detail.Is(ErrorInfo.DESCRIPTOR):
                    detail.Unpack(info)
    return info
