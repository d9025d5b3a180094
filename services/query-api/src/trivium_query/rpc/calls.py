"""What every call of this service passes: who is asking, and how long it may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec
import structlog
from grpc import StatusCode

from trivium.access.stored_keys import StoredKeys
from trivium.access.trail import Touches, Trail
from trivium.domain.access import Caller, TrailOutcome
from trivium.domain.errors import TriviumError
from trivium.domain.limits import Resource
from trivium.domain.scope import Tenant
from trivium.rpc_calls import Context, accounted
from trivium_query.access.authenticate import Authenticator, Credentials, require
from trivium_query.access.limiter import Limiter, settle, take
from trivium_query.access.rules import CALLS, HANDING_OVER, Rule
from trivium_query.access.signed_links import SignedLinks
from trivium_query.access.uses import Uses
from trivium_query.failures import seen
from trivium_query.requests import Services


class Call(msgspec.Struct):
    """Who is asking, the seconds that the caller still waits (None: no deadline), and what the trail calls it."""

    caller: Caller
    timeout_s: float | None
    touched: Mapping[str, TrailOutcome]
    trail: Trail
    uses: Uses
    action: str = ""

    @property
    def tenant(self) -> Tenant:
        """Whose call it is."""
        return self.caller.tenant

    def permit(self, rule: Rule) -> None:
        """Count it among the uses of the caller's key, and call it as the rule does. Raises `Refused` (`forbidden`)."""
        self.uses.count(self.caller, rule)
        require(self.caller, rule.role)
        self.action = rule.action

    async def record(self) -> None:
        """The call did its `action` to what it touched; "" did nothing."""
        if self.action:
            await asyncio.to_thread(self.trail.add_touched, self.caller, self.action, dict(self.touched))


class Calls:
    """Opens calls for one server."""

    def __init__(self, services: Services) -> None:
        self._limiter = Limiter(services.settings.limits, services.buckets)
        self._trail = Trail(services.objects)
        self._uses = services.uses
        self._authenticator = Authenticator(services.settings, StoredKeys(services.objects))
        self._links = SignedLinks(services.settings, self._authenticator, services.registry)

    @asynccontextmanager
    async def open(self, method: str, context: Context) -> AsyncIterator[Call]:
        """Everything around one call's work; a `TriviumError` in the block becomes the call's rich status."""
        async with accounted(method, context, _status):
            metadata: dict[str, str] = {}
            for key, value in context.invocation_metadata() or ():
                metadata.setdefault(key, str(value))
            given = Credentials(metadata.get("authorization", ""), metadata.get("x-api-key", ""))
            caller = await self._authenticator.authenticate(given)
            await self._limiter.admit(caller)
            self._links.begin(caller)
            rule = CALLS[method]
            bound = structlog.contextvars.bound_contextvars(tenant=caller.tenant.name, key=caller.key_id)
            with bound, Touches() as touched:
                call = Call(caller, context.time_remaining(), touched, self._trail, self._uses)
                call.permit(rule)
                if rule.action in HANDING_OVER:
                    await take(Resource.UPLOADS, 1)
                try:
                    yield call
                except (Exception, asyncio.CancelledError):
                    if touched:  # before it broke off
                        await call.record()
                    raise
                finally:
                    await settle()
                await call.record()


class Servicer:
    """What each gRPC service is made of: who does the work, and what its calls pass."""

    def __init__(self, services: Services, calls: Calls) -> None:
        self._services = services
        self._calls = calls


def _status(error: TriviumError) -> StatusCode:
    return seen(error).grpc
