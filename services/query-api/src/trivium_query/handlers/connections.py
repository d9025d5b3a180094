"""A tenant's connections: added, looked at, taken back."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from trivium.access.trail import touched
from trivium.api import CreateConnection
from trivium.domain.access import Caller
from trivium.domain.connections import Connected, Connection, ConnectionState, ConnectorKind
from trivium.domain.documents import Failure
from trivium.domain.errors import Refused, TryLater
from trivium.domain.scope import Tenant
from trivium_query.connect.folders import require_folder
from trivium_query.requests import Services


async def add(services: Services, caller: Caller, wanted: CreateConnection) -> Connected:
    """A new connection, planned where it is due by itself; a folder that is not there now is told in its `error`.

    Raises `Refused` for a place that cannot be, a credential that is not there, and as `StoredConnections.add`.
    """
    connection = Connection(
        id=wanted.id,
        kind=wanted.kind,
        location=wanted.location,
        dataset=wanted.dataset,
        every_s=wanted.every_s or 0,
        max_per_s=wanted.max_per_s,
        credential=wanted.credential,
        created_at=time.time(),
        created_by=caller.key_id,
    )
    added = await asyncio.to_thread(_add, services, caller.tenant, connection)
    touched(connection.id)
    return added


def _add(services: Services, tenant: Tenant, connection: Connection) -> Connected:
    connecting, added = services.connecting, Connected(connection)
    connecting.desk.open(tenant, connection, "", lambda _: None)
    connecting.plans.stored.add(tenant, connection)
    connecting.plans.added(tenant, added)
    folder = connection.location.partition("#")[0] if connection.kind is ConnectorKind.GIT else connection.location
    try:
        if folder.startswith("/"):
            require_folder(Path(folder))
    except TryLater as away:
        return Connected(connection, ConnectionState(error=Failure(away.code, away.message, away.action)))
    return added


async def listed(services: Services, tenant: Tenant) -> list[Connected]:
    """By id."""
    return await asyncio.to_thread(services.connecting.plans.stored.listed, tenant)


async def find(services: Services, tenant: Tenant, connection_id: str) -> Connected:
    """One with its state. Raises `NotFound`."""
    return await asyncio.to_thread(services.connecting.plans.stored.find, tenant, connection_id)


async def run(services: Services, tenant: Tenant, connection_id: str) -> Connected:
    """Have it looked at now; its state as it is before that. Raises `NotFound`, `Refused` (`being_removed`)."""
    found = await find(services, tenant, connection_id)
    if found.removing:
        raise Refused("being_removed", f"The connection {connection_id!r} is being removed.", "Add it anew.")
    await asyncio.to_thread(services.connecting.plans.asked, tenant, connection_id)
    touched(connection_id)
    return found


async def remove(services: Services, tenant: Tenant, connection_id: str, *, documents: bool) -> Connected:
    """Take it back, its documents too if asked for; it is gone some moments later. Raises `NotFound`."""
    plans = services.connecting.plans
    removed = await asyncio.to_thread(plans.stored.remove, tenant, connection_id, documents=documents)
    touched(connection_id)
    await asyncio.to_thread(plans.asked, tenant, connection_id)
    return removed
