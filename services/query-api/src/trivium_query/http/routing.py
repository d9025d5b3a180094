"""What every route shares: who is asking, what stands behind, how an answer is written, which errors may come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from trivium.api import NO_NUL, Input, Output, Problem
from trivium.domain.access import Caller
from trivium.domain.scope import Tenant
from trivium_query.handlers.sources import MAX_CURSOR_CHARS
from trivium_query.http.components import ref
from trivium_query.http.middleware import CALLER, TENANT
from trivium_query.http.problems import MEDIA_TYPE
from trivium_query.requests import Services

MAX_PAGE = 200


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def _tenant(request: Request) -> Tenant:
    tenant: Tenant = request.scope[TENANT]
    return tenant


async def _caller(request: Request) -> Caller:
    caller: Caller = request.scope[CALLER]
    return caller


ServicesDep = Annotated[Services, Depends(_services)]
TenantDep = Annotated[Tenant, Depends(_tenant)]
CallerDep = Annotated[Caller, Depends(_caller)]
AnyId = Annotated[str, Path(min_length=1, max_length=64, description="As another answer gave it.")]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many at most.")]
PageCursor = Annotated[
    str, Query(max_length=MAX_CURSOR_CHARS, pattern=NO_NUL, description="From the page before; absent: the first page.")
]

_TELLS = {
    400: "The request cannot be served as it is.",
    401: "The API key is missing or unknown.",
    403: "The key's role is not enough, or not allowed from that host or page.",
    404: "Not found, or another tenant's.",
    409: "That is not how things stand.",
    408: "The body came too slowly.",
    413: "Too large.",
    415: "Another content type is needed.",
    422: "A field does not fit, or the content can never succeed.",
    429: "A limit of the key or the tenant is reached; `Retry-After` says when to come back.",
    500: "A fault of ours.",
    503: "Something behind is down or busy; try again.",
    504: "The work did not finish in time.",
}
_ALWAYS = (400, 401, 403, 422, 429, 500, 503, 504)
OF_A_BODY = (408, 413, 415)
JSON = "application/json"


def content(kind: type[Output]) -> dict[str, Any]:
    """A `kind` as the body of an answer, for the OpenAPI document."""
    return {"content": {JSON: {"schema": ref(kind)}}}


def errors(*more: int) -> dict[int | str, dict[str, Any]]:
    """The problems a route may answer with, for the OpenAPI document."""
    told = {MEDIA_TYPE: {"schema": ref(Problem)}}
    return {status: {"description": _TELLS[status], "content": told} for status in sorted({*_ALWAYS, *more})}


def answers(
    kind: type[Output], *problems: int, status: int = 200, stream: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What a route answers with, as JSON or a stream, as its decorator takes it."""
    told = content(kind) if stream is None else {**stream, "content": content(kind)["content"] | stream["content"]}
    return {"status_code": status, "response_class": Response, "responses": {status: told, **errors(*problems)}}


def takes(kind: type[Input], *, optional: bool = False) -> dict[str, Any]:
    """What `json_body` reads of a route's request, for the OpenAPI document."""
    schema = {"anyOf": [ref(kind), {"type": "null"}]} if optional else ref(kind)
    return {"requestBody": {"required": not optional, "content": {JSON: {"schema": schema}}}}


def write(value: Output, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`value` as JSON."""
    return Response(msgspec.json.encode(value), status, headers, JSON)
