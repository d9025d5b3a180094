"""Errors as `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from trivium.api import END, MATCHING, FieldProblem, Problem
from trivium.domain.errors import TriviumError
from trivium.domain.limits import RETRY_AFTER_S, TooMany
from trivium.invalid_request import InvalidRequest
from trivium_query.failures import seen

MEDIA_TYPE = "application/problem+json"
REQUEST_ID = "trivium.request_id"

_ACTIONS = {
    400: "Correct the request; /docs shows what it may be.",
    404: "See /docs for the paths there are.",
    405: "See /docs for the methods this path has.",
    413: "Send less.",
}


def body(error: TriviumError, request_id: str) -> Problem:
    """An error of ours, by the table in `trivium_query.failures`."""
    status = seen(error)
    return Problem(
        type=f"urn:trivium:problem:{error.code}",
        title=status.title,
        status=status.http,
        detail=error.message,
        code=error.code,
        action=error.action,
        request_id=request_id,
        errors=error.fields if isinstance(error, InvalidRequest) else None,
    )


def response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """One problem as a response."""
    extra = {"cache-control": "no-store", **(headers or {})}
    if problem.status == HTTPStatus.UNAUTHORIZED:
        extra["www-authenticate"] = 'Bearer realm="trivium"'
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        extra["retry-after"] = str(RETRY_AFTER_S)
    return Response(msgspec.json.encode(problem), problem.status, media_type=MEDIA_TYPE, headers=extra)


def of_error(error: TriviumError, request_id: str) -> Response:
    """The response that tells `error`."""
    wait = {"retry-after": str(math.ceil(error.retry_after_s))} if isinstance(error, TooMany) else {}
    return response(body(error, request_id), wait)


def install(app: FastAPI) -> None:
    """Turn every error that reaches the app into a problem."""

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, TriviumError)  # noqa: S101  the registration below says so
        return of_error(error, request.scope[REQUEST_ID])

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        return of_error(_invalid(error), request.scope[REQUEST_ID])

    async def theirs(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        return _framework(error, request)

    app.add_exception_handler(TriviumError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, theirs)


def _invalid(error: RequestValidationError) -> InvalidRequest:
    """What the framework says of a path or a query, without what was sent."""
    return InvalidRequest(FieldProblem(".".join(map(str, each["loc"])), _told(each)) for each in error.errors())


def _told(problem: Mapping[str, Any]) -> str:
    """The framework's message, without regular expressions."""
    pattern = str(problem.get("ctx", {}).get("pattern", "")).removeprefix("^$|")
    words = MATCHING.get(pattern) or MATCHING.get(pattern.removesuffix("$") + END)
    return f"Expected {words}" if words else str(problem["msg"])


def _framework(error: HTTPException, request: Request) -> Response:
    """404, 405 and the like, raised by the framework."""
    phrase = HTTPStatus(error.status_code).phrase
    code = phrase.lower().replace(" ", "_")
    problem = Problem(
        type=f"urn:trivium:problem:{code}",
        title=phrase,
        status=error.status_code,
        detail=error.detail if isinstance(error.detail, str) and error.detail != phrase else f"{phrase}.",
        code=code,
        action=_ACTIONS.get(error.status_code, ""),
        request_id=request.scope[REQUEST_ID],
    )
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_allowed(error, request))
    return response(problem, headers)


def _allowed(error: HTTPException, request: Request) -> list[str]:
    """Every method of the path: the framework names only those of the first route that has it."""
    document = request.app.openapi()
    template = getattr(request.scope.get("route"), "path", "")
    told = sorted(method.upper() for method in document["paths"].get(template, ()))
    return told or [error.headers["Allow"] if error.headers and "Allow" in error.headers else "GET"]
