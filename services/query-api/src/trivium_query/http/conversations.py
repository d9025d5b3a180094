"""Conversations: a follow-up question sees its history."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from trivium_query.handlers import conversations
from trivium_query.http import schemas, views
from trivium_query.http.queries import STREAMED, answered
from trivium_query.http.routing import AnyId, Limit, PageCursor, ServicesDep, TenantDep, errors, write

router = APIRouter(prefix="/v1/conversations", tags=["conversations"])


@router.post("", status_code=201, response_model=schemas.Conversation, responses=errors(408, 413, 415))
async def create(services: ServicesDep, tenant: TenantDep, body: schemas.NewConversation | None = None) -> Response:
    """Begin a conversation."""
    made = await conversations.create(services, tenant, body.title if body else "")
    return write(views.conversation(made), 201, {"location": f"/v1/conversations/{made.id}"})


@router.get("", response_model=schemas.ConversationPage, responses=errors())
async def browse(services: ServicesDep, tenant: TenantDep, limit: Limit = 50, cursor: PageCursor = "") -> Response:
    """Conversations, newest change first."""
    page, following = await conversations.browse(services, tenant, limit, cursor)
    return write(schemas.ConversationPage(conversations=[views.conversation(kept) for kept in page], cursor=following))


@router.get("/{id}", response_model=schemas.Conversation, responses=errors(404))
async def show(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """One conversation with its turns."""
    return write(views.conversation(await conversations.find(services, tenant, id)))


@router.post("/{id}/queries", response_model=schemas.Answer, responses={**errors(404, 408, 413, 415), **STREAMED})
async def follow_up(
    id: AnyId,
    request: Request,
    body: schemas.FollowUp,
    services: ServicesDep,
    tenant: TenantDep,
) -> Response:
    """Ask within the conversation; question and answer become its next turn."""
    return await answered(request, services, tenant, body, id)


@router.delete("/{id}", status_code=204, responses=errors(404))
async def delete(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """Forget a conversation."""
    await conversations.delete(services, tenant, id)
    return Response(status_code=204)
