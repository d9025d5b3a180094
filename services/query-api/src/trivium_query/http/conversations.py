"""Conversations: a follow-up question sees its history."""

from __future__ import annotations

from fastapi import APIRouter, Request
from msgspec.structs import asdict
from starlette.responses import Response

from trivium import api
from trivium_query.handlers import conversations
from trivium_query.http.bodies import json_body
from trivium_query.http.queries import ANSWERED, answered
from trivium_query.http.routing import (
    OF_A_BODY,
    AnyId,
    Limit,
    PageCursor,
    ServicesDep,
    TenantDep,
    answers,
    errors,
    takes,
    write,
)
from trivium_query.views import to_api

router = APIRouter(prefix="/v1/conversations", tags=["conversations"])


@router.post(
    "",
    **answers(api.Conversation, *OF_A_BODY, status=201),
    openapi_extra=takes(api.NewConversation, optional=True),
)
async def create(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Begin a conversation."""
    wanted = await json_body(request, api.NewConversation, absent=api.NewConversation())
    made = await conversations.create(services, tenant, wanted.title)
    return write(to_api(api.Conversation, made), 201, {"location": f"/v1/conversations/{made.id}"})


@router.get("", **answers(api.ConversationPage))
async def browse(services: ServicesDep, tenant: TenantDep, limit: Limit = 50, cursor: PageCursor = "") -> Response:
    """Conversations, newest change first, each with its newest ten turns."""
    page, following = await conversations.browse(services, tenant, limit, cursor)
    return write(api.ConversationPage(tuple(to_api(api.Conversation, kept) for kept in page), following))


@router.get("/{id}", **answers(api.Conversation, 404))
async def show(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """One conversation with its turns."""
    return write(to_api(api.Conversation, await conversations.find(services, tenant, id)))


@router.post("/{id}/queries", **ANSWERED, openapi_extra=takes(api.FollowUp))
async def follow_up(id: AnyId, request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Ask within the conversation; question and answer become its next turn."""
    wanted = api.QueryRequest(**asdict(await json_body(request, api.FollowUp)), conversation_id=id)
    return await answered(request, services, tenant, wanted)


@router.delete("/{id}", status_code=204, responses=errors(404))
async def delete(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """Forget a conversation."""
    await conversations.delete(services, tenant, id)
    return Response(status_code=204)
