"""Signs of life: a stage that works for long keeps its leases."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache

import msgspec
import structlog

from trivium.domain.documents import Document
from trivium.domain.errors import TriviumError
from trivium.flow.stage import Job
from trivium.ports.registry import Registry

BEATS_PER_LEASE = 3  # two may be lost
PROGRESS_S = 5.0  # who watches a document sees it move
# Leases that a document may wait in a queue, where nobody can look into it, before its message counts as lost: what is
# sent again because it waits makes everybody wait longer.
LEASES_IN_A_QUEUE = 14
RETRY_S = 1.0  # after a registry that was away for some beats, nobody should be taken for dead

log = structlog.get_logger()


@contextmanager
def leases_renewed(registry: Registry, jobs: Sequence[Job], lease_s: float) -> Iterator[None]:
    """Renew the leases of `jobs`, all of one tenant, for as long as the block runs, and write how far they are.

    The records are otherwise saved as they were at its beginning, so the block seals the progress of one that it saves
    itself. A process that is stopped or dead renews nothing: after `lease_s` another may claim, and what this one says
    then is refused.
    """
    if not jobs:
        yield
        return
    heart = _heart(os.getpid())
    beat = _Beat(registry, jobs, lease_s)
    heart.add(beat)
    try:
        yield
    finally:
        heart.remove(beat)


def given_back(document: Document) -> Document:
    """The record as whoever did not finish leaves it: nobody died, so its start does not count, and all may claim."""
    attempt = max(0, document.attempt - 1)
    return msgspec.structs.replace(document, attempt=attempt, updated_at=time.time(), lease_until=0.0, holder="")


def give_back_all() -> None:
    """What this process works on is anybody's from now on. Called right before it ends; the work itself goes on."""
    _heart(os.getpid()).give_back()


class _Beat:
    """What is renewed again and again. Its lock is held while it is, so that nothing is written after the end."""

    def __init__(self, registry: Registry, jobs: Sequence[Job], lease_s: float) -> None:
        self._registry = registry
        self._jobs = jobs
        self._lease_s = lease_s
        self._lock = threading.Lock()
        for job in jobs:
            job.progress.writing = self._lock
        self._ended = False
        self._pause_s = min(PROGRESS_S, lease_s / BEATS_PER_LEASE)
        self.due = time.monotonic() + self._pause_s

    def renew(self) -> None:
        self.due = time.monotonic() + self._pause_s
        with self._lock:
            if self._ended:
                return
            try:
                self._registry.for_tenant(self._jobs[0].tenant).save_many(self._renewed(time.time()))
            except TriviumError:  # the work goes on; a lost lease is noticed when it is saved
                self.due = time.monotonic() + min(RETRY_S, self._pause_s)
            except Exception:  # the other beats go on, whatever is wrong with this one
                log.exception("heartbeat_failed")

    def _renewed(self, now: float) -> list[Document]:
        return [
            msgspec.structs.replace(
                job.document, updated_at=now, lease_until=now + self._lease_s, stage_share=job.progress.done
            )
            for job in self._jobs
            if job.progress.saved is None
        ]

    def end(self) -> None:
        with self._lock:
            self._ended = True

    def give_back(self) -> None:
        with self._lock:
            if self._ended:
                return
            self._ended = True
            given = [given_back(job.document) for job in self._jobs if job.progress.saved is None]
            self._registry.for_tenant(self._jobs[0].tenant).save_many(given)


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

    def give_back(self) -> None:
        with self._changed:
            beats, self._beats = self._beats, set()
        for beat in beats:
            with suppress(TriviumError):  # a lease that could not be given back runs out
                beat.give_back()

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
