"""A problem on its way to whom it is told in other words: held back until it is whole; all else passes untouched."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

from trivium.api import Problem
from trivium_query.http.problems import MEDIA_TYPE


class Reworded(msgspec.Struct, frozen=True):
    """What goes over the wire instead; `headers` beside those that the problem had."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class Rewording:
    """One answer; `send` is given to the application in place of the server's."""

    def __init__(self, send: Send, reworded: Callable[[Problem], Reworded]) -> None:
        self._send = send
        self._reworded = reworded
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """See the class."""
        if message["type"] == "http.response.start" and self._is_problem(message):
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body", False):
            await self._told(self._start)

    def _is_problem(self, message: Message) -> bool:
        return MutableHeaders(raw=list(message["headers"])).get("content-type", "") == MEDIA_TYPE

    async def _told(self, start: Message) -> None:
        told = self._reworded(msgspec.json.decode(self._body, type=Problem))
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-type"] = told.content_type
        headers["content-length"] = str(len(told.body))
        headers.update(dict(told.headers))
        await self._send({**start, "status": told.status, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": told.body})
