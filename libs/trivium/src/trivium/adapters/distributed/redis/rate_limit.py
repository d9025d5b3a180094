"""A rate limit that all processes share."""

from __future__ import annotations

from trivium.adapters.distributed.redis.server import RedisServer

# The generic cell rate algorithm (ITU-T I.371), which is a token bucket in one number: the time at which the bucket is
# full again. Redis's own clock, so that the callers' clocks need not agree.
_TAKE = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local interval, burst, cost = 1 / tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + interval * cost
local wait = full_at - interval * burst - now
if wait > 0 then return string.format('%.6f', wait) end
redis.call('SET', KEYS[1], string.format('%.6f', full_at), 'PX', math.ceil((full_at - now) * 1000) + 1)
return '0'
"""


class RateLimit:
    """At most `per_s` a second on the average, and `burst` at once, of one `name` (a tenant, a backfill)."""

    def __init__(self, server: RedisServer, name: str, per_s: float, burst: int = 1) -> None:
        self._server = server
        self._key = f"{server.prefix}rate:{name}"
        self._per_s, self._burst = per_s, burst
        self._take = server.call(lambda client: client.register_script(_TAKE))

    def take(self, cost: int = 1) -> float:
        """Take `cost` (at most `burst`) and answer 0, or take nothing and answer the seconds to wait."""
        return float(self._server.call(lambda _: self._take([self._key], [self._per_s, self._burst, cost])))
