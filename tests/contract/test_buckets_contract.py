"""What every deployment's token buckets promise; see `trivium.ports.buckets`."""

from __future__ import annotations

import asyncio
import time

import pytest

from trivium.domain.scope import Tenant
from trivium.ports.buckets import Buckets, Charge


@pytest.fixture
def buckets(stores) -> Buckets:
    return stores.buckets


@pytest.fixture
def name(tenant: Tenant) -> str:
    """A bucket that nobody has used."""
    return tenant.name


async def test_missing_a_new_bucket_is_full_and_then_fills_at_its_rate(buckets: Buckets, name: str) -> None:
    one = Charge(name, per_s=10, capacity=5, cost=1)
    assert [await buckets.take([one]) for _ in range(5)] == [0.0] * 5
    wait = await buckets.take([one])
    assert 0 < wait <= 0.1
    await asyncio.sleep(wait + 0.01)
    assert await buckets.take([one]) == 0.0


async def test_empty_no_charge_is_always_taken(buckets: Buckets) -> None:
    assert await buckets.take([]) == 0.0


async def test_half_done_where_one_bucket_is_empty_nothing_is_taken_of_the_other(buckets: Buckets, name: str) -> None:
    small, large = Charge(name + "-s", 0.01, 1, 1), Charge(name + "-l", 0.01, 2, 1)
    assert await buckets.take([small, large]) == 0.0
    for _ in range(5):
        assert await buckets.take([large, small]) > 90
    assert await buckets.take([large]) == 0.0
    assert await buckets.take([large]) > 90


async def test_a_cost_above_the_capacity_needs_a_full_bucket(buckets: Buckets, name: str) -> None:
    assert await buckets.take([Charge(name, 0.01, 5, 1000)]) == 0.0
    assert 450 < await buckets.take([Charge(name, 0.01, 5, 1000)]) <= 500


async def test_what_is_owed_is_taken_whatever_there_is_and_has_to_come_back(buckets: Buckets, name: str) -> None:
    assert await buckets.take([Charge(name, 10, 10, 12)], owe=True) == 0.0
    wait = await buckets.take([Charge(name, 10, 10, 1)])
    assert 0.2 < wait <= 0.3
    await asyncio.sleep(wait + 0.01)
    assert await buckets.take([Charge(name, 10, 10, 1)]) == 0.0


async def test_duplicate_one_name_is_one_bucket_for_all_that_ask_at_once(buckets: Buckets, name: str) -> None:
    one = Charge(name, per_s=20, capacity=40, cost=1)
    started, passed = time.monotonic(), 0
    while (elapsed := time.monotonic() - started) < 1.0:
        passed += (await asyncio.gather(*(buckets.take([one]) for _ in range(8)))).count(0.0)
        await asyncio.sleep(0.001)
    assert 40 <= passed <= (40 + 20 * (elapsed + 0.1)) * 1.05
