"""Work that ends with its client: server-sent events, and plain answers nobody waits for any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, Protocol, TypeVar

import msgspec
from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trivium.api import Output, Problem
from trivium.domain.errors import TriviumError
from trivium.telemetry import told_fault
from trivium_query.http import problems

HEARTBEAT_S = 10.0
HEARTBEAT = b": keep-alive\n\n"
ERROR = "error"

T = TypeVar("T")


class Encoded(Protocol):
    """A piece of a stream."""

    def encode(self) -> bytes:
        """As it goes over the wire."""
        ...


class Event(msgspec.Struct, frozen=True):
    """One named event."""

    name: str
    data: Output

    def encode(self) -> bytes:
        """As it goes over the wire; JSON has no line break, so one data line is enough."""
        return b"event: %b\ndata: %b\n\n" % (self.name.encode(), msgspec.json.encode(self.data))


def streamed(description: str, events: Mapping[str, type[Output]]) -> dict[str, Any]:
    """A stream of `events`, or of an error, for the OpenAPI document."""
    kinds = ", ".join(kind.__name__ for kind in events.values())
    data = f"{kinds} or {Problem.__name__}, by the event."
    schema = {
        "type": "object",
        "description": "One event of the stream.",
        "required": ["event", "data"],
        "properties": {
            "event": {"enum": [*events, ERROR]},
            "data": {"type": "string", "contentMediaType": "application/json", "description": data},
        },
    }
    return {"description": description, "content": {EventStream.media_type: {"schema": schema}}}


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """`work`'s result; when the client leaves first, `work` is cancelled and `ClientDisconnect` raised."""
    task = asyncio.ensure_future(work)
    watcher = asyncio.ensure_future(_disconnected(request.receive))
    try:
        await asyncio.wait({task, watcher}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        await _stop(task, watcher)


class EventStream(Response):
    """Server-sent events from a generator, with a heartbeat while it is silent.

    A failure becomes an `error` event that holds the problem. When the client leaves, the generator is closed.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[Encoded, None]) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the last event or until the client is gone."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        producer = asyncio.ensure_future(self._produce(pieces, scope[problems.REQUEST_ID]))
        watcher = asyncio.ensure_future(_disconnected(receive))
        watcher.add_done_callback(lambda _: producer.cancel())
        try:
            while (piece := await _next(pieces)) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await _stop(producer, watcher)

    def failed(self, error: TriviumError, request_id: str) -> bytes:
        """The event that tells `error`, as it goes over the wire."""
        return Event(ERROR, problems.body(error, request_id)).encode()

    async def _produce(self, pieces: asyncio.Queue[bytes | None], request_id: str) -> None:
        try:
            async with aclosing(self._events) as events:
                async for event in events:
                    pieces.put_nowait(event.encode())
        except TriviumError as error:
            pieces.put_nowait(self.failed(error, request_id))
        except Exception as error:  # noqa: BLE001  the boundary: the status line is sent, only an event can tell
            pieces.put_nowait(self.failed(told_fault(error, request_id), request_id))
        finally:
            pieces.put_nowait(None)


async def _next(pieces: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            return await pieces.get()
    except TimeoutError:
        return HEARTBEAT


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _stop(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
