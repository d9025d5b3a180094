"""Token buckets that all processes share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trivium.adapters.distributed.redis.server import RedisServer
from trivium.ports.buckets import Charge

# The generic cell rate algorithm (ITU-T I.371), which is a token bucket in one number: the time at which the bucket is
# full again. Redis's own clock, so that the callers' clocks need not agree. ARGV: owe, then for each key the seconds
# that one costs, the capacity, the cost.
_TAKE = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local after, wait = {}, 0
for i, key in ipairs(KEYS) do
  local interval, capacity, cost = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  after[i] = math.max(tonumber(redis.call('GET', key) or '0'), now) + interval * cost
  wait = math.max(wait, after[i] - interval * capacity - now)
end
if wait > 1e-6 and ARGV[1] == '0' then return string.format('%.6f', wait) end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.6f', after[i]), 'PX', math.ceil((after[i] - now) * 1000) + 1)
end
return '0'
"""


class RedisBuckets:
    """See `trivium.ports.buckets`."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._take = server.script(_TAKE)

    async def take(self, charges: Sequence[Charge], *, owe: bool = False) -> float:
        """See the port."""
        return await asyncio.to_thread(self.take_now, charges, owe=owe) if charges else 0.0

    def take_now(self, charges: Sequence[Charge], *, owe: bool = False) -> float:
        """The same for a thread that may wait."""
        keys = [f"{self._server.prefix}bucket:{charge.bucket}" for charge in charges]
        told: list[float] = [int(owe)]
        for charge in charges:
            cost = charge.cost if owe else min(charge.cost, charge.capacity)
            told += [1 / charge.per_s, charge.capacity, cost]
        return float(self._server.call(lambda _: self._take(keys, told)))
