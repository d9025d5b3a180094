"""Our problems in OpenAI's words: `{"error": {"message", "type", "param", "code"}}`.

`InOpenAiWords` stands outside everything that may refuse a request, and rewords what comes by under `BASE`.
"""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.api import Problem
from trivium.domain.errors import TriviumError
from trivium_query.http.problems import body
from trivium_query.http.rewording import Reworded, Rewording
from trivium_query.http.streaming import EventStream

BASE = "/openai/v1"
SERVER_FAULT = 500
_ACTIONS = {  # where ours leads to the description of our own interface
    "not_found": "There are models, chat/completions, responses and embeddings.",
    "invalid_request": "",
}


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
    message = f"{problem.detail} {_ACTIONS.get(problem.code, problem.action)}".strip()
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
    """Pure ASGI: a problem is told as OpenAI's clients expect it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        ours = scope["type"] == "http" and scope["path"].startswith(f"{BASE}/")
        await self.app(scope, receive, Rewording(send, _told).send if ours else send)


def _told(problem: Problem) -> Reworded:
    return Reworded(_status(problem.status), "application/json", msgspec.json.encode(worded(problem)))
