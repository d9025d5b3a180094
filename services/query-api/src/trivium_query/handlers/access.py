"""A tenant's keys, and its trail."""

from __future__ import annotations

import asyncio
import time

from trivium.access.stored_keys import StoredKeys
from trivium.access.trail import Trail, TrailEntry, touched
from trivium.api import CreateKey
from trivium.domain.access import AccessKey, Caller
from trivium.domain.scope import Tenant
from trivium.domain.times import named_span
from trivium_query.requests import Services


async def create(services: Services, caller: Caller, wanted: CreateKey) -> tuple[AccessKey, str]:
    """A new key of the caller's tenant, and its text."""
    expires_at = time.time() + wanted.expires_in_s if wanted.expires_in_s else None
    keys = StoredKeys(services.objects)
    made = await asyncio.to_thread(
        keys.create, caller.tenant, wanted.name, wanted.role, expires_at=expires_at, by=caller.key_id
    )
    touched(made[0].id)
    return made


async def listed(services: Services, tenant: Tenant) -> list[AccessKey]:
    """Newest first. What this process counted of their uses is among what is told; others note theirs once a minute."""
    keys = StoredKeys(services.objects)
    await asyncio.to_thread(services.uses.note, keys, tenant)
    return await asyncio.to_thread(keys.listed, tenant)


async def rotate(services: Services, caller: Caller, key_id: str, keep_s: float) -> tuple[AccessKey, str]:
    """Another key in its place. Raises `NotFound`, `Refused` (`key_ended`)."""
    keys = StoredKeys(services.objects)
    made = await asyncio.to_thread(keys.rotate, caller.tenant, key_id, keep_s=keep_s, by=caller.key_id)
    touched(key_id, made[0].id)
    return made


async def revoke(services: Services, tenant: Tenant, key_id: str) -> AccessKey:
    """From now on it opens nothing. Raises `NotFound`."""
    revoked = await asyncio.to_thread(StoredKeys(services.objects).revoke, tenant, key_id)
    touched(key_id)
    return revoked


async def trail(
    services: Services, tenant: Tenant, limit: int, cursor: str, since: str
) -> tuple[list[TrailEntry], str]:
    """Oldest first. Raises `Refused` (`bad_cursor`, `bad_time`)."""
    start = named_span(since)[0] if since else 0.0
    return await asyncio.to_thread(Trail(services.objects).read, tenant, limit, cursor, start)
