"""A call that is cancelled just as its answer comes: at every step of the loop that takes the answer in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

STEPS = 40  # more than any client takes from the answer's bytes to its result
DELAY_S = 0.02  # for which the peer keeps its answer back
LOST_S = 5.0


async def cancel_at_every_step(call: Callable[[], Awaitable[object]], requests: Callable[[], int]) -> None:
    """`requests` is how many the peer has had, which answers `DELAY_S` later. Fails where a call never comes to it."""
    for steps in range(STEPS):
        before = requests()
        task = asyncio.ensure_future(call())
        async with asyncio.timeout(LOST_S):
            while requests() == before:  # noqa: ASYNC110  # the peer counts in a thread of its own
                await asyncio.sleep(0.001)
        time.sleep(2 * DELAY_S)  # noqa: ASYNC251  # the loop stands still until the whole answer lies in the socket
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
