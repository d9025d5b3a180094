"""Joins the requests of many callers into batches for one engine.

The event loop puts items into a fair queue; the engine's threads take them. Every request is settled: with its
results, with its own item's failure, at its deadline, or when its caller goes away.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from trivium.domain.errors import TriviumError, TryLater
from trivium.telemetry import (
    INFERENCE_BATCH_COST,
    INFERENCE_BATCH_SECONDS,
    INFERENCE_ITEMS,
    INFERENCE_QUEUED,
    INFERENCE_WAIT_SECONDS,
)
from trivium_inference.serving.fair_queue import FairQueue, Ticket

In = TypeVar("In")
Out = TypeVar("Out")

CLOSE_GRACE_S = 10.0
MAX_WAIT_S = 300.0  # for callers that name no deadline
_SMALLEST_SHARE = 4  # a thread takes at least this part of a whole batch, if there is as much


class BatchLimits(msgspec.Struct, frozen=True):
    """Costs are tokens, or one per item where items have no tokens.

    `batch` is what a thread takes at a time; `queued` what may wait before new requests are refused; an item waits
    at most `wait_s` for company while a thread is free.
    """

    batch: int
    queued: int
    wait_s: float = 0.0
    threads: int = 1


class Batcher(Generic[In, Out]):
    """`run` maps a batch to its results, in order, on a thread of the batcher; `threads` of them side by side."""

    def __init__(self, name: str, run: Callable[[Sequence[In]], Sequence[Out]], limits: BatchLimits) -> None:
        self._name = name
        self._engine = run
        self._limits = limits
        self._queue: FairQueue[_Item[In, Out]] = FairQueue()
        self._changed = threading.Condition()
        self._closing = False
        self._free = 0  # threads without a batch
        self.last_success_s = float("-inf")  # monotonic
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(limits.threads)
        ]
        for thread in self._threads:
            thread.start()

    async def submit(
        self, items: Sequence[In], costs: Sequence[int], caller: str, timeout_s: float | None = None
    ) -> list[Out]:
        """The result of each item, in order. A caller that is cancelled takes its items out of the queue.

        Raises `TryLater` (`inference_busy`, `inference_stopping`, `deadline_passed`, `inference_failed`), and the
        engine's own `TriviumError` for an item.
        """
        if not items:
            return []
        timeout_s = min(MAX_WAIT_S, MAX_WAIT_S if timeout_s is None else timeout_s)
        request = _Request[In, Out](len(items), time.monotonic() + timeout_s)
        self._enqueue(request, items, costs, caller)
        try:
            async with asyncio.timeout(timeout_s):
                return await request.future
        except TimeoutError:
            raise _late() from None
        finally:
            self._abandon(request)

    def check_room(self) -> None:
        """Raise as `submit` would: before work is spent on a request that will be refused.

        Whoever finds room may fill it to overflowing, so that a request larger than the queue is served too.
        """
        if self._closing:
            raise TryLater("inference_stopping", "The inference service is stopping.", "Try again.")
        if self._queue.cost >= self._limits.queued:
            INFERENCE_ITEMS.labels(self._name, "refused").inc()
            raise TryLater(
                "inference_busy", f"The inference service has as many {self._name} waiting as it takes.", "Try again."
            )

    def close(self, grace_s: float = CLOSE_GRACE_S) -> None:
        """Refuse new requests, serve those that wait, and end the threads; one that is stuck is left behind."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(grace_s)

    def _enqueue(self, request: _Request[In, Out], items: Sequence[In], costs: Sequence[int], caller: str) -> None:
        now = time.monotonic()
        with self._changed:
            self.check_room()
            request.tickets = [
                self._queue.push(caller, _Item(request, place, item), max(1, cost), now)
                for place, (item, cost) in enumerate(zip(items, costs, strict=True))
            ]
            INFERENCE_QUEUED.labels(self._name).set(self._queue.cost)
            self._changed.notify_all()

    def _abandon(self, request: _Request[In, Out]) -> None:
        """Nobody waits for it any more. Does nothing to a request that was served."""
        with self._changed:
            before = len(self._queue)
            self._queue.withdraw(request.tickets)
            request.tickets = []
            INFERENCE_ITEMS.labels(self._name, "abandoned").inc(before - len(self._queue))
            INFERENCE_QUEUED.labels(self._name).set(self._queue.cost)

    def _work(self) -> None:
        while batch := self._next():
            started = time.perf_counter()
            outcomes = self._run([item.payload for item in batch])
            INFERENCE_BATCH_SECONDS.labels(self._name).observe(time.perf_counter() - started)
            self._settle(batch, outcomes)

    def _next(self) -> list[_Item[In, Out]]:
        """Wait for the next batch; empty when the batcher is closed and all is done."""
        limits = self._limits
        with self._changed:
            self._free += 1
            while True:
                due_in = self._queue.due_in(time.monotonic(), limits.batch, limits.wait_s)
                if due_in is None and self._closing:
                    return []
                if due_in == 0:
                    if batch := self._take():
                        self._free -= 1
                        return batch
                    continue
                self._changed.wait(due_in)

    def _take(self) -> list[_Item[In, Out]]:
        """What waits, shared among the threads that are free, without what came too late."""
        limits = self._limits
        share = max(-(-self._queue.cost // self._free), limits.batch // _SMALLEST_SHARE)
        now = time.monotonic()
        batch: list[_Item[In, Out]] = []
        cost = late = 0
        for ticket, item in self._queue.take(min(share, limits.batch)):
            if item.request.deadline_s <= now:
                late += 1
                continue
            batch.append(item)
            cost += ticket.cost
            INFERENCE_WAIT_SECONDS.labels(self._name).observe(now - ticket.arrived_s)
        INFERENCE_ITEMS.labels(self._name, "late").inc(late)
        INFERENCE_QUEUED.labels(self._name).set(self._queue.cost)
        if batch:
            INFERENCE_BATCH_COST.labels(self._name).observe(cost)
        return batch

    def _run(self, payloads: Sequence[In]) -> list[Out | Exception]:
        """The engine's answers; a batch that fails is halved until what fails stands alone."""
        try:
            return list(self._engine(payloads))
        except Exception as error:  # noqa: BLE001 - whoever waits for it raises it
            if len(payloads) == 1:
                return [error if isinstance(error, TriviumError) else _failed(self._name, error)]
        half = len(payloads) // 2
        return [*self._run(payloads[:half]), *self._run(payloads[half:])]

    def _settle(self, batch: Sequence[_Item[In, Out]], outcomes: Sequence[Out | Exception]) -> None:
        finished: list[_Request[In, Out]] = []
        failures = sum(isinstance(outcome, Exception) for outcome in outcomes)
        INFERENCE_ITEMS.labels(self._name, "failed").inc(failures)
        INFERENCE_ITEMS.labels(self._name, "done").inc(len(outcomes) - failures)
        with self._changed:
            if failures < len(outcomes):
                self.last_success_s = time.monotonic()
            for item, outcome in zip(batch, outcomes, strict=True):
                if item.request.take(item.place, outcome):
                    finished.append(item.request)
        for request in finished:
            request.wake()


class _Request(Generic[In, Out]):
    """The items of one call, which may go through the engine in several batches."""

    def __init__(self, size: int, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        self.tickets: list[Ticket[_Item[In, Out]]] = []
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[list[Out]] = self._loop.create_future()
        self._results: dict[int, Out] = {}
        self._size = size
        self._error: Exception | None = None

    def take(self, place: int, outcome: Out | Exception) -> bool:
        """Note one item's outcome; true when it settles the request."""
        if self._error is not None:
            return False
        if isinstance(outcome, Exception):
            self._error = outcome
            return True
        self._results[place] = outcome
        return len(self._results) == self._size

    def wake(self) -> None:
        """Tell the event loop, from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        if self.future.done():  # cancelled, or out of time
            return
        if self._error is not None:
            self.future.set_exception(self._error)
        else:
            self.future.set_result([self._results[place] for place in range(self._size)])


class _Item(Generic[In, Out]):
    __slots__ = ("payload", "place", "request")

    def __init__(self, request: _Request[In, Out], place: int, payload: In) -> None:
        self.request = request
        self.place = place
        self.payload = payload


def _late() -> TryLater:
    return TryLater("deadline_passed", "The inference service did not come to it in time.", "Try again later.")


def _failed(name: str, error: Exception) -> TryLater:
    reason = f"{type(error).__name__}: {error}"[:300]
    return TryLater("inference_failed", f"The model failed ({name}: {reason}).", "Try again; see the service's log.")
