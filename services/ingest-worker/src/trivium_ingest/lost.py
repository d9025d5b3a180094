"""Messages that nobody has any more: a worker died between taking one and beginning with it.

The record of such a document says that it waits in a queue, and no queue holds its message. It is given free long
before the lease of what waits ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable

import msgspec
import structlog

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.scope import Tenant
from trivium.flow.queued import Claim, claim_of
from trivium.logs.context import about
from trivium.ports.registry import Registry

UNBEGUN_S = 35.0  # a worker that took a message begins, or gives it back, long before
LOOK_S = 5.0
MAX_LOOKED_AT = 1000  # unfinished documents of a lane; those that are dispatched are the oldest of them

log = structlog.get_logger()


class LostMessages:
    """Finds them by two looks, `LOOK_S` apart: between the record and the queue a message may just be taken."""

    def __init__(self, registry: Registry, queued: Callable[[Lane], Collection[Claim] | None]) -> None:
        self._registry = registry
        self._queued = queued
        self._missed: dict[Lane, set[Claim]] = {}
        self._next_look = 0.0

    def release(self, now: float) -> None:
        """Give free what was missing at this look and at the one before. Does nothing when it is not time to look."""
        if now < self._next_look:
            return
        self._next_look = now + LOOK_S
        for lane in Lane:
            missing = self._missing(lane, now)
            earlier = self._missed.get(lane, set())
            self._missed[lane] = set(map(claim_of, missing))
            self._free(document for document in missing if claim_of(document) in earlier)

    def _missing(self, lane: Lane, now: float) -> list[Document]:
        unfinished = self._registry.unfinished(float("inf"), MAX_LOOKED_AT, lane)
        waiting = [document for document in unfinished if _should_be_queued(document, now)]
        queued = self._queued(lane) if waiting else None
        return [] if queued is None else [document for document in waiting if claim_of(document) not in queued]

    def _free(self, documents: Iterable[Document]) -> None:
        for document in documents:
            log.warning("message_lost", tenant=document.tenant, stage=document.stage, **about(document))
            freed = msgspec.structs.replace(document, lease_until=0.0, updated_at=time.time())
            self._registry.for_tenant(Tenant(document.tenant)).save_many([freed])


def _should_be_queued(document: Document, now: float) -> bool:
    running = document.state is DocumentState.RUNNING and document.lease_until > now
    return running and not document.holder and now - document.updated_at > UNBEGUN_S
