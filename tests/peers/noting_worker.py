"""A real worker of the flow over the embedded registry and objects, whose stages only note who came.

`python noting_worker.py REDIS_URL FOLDER`: each stage appends "stage source" to FOLDER/seen. A source that begins with
`kill` kills the process at `embed`, one that begins with `slow` takes SLOW_S there, one with `hang` HANG_S, and any
takes DELAY_S everywhere.
While FOLDER/broken is there, no stage can be started; it says how: `fault`, `refused` or `later`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.config import Settings
from trivium.domain.documents import STAGES, Stage
from trivium.domain.errors import Refused, TryLater
from trivium.flow.envelope import Envelope
from trivium.flow.stage import Job, Outcome
from trivium.flow.worker import Equipment, run_worker
from trivium.process import run_process
from trivium.stopping import Stopping

LEASE_S = 60.0
MAX_ATTEMPTS = 3
SLOW_S = 3.0
HANG_S = 600.0
DELAY_S = 0.01
BROKEN = {
    "fault": OSError("libvoice.so.1 is not there"),
    "refused": Refused("bad_setting", "libvoice.so.1 is not there.", "Set it."),
    "later": TryLater("voice_down", "libvoice.so.1 is not there.", "Wait."),
}


def takes_s(stage: Stage, source: str) -> float:
    if stage is Stage.EMBED and source.startswith("hang"):
        return HANG_S
    return SLOW_S if stage is Stage.EMBED and source.startswith("slow") else DELAY_S


class Noting(msgspec.Struct, frozen=True):
    """A stage that notes its documents."""

    stage: Stage
    seen: Path

    def fingerprint(self) -> str:
        return "noting"

    def outputs_present(self, job: Job) -> bool:
        return True

    def run(self, job: Job) -> Outcome:
        source = job.document.source
        with self.seen.open("a") as file:
            file.write(f"{self.stage.value} {source}\n")
        time.sleep(takes_s(self.stage, source))
        if self.stage is Stage.EMBED and source.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        return Outcome(source, {"state": "ready", "lease_until": 0.0} if self.stage is Stage.PUBLISH else {})


@contextmanager
def equipped(folder: Path, stopping: Stopping) -> Iterator[Equipment]:
    broken = folder / "broken"
    if broken.exists():
        raise BROKEN[broken.read_text()]
    envelope = Envelope(SqliteRegistry(folder), LocalObjects(folder), LEASE_S, MAX_ATTEMPTS, stopping=stopping)
    yield Equipment(envelope, [Noting(stage, folder / "seen") for stage in STAGES])


if __name__ == "__main__":
    url, place = sys.argv[1], Path(sys.argv[2])
    settings = msgspec.structs.replace(Settings(), broker_url=url, alive_file=place / "alive-{pid}")
    run_process("noting-worker", lambda _: run_worker(settings, STAGES, partial(equipped, place)))
