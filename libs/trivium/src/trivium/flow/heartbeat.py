"""Signs of life: a stage that works for long keeps its leases."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from trivium.domain.errors import TriviumError
from trivium.flow.stage import Job
from trivium.ports.registry import Registry

BEATS_PER_LEASE = 3  # two may be lost
# Leases that a document may wait in a queue before its message counts as lost: a worker dies more often than a queue
# loses something, and work that is sent again because it waits makes everybody wait longer.
LEASES_IN_A_QUEUE = 5


@contextmanager
def leases_renewed(registry: Registry, jobs: Sequence[Job], lease_s: float) -> Iterator[None]:
    """Renew the leases of `jobs`, all of one tenant, for as long as the block runs, and write how far they are.

    The records are otherwise saved as they were at its beginning, so the block must not save them itself. A process
    that is stopped or dead renews nothing: after `lease_s` another may claim, and what this one says then is refused.
    """
    ended = threading.Event()
    thread = threading.Thread(target=_beat, args=(registry, jobs, lease_s, ended), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _beat(registry: Registry, jobs: Sequence[Job], lease_s: float, ended: threading.Event) -> None:
    while not ended.wait(lease_s / BEATS_PER_LEASE):
        until = time.time() + lease_s
        with suppress(TriviumError):  # the work goes on; a lost lease is noticed when it is saved
            renewed = [
                msgspec.structs.replace(job.document, lease_until=until, stage_share=job.share.done) for job in jobs
            ]
            registry.for_tenant(jobs[0].tenant).save_many(renewed)
