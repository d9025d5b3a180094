"""Search and questions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from trivium.domain.answers import AnswerEvent
from trivium.domain.retrieval import SearchFilter
from trivium.domain.scope import Tenant
from trivium_query.handlers import queries
from trivium_query.http import schemas, views
from trivium_query.http.routing import ServicesDep, TenantDep, errors, write
from trivium_query.http.streaming import Event, EventStream, unless_gone
from trivium_query.requests import Services

router = APIRouter(prefix="/v1", tags=["queries"])

_EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["hits", "text", "withdrawn", "citation", "verdict", "answer", "error"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "HitsFound, TextPiece, TextWithdrawn, Citation, Judged, Answer or Problem, by the event.",
        },
    },
}
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": (
            "The answer; or, as text/event-stream, the events `hits`, `text`, `withdrawn`, `citation`, `verdict` "
            "and at the end `answer` or `error`. Lines that begin with a colon are a heartbeat."
        ),
        "content": {"text/event-stream": {"schema": _EVENT}},
    }
}


@router.post("/search", response_model=schemas.SearchResponse, responses=errors(408, 413, 415))
async def search(body: schemas.SearchRequest, services: ServicesDep, tenant: TenantDep) -> Response:
    """Ranked passages; every hit tells its rank and score per source, and the bridge that led to it."""
    wanted = queries.Search(body.query, body.mode, body.top_k, restriction(body.filters))
    result = await queries.search(services, tenant, wanted)
    return write(views.found(body.query, queries.mode_of(services, wanted), result))


@router.post("/queries", response_model=schemas.Answer, responses={**errors(404, 408, 413, 415), **STREAMED})
async def query(request: Request, body: schemas.QueryRequest, services: ServicesDep, tenant: TenantDep) -> Response:
    """A cited answer, whole or as it is written. Leaving early stops the work."""
    return await answered(request, services, tenant, body, body.conversation_id or "")


async def answered(
    request: Request, services: Services, tenant: Tenant, body: schemas.FollowUp, conversation_id: str
) -> Response:
    """The answer to `body` as JSON or, when the caller asks for it, as server-sent events."""
    wanted = queries.Ask(queries.Search(body.query, body.mode, body.top_k, restriction(body.filters)), conversation_id)
    if body.stream or "text/event-stream" in request.headers.get("accept", ""):
        return EventStream(_encoded(await queries.open_stream(services, tenant, wanted)))
    return write(views.answer(await unless_gone(request, queries.ask(services, tenant, wanted))))


def restriction(filters: schemas.Filters) -> SearchFilter:
    """The domain's filter."""
    return SearchFilter(
        tuple(filters.document_ids), filters.dataset or "", tuple(filters.kinds), tuple(filters.modalities)
    )


async def _encoded(events: AsyncGenerator[AnswerEvent, None]) -> AsyncGenerator[Event, None]:
    async with aclosing(events) as happened:
        async for event in happened:
            yield Event(name=str(type(event).__struct_config__.tag), data=views.event(event))
