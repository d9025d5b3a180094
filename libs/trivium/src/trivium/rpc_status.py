"""Failures over gRPC: a `TriviumError` as google.rpc.Status with standard details, and back.

Details: https://google.aip.dev/193 and google/rpc/error_details.proto.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.limits import RETRY_AFTER_S, TooMany
from trivium.invalid_request import InvalidRequest

DOMAIN = "trivium"
DETAILS_KEY = "grpc-status-details-bin"
_MESSAGE_CHARS = 500  # what a request said may stand in it; clients refuse an end of more than 8 KB
_PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)


async def abort(
    context: grpc.aio.ServicerContext[Any, Any], code: grpc.StatusCode, error: TriviumError, request_id: str
) -> None:
    """End the call with google.rpc.ErrorInfo: `reason` is the error's code, `metadata` says what to do.

    With it comes BadRequest where fields of the request do not fit, and RetryInfo where the same may be asked later.
    """
    number: int = code.value[0]
    message = error.message[:_MESSAGE_CHARS]
    status = Status(code=number, message=message, details=map(_packed, _details(code, error, request_id)))
    await context.abort(code, message, ((DETAILS_KEY, status.SerializeToString()),))


def _details(code: grpc.StatusCode, error: TriviumError, request_id: str) -> Iterator[Message]:
    metadata = {"action": error.action, "request_id": request_id}
    yield ErrorInfo(reason=error.code.upper(), domain=DOMAIN, metadata=metadata)
    if isinstance(error, InvalidRequest):
        violations = [BadRequest.FieldViolation(field=each.field, description=each.message) for each in error.fields]
        yield BadRequest(field_violations=violations)
    if isinstance(error, TryLater) and code in _PASSING:
        wait = RetryInfo()
        wait_s = error.retry_after_s if isinstance(error, TooMany) else RETRY_AFTER_S
        wait.retry_delay.FromMilliseconds(math.ceil(wait_s * 1000))
        yield wait


def _packed(detail: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed


def reason_of(error: grpc.Call) -> ErrorInfo:
    """What `abort` said at the other end; an empty one when the failure is not Trivium's own."""
    info = ErrorInfo()
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY:
            for detail in Status.FromString(cast("bytes", value)).details:
                if detail.Is(ErrorInfo.DESCRIPTOR):
                    detail.Unpack(info)
    return info
