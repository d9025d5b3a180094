"""What was heard of a document's recordings, so that one that takes hours goes on where it was left."""

from __future__ import annotations

import time

from trivium.domain.documents import Lane
from trivium.flow.artifacts import artifact_prefix
from trivium.flow.in_turns import GoesOn
from trivium.flow.parts import Parts
from trivium.flow.queues import RECORDING_LIMIT_S, TASK_LIMIT_S
from trivium.flow.stage import Job
from trivium.ports.inference import Transcript
from trivium.ports.parser import Hearing

_TURN = 2 / 3  # of what a task may take: then another gets its turn


class KeptHearing(Hearing):
    """Kept among the version's artifacts. For one turn of the document, which is that of its batch from `begun` on."""

    def __init__(self, job: Job, begun: float | None = None) -> None:
        document = job.document
        limit_s = RECORDING_LIMIT_S if document.lane is Lane.RECORDING else TASK_LIMIT_S
        self._parts = Parts(job.objects, f"{artifact_prefix(document.id, document.version)}heard")
        self._progress = job.progress
        self._until = (time.monotonic() if begun is None else begun) + _TURN * limit_s
        self._gone_on = False

    def before(self, recording: str) -> Transcript | None:
        """What was kept."""
        return self._parts.find(recording, Transcript)

    def keep(self, recording: str, heard: Transcript) -> None:
        """Keep it."""
        self._parts.keep(recording, heard)
        self._gone_on = True

    def tell(self, share: float) -> None:
        """As the job's progress. Raises `GoesOn` at the end of a turn in which something was heard."""
        self._progress.tell(share)
        if self._gone_on and time.monotonic() >= self._until:
            raise GoesOn(share, asks_model=False)
