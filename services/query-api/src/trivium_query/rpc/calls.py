"""What every call of this service passes: who is asking, and how long it may take."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import structlog
from grpc import StatusCode

from trivium.domain.errors import TriviumError
from trivium.domain.scope import Tenant
from trivium.rpc_calls import Context, accounted
from trivium_query.failures import seen
from trivium_query.identity import Keyring
from trivium_query.requests import Services


class Call(msgspec.Struct, frozen=True):
    """Who is asking, and the seconds that the caller still waits (None: no deadline)."""

    tenant: Tenant
    timeout_s: float | None


class Calls:
    """Opens calls for one server."""

    def __init__(self, services: Services) -> None:
        self._keys = Keyring(services.settings)

    @asynccontextmanager
    async def open(self, method: str, context: Context) -> AsyncIterator[Call]:
        """Everything around one call's work; a `TriviumError` in the block becomes the call's rich status."""
        async with accounted(method, context, _status):
            metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
            tenant = self._keys.tenant(metadata.get("authorization", ""), metadata.get("x-api-key", ""))
            with structlog.contextvars.bound_contextvars(tenant=tenant.name):
                yield Call(tenant, context.time_remaining())


def _status(error: TriviumError) -> StatusCode:
    return seen(error).grpc
