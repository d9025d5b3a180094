"""Many small requests to a store, some at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import lru_cache
from typing import TypeVar

MAX_CONCURRENT = 8  # requests in flight for all batches of a process

A = TypeVar("A")
B = TypeVar("B")

_thread = threading.local()


def map_concurrent(call: Callable[[A], B], batch: Sequence[A]) -> list[B]:
    """`call` for each of a batch, some at a time, in order; the first failure is raised when all have ended.

    A batch within a `call` is done one after the other: it could wait for its own place.
    """
    if len(batch) < 2 or in_pool_thread():
        return [call(item) for item in batch]
    calls = [submit(call, item) for item in batch]
    wait(calls)
    return [each.result() for each in calls]


def in_pool_thread() -> bool:
    """Whether this is a thread of such calls, whose time is not its caller's."""
    return hasattr(_thread, "is_pooled")


def submit(call: Callable[[A], B], item: A) -> Future[B]:
    """`call`, beside what the caller goes on with. Whoever waits for it must not be such a call: all could wait."""
    return _threads(os.getpid()).submit(copy_context().run, call, item)


@lru_cache(maxsize=1)
def _threads(_process: int) -> ThreadPoolExecutor:
    """Of this process: a forked one inherits none."""
    return ThreadPoolExecutor(MAX_CONCURRENT, thread_name_prefix="concurrent-calls", initializer=_enter)


def _enter() -> None:
    _thread.is_pooled = True
