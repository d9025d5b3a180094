"""The work signal, the shared rate limit, and what a Redis that fails means to the caller."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from private_redis import PrivateRedis

from trivium.adapters.distributed.redis.buckets import RedisBuckets
from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.redis.work_measures import HALF_LIFE_S, RedisWorkMeasures
from trivium.adapters.distributed.redis.work_signal import RedisWorkSignal
from trivium.config import Settings
from trivium.domain.documents import Lane, Stage
from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.ports.buckets import Charge
from trivium.ports.work_measures import StageCost, WorkerSeen


@pytest.fixture
def server(own: Settings) -> Iterator[RedisServer]:
    opened = RedisServer(own)
    yield opened
    opened.close()


def test_a_signal_wakes_who_waits_however_long(server: RedisServer) -> None:
    work_signal, heard = RedisWorkSignal(server), []
    waiting = threading.Thread(target=lambda: heard.append(work_signal.wait(60)))
    waiting.start()
    time.sleep(3)  # past one turn of the blocking call
    work_signal.notify()
    waiting.join(timeout=10)
    assert heard == [True]


def test_processes_share_a_bucket(own: Settings, server: RedisServer) -> None:
    elsewhere = RedisServer(own)
    both = [RedisBuckets(each) for each in (server, elsewhere)]
    one = Charge("shared", per_s=5, capacity=10, cost=1)
    started = time.monotonic()
    passed = sum(both[number % 2].take_now([one]) == 0.0 for number in range(100))
    assert 10 <= passed <= 11 + 5 * (time.monotonic() - started)
    elsewhere.close()


def test_workers_share_what_they_measured_and_who_is_there(
    own: Settings, server: RedisServer, private_redis: PrivateRedis
) -> None:
    elsewhere = RedisServer(own)
    here, there = RedisWorkMeasures(server), RedisWorkMeasures(elsewhere)
    assert (here.costs(), here.workers()) == ([], [])
    here.note([])
    here.note([StageCost(Stage.EMBED, Lane.BACKFILL, 1.5, 3), StageCost(Stage.LINK, Lane.LARGE, 9.0, 1)])
    there.note([StageCost(Stage.EMBED, Lane.BACKFILL, 0.5, 1)])
    costs = {(each.stage, each.lane): each.seconds / each.documents for each in here.costs()}
    assert costs == {(Stage.EMBED, Lane.BACKFILL): 0.5, (Stage.LINK, Lane.LARGE): 9.0}
    worker = WorkerSeen("w", 2, ("llm", "llm.backfill"))
    for measures in (here, there):
        measures.announce(worker)
    assert here.workers() == [worker]
    there.withdraw(worker)
    assert here.workers() == []
    elsewhere.close()


def test_old_measurements_fade_and_workers_that_say_nothing_are_gone(own: Settings, server: RedisServer) -> None:
    measures = RedisWorkMeasures(server)
    measures.announce(WorkerSeen("w", 1, ("llm",)))
    measures.note([StageCost(Stage.EMBED, Lane.LARGE, 100.0, 1)])

    def age(client: Any) -> None:
        key = f"{server.prefix}stage-costs"
        client.hset(key, "embed:large", f"100 1 {time.time() - 10 * HALF_LIFE_S:.0f}")
        client.hset(key, "a-stage-of-tomorrow:large", "1 1 1")
        client.zadd(f"{server.prefix}workers", {client.zrange(f"{server.prefix}workers", 0, 0)[0]: time.time() - 60})

    server.call(age)
    measures.note([StageCost(Stage.EMBED, Lane.LARGE, 1.0, 1)])
    (cost,) = measures.costs()
    assert 1.0 <= cost.seconds / cost.documents < 1.2
    assert measures.workers() == []


def test_measuring_costs_nobody_anything_while_redis_is_away(own: Settings) -> None:
    away = RedisServer(msgspec.structs.replace(own, redis_url="redis://127.0.0.1:1/0"))
    measures = RedisWorkMeasures(away)
    measures.note([StageCost(Stage.EMBED, Lane.LARGE, 1.0, 1)])
    measures.announce(WorkerSeen("w", 1, ()))
    with pytest.raises(TryLater):
        measures.costs()
    away.close()


def test_a_redis_that_is_away_is_a_passing_fault_and_one_that_refuses_is_not(
    own: Settings, private_redis: PrivateRedis
) -> None:
    for url, family, told in (
        ("redis://127.0.0.1:1/0", TryLater, "TRIVIUM_REDIS_URL"),
        (private_redis.url.replace("redis://", "redis://who:hidden@"), TryLater, "TRIVIUM_REDIS_URL"),
        (private_redis.url.replace("/0", "/99"), NeverWill, "Redis 7"),
    ):
        server = RedisServer(msgspec.structs.replace(own, redis_url=url))
        with pytest.raises(family) as raised:
            RedisBuckets(server).take_now([Charge("any", 1, 1, 1)])
        assert told in str(raised.value)
        assert "hidden" not in str(raised.value)
        RedisWorkSignal(server).notify()  # a lost signal costs a sweep
        with pytest.raises(family):
            RedisWorkSignal(server).wait(1)
        server.close()
    with pytest.raises(Refused):
        RedisServer(msgspec.structs.replace(own, redis_url="http://127.0.0.1"))


def test_a_redis_that_is_full_is_a_passing_fault(server: RedisServer, private_redis: PrivateRedis) -> None:
    with private_redis.client() as client:
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(TryLater) as raised:
                RedisBuckets(server).take_now([Charge("any", 1, 1, 1)])
        finally:
            client.config_set("maxmemory", 0)
    assert raised.value.code == "redis_full"


def test_a_redis_that_may_not_write_without_a_replica_is_a_passing_fault(
    server: RedisServer, private_redis: PrivateRedis
) -> None:
    with private_redis.client() as client:
        client.config_set("min-replicas-to-write", 1)
        try:
            with pytest.raises(TryLater) as raised:
                RedisBuckets(server).take_now([Charge("any", 1, 1, 1)])
        finally:
            client.config_set("min-replicas-to-write", 0)
    assert raised.value.code == "redis_busy"
