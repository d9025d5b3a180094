"""Conversations: create, list, show, continue, delete."""

from __future__ import annotations

import asyncio
import re

from trivium.access.trail import touching
from trivium.domain.answers import Turn
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.ports.conversations import Conversation
from trivium_query.requests import Services

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


async def create(services: Services, tenant: Tenant, title: str) -> Conversation:
    """A new, empty conversation."""
    return await asyncio.to_thread(services.conversations.for_tenant(tenant).create, title)


async def browse(services: Services, tenant: Tenant, limit: int, cursor: str) -> tuple[list[Conversation], str]:
    """Newest change first, and the cursor of the next page ("" on the last)."""
    return await asyncio.to_thread(services.conversations.for_tenant(tenant).list, limit, cursor)


async def find(services: Services, tenant: Tenant, conversation_id: str) -> Conversation:
    """One conversation with its turns. Raises `NotFound`."""
    if not _ID.fullmatch(conversation_id):
        raise NotFound("no_such_conversation", "There is no such conversation.", "Create one first.")
    return await asyncio.to_thread(services.conversations.for_tenant(tenant).get, conversation_id)


async def append(services: Services, tenant: Tenant, conversation_id: str, turn: Turn) -> None:
    """Store one exchange."""
    await asyncio.to_thread(services.conversations.for_tenant(tenant).append, conversation_id, turn)


async def delete(services: Services, tenant: Tenant, conversation_id: str) -> None:
    """Forget a conversation. Raises `NotFound` when there is none, so that a misspelt id is noticed."""
    await find(services, tenant, conversation_id)
    with touching(conversation_id):
        await asyncio.to_thread(services.conversations.for_tenant(tenant).delete, conversation_id)
