"""Signs of life: a stage that works for long keeps its leases."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import msgspec
import structlog

from trivium.domain.errors import TriviumError
from trivium.flow.stage import Job
from trivium.ports.registry import Registry

BEATS_PER_LEASE = 3  # two may be lost
# Leases that a document may wait in a queue before its message counts as lost: a worker dies more often than a queue
# loses something, and work that is sent again because it waits makes everybody wait longer.
LEASES_IN_A_QUEUE = 5

log = structlog.get_logger()


@contextmanager
def leases_renewed(registry: Registry, jobs: Sequence[Job], lease_s: float) -> Iterator[None]:
    """Renew the leases of `jobs`, all of one tenant, for as long as the block runs, and write how far they are.

    The records are otherwise saved as they were at its beginning, so the block must not save them itself. A process
    that is stopped or dead renews nothing: after `lease_s` another may claim, and what this one says then is refused.
    """
    heart = _heart(os.getpid())
    beat = _Beat(registry, jobs, lease_s)
    heart.add(beat)
    try:
        yield
    finally:
        heart.remove(beat)


class _Beat:
    """What is renewed again and again. Its lock is held while it is, so that nothing is written after the end."""

    def __init__(self, registry: Registry, jobs: Sequence[Job], lease_s: float) -> None:
        self._registry = registry
        self._jobs = jobs
        self._lease_s = lease_s
        self._lock = threading.Lock()
        self._ended = False
        self.due = time.monotonic() + lease_s / BEATS_PER_LEASE

    def renew(self) -> None:
        self.due = time.monotonic() + self._lease_s / BEATS_PER_LEASE
        until = time.time() + self._lease_s
        with self._lock:
            if self._ended:
                return
            try:
                renewed = [
                    msgspec.structs.replace(job.document, lease_until=until, stage_share=job.share.done)
                    for job in self._jobs
                ]
                self._registry.for_tenant(self._jobs[0].tenant).save_many(renewed)
            except TriviumError:
                pass  # the work goes on; a lost lease is noticed when it is saved
            except Exception:  # the other beats go on, whatever is wrong with this one
                log.exception("heartbeat_failed")

    def end(self) -> None:
        with self._lock:
            self._ended = True


class _Heart:
    """One thread for all beats of a process: most stages end long before their first beat is due."""

    def __init__(self) -> None:
        self._beats: set[_Beat] = set()
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def add(self, beat: _Beat) -> None:
        with self._changed:
            self._beats.add(beat)
            if beat.due <= min(other.due for other in self._beats):
                self._changed.notify()

    def remove(self, beat: _Beat) -> None:
        with self._changed:
            self._beats.discard(beat)
        beat.end()

    def _run(self) -> None:
        while True:
            for beat in self._next():
                beat.renew()

    def _next(self) -> list[_Beat]:
        """Waits for those that are due."""
        with self._changed:
            while True:
                now = time.monotonic()
                due = [beat for beat in self._beats if beat.due <= now]
                if due:
                    return due
                first = min((beat.due for beat in self._beats), default=None)
                self._changed.wait(None if first is None else first - now)


@lru_cache(maxsize=1)
def _heart(_process: int) -> _Heart:
    """Of this process: a forked one has none of its parent's threads."""
    return _Heart()
