"""Dispatch: claims unfinished documents, oldest first, sends them in batches, and bounds how many are in flight."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import msgspec
import structlog
from celery import Celery
from kombu.exceptions import OperationalError

from trivium import telemetry
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.flow.chain import message_for, send
from trivium.flow.heartbeat import LEASES_IN_A_QUEUE
from trivium.ports.registry import Registry, TenantRegistry
from trivium.ports.work_signal import WorkSignal
from trivium.tracing import spans
from trivium_ingest.lost import LostMessages

SWEEP_S = 5.0  # how long a lost signal or an expired lease can go unnoticed
COMPANY_S = 3 * SWEEP_S  # so long a few wait for company: a language model may read what is in flight for hours
MAX_BATCH = 16  # documents; twice as many made a batch hardly cheaper a document
MAX_BATCH_BYTES = 256 * 1024  # of originals: a page waits for no more than two such batches
MAX_IN_FLIGHT = 3 * MAX_BATCH  # one batch for each of two workers, and one that waits for them

log = structlog.get_logger()


class Dispatcher:
    """Turns registry records into chains, in a thread of its own: when there is a signal, and at each sweep.

    At most `max_in_flight` documents of each lane are in flight, those of other processes included: several
    dispatchers at once take care of different documents, and go over the bound by a batch each at worst. `lost` is for
    workers that may die by themselves.
    """

    def __init__(
        self,
        app: Celery,
        registry: Registry,
        work_signal: WorkSignal,
        *,
        lease_s: float,
        max_in_flight: int = MAX_IN_FLIGHT,
        lost: LostMessages | None = None,
    ) -> None:
        self._app = app
        self._registry = registry
        self._work_signal = work_signal
        self._lease_s = lease_s
        self._max_in_flight = max_in_flight
        self._lost = lost
        self._busy = max(1, max_in_flight // 3)  # from here on the workers are busy: who waits may wait for company
        self._few_since: dict[Lane, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="dispatch", daemon=True)

    def start(self) -> None:
        """Begin to dispatch."""
        self._thread.start()

    def stop(self) -> None:
        """Claim nothing more; what is in flight is left to the workers."""
        self._stop.set()
        self._work_signal.notify()
        self._thread.join()

    def _loop(self) -> None:
        while not self._stop.is_set():
            try:
                self.fill()
                self._work_signal.wait(SWEEP_S)
            except TriviumError as error:  # this thread must outlive a registry that is full, read-only or away
                log.error("dispatch_waits", code=error.code, reason=error.message, action=error.action)
                self._stop.wait(SWEEP_S)
            except Exception:  # and a fault of ours: a process that dispatches nothing any more would look alive
                log.exception("dispatch_failed")
                self._stop.wait(SWEEP_S)

    def fill(self) -> None:
        """Send what may be sent now."""
        if self._lost:
            self._lost.release(time.time())
        in_flight = self._registry.in_flight(time.time())
        telemetry.INFLIGHT.set(sum(in_flight.values()))
        for lane in Lane:
            self._fill_lane(lane, in_flight[lane])

    def _fill_lane(self, lane: Lane, in_flight: int) -> None:
        room = self._max_in_flight - in_flight
        if room <= 0:
            return
        waiting = self._registry.unfinished(time.time(), room, lane)
        few = in_flight >= self._busy and 0 < len(waiting) < MAX_BATCH and not any(map(_was_dropped, waiting))
        if self._wait_for_company(lane, few=few):
            return
        for batch in batches(waiting, begun=in_flight):
            if self._stop.is_set():
                return
            self._send(self._registry.for_tenant(Tenant(batch[0].tenant)), batch)

    def _wait_for_company(self, lane: Lane, *, few: bool) -> bool:
        """Whether the lane's few are to wait on; a small batch goes every `COMPANY_S` at most."""
        now = time.monotonic()
        if few and now - self._few_since.setdefault(lane, now) < COMPANY_S:
            return True
        self._few_since.pop(lane, None)
        return False

    def _send(self, registry: TenantRegistry, batch: Sequence[Document]) -> None:
        claimed = registry.claim_many(batch, LEASES_IN_A_QUEUE * self._lease_s, time.time())
        if not claimed:
            return
        try:
            with spans.shared("dispatch", [document.traceparent for document in claimed]):
                send(self._app, message_for(claimed))
        except OperationalError as error:
            registry.save_many([msgspec.structs.replace(document, lease_until=0.0) for document in claimed])
            raise TryLater("broker_away", f"The broker does not answer ({error}).", "It is tried again.") from error


def batches(documents: Sequence[Document], begun: int = 0) -> Iterator[list[Document]]:
    """Neighbours of one tenant, at most `MAX_BATCH` of them and `MAX_BATCH_BYTES` together, in the order given.

    `begun` documents are in flight already. A batch is never larger than what is in flight before it, so the first of
    many goes alone, and is answerable while the others are still worked on.
    """
    batch: list[Document] = []
    for document in documents:
        if batch and not _fits(document, batch, limit=min(MAX_BATCH, max(1, begun))):
            yield batch
            begun += len(batch)
            batch = []
        batch.append(document)
    if batch:
        yield batch


def _was_dropped(document: Document) -> bool:
    """By a worker that died: it has waited long enough."""
    return document.state is DocumentState.RUNNING


def _fits(document: Document, batch: Sequence[Document], limit: int) -> bool:
    size = sum(each.size_bytes for each in (*batch, document))
    return len(batch) < limit and document.tenant == batch[0].tenant and size <= MAX_BATCH_BYTES


def release_orphans(registry: Registry) -> int:
    """Make every RUNNING document claimable at once: for a process that knows it is the only worker.

    Returns how many there were.
    """
    orphans = [d for d in registry.unfinished(float("inf"), limit=1_000_000) if d.state is DocumentState.RUNNING]
    for document in orphans:
        registry.for_tenant(Tenant(document.tenant)).save(msgspec.structs.replace(document, lease_until=0.0))
    return len(orphans)
