"""What was heard of a document's recordings, so that one that takes hours goes on where it was left."""

from __future__ import annotations

import time
from typing import Final

from trivium.domain.documents import Lane
from trivium.flow.artifacts import artifact_prefix
from trivium.flow.in_turns import GoesOn
from trivium.flow.parts import Parts
from trivium.flow.queues import RECORDING_LIMIT_S, TASK_LIMIT_S
from trivium.flow.stage import Job
from trivium.ports.inference import Transcript
from trivium.ports.parser import Hearing

_TURN = 2 / 3  # of what a task may take: then another gets its turn
_LEAST_S: Final = 300.0  # of a turn is for hearing, however long the pictures of a film took before


class KeptHearing(Hearing):
    """Kept among the version's artifacts. For one turn of the document, at whose end `keep` raises `GoesOn`."""

    def __init__(self, job: Job) -> None:
        document = job.document
        limit_s = RECORDING_LIMIT_S if document.lane is Lane.RECORDING else TASK_LIMIT_S
        self._parts = Parts(job.objects, f"{artifact_prefix(document.id, document.version)}heard")
        self._progress = job.progress
        self._until = time.monotonic() + _TURN * limit_s

    def before(self, recording: str) -> Transcript | None:
        """What was kept; it is heard on from now."""
        self._until = max(self._until, time.monotonic() + _LEAST_S)
        return self._parts.find(recording, Transcript)

    def keep(self, recording: str, heard: Transcript) -> None:
        """Keep it."""
        self._parts.keep(recording, heard)
        if time.monotonic() >= self._until:
            raise GoesOn(self._progress.done, asks_model=False)
