"""What a stage group made enters the object store while its last stage writes rows, if that can tell which before.

One object a document, and the wait for it is not spent idle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait

from trivium.concurrent_calls import submit
from trivium.domain.errors import TriviumError
from trivium.flow import artifacts
from trivium.flow.stage import Job
from trivium.watching.store_calls import store_call


class PendingWrites:
    """The objects of one stage group that are on their way."""

    def __init__(self) -> None:
        self._begun: dict[str, Future[TriviumError | None]] = {}

    def begin(self, jobs: Iterable[Job]) -> None:
        """Send what was made, each document's object by itself."""
        self._begun |= {job.document.id: submit(_fault, job) for job in jobs}

    def begun(self, job: Job) -> bool:
        """Whether the document's object is on its way, or there is none to store."""
        return not job.made or job.document.id in self._begun

    def faults(self, jobs: Sequence[Job]) -> list[TriviumError | None]:
        """Why a document's object could not be stored, when all have been, those that were not begun before too."""
        self.begin(job for job in jobs if job.document.id not in self._begun)
        wait(self._begun.values())
        return [self._begun[job.document.id].result() for job in jobs]


def _fault(job: Job) -> TriviumError | None:
    try:
        if job.made:
            with store_call("objects", "write"):
                artifacts.save_all(job.objects, job.made)
    except TriviumError as error:
        return error
    return None
