"""How a test waits: for a condition, never for a time that should do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

PAUSE_S = 0.02
LONG_PAUSE_S = 0.25  # for `longest_pause_s`
LIMIT_S = 60.0  # what a busy machine may take; a test that passes never waits so long


def wait_until(
    condition: Callable[[], Value],
    what: str,
    *,
    limit_s: float = LIMIT_S,
    told: Callable[[], object] = str,
    pause_s: float = PAUSE_S,
    longest_pause_s: float = 0.0,
) -> Value:
    """Ask `condition` every `pause_s` until it answers something true, and return that.

    With `longest_pause_s` a pause grows to a tenth of what was waited, for what stays true: who answers is often at
    work on what is awaited. Raises `AssertionError` with `what` and the text of `told()` (a log, a state) after
    `limit_s`.
    """
    began = time.monotonic()
    while not (value := condition()):
        waited_s = time.monotonic() - began
        if waited_s > limit_s:
            raise AssertionError(f"after {limit_s:g} s not yet: {what}\n{told()}".rstrip())
        time.sleep(max(pause_s, min(waited_s / 10, longest_pause_s)))
    return value


async def wait_until_async(condition: Callable[[], Value], what: str, *, limit_s: float = LIMIT_S) -> Value:
    """The same inside a running event loop, which goes on meanwhile."""
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"after {limit_s:g} s not yet: {what}")
        await asyncio.sleep(PAUSE_S)
    return value
