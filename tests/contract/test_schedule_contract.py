"""What every schedule promises; see `trivium.ports.schedule`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from uuid import uuid4

import pytest
from waiting import wait_until

from trivium.adapters.distributed.redis.schedule import RedisSchedule
from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.embedded.schedule import MemorySchedule
from trivium.config import load_settings
from trivium.domain.scope import Tenant
from trivium.ports.schedule import Schedule, Slot

LATER, LATEST, OTHER = (Slot(Tenant("acme"), name) for name in ("later", "latest", "other"))
LEASE_S = 60.0


def embedded() -> Iterator[Schedule]:
    yield MemorySchedule()


def distributed() -> Iterator[Schedule]:
    with closing(RedisServer(load_settings())) as server:
        yield RedisSchedule(server, uuid4().hex)


OPEN = {"embedded": embedded}
if load_settings().backend == "distributed":
    OPEN["distributed"] = distributed


@pytest.fixture(params=OPEN.values(), ids=OPEN.keys())
def schedule(request: pytest.FixtureRequest) -> Iterator[Schedule]:
    yield from request.param()


def test_missing_what_is_unknown_is_forgotten_and_put_down_in_silence(schedule: Schedule) -> None:
    schedule.forget(OTHER)
    schedule.done(OTHER, 100.0, None)
    assert schedule.take(100.0, LEASE_S) is None


def test_empty_nothing_is_taken_when_nothing_is_due(schedule: Schedule) -> None:
    assert schedule.take(100.0, LEASE_S) is None
    schedule.plan(OTHER, 100.5)
    assert schedule.take(100.0, LEASE_S) is None
    assert schedule.take(100.5, LEASE_S) == OTHER


def test_order_what_is_due_longest_is_taken_first(schedule: Schedule) -> None:
    schedule.plan(LATEST, 30.0)
    schedule.plan(LATER, 20.0)
    schedule.plan(OTHER, 10.0)
    assert [schedule.take(100.0, LEASE_S) for _ in range(4)] == [OTHER, LATER, LATEST, None]


def test_duplicate_a_plan_replaces_and_one_for_what_is_absent_does_not(schedule: Schedule) -> None:
    schedule.plan(OTHER, 200.0)
    schedule.plan_if_absent(OTHER, 50.0)
    assert schedule.take(100.0, LEASE_S) is None
    schedule.plan(OTHER, 50.0)
    assert schedule.take(100.0, LEASE_S) == OTHER


def test_tenants_slots_of_one_name_are_two(schedule: Schedule) -> None:
    schedule.plan(OTHER, 10.0)
    theirs = Slot(Tenant("umbrella"), OTHER.name)
    schedule.plan(theirs, 20.0)
    assert [schedule.take(100.0, LEASE_S) for _ in range(2)] == [OTHER, theirs]


def test_what_is_put_down_is_planned_as_told(schedule: Schedule) -> None:
    schedule.plan(OTHER, 10.0)
    assert schedule.take(100.0, LEASE_S) == OTHER
    schedule.done(OTHER, 101.0, None)
    assert schedule.take(1e10, LEASE_S) is None
    schedule.plan(OTHER, 10.0)
    assert schedule.take(100.0, LEASE_S) == OTHER
    schedule.done(OTHER, 101.0, 150.0)
    assert schedule.take(149.0, LEASE_S) is None
    assert schedule.take(150.0, LEASE_S) == OTHER


def test_what_is_asked_for_while_it_is_in_hand_is_due_afterwards(schedule: Schedule) -> None:
    schedule.plan(OTHER, 10.0)
    assert schedule.take(100.0, LEASE_S) == OTHER
    schedule.plan(OTHER, 5.0)
    schedule.plan(LATER, 20.0)
    assert schedule.take(100.0, LEASE_S) == LATER, "what is in hand hides nothing"
    assert schedule.take(100.0, LEASE_S) is None
    schedule.done(OTHER, 101.0, 200.0)
    assert schedule.take(102.0, LEASE_S) == OTHER


def test_half_done_who_died_with_a_slot_has_it_until_its_lease_is_over(schedule: Schedule) -> None:
    schedule.plan(OTHER, 10.0)
    assert schedule.take(100.0, 0.2) == OTHER
    schedule.hold(OTHER, 0.4)
    schedule.plan_if_absent(OTHER, 10.0)
    wait_until(lambda: schedule.take(time.time(), LEASE_S) == OTHER, "its lease is over")
    schedule.hold(OTHER, LEASE_S)
    assert schedule.take(time.time() + 1, LEASE_S) is None
    assert schedule.take(time.time() + 1, LEASE_S) is None


def test_what_is_forgotten_is_not_taken(schedule: Schedule) -> None:
    schedule.plan(OTHER, 10.0)
    schedule.forget(OTHER)
    assert schedule.take(100.0, LEASE_S) is None


def test_many_in_hand_hide_nothing(schedule: Schedule) -> None:
    held = [Slot(OTHER.tenant, f"held-{n}") for n in range(150)]
    for slot in held:
        schedule.plan(slot, 1.0)
        schedule.take(100.0, LEASE_S)
        schedule.plan(slot, 1.0)
    schedule.plan(OTHER, 50.0)
    assert schedule.take(100.0, LEASE_S) == OTHER
