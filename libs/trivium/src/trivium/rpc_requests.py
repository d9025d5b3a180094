"""Requests over gRPC that are no message of their kind: refused in our words, where gRPC would tell its own insides."""

from __future__ import annotations

import inspect
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from google.protobuf.message import DecodeError
from grpc import HandlerCallDetails, StatusCode
from grpc.aio import ServerInterceptor

from trivium.domain.errors import Refused
from trivium.rpc_calls import Context
from trivium.rpc_status import abort

_KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
_UNDECODABLE = object()

Handler = Any  # grpc.RpcMethodHandler; its fields are not typed


class DecodableOnly(ServerInterceptor):  # type: ignore[type-arg]  # generic in its stubs alone
    """Ends a call whose request cannot be decoded as INVALID_ARGUMENT, in every service of the server."""

    async def intercept_service(
        self, continuation: Callable[[HandlerCallDetails], Awaitable[Handler]], handler_call_details: HandlerCallDetails
    ) -> Handler:
        """The call's handler, checked; None where there is none."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.request_deserializer is None:
            return handler
        checked = {kind: _checked(getattr(handler, kind)) for kind in _KINDS if getattr(handler, kind)}
        return handler._replace(request_deserializer=_tolerant(handler.request_deserializer), **checked)


def _tolerant(decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def decoded(raw: bytes) -> Any:
        try:
            return decode(raw)
        except DecodeError:
            return _UNDECODABLE

    return decoded


def _checked(call: Callable[..., Any]) -> Callable[..., Any]:
    """As `call`, which is a coroutine function or an asynchronous generator, of one request or of many."""

    async def awaited(given: Any, context: Context) -> Any:
        return await call(await _sound(given, context), context)

    async def generated(given: Any, context: Context) -> AsyncIterator[Any]:
        async for answer in call(await _sound(given, context), context):
            yield answer

    return generated if inspect.isasyncgenfunction(call) else awaited


async def _sound(given: Any, context: Context) -> Any:
    if given is _UNDECODABLE:
        error = Refused("invalid_request", "The request is no message of its kind.", "Send what proto/ describes.")
        await abort(context, StatusCode.INVALID_ARGUMENT, error, secrets.token_hex(8))
    return _each(given, context) if hasattr(given, "__aiter__") else given


async def _each(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
    async for request in requests:
        yield await _sound(request, context)
