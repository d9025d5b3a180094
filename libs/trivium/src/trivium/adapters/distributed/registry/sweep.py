"""Finding unfinished work: the queue in Redis, and the markers that say what the queue must hold."""

from __future__ import annotations

import time
from collections.abc import Sequence

import structlog

from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.registry.manifests import Manifests, Marker, Record, marker_key, without_lease
from trivium.adapters.distributed.registry.records import HotRecords, Queued
from trivium.adapters.distributed.s3.bucket import PAGE_KEYS
from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.scope import Tenant

RECONCILE_S = 5.0  # a thousand markers of a lane are compared with the queue this often, by all processes together
ABANDONED_S = 3600.0  # a marker without its manifest is nobody's any more: a write takes seconds
_MIN_BATCH = 64

log = structlog.get_logger()


class Sweep:
    """Over all tenants. Raises `TryLater` when Redis or the object store is away."""

    def __init__(
        self, server: RedisServer, hot: HotRecords, manifests: Manifests, abandoned_s: float = ABANDONED_S
    ) -> None:
        self._server = server
        self._hot = hot
        self._manifests = manifests
        self._abandoned_s = abandoned_s
        self._told: set[str] = set()

    def due(self, lane: Lane, now: float, limit: int) -> list[Document]:
        """PENDING documents of a lane, and RUNNING ones whose lease ran out, oldest first."""
        self._read_markers(lane, limit)
        due: list[Document] = []
        size, start = min(max(limit, _MIN_BATCH), PAGE_KEYS), 0
        while len(due) < limit:
            batch = self._hot.queued(lane, start, size)
            due += [document for document in self._known(lane, batch) if _is_due(document, now)]
            start += size
            if len(batch) < size:
                break
        return due[:limit]

    def _known(self, lane: Lane, batch: Sequence[Queued]) -> list[Document]:
        """The batch's documents in order; what Redis does not know is read from its manifest."""
        lost = [queued for queued in batch if queued.record is None]
        loaded = map_concurrent(lambda queued: self._manifests.load(queued.tenant, queued.document_id), lost)
        found: dict[tuple[str, str], Record] = {}
        for queued, record in zip(lost, loaded, strict=True):
            if record is None:
                self._hot.unqueue(lane, queued)
            else:
                found[queued.tenant.name, queued.document_id] = without_lease(record)
        self._hot.install(list(found.values()))
        records = (queued.record or found.get((queued.tenant.name, queued.document_id)) for queued in batch)
        return [record.document for record in records if record]

    def _read_markers(self, lane: Lane, wanted: int) -> None:
        """Compare the next markers with the queue: a page in every turn; in a new Redis as many as `wanted` needs."""
        seen_all = bool(self._hot.recall(f"markers-seen:{lane}"))
        if seen_all and not self._hot.turn(f"markers:{lane}", RECONCILE_S):
            return
        self._server.forget_earlier_runs()
        adopted = 0
        while True:
            page = self._manifests.markers(lane, self._hot.recall(f"markers-at:{lane}"))
            self._tell_of(page.foreign)
            amiss, new = self._hot.adopt(page.markers)
            for marker in amiss + [marker for marker in new if seen_all and self._is_abandoned(marker)]:
                self._look_again(marker)
            adopted += len(page.markers)
            self._hot.note(f"markers-at:{lane}", page.next)
            if not page.next:
                self._hot.note(f"markers-seen:{lane}", "1")
            if not page.next or seen_all or adopted >= wanted:
                return

    def _tell_of(self, foreign: Sequence[str]) -> None:
        """Once for each process and key: they are read again in every turn."""
        for key in set(foreign) - self._told if len(self._told) < PAGE_KEYS else ():
            self._told.add(key)
            log.warning("foreign_key", key=key, action="It is no marker of Trivium's and is left alone; remove it.")

    def _look_again(self, marker: Marker) -> None:
        """Redis thinks that this work is done: tell it what the manifest says, and remove the marker if that is so."""
        record = self._manifests.load(Tenant(marker.tenant), marker.document_id)
        if record is not None:
            self._hot.install([record])
        if record is None or record.accepted < marker.fence:
            if not self._is_abandoned(marker):
                return
        elif not record.document.state.terminal and record.accepted == marker.fence:
            if marker_key(record) == marker.key:
                return
            self._manifests.mark(record)  # it changed lanes since: no moment is without a marker
        self._manifests.unmark([marker.key])

    def _is_abandoned(self, marker: Marker) -> bool:
        """Whether a manifest that is still missing will not come any more."""
        return time.time() - marker.written_at > self._abandoned_s


def _is_due(document: Document, now: float) -> bool:
    waiting = document.state is DocumentState.PENDING
    return waiting or (document.state is DocumentState.RUNNING and document.lease_until <= now)
