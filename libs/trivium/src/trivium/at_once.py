"""Many small requests to a store, some at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import TypeVar

AT_ONCE = 8  # requests in flight for all batches of a process

A = TypeVar("A")
B = TypeVar("B")

_thread = threading.local()


def at_once(call: Callable[[A], B], batch: Sequence[A]) -> list[B]:
    """`call` for each of a batch, some at a time, in order; the first failure is raised when all have ended.

    A batch within a `call` is done one after the other: it could wait for its own place.
    """
    if len(batch) < 2 or is_beside():
        return [call(item) for item in batch]
    calls = [begun(call, item) for item in batch]
    wait(calls)
    return [each.result() for each in calls]


def is_beside() -> bool:
    """Whether this is a thread of such calls, whose time is not its caller's."""
    return hasattr(_thread, "is_pooled")


def begun(call: Callable[[A], B], item: A) -> Future[B]:
    """`call`, beside what the caller goes on with. Whoever waits for it must not be such a call: all could wait."""
    return _threads(os.getpid()).submit(call, item)


@lru_cache(maxsize=1)
def _threads(_process: int) -> ThreadPoolExecutor:
    """Of this process: a forked one inherits none."""
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="at-once", initializer=_enter)


def _enter() -> None:
    _thread.is_pooled = True
