from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from trivium.domain.errors import NeverWill, TryLater
from trivium_inference.serving.batcher import Batcher, BatchLimits

WAIT_S = 5.0


Task = asyncio.Task[list[int]]


class Doubler:
    """Doubles numbers. Holds every batch until `go`; refuses 13, and fails on 666 as a broken library does."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.batches.append(list(numbers))
        self.begun.release()
        assert self.go.wait(WAIT_S)
        if 13 in numbers:
            raise NeverWill("unlucky", "13 cannot be doubled.")
        if 666 in numbers:
            raise ZeroDivisionError("the beast")
        return [2 * number for number in numbers]

    async def at_work(self) -> None:
        assert await asyncio.to_thread(self.begun.acquire, timeout=WAIT_S)


@pytest.fixture
def doubler() -> Doubler:
    return Doubler()


@pytest.fixture
def batcher(doubler: Doubler) -> Iterator[Batcher[int, int]]:
    with closing(Batcher("test", doubler, BatchLimits(batch=10, queued=40))) as made:
        yield made
        doubler.go.set()


def ask(batcher: Batcher[int, int], *numbers: int, caller: str = "a", timeout_s: float = WAIT_S) -> Task:
    return asyncio.create_task(batcher.submit(numbers, [1] * len(numbers), caller, timeout_s))


async def busy(batcher: Batcher[int, int], doubler: Doubler) -> Task:
    """Someone else's item is in the model, so that all others wait."""
    first = ask(batcher, 1, caller="first")
    await doubler.at_work()
    return first


async def test_those_who_wait_go_together_and_each_gets_its_own(batcher: Batcher[int, int], doubler: Doubler) -> None:
    first = await busy(batcher, doubler)
    others = [ask(batcher, number, number + 1, caller=str(number)) for number in (10, 20, 30)]
    await asyncio.sleep(0)
    doubler.go.set()
    assert await first == [2]
    assert [await task for task in others] == [[20, 22], [40, 42], [60, 62]]
    assert len(doubler.batches) == 2


async def test_a_lone_item_waits_for_nobody(batcher: Batcher[int, int], doubler: Doubler) -> None:
    await busy(batcher, doubler)
    assert doubler.batches == [[1]]


async def test_a_large_request_is_divided_and_lets_others_in_between(
    batcher: Batcher[int, int], doubler: Doubler
) -> None:
    first = await busy(batcher, doubler)
    large, small = ask(batcher, *range(100, 130), caller="large"), ask(batcher, 7, caller="small")
    await asyncio.sleep(0)
    doubler.go.set()
    assert await large == [2 * number for number in range(100, 130)]
    assert await small == [14]
    await first
    assert max(map(len, doubler.batches)) == 10
    assert 7 in doubler.batches[1]


async def test_an_item_that_fails_fails_only_its_own_request(batcher: Batcher[int, int], doubler: Doubler) -> None:
    first = await busy(batcher, doubler)
    tasks = {number: ask(batcher, number, caller=str(number)) for number in (2, 13, 4, 666, 5, 6)}
    await asyncio.sleep(0)
    doubler.go.set()
    await first
    assert [await tasks[number] for number in (2, 4, 5, 6)] == [[4], [8], [10], [12]]
    with pytest.raises(NeverWill, match="13 cannot be doubled"):
        await tasks[13]
    with pytest.raises(TryLater, match="the beast") as failure:
        await tasks[666]
    assert failure.value.code == "inference_failed"


async def test_one_who_goes_away_costs_nothing(batcher: Batcher[int, int], doubler: Doubler) -> None:
    first = await busy(batcher, doubler)
    leaving, staying = ask(batcher, *range(50, 55)), ask(batcher, 8)
    await asyncio.sleep(0)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    doubler.go.set()
    assert await staying == [16]
    await first
    assert doubler.batches == [[1], [8]]


async def test_what_comes_too_late_costs_nothing_and_is_told_in_time(
    batcher: Batcher[int, int], doubler: Doubler
) -> None:
    first = await busy(batcher, doubler)
    hasty = ask(batcher, 9, timeout_s=0.05)
    with pytest.raises(TryLater) as failure:
        await hasty  # the model is still held: nobody waits for a stuck model beyond the deadline
    assert failure.value.code == "deadline_passed"
    doubler.go.set()
    await first
    assert doubler.batches == [[1]]


async def test_a_full_queue_refuses_and_has_room_again_later(batcher: Batcher[int, int], doubler: Doubler) -> None:
    first = await busy(batcher, doubler)
    large = ask(batcher, *range(100, 200))  # whoever finds room may overfill it
    await asyncio.sleep(0)
    with pytest.raises(TryLater) as failure:
        await ask(batcher, 3)
    assert failure.value.code == "inference_busy"
    doubler.go.set()
    await first
    assert len(await large) == 100
    assert await ask(batcher, 3) == [6]


async def test_a_failed_request_takes_the_rest_of_its_items_along(batcher: Batcher[int, int], doubler: Doubler) -> None:
    first = await busy(batcher, doubler)
    poisoned = ask(batcher, 13, *range(200, 230))
    await asyncio.sleep(0)
    doubler.go.set()
    await first
    with pytest.raises(NeverWill):
        await poisoned
    assert await ask(batcher, 3) == [6]


async def test_closing_serves_who_waits_and_refuses_who_comes(batcher: Batcher[int, int], doubler: Doubler) -> None:
    first = await busy(batcher, doubler)
    waiting = ask(batcher, 4)
    await asyncio.sleep(0)
    closing_down = asyncio.create_task(asyncio.to_thread(batcher.close))
    while not batcher._closing:  # noqa: ASYNC110 - set by a thread
        await asyncio.sleep(0.001)
    with pytest.raises(TryLater) as failure:
        await ask(batcher, 5)
    assert failure.value.code == "inference_stopping"
    doubler.go.set()
    assert (await first, await waiting) == ([2], [8])
    await closing_down


async def test_no_items_are_no_results(batcher: Batcher[int, int]) -> None:
    assert await batcher.submit([], [], "a") == []


async def test_several_threads_share_what_waits() -> None:
    together = threading.Barrier(2, timeout=WAIT_S)

    def meet(numbers: Sequence[int]) -> Sequence[int]:
        together.wait()  # passes only when two batches are in the engine at once
        return numbers

    with closing(Batcher("test", meet, BatchLimits(batch=16, queued=100, wait_s=0.05, threads=2))) as batcher:
        numbers = list(range(16))
        assert await batcher.submit(numbers, [1] * 16, "a", WAIT_S) == numbers
