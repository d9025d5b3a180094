"""Children that are kept and used again; one that crashed, hung or is no longer fit is replaced."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from trivium.child_process.child import ChildProcess
from trivium.child_process.errors import ChildExited, MemoryExhausted
from trivium.child_process.reply import Reply
from trivium.domain.errors import TryLater

C = TypeVar("C", bound=ChildProcess)
T = TypeVar("T")


class ChildPool(Generic[C]):
    """At most `size` at a time, one for each job. They start when first needed. Several threads may call `run`.

    `repeats_crashes`: a job whose child crashed gets another; twice is the job's fault.
    """

    def __init__(self, start: Callable[[], C], size: int = 1, *, repeats_crashes: bool = False) -> None:
        self._start = start
        self._repeats_crashes = repeats_crashes
        self._lasting: set[C] = set()
        self._closed = False
        self._places: queue.Queue[C | None] = queue.Queue()
        for _ in range(size):
            self._places.put(None)

    def run(self, job: Callable[[C], Reply[T]]) -> T:
        """The result of `job`, done once more by a fresh child where that may do better.

        Raises what the job and its reply raise, `ChildExited`, `MemoryExhausted` and `TryLater` (`shutting_down`).
        """
        try:
            reply = self._reply(job)
        except (ChildExited, MemoryExhausted) as failure:
            if not self._may_do_better(failure):
                raise
            reply = self._reply(job, fresh=True)
        return reply.result()

    def give_place(self, child: C) -> None:
        """From a job that lasts: another child may start beside this one, which ends with its job if one did."""
        if child not in self._lasting:
            self._lasting.add(child)
            self._places.put(None)

    def close(self) -> None:
        """End the children; those at work end with their job."""
        self._closed = True
        for _ in range(self._places.qsize()):
            with contextlib.suppress(queue.Empty):
                child = self._places.get_nowait()
                if child is not None:
                    child.kill()
                self._places.put(None)

    def _reply(self, job: Callable[[C], Reply[T]], *, fresh: bool = False) -> Reply[T]:
        with self._child(fresh=fresh) as child:
            reply = job(child)
            if reply.out_of_memory:
                raise MemoryExhausted(was_used=child.jobs > 1)
            return reply

    def _may_do_better(self, failure: ChildExited | MemoryExhausted) -> bool:
        """Status 0: it ended by itself, having had nothing to do, as the job came."""
        if isinstance(failure, MemoryExhausted):
            return failure.was_used
        return self._repeats_crashes or failure.status == 0

    @contextlib.contextmanager
    def _child(self, *, fresh: bool) -> Iterator[C]:
        """A live child, for this thread alone; killed by what the block raises: an answer may be on its way."""
        if self._closed:
            raise TryLater("shutting_down", "The process is shutting down.")
        child = self._places.get()
        try:
            if child is None or fresh or not child.is_fit:
                if child is not None:
                    child.kill()
                child = self._start()
            child.jobs += 1
            yield child
        except BaseException:
            if child is not None:
                child.kill()
            raise
        finally:
            self._take_back(child)

    def _take_back(self, child: C | None) -> None:
        if child is not None and child in self._lasting:
            self._lasting.discard(child)
            if not self._took_empty_place():
                child.kill()
                return
        if child is not None and (self._closed or not child.is_alive):
            child.kill()
            child = None
        self._places.put(child)

    def _took_empty_place(self) -> bool:
        """Whether no child started in the place that was given away: it has one to come back to."""
        try:
            other = self._places.get_nowait()
        except queue.Empty:
            return False
        if other is not None:
            self._places.put(other)
        return other is None
