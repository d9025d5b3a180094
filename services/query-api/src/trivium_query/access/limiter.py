"""What a caller takes, against the limits of the settings; what serves a request takes for its caller by `take`."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar

import structlog

from trivium.domain.access import Caller
from trivium.domain.errors import TriviumError
from trivium.domain.limits import Limit, Resource, TooMany, read_limits
from trivium.llm.spending import Account, pay_from
from trivium.ports.buckets import Buckets, Charge

log = structlog.get_logger()


class Meter:
    """One caller's buckets. Where they cannot be reached nothing is limited: a lost Redis must not close the doors."""

    def __init__(self, caller: Caller, limits: tuple[Limit, ...], buckets: Buckets) -> None:
        self._caller, self._limits, self._buckets = caller, limits, buckets
        self.account = Account()
        """Tokens that models took for this request."""

    async def take(self, amounts: Mapping[Resource, float], *, owe: bool = False) -> None:
        """Take all of `amounts`. Raises `TooMany`, and takes nothing then; never with `owe`."""
        charges = [charge for limit in self._limits if (charge := self._charge(limit, amounts))]
        if not charges:
            return
        try:
            wait = await self._buckets.take(charges, owe=owe)
        except TriviumError as error:
            log.warning("limits_not_held", code=error.code)
            return
        if wait > 0:
            named = ", ".join(charge.bucket.rpartition(":")[2] for charge in charges)
            raise TooMany(f"The limit of {named} is reached.", wait)

    def _charge(self, limit: Limit, amounts: Mapping[Resource, float]) -> Charge | None:
        cost = amounts.get(limit.resource)
        if cost is None:
            return None
        whose = f"tenant:{self._caller.tenant.name}"
        if not limit.per_tenant:
            whose = f"key:{self._caller.tenant.name}:{self._caller.key_id}"
        return Charge(
            f"{whose}:{limit.period_s}:{limit.resource}", limit.amount / limit.period_s, float(limit.amount), cost
        )


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


class Limiter:
    """The limits of a deployment; without any, or without buckets, nothing is counted."""

    def __init__(self, limits: str, buckets: Buckets | None) -> None:
        self._limits = read_limits(limits)
        self._buckets = buckets

    def meter(self, caller: Caller) -> Meter | None:
        """What counts for `caller` outside of a request; None where nothing is counted."""
        if self._buckets is None or not self._limits:
            return None
        return Meter(caller, self._limits, self._buckets)

    async def admit(self, caller: Caller) -> None:
        """Count a request, and whatever serves it counts for `caller` from now on. Raises `TooMany`.

        Who admits calls `settle` when the request has ended, however that came.
        """
        meter = self.meter(caller)
        if meter is None:
            return
        _meter.set(meter)
        pay_from(meter.account)
        await meter.take({Resource.REQUESTS: 1})


async def take(resource: Resource, amount: float, *, owe: bool = False) -> None:
    """Count for the caller of the request that is being served. Raises `TooMany`."""
    await take_all({resource: amount}, owe=owe)


async def take_all(amounts: Mapping[Resource, float], *, owe: bool = False) -> None:
    """Count several together: all, or none. Raises `TooMany`."""
    meter = _meter.get()
    if meter is not None:
        await meter.take(amounts, owe=owe)


async def settle() -> None:
    """Pay for the tokens that models took for the request so far. They are known afterwards: who is in debt waits."""
    meter = _meter.get()
    if meter is not None and (tokens := meter.account.settle()):
        await meter.take({Resource.TOKENS: tokens}, owe=True)


async def refuse_debtors() -> None:
    """One token, taken before models are asked. Raises `TooMany` for a caller in debt."""
    await take(Resource.TOKENS, 1)
