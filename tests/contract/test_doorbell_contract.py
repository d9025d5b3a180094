"""What every doorbell promises; see `trivium.ports.doorbell`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple
from uuid import uuid4

import msgspec
import pytest

from trivium.adapters.distributed.redis.doorbell import RedisDoorbell
from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.embedded.doorbell import LocalDoorbell
from trivium.config import load_settings
from trivium.domain.errors import TryLater
from trivium.ports.doorbell import Doorbell


class Ends(NamedTuple):
    """The bell of who has work, and of who hands it out."""

    outside: Doorbell
    inside: Doorbell


def embedded() -> Iterator[Ends]:
    bell = LocalDoorbell()
    yield Ends(bell, bell)


def distributed() -> Iterator[Ends]:
    name = uuid4().hex
    with closing(RedisServer(load_settings())) as one, closing(RedisServer(load_settings())) as another:
        yield Ends(RedisDoorbell(one, name), RedisDoorbell(another, name))


OPEN = {"embedded": embedded}
if load_settings().backend == "distributed":
    OPEN["distributed"] = distributed


@pytest.fixture(params=OPEN.values(), ids=OPEN.keys())
def bell(request: pytest.FixtureRequest) -> Iterator[Ends]:
    yield from request.param()


def test_missing_without_a_ring_waiting_ends_with_its_time(bell: Ends) -> None:
    assert not bell.inside.wait(0.05)


def test_a_ring_that_came_before_is_heard(bell: Ends) -> None:
    bell.outside.ring()
    assert bell.inside.wait(5)


def test_duplicate_many_rings_are_one(bell: Ends) -> None:
    for _ in range(50):
        bell.outside.ring()
    assert bell.inside.wait(5)
    assert not bell.inside.wait(0.05)


def test_a_ring_wakes_one_of_those_who_wait(bell: Ends) -> None:
    with ThreadPoolExecutor(3) as waiting:
        heard = [waiting.submit(bell.inside.wait, 1.0) for _ in range(3)]
        bell.outside.ring()
        assert sorted(each.result() for each in heard) == [False, False, True]


def test_half_done_a_bell_that_is_away_hinders_nobody_who_rings_and_is_told_to_who_waits() -> None:
    away = msgspec.structs.replace(load_settings({}), redis_url="redis://127.0.0.1:1/0")
    with closing(RedisServer(away)) as server:
        bell = RedisDoorbell(server)
        bell.ring()
        with pytest.raises(TryLater):
            bell.wait(0.05)
