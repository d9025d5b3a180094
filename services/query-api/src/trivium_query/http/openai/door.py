"""READ FIRST: the routes under `/openai/v1`, as OpenAI's API reference names them.

bodies.py (what was asked) -> handlers (as for our own routes) -> chat.py, responses.py, embeddings.py (how it is told)

Errors are raised as everywhere; `errors.py` words them as OpenAI's clients expect. The routes are not in our own
OpenAPI document: OpenAI's describes them.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from trivium.domain.answers import Answer
from trivium_query.handlers import queries
from trivium_query.http.bodies import json_body
from trivium_query.http.openai import chat, embeddings, models, responses
from trivium_query.http.openai.bodies import (
    Asked,
    ChatRequest,
    EmbeddingRequest,
    ResponseRequest,
    of_chat,
    of_response,
)
from trivium_query.http.openai.errors import BASE
from trivium_query.http.openai.wire import Made, write
from trivium_query.http.routing import ServicesDep, TenantDep
from trivium_query.http.streaming import unless_gone

router = APIRouter(prefix=BASE, tags=["openai"], include_in_schema=False)


@router.get("/models")
async def list_models(services: ServicesDep, tenant: TenantDep) -> Response:
    """Every strategy and every dataset by a name that `model` takes."""
    return write(await models.listed(services, tenant))


@router.get("/models/{model:path}")
async def show_model(model: str, services: ServicesDep, tenant: TenantDep) -> Response:
    """One of them."""
    return write(await models.one(services, tenant, model))


@router.post("/chat/completions")
async def complete_chat(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """A cited answer to the last message, which the ones before it explain."""
    wanted = await json_body(request, ChatRequest)
    asked = of_chat(wanted)
    await models.check_dataset(services, tenant, wanted.model, asked.query.filters.dataset or "")
    made = Made.now("chatcmpl", wanted.model, request)
    if wanted.stream:
        events = await queries.open_stream(services, tenant, asked.query, history=asked.history)
        return chat.stream(events, made, wanted.wants_usage)
    return write(chat.whole(await _answered(request, services, tenant, asked), made))


@router.post("/responses")
async def respond(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """The same by the newer interface; nothing is kept."""
    wanted = await json_body(request, ResponseRequest)
    asked = of_response(wanted)
    await models.check_dataset(services, tenant, wanted.model, asked.query.filters.dataset or "")
    made = Made.now("resp", wanted.model, request)
    if wanted.stream:
        events = await queries.open_stream(services, tenant, asked.query, history=asked.history)
        return responses.stream(events, made)
    return write(responses.whole(await _answered(request, services, tenant, asked), made))


@router.post("/embeddings")
async def embed(request: Request, services: ServicesDep) -> Response:
    """The vectors of texts, as questions have them."""
    return write(await embeddings.embedded(services, await json_body(request, EmbeddingRequest)))


async def _answered(request: Request, services: ServicesDep, tenant: TenantDep, asked: Asked) -> Answer:
    return await unless_gone(request, queries.ask(services, tenant, asked.query, history=asked.history))
