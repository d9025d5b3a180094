"""One loop for callers of many."""

from __future__ import annotations

import asyncio
import threading

import pytest

from trivium.adapters.distributed.loop_thread import LoopThread


async def nothing() -> None:
    pass


def test_callers_of_different_loops_share_one() -> None:
    thread = LoopThread("test")

    async def running() -> tuple[int, str]:
        return id(asyncio.get_running_loop()), threading.current_thread().name

    async def ask() -> tuple[int, str]:
        return await thread.run(running)

    first, second = asyncio.run(ask()), asyncio.run(ask())
    assert first == second
    assert first[1] == "test"
    thread.close(nothing)


async def test_errors_and_cancellation_pass_through() -> None:
    thread = LoopThread("test")
    ended = threading.Event()

    async def fails() -> None:
        raise ValueError("as it was")

    async def waits() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(ValueError, match="as it was"):
        await thread.run(fails)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await thread.run(waits)
    assert await asyncio.to_thread(ended.wait, 5), "what nobody waits for is ended"
    thread.close(nothing)


async def test_closing_ends_what_runs_then_does_the_last_work() -> None:
    thread = LoopThread("test")
    done: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            done.append("ended")

    async def last() -> None:
        done.append("closed")

    waiting = asyncio.create_task(thread.run(waits))
    await asyncio.sleep(0.05)
    thread.close(last)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert done == ["ended", "closed"]
    thread.close(last)
    assert done == ["ended", "closed"], "it is closed already"


def test_a_thread_that_was_never_needed_closes_too() -> None:
    LoopThread("test").close(nothing)
