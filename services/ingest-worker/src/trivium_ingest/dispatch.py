"""Dispatch: claims unfinished documents, oldest first, and keeps a bounded number in flight."""

from __future__ import annotations

import threading
import time

import msgspec
import structlog
from celery import Celery

from trivium import telemetry
from trivium.domain.documents import Document, DocumentState, Failure
from trivium.domain.errors import Conflict, NotFound, TriviumError
from trivium.domain.scope import Tenant
from trivium.flow.chain import send
from trivium.ports.registry import Registry

SWEEP_S = 5.0  # how long an unheard doorbell or an expired lease can go unnoticed
MAX_INFLIGHT = 8  # few enough that the first upload of many is answerable while the last still waits

log = structlog.get_logger()


class Dispatcher:
    """Turns registry records into chains. One thread; `ring` and `left` may be called from any other.

    A document whose stage was started `max_attempts` times and never ended has killed its worker each time:
    it becomes FAILED (`poison`) instead of being tried for ever.
    """

    def __init__(self, app: Celery, registry: Registry, *, lease_s: float, max_attempts: int) -> None:
        self._app = app
        self._registry = registry
        self._lease_s = lease_s
        self._max_attempts = max_attempts
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._inflight: dict[str, int] = {}
        self._thread = threading.Thread(target=self._loop, name="dispatch", daemon=True)

    def start(self) -> None:
        """Begin to dispatch."""
        self._thread.start()

    def stop(self) -> None:
        """Claim nothing more; what is in flight is left to the workers."""
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def ring(self) -> None:
        """There may be new work."""
        self._wake.set()

    def left(self, document_id: str, fence: int) -> None:
        """A chain ended: its place is free."""
        with self._lock:
            if self._inflight.get(document_id) == fence:
                del self._inflight[document_id]
            telemetry.INFLIGHT.set(len(self._inflight))
        self._wake.set()

    def _loop(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            try:
                self._fill()
            except TriviumError as error:  # this thread must outlive a registry that is full, read-only or away
                log.error("dispatch_waits", code=error.code, reason=error.message, action=error.action)
            self._wake.wait(SWEEP_S)

    def _fill(self) -> None:
        with self._lock:
            mine = dict(self._inflight)
        for document in self._registry.unfinished(time.time(), limit=MAX_INFLIGHT + len(mine)):
            if self._stop.is_set() or self._full():
                return
            if mine.get(document.id) != document.fence:  # a stage of ours may outlast its lease
                self._claim(document)

    def _full(self) -> bool:
        with self._lock:
            return len(self._inflight) >= MAX_INFLIGHT

    def _claim(self, document: Document) -> None:
        try:
            claimed = self._registry.for_tenant(Tenant(document.tenant)).claim(
                document.id, document.version, self._lease_s, time.time()
            )
        except (Conflict, NotFound):
            return
        if claimed.attempt >= self._max_attempts:
            self._give_up(claimed)
            return
        with self._lock:
            self._inflight[claimed.id] = claimed.fence
            telemetry.INFLIGHT.set(len(self._inflight))
        send(self._app, claimed)

    def _give_up(self, document: Document) -> None:
        failure = Failure(
            "poison",
            f"The worker died {document.attempt} times on this document at stage {document.stage or 'parse'}.",
            "Look at the file; submit it again to retry.",
            document.stage,
        )
        failed = msgspec.structs.replace(document, state=DocumentState.FAILED, failure=failure, updated_at=time.time())
        self._registry.for_tenant(Tenant(document.tenant)).save(failed)
        telemetry.DOCUMENTS.labels(failed.state.value, failure.code).inc()


def release_orphans(registry: Registry) -> int:
    """Make every RUNNING document claimable at once: for a process that knows it is the only worker.

    Returns how many there were.
    """
    orphans = [d for d in registry.unfinished(float("inf"), limit=1_000_000) if d.state is DocumentState.RUNNING]
    for document in orphans:
        registry.for_tenant(Tenant(document.tenant)).save(msgspec.structs.replace(document, lease_until=0.0))
    return len(orphans)
