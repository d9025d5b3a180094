"""The backlog as it is now: the registry, the broker's queues, and what workers told."""

from __future__ import annotations

import time

from celery import Celery

from trivium.domain.documents import STAGES
from trivium.flow.backlog import Backlog, Waiting, backlog
from trivium.flow.queued import waiting
from trivium.ports.registry import Registry
from trivium.ports.work_measures import WorkMeasures


def look_at_backlog(app: Celery, registry: Registry, measures: WorkMeasures) -> Backlog:
    """Raises `TryLater` where a server is away, or the broker's queues cannot be looked into."""
    now = time.time()
    in_flight = registry.in_flight(now)
    return backlog(_pending(registry, now), waiting(app), measures.costs(), measures.workers(), in_flight, now)


def _pending(registry: Registry, now: float) -> list[Waiting]:
    """What nobody has claimed, by lane; the age is that of the document that comes next."""
    return [
        Waiting(STAGES[0], lane, count, next((each.uploaded for each in registry.unfinished(now, 1, lane)), now))
        for lane, count in registry.waiting(now).items()
        if count
    ]
