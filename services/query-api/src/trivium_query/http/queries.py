"""Search and questions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request
from starlette.responses import Response

from trivium import api
from trivium.domain.answers import AnswerEvent
from trivium.domain.scope import Tenant
from trivium_query import views
from trivium_query.handlers import queries
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import OF_A_BODY, ServicesDep, TenantDep, answers, takes, write
from trivium_query.http.streaming import Event, EventStream, streamed, unless_gone
from trivium_query.requests import Services

router = APIRouter(prefix="/v1", tags=["queries"])

_STREAM = streamed(
    "The answer; or, as text/event-stream, the events `hits`, `short`, `text`, `withdrawn`, `citation`, `verdict` "
    "and at the end `answer` or `error`. Lines that begin with a colon are a heartbeat.",
    api.ANSWER_EVENTS,
)
ANSWERED = answers(api.Answer, 404, *OF_A_BODY, stream=_STREAM)


@router.post("/search", **answers(api.SearchResponse, *OF_A_BODY), openapi_extra=takes(api.SearchRequest))
async def search(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Ranked passages; every hit tells its rank and score per source, and the bridge that led to it."""
    wanted = await json_body(request, api.SearchRequest)
    result = await queries.search(services, tenant, wanted)
    return write(views.found(wanted.query, queries.mode_of(services, wanted), result))


@router.post("/queries", **ANSWERED, openapi_extra=takes(api.QueryRequest))
async def query(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """A cited answer, whole or as it is written. Leaving early stops the work."""
    return await answered(request, services, tenant, await json_body(request, api.QueryRequest))


async def answered(request: Request, services: Services, tenant: Tenant, wanted: api.QueryRequest) -> Response:
    """The answer as JSON or, when the caller asks for it, as server-sent events."""
    if wanted.stream or EventStream.media_type in request.headers.get("accept", ""):
        return EventStream(_encoded(await queries.open_stream(services, tenant, wanted)))
    return write(views.to_api(api.Answer, await unless_gone(request, queries.ask(services, tenant, wanted))))


async def _encoded(events: AsyncGenerator[AnswerEvent, None]) -> AsyncGenerator[Event, None]:
    async with aclosing(events) as happened:
        async for event in happened:
            yield Event(*views.event(event))
