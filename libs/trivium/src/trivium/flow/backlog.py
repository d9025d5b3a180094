"""The backlog: what waits in every queue and lane, since when, and how many seconds of work that is.

The seconds are what workers measured (`trivium.ports.work_measures`), never a guess: what nobody has measured is told
as None. A document that waits for an early stage is work for all resources that it has still to pass, so graph workers
are wanted for what is not parsed yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

import msgspec

from trivium.domain.documents import STAGES, Lane, Stage
from trivium.flow.pipeline import PIPELINE, Worker, following
from trivium.flow.queues import queue_of
from trivium.ports.work_measures import StageCost, WorkerSeen


class Waiting(msgspec.Struct, frozen=True):
    """Documents of a lane that wait for `stage`, the first of them since `since` (Unix seconds)."""

    stage: Stage
    lane: Lane
    documents: int
    since: float
    in_turn: bool = False


class QueueBacklog(msgspec.Struct, frozen=True):
    """One queue. `resource` and `lane` are the two parts of its name.

    `documents` wait in it, the first of them for `oldest_s` seconds (0.0: none). `work_s`: of one worker, what these
    and all that come to it later ask of its resource; None when a stage was never measured. `seconds` is `work_s`
    divided by `workers`, the processes that look into the queue now: how long it takes if they do nothing else; None
    where that cannot be told, or nobody looks into it.
    """

    queue: str
    resource: str
    lane: Lane
    documents: int
    oldest_s: float
    work_s: float | None
    workers: int
    seconds: float | None


class Backlog(msgspec.Struct, frozen=True):
    """Every queue, and by lane how many documents are in hand: claimed, and in no queue."""

    queues: tuple[QueueBacklog, ...]
    in_hand: dict[Lane, int]
    costs: dict[str, float]
    """`stage:lane` to the measured seconds of one document."""


class Summary(msgspec.Struct, frozen=True):
    """Some queues together, as a scaler asks for them.

    `active_documents` also counts those in hand of their lanes, so that nobody is sent home in the middle of one.
    `work_s` is what was measured of it; `measured` says whether that is all. `workers`: of the queue that has most.
    """

    documents: int
    active_documents: int
    oldest_s: float
    work_s: float
    measured: bool
    workers: int
    seconds: float | None


RESOURCES: dict[str, tuple[Stage, bool]] = {
    queue_of(stage, Lane.INTERACTIVE, in_turn=in_turn): (stage, in_turn)
    for stage, in_turn in product(STAGES, (False, True))
    if not in_turn or PIPELINE[stage].worker is Worker.GRAPH
}
"""What queues are named after; the stage, and whether it waits in turn, name a queue of each lane."""


def backlog(
    pending: Sequence[Waiting],
    queued: Sequence[Waiting],
    costs: Iterable[StageCost],
    workers: Collection[WorkerSeen],
    in_flight: Mapping[Lane, int],
    now: float,
) -> Backlog:
    """`pending` are claimed by nobody and wait for the first stage, `queued` are messages.

    `in_flight` is all that is claimed, by lane; `now` in Unix seconds.
    """
    each_s = {(cost.stage, cost.lane): cost.seconds / cost.documents for cost in costs if cost.documents > 0}
    waiting = [each for each in (*pending, *queued) if each.documents]
    work_s = _work(waiting, each_s)
    in_queues = Counter[Lane]()
    for each in queued:
        in_queues[each.lane] += each.documents
    return Backlog(
        tuple(_queue(resource, lane, waiting, work_s, workers, now) for lane in Lane for resource in RESOURCES),
        {lane: max(0, in_flight.get(lane, 0) - in_queues[lane]) for lane in Lane},
        {f"{stage.value}:{lane.value}": seconds for (stage, lane), seconds in each_s.items()},
    )


def summary(of: Backlog, queues: Collection[str] = ()) -> Summary:
    """The named queues together, all where none is named."""
    chosen = [each for each in of.queues if each.queue in queues or not queues]
    lanes = {each.lane for each in chosen}
    measured = [each.work_s for each in chosen if each.work_s is not None]
    workers = max((each.workers for each in chosen), default=0)
    documents, work_s = sum(each.documents for each in chosen), sum(measured)
    known = len(measured) == len(chosen)
    return Summary(
        documents=documents,
        active_documents=documents + sum(of.in_hand[lane] for lane in lanes),
        oldest_s=max((each.oldest_s for each in chosen), default=0.0),
        work_s=work_s,
        measured=known,
        workers=workers,
        seconds=work_s / workers if known and workers else None,
    )


def _queue(
    resource: str,
    lane: Lane,
    waiting: Sequence[Waiting],
    work: Mapping[str, float | None],
    workers: Collection[WorkerSeen],
    now: float,
) -> QueueBacklog:
    stage, in_turn = RESOURCES[resource]
    name = queue_of(stage, lane, in_turn=in_turn)
    here = [each for each in waiting if queue_of(each.stage, each.lane, in_turn=each.in_turn) == name]
    work_s = work.get(name, 0.0)
    there = sum(worker.processes for worker in workers if name in worker.queues)
    return QueueBacklog(
        queue=name,
        resource=resource,
        lane=lane,
        documents=sum(each.documents for each in here),
        oldest_s=max((max(0.0, now - each.since) for each in here), default=0.0),
        work_s=work_s,
        workers=there,
        seconds=work_s / there if work_s is not None and there else None,
    )


def _work(waiting: Iterable[Waiting], each_s: Mapping[tuple[Stage, Lane], float]) -> dict[str, float | None]:
    """Queue to the seconds that what waits for its resource, there or before it, will take."""
    found: dict[str, float | None] = {}
    for each in waiting:
        for stage in (each.stage, *following(each.stage)):
            name = queue_of(stage, each.lane, in_turn=each.in_turn)
            before, cost = found.get(name, 0.0), _cost(each_s, stage, each.lane)
            found[name] = None if before is None or cost is None else before + each.documents * cost
    return found


def _cost(each_s: Mapping[tuple[Stage, Lane], float], stage: Stage, lane: Lane) -> float | None:
    """Seconds of one document: of the lane, else as in the others on the average."""
    if (stage, lane) in each_s:
        return each_s[stage, lane]
    others = [seconds for (of, _), seconds in each_s.items() if of is stage]
    return sum(others) / len(others) if others else None
