"""What every work signal promises; see `trivium.ports.work_signal`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple
from uuid import uuid4

import msgspec
import pytest

from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.redis.work_signal import RedisWorkSignal
from trivium.adapters.embedded.work_signal import LocalWorkSignal
from trivium.config import load_settings
from trivium.domain.errors import TryLater
from trivium.ports.work_signal import WorkSignal


class Ends(NamedTuple):
    """The ends of who has work, and of who hands it out."""

    outside: WorkSignal
    inside: WorkSignal


def embedded() -> Iterator[Ends]:
    work_signal = LocalWorkSignal()
    yield Ends(work_signal, work_signal)


def distributed() -> Iterator[Ends]:
    name = uuid4().hex
    with closing(RedisServer(load_settings())) as one, closing(RedisServer(load_settings())) as another:
        yield Ends(RedisWorkSignal(one, name), RedisWorkSignal(another, name))


OPEN = {"embedded": embedded}
if load_settings().backend == "distributed":
    OPEN["distributed"] = distributed


@pytest.fixture(params=OPEN.values(), ids=OPEN.keys())
def work_signal(request: pytest.FixtureRequest) -> Iterator[Ends]:
    yield from request.param()


def test_missing_without_a_signal_waiting_ends_with_its_time(work_signal: Ends) -> None:
    assert not work_signal.inside.wait(0.05)


def test_a_signal_that_came_before_is_heard(work_signal: Ends) -> None:
    work_signal.outside.notify()
    assert work_signal.inside.wait(5)


def test_duplicate_many_signals_are_one(work_signal: Ends) -> None:
    for _ in range(50):
        work_signal.outside.notify()
    assert work_signal.inside.wait(5)
    assert not work_signal.inside.wait(0.05)


def test_a_signal_wakes_one_of_those_who_wait(work_signal: Ends) -> None:
    with ThreadPoolExecutor(3) as waiting:
        heard = [waiting.submit(work_signal.inside.wait, 1.0) for _ in range(3)]
        work_signal.outside.notify()
        assert sorted(each.result() for each in heard) == [False, False, True]


def test_half_done_a_signal_that_is_away_hinders_nobody_who_notifies_and_is_told_to_who_waits() -> None:
    away = msgspec.structs.replace(load_settings({}), redis_url="redis://127.0.0.1:1/0")
    with closing(RedisServer(away)) as server:
        work_signal = RedisWorkSignal(server)
        work_signal.notify()
        with pytest.raises(TryLater):
            work_signal.wait(0.05)
