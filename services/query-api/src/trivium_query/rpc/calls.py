"""What every call of this service passes: who is asking, and how long it may take."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import structlog
from grpc import StatusCode

from trivium.access.stored_keys import StoredKeys
from trivium.domain.access import Caller
from trivium.domain.errors import TriviumError
from trivium.domain.scope import Tenant
from trivium.rpc_calls import Context, accounted
from trivium_query.access.authenticate import Authenticator, Credentials, require
from trivium_query.access.rules import CALLS
from trivium_query.failures import seen
from trivium_query.requests import Services


class Call(msgspec.Struct, frozen=True):
    """Who is asking, and the seconds that the caller still waits (None: no deadline)."""

    caller: Caller
    timeout_s: float | None

    @property
    def tenant(self) -> Tenant:
        """Whose call it is."""
        return self.caller.tenant


class Calls:
    """Opens calls for one server."""

    def __init__(self, services: Services) -> None:
        self._authenticator = Authenticator(services.settings, StoredKeys(services.objects))

    @asynccontextmanager
    async def open(self, method: str, context: Context) -> AsyncIterator[Call]:
        """Everything around one call's work; a `TriviumError` in the block becomes the call's rich status."""
        async with accounted(method, context, _status):
            metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
            given = Credentials(metadata.get("authorization", ""), metadata.get("x-api-key", ""))
            caller = await self._authenticator.authenticate(given)
            require(caller, CALLS[method])
            with structlog.contextvars.bound_contextvars(tenant=caller.tenant.name, key=caller.key_id):
                yield Call(caller, context.time_remaining())


def _status(error: TriviumError) -> StatusCode:
    return seen(error).grpc
