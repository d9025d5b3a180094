"""What workers tell of their work: what stages cost, and who is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from trivium.domain.documents import Lane, Stage


class StageCost(msgspec.Struct, frozen=True):
    """Seconds that a stage took in a lane, for so many documents that got through it."""

    stage: Stage
    lane: Lane
    seconds: float
    documents: float


class WorkerSeen(msgspec.Struct, frozen=True):
    """A worker that was there lately: its tasks at a time, and the queues that it looks into."""

    name: str
    processes: int
    queues: tuple[str, ...]


class WorkMeasures(Protocol):
    """Records that all processes share. Old ones fade: costs by half in ten minutes of work, workers in half a minute.

    Missing: what was never told is absent. Duplicate: telling a worker again replaces what was known of it.
    Empty: nothing to note is a no-op. Order: none.
    Half-done: `note`, `announce` and `withdraw` never raise; a lost measurement costs nobody's work. `costs` and
    `workers` raise `TryLater` when what keeps them is away.
    """

    def note(self, costs: Sequence[StageCost]) -> None: ...
    def announce(self, worker: WorkerSeen) -> None: ...
    def withdraw(self, worker: WorkerSeen) -> None: ...
    def costs(self) -> Sequence[StageCost]: ...
    def workers(self) -> Sequence[WorkerSeen]: ...
