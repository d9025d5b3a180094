"""What a stage is: a function of its inputs, which the envelope gives it, and a fingerprint of all that shapes it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

import msgspec

from trivium import telemetry
from trivium.concurrent_calls import submit
from trivium.domain.documents import Document, Stage
from trivium.domain.errors import TriviumError
from trivium.domain.scope import Scope, Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.flow.gives_way import GivesWay
from trivium.flow.pipeline import group_from
from trivium.ports.objects import ObjectStore

T = TypeVar("T")
P = ParamSpec("P")

_TURN_S = 0.001  # a lock that is freed and taken at once again is never another's
FIRST_CLAIM = 2  # the fence of a document that was accepted once and claimed once


class StageProgress:
    """How much of a stage's work on one document is done, 0 to 1; the heartbeat writes it into the record.

    It writes under `writing`, and nothing any more once the stage has said that it saves the record itself: `saved`.
    """

    saved: Document | None = None

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        self.done = 0.0
        self.writing = threading.Lock()
        self._check = check

    def tell(self, done: float) -> None:
        """From a stage that takes long, between two slices of its work. What this raises ends the work."""
        self.done = done
        self._check()

    def seal(self, saved: Document) -> None:
        """From a stage that is about to save this record: no sign of life comes behind it, and no fault undoes it."""
        with self.writing:
            self.saved = saved


class Job(msgspec.Struct, frozen=True):
    """One stage's work on one version of one document; `made` is what its stage group has made and not stored.

    `in_turn`: it came through the language model's queue, where a stage may take its time (`in_turns.py`).
    """

    document: Document
    entry: Entry
    objects: ObjectStore
    progress: StageProgress = msgspec.field(default_factory=StageProgress)
    made: tuple[artifacts.Made, ...] = ()
    in_turn: bool = False

    @property
    def tenant(self) -> Tenant:
        """Whose document it is."""
        return Tenant(self.document.tenant)

    @property
    def scope(self) -> Scope:
        """The isolation fields of every row that this job writes."""
        document = self.document
        return Scope(self.tenant, document.dataset, document.run, int(document.uploaded), document.dated_at)

    @property
    def untouched(self) -> bool:
        """Whether no earlier version and no earlier try can have left anything."""
        return self.document.fence == FIRST_CLAIM

    def load(self, stage: Stage, kind: type[T]) -> T:
        """The output of an earlier stage."""
        reference = self.entry.artifacts[stage.value]
        for output in self.made:
            if output.key == artifacts.own_key(reference):
                return artifacts.value_of(output.value, kind, reference)
        return artifacts.load(self.objects, reference, kind)


def in_slices(items: Sequence[T], size: int, jobs: Sequence[Job]) -> Iterator[Sequence[T]]:
    """What is to be done for all `jobs` together, `size` at a time; how far it is, is told before each slice.

    Between two slices others get the interpreter and the locks that they wait for.
    """
    for start in range(0, len(items), size):
        for job in jobs:
            job.progress.tell(start / len(items))
        if start:
            time.sleep(_TURN_S)
        yield items[start : start + size]


class Outcome(msgspec.Struct, frozen=True):
    """What a stage leaves: its artifact's value, and what it learnt for the registry record."""

    value: Any
    facts: dict[str, Any] = {}


def read_all(read: Callable[[Job], T], jobs: Sequence[Job]) -> Iterator[T | TriviumError]:
    """What `read` answers for each job, or raises of ours; all are on their way while the first is worked on."""
    if len(jobs) == 1:
        return iter([tried(read, jobs[0])])
    return map(_waited_for, [submit(lambda job: tried(read, job), job) for job in jobs])


def _waited_for(ahead: Future[T]) -> T:
    with telemetry.timed(telemetry.ARTIFACT_SECONDS, "get"):
        return ahead.result()


def tried(call: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T | TriviumError:
    """What `call` answers, or raises of ours."""
    try:
        return call(*arguments, **options)
    except TriviumError as error:
        return error


class StageWork(Protocol):
    """One stage of the chain."""

    @property
    def stage(self) -> Stage:
        """Which one."""
        ...

    def fingerprint(self) -> str:
        """Code version, options and model: when it changes, the stage and all that depends on it run again."""
        ...

    def outputs_present(self, job: Job) -> bool:
        """For a stage whose output is rows in a store, whether they are really there; else True."""
        ...

    def run(self, job: Job) -> Outcome:
        """Do the work; running it again leaves what it left before."""
        ...


@runtime_checkable
class ChosenWork(StageWork, Protocol):
    """A stage that works on some documents in another way than on others."""

    def fingerprint_for(self, document: Document) -> str:
        """That of the way that this document goes."""
        ...


@runtime_checkable
class PatientWork(StageWork, Protocol):
    """A stage that asks something which may be busy."""

    def gives_way(self, job: Job) -> GivesWay | None:
        """What to raise instead of beginning with the document now. It never raises, and takes no time."""
        ...


@runtime_checkable
class BulkWork(StageWork, Protocol):
    """A stage for which many documents at once cost less than one by one."""

    def run_all(self, jobs: Sequence[Job]) -> Sequence[Outcome | TriviumError]:
        """Do the work of many jobs of one tenant; what one of them meets stands in its place.

        `TryLater` means all of them. Anything else that is raised makes the envelope `run` each by itself, so that
        one document's fault is its own.
        """
        ...


@runtime_checkable
class RowsWork(BulkWork, Protocol):
    """A stage whose output says which rows it leaves, and is known before they are written or looked at.

    So the one is stored while the others are; `outputs_present` tells whether it has come true.
    """

    def planned(self, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """What `run_all` will answer for each job, if all goes well."""
        ...


def group_of(works: Sequence[StageWork], start: Stage) -> list[StageWork]:
    """`start` and what may be done right behind it by a process that does `works`."""
    mine = {work.stage: work for work in works}
    return [mine[stage] for stage in group_from(start, mine)]
