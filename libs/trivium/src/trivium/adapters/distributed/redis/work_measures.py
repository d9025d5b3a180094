"""What workers measured, as a Redis hash of fading sums, and who is there, as a sorted set by time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from trivium.adapters.distributed.redis.server import RedisServer
from trivium.domain.documents import Lane, Stage
from trivium.domain.errors import TriviumError
from trivium.ports.work_measures import StageCost, WorkerSeen

HALF_LIFE_S = 600.0
PRESENT_S = 35.0  # three announcements may be lost

# Sums fade by their age when they are added to, by Redis's own clock; their ratio does not fade.
_NOTE = """
local now = tonumber(redis.call('TIME')[1])
for at = 2, #ARGV, 3 do
    local seconds, documents = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local known = redis.call('HGET', KEYS[1], ARGV[at])
    if known then
        local s, d, told = string.match(known, '^(%S+) (%S+) (%S+)$')
        local share = 0.5 ^ ((now - tonumber(told)) / tonumber(ARGV[1]))
        seconds, documents = seconds + s * share, documents + d * share
    end
    redis.call('HSET', KEYS[1], ARGV[at], string.format('%.9g %.9g %d', seconds, documents, now))
end
"""


class RedisWorkMeasures:
    """One for all processes; see `trivium.ports.work_measures.WorkMeasures`."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._costs, self._workers = f"{server.prefix}stage-costs", f"{server.prefix}workers"

    def note(self, costs: Sequence[StageCost]) -> None:
        """Add to the sums."""
        told = [part for c in costs for part in (f"{c.stage.value}:{c.lane.value}", c.seconds, c.documents)]
        if told and not self._server.is_away():
            with suppress(TriviumError):
                self._server.call(lambda client: client.eval(_NOTE, 1, self._costs, HALF_LIFE_S, *told))

    def announce(self, worker: WorkerSeen) -> None:
        """It is there now."""
        with suppress(TriviumError):
            self._server.call(lambda client: client.zadd(self._workers, {msgspec.json.encode(worker): time.time()}))

    def withdraw(self, worker: WorkerSeen) -> None:
        """It goes."""
        with suppress(TriviumError):
            self._server.call(lambda client: client.zrem(self._workers, msgspec.json.encode(worker)))

    def costs(self) -> Sequence[StageCost]:
        """The sums as they stand."""
        found: dict[bytes, bytes] = self._server.call(lambda client: client.hgetall(self._costs))
        return [_cost(name.decode(), value) for name, value in sorted(found.items()) if _is_known(name.decode())]

    def workers(self) -> Sequence[WorkerSeen]:
        """Those that told so lately."""
        since = time.time() - PRESENT_S

        def read(client: object) -> list[bytes]:
            pipe = client.pipeline()  # type: ignore[attr-defined]
            pipe.zremrangebyscore(self._workers, "-inf", since)
            pipe.zrange(self._workers, 0, -1)
            found: list[bytes] = pipe.execute()[1]
            return found

        return [msgspec.json.decode(told, type=WorkerSeen) for told in self._server.call(read)]


def _is_known(name: str) -> bool:
    """Whether this version has such a stage and lane; another one beside it may have more."""
    stage, _, lane = name.partition(":")
    return stage in set(Stage) and lane in set(Lane)


def _cost(name: str, value: bytes) -> StageCost:
    stage, _, lane = name.partition(":")
    seconds, documents, _ = (float(part) for part in value.split())
    return StageCost(Stage(stage), Lane(lane), seconds, documents)
