"""The schedule as a sorted set that all processes share, with a key for each slot that is in hand."""

from __future__ import annotations

import time

from trivium.adapters.distributed.redis.server import RedisServer
from trivium.domain.scope import Tenant
from trivium.ports.schedule import Slot

# KEYS: the sorted set. ARGV: now, the lease in milliseconds, the beginning of the keys of what is in hand, a page.
# What is in hand stays planned and is passed over, page by page.
_TAKE = """
local first, page = 0, tonumber(ARGV[4])
while true do
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', first, page)
  for _, slot in ipairs(due) do
    if redis.call('SET', ARGV[3] .. slot, 1, 'NX', 'PX', ARGV[2]) then
      redis.call('ZADD', KEYS[1], tonumber(ARGV[1]) + tonumber(ARGV[2]) / 1000, slot)
      return slot
    end
  end
  if #due < page then return false end
  first = first + page
end
"""
# KEYS: the sorted set, what says that the slot is in hand. ARGV: the slot, now, the lease in milliseconds.
# One that is planned for before now was asked for meanwhile.
_HOLD = """
redis.call('SET', KEYS[2], 1, 'PX', ARGV[3])
local planned = redis.call('ZSCORE', KEYS[1], ARGV[1])
if planned and tonumber(planned) <= tonumber(ARGV[2]) then return end
redis.call('ZADD', KEYS[1], tonumber(ARGV[2]) + tonumber(ARGV[3]) / 1000, ARGV[1])
"""
# KEYS: the same. ARGV: the slot, now, the next time or nothing.
_DONE = """
redis.call('DEL', KEYS[2])
local planned = redis.call('ZSCORE', KEYS[1], ARGV[1])
if planned and tonumber(planned) <= tonumber(ARGV[2]) then return end
if ARGV[3] == '' then redis.call('ZREM', KEYS[1], ARGV[1]) else redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
"""
_PAGE = 100


class RedisSchedule:
    """See `trivium.ports.schedule`."""

    def __init__(self, server: RedisServer, name: str = "connections") -> None:
        self._server = server
        self._due = f"{server.prefix}schedule:{name}:due"
        self._held = f"{server.prefix}schedule:{name}:held:"
        self._take = server.script(_TAKE)
        self._hold = server.script(_HOLD)
        self._done = server.script(_DONE)

    def plan(self, slot: Slot, at: float) -> None:
        """See the port."""
        self._server.call(lambda client: client.zadd(self._due, {_key(slot): at}))

    def plan_if_absent(self, slot: Slot, at: float) -> None:
        """See the port."""
        self._server.call(lambda client: client.zadd(self._due, {_key(slot): at}, nx=True))

    def forget(self, slot: Slot) -> None:
        """See the port."""
        self._server.call(lambda client: client.zrem(self._due, _key(slot)))

    def take(self, now: float, lease_s: float) -> Slot | None:
        """See the port."""
        told = [now, int(lease_s * 1000), self._held, _PAGE]
        taken = self._server.call(lambda _: self._take([self._due], told))
        return _slot(taken.decode()) if taken else None

    def hold(self, slot: Slot, lease_s: float) -> None:
        """See the port."""
        keys = [self._due, self._held + _key(slot)]
        self._server.call(lambda _: self._hold(keys, [_key(slot), time.time(), int(lease_s * 1000)]))

    def done(self, slot: Slot, now: float, next_at: float | None) -> None:
        """See the port."""
        keys = [self._due, self._held + _key(slot)]
        self._server.call(lambda _: self._done(keys, [_key(slot), now, "" if next_at is None else next_at]))


def _key(slot: Slot) -> str:
    return f"{slot.tenant.name}/{slot.name}"


def _slot(key: str) -> Slot:
    tenant, _, name = key.partition("/")
    return Slot(Tenant(tenant), name)
