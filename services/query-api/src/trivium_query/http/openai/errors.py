"""Our problems in OpenAI's words: `{"error": {"message", "type", "param", "code"}}`.

`InOpenAiWords` stands outside everything that may refuse a request, and rewords what comes by under `BASE`.
"""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium.api import Problem
from trivium.domain.errors import TriviumError
from trivium_query.http.problems import MEDIA_TYPE, body
from trivium_query.http.streaming import EventStream

BASE = "/openai/v1"
SERVER_FAULT = 500


class Error(msgspec.Struct, frozen=True):
    """What went wrong, for a program and for a person."""

    message: str
    type: str
    param: str | None
    code: str | None


class Failure(msgspec.Struct, frozen=True):
    """The body of every refusal."""

    error: Error


class OpenAiStream(EventStream):
    """A stream whose failure is told as OpenAI's clients read it."""

    def failed(self, error: TriviumError, request_id: str) -> bytes:
        """An event that their clients raise."""
        return b"event: error\ndata: %b\n\n" % msgspec.json.encode(worded(body(error, request_id)))


def worded(problem: Problem) -> Failure:
    """A problem of ours as an error of theirs."""
    message = f"{problem.detail} {problem.action}".strip()
    param = problem.errors[0].field.removeprefix("body.") if problem.errors else None
    code = {"unauthenticated": "invalid_api_key", "invalid_request": "invalid_value"}.get(problem.code, problem.code)
    return Failure(Error(message, _type(problem.status), param, code))


def _type(status: int) -> str:
    if status >= SERVER_FAULT:
        return "server_error"
    named = {HTTPStatus.UNAUTHORIZED: "authentication_error", HTTPStatus.FORBIDDEN: "permission_error"}
    known = named | {HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error"}
    return known.get(HTTPStatus(status), "invalid_request_error")


def _status(status: int) -> int:
    """OpenAI says 400 of a field that does not fit."""
    return HTTPStatus.BAD_REQUEST if status == HTTPStatus.UNPROCESSABLE_ENTITY else status


class InOpenAiWords:
    """Pure ASGI: a problem is held back until it is whole, everything else passes untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        ours = scope["type"] == "http" and scope["path"].startswith(f"{BASE}/")
        await self.app(scope, receive, _Rewording(send).send if ours else send)


class _Rewording:
    """One answer on its way."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
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
        told = msgspec.json.encode(worded(msgspec.json.decode(self._body, type=Problem)))
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-type"] = "application/json"
        headers["content-length"] = str(len(told))
        await self._send({**start, "status": _status(start["status"]), "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": told})
