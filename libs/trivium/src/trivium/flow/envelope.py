"""The envelope of every task: re-read the world, skip what is done, run the stages, save, hand on.

A task is a stage group: the stages of its process that follow one another, for as long as they are quick (`GROUP_S`).
What they make is stored at the group's end (`pending_writes.py`), in one object a document; each start of a group is
counted before it.

The documents of a batch share the message and the bulk calls, and nothing else: each keeps its own record, attempt,
fence, artifacts and failure. What becomes of it is a property of its error's type: `TryLater` brings it back to its
stage with jittered back-off while the others go on, `NeverWill` ends it as FAILED with its reason, `Conflict` means
that somebody newer took over, and `Damaged` that the chain begins again, where what is damaged is made. A document
whose stage was started before and never ended, because something killed the worker, goes through it alone: if it kills
again, it takes no neighbour with it.
"""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import msgspec
import structlog

from trivium import telemetry
from trivium.domain.documents import Document, DocumentState, Failure, Lane, Stage
from trivium.domain.errors import Conflict, NeverWill, TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.artifacts import Damaged
from trivium.flow.chain import Entry, Message
from trivium.flow.gives_way import GivesWay
from trivium.flow.heartbeat import LEASES_IN_A_QUEUE, given_back, leases_renewed
from trivium.flow.in_turns import GoesOn, patient_lane
from trivium.flow.large import TakesLong, outgrown, quick_reading
from trivium.flow.pending_writes import PendingWrites
from trivium.flow.pipeline import following
from trivium.flow.stage import ChosenWork, Job, Outcome, PatientWork, RowsWork, StageProgress, StageWork
from trivium.flow.stage_group import (
    CompletedStages,
    Incomplete,
    isolated,
    outcomes,
    planned,
    relearnt,
    skipped,
    starts,
    worked,
)
from trivium.logs.context import about
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry
from trivium.ports.work_measures import StageCost
from trivium.stopping import Stopped, Stopping
from trivium.tracing import spans
from trivium.watching.labels import code_label
from trivium.watching.store_calls import store_call

GROUP_S = 5.0  # after so long nothing more is begun: what a kill costs, and what an upload waits for
BACKOFF_BASE_S = 0.5
BACKOFF_CAP_S = 60.0
MAX_RETRIES = 2000  # about a day of a store being away, which is no fault of the document

log = structlog.get_logger()


class Redelivery(msgspec.Struct, frozen=True):
    """A message for `stage`, in `delay_s` seconds."""

    message: Message
    stage: Stage
    delay_s: float = 0.0


class TaskResult(msgspec.Struct, frozen=True):
    """What becomes of a message: `onward` goes on behind the group's first `done` stages, the rest comes back."""

    onward: Message
    redeliveries: tuple[Redelivery, ...] = ()
    done: int = 1


class Envelope(msgspec.Struct, frozen=True):
    """Runs stages against one registry and one object store.

    `lease_s` is how long a claim holds without a sign of life. A document whose stage killed its worker
    `max_attempts` times is given up (`poison`). `on_left` is called when documents came to their end, `clear_up` with
    the record of each that failed, or was deleted, replaced or claimed by somebody else while its batch was under way;
    what was erased with its tenant has one in state DELETED. After `group_s` no further stage is begun. Once `stopping`
    has begun, what does not get through its stage is given back.
    `measured` hears what the stages of a task took.
    """

    registry: Registry
    objects: Objects
    lease_s: float
    max_attempts: int
    on_left: Callable[[], None] = lambda: None
    clear_up: Callable[[Document, Entry], None] = lambda *_: None
    group_s: float = GROUP_S
    stopping: Stopping = msgspec.field(default_factory=Stopping)
    measured: Callable[[Sequence[StageCost]], None] = lambda _: None

    def run(self, group: Sequence[StageWork], message: Message) -> TaskResult:
        """Do the stages of `group`, in the order given, for each document of the message, once in effect.

        Those that were deleted, replaced or claimed by somebody else meanwhile drop out.
        """
        with structlog.contextvars.bound_contextvars(tenant=message.tenant, stage=group[0].stage.value):
            try:
                return self._attempt(group, message)
            except TryLater as error:  # the registry or the object store itself, or a service that the stage needs
                result = postponed(message, group[0].stage, error)
                self._note_hindrance(message, _told(error, group[0].stage), result.redeliveries[0].delay_s)
                return result

    def _attempt(self, group: Sequence[StageWork], message: Message) -> TaskResult:
        until = time.monotonic() + self.group_s
        jobs, completed, writes, done = self._open(message), CompletedStages(), PendingWrites(), 0
        incomplete: list[Incomplete] = []
        known = about(jobs[0].document) if len(jobs) == 1 else {}
        costs: list[StageCost] = []
        for work in group:
            begun = time.perf_counter()
            with structlog.contextvars.bound_contextvars(stage=work.stage.value, **known):
                jobs, others = self._through(work, jobs, message, completed, writes if work is group[-1] else None)
            incomplete += others
            costs.append(StageCost(work.stage, message.lane, time.perf_counter() - begun, len(jobs)))
            done += 1
            if not jobs or self.stopping.begun or time.monotonic() > until:
                break
        with self._leases([*jobs, *(each.job for each in incomplete)], group[0].stage):
            begun = time.perf_counter()
            lost = self._lost([*jobs, *(each.job for each in incomplete)], message, writes)
            jobs = [job for job in jobs if job.document.id not in lost]
            incomplete = [each for each in incomplete if each.job.document.id not in lost]
            jobs, incomplete = _stored(jobs, incomplete, group[0].stage, message, writes)
            costs.append(StageCost(costs[-1].stage, message.lane, time.perf_counter() - begun, 0))
        self.measured(costs)
        return self._result(jobs, incomplete, group[0].stage, message, done)

    def _open(self, message: Message) -> list[Job]:
        """Re-read the world: those whose claim behind this message is still the newest; the others are cleared up."""
        tenant = Tenant(message.tenant)
        objects = self.objects.for_tenant(tenant)
        known = self.registry.for_tenant(tenant).get_many([entry.document_id for entry in message.entries])
        jobs = []
        for entry in message.entries:
            document = known.get(entry.document_id)
            if document and _holds(entry, document):
                jobs.append(relearnt(Job(document, entry, objects, in_turn=message.in_turn)))
            else:
                self.clear_up(document or _erased(tenant, entry), entry)
        return jobs

    def _lost(self, jobs: Sequence[Job], message: Message, writes: PendingWrites) -> set[str]:
        """Ids of those that are somebody else's by now, among those whose object is still to be stored; clears up.

        A late holder's object would replace the newer one's, which may hold more.
        """
        ids = {job.document.id for job in jobs if not writes.begun(job)}
        if not ids:
            return set()
        try:
            held = self._open(message.of(entry for entry in message.entries if entry.document_id in ids))
        except TryLater:  # what was made is kept, whether the registry answers or not
            return set()
        return ids - {job.document.id for job in held}

    def _through(
        self,
        work: StageWork,
        jobs: Sequence[Job],
        message: Message,
        completed: CompletedStages,
        writes: PendingWrites | None,
    ) -> tuple[list[Job], list[Incomplete]]:
        """Bring the documents through one stage; answers those that got through, and the others.

        `writes` is of the group's last stage, behind which nothing more is made.
        """
        stage = work.stage
        try:
            fingerprint = work.fingerprint()
        except TryLater as error:
            if not any(job.made for job in jobs):
                raise
            return [], [Incomplete(job, stage, error) for job in jobs]
        keys = _keys(work, jobs, fingerprint)
        patient = work if isinstance(work, PatientWork) else None
        through, todo, incomplete = [], [], []
        for job in jobs:
            done = completed.done_before(work, job, keys[job.document.id])
            if done is not None:
                through.append(skipped(job, stage, done))
            elif held := self._held(stage, patient, job):
                incomplete.append(held)
            else:
                todo.append(job)
        todo, alone = isolated(todo, stage, len(message.entries))
        incomplete += [Incomplete(job, stage) for job in alone]
        begun = self._begin(todo, stage, message)
        with (
            leases_renewed(self.registry, begun, self.lease_s),
            telemetry.timed(telemetry.STAGE_SECONDS, stage.value),
            spans.shared(f"stage {stage.value}", [job.document.traceparent for job in begun]),
        ):
            if writes and isinstance(work, RowsWork):
                writes.begin(planned(work, begun, keys))
            results = outcomes(work, begun, self.stopping)
        for job, outcome in zip(begun, results, strict=True):
            if not isinstance(outcome, Outcome):
                left = msgspec.structs.replace(job, document=job.progress.saved or job.document)
                incomplete.append(Incomplete(left, stage, outcome))
                continue
            behind = worked(job, stage, keys[job.document.id], outcome)
            if outgrown(behind, stage):
                incomplete.append(Incomplete(behind, following(stage)[0], TakesLong()))
            else:
                through.append(behind)
        return through, incomplete

    def _held(self, stage: Stage, patient: PatientWork | None, job: Job) -> Incomplete | None:
        """A document that does not begin the stage: it killed too often, or gives way."""
        if not job.made and starts(job, stage) >= self.max_attempts:
            return Incomplete(job, Stage(job.document.stage), _poison(job))
        way = patient.gives_way(job) if patient else None
        return Incomplete(job, stage, way) if way else None

    def _begin(self, jobs: Sequence[Job], stage: Stage, message: Message) -> list[Job]:
        """Count the attempts before the work, and renew the leases; answers the jobs that are still ours."""
        now = time.time()
        begun = [
            msgspec.structs.replace(
                job,
                progress=StageProgress(self._check(job.document, stage)),
                document=msgspec.structs.replace(
                    job.document,
                    stage=stage.value,
                    stage_share=0.0,
                    attempt=job.document.attempt if job.made else starts(job, stage) + 1,
                    updated_at=now,
                    lease_until=now + self.lease_s,
                    holder=_here(),
                    hindrance=None,
                ),
            )
            for job in jobs
        ]
        refused = self._save([job.document for job in begun], message)
        return [job for job in begun if job.document.id not in refused]

    def _check(self, document: Document, stage: Stage) -> Callable[[], None]:
        """What ends the work on a document between two slices."""
        quick = stage is Stage.PARSE and document.lane is Lane.INTERACTIVE
        return quick_reading(self.stopping.check) if quick else self.stopping.check

    def _leases(self, jobs: Sequence[Job], stage: Stage) -> Any:
        ended = stage is Stage.PUBLISH  # which leaves records that say so
        return nullcontext() if ended else leases_renewed(self.registry, jobs, self.lease_s)

    def _result(
        self, jobs: Sequence[Job], incomplete: Sequence[Incomplete], start: Stage, message: Message, done: int
    ) -> TaskResult:
        """Write what was learnt into the records, and say who goes on, and who comes again."""
        changed = [self._waiting(job.document) for job in jobs]
        pauses = {each.stage: _backoff_s(_retries(message, each.stage, start)) for each in incomplete if each.fault}
        returning: list[Incomplete] = []
        for each in incomplete:
            if each.fault is None:
                returning.append(each)
            elif isinstance(each.fault, Stopped):
                changed.append(given_back(each.job.document))
            elif isinstance(each.fault, TakesLong):
                returning.append(each)
                changed.append(self._aside(each.job.document))
            elif isinstance(each.fault, GoesOn):
                returning.append(each)
                changed.append(self._in_turn(each.job.document, each.fault))
            elif isinstance(each.fault, GivesWay):
                returning.append(each)
                changed.append(self._giving_way(each.job, each.fault, each.stage))
                telemetry.GAVE_WAY.labels(each.stage.value, message.lane.value).inc()
            elif isinstance(each.fault, Damaged):
                changed.append(self._begun_again(each, each.fault))
            elif isinstance(each.fault, TryLater) and _retries(message, each.stage, start) < MAX_RETRIES:
                if not isinstance(each.fault, Conflict):
                    returning.append(each)
                    changed.append(self._hindered(each, each.fault, pauses[each.stage]))
                    log.warning("stage_retried", **_line_of(each, each.fault))
            else:
                changed.append(_failed(each.job.document, each.stage, each.fault))
                log.error("document_failed", **_line_of(each, each.fault))
        refused = self._save(changed, message)
        self._ended(
            [document for document in changed if document.state.terminal and document.id not in refused], message
        )
        onward = [job.entry for job in jobs if job.document.id not in refused]
        returning = [each for each in returning if each.job.document.id not in refused]
        return TaskResult(message.of(onward), tuple(_redeliveries(returning, start, message, pauses)), done)

    def _waiting(self, document: Document) -> Document:
        """With the lease that waiting for the next stage needs."""
        now = time.time()
        lease = document.lease_until if document.state.terminal else now + LEASES_IN_A_QUEUE * self.lease_s
        return msgspec.structs.replace(document, updated_at=now, lease_until=lease, holder="")

    def _aside(self, document: Document) -> Document:
        """In the lane of those that take long."""
        attempt = max(0, document.attempt - 1)
        return msgspec.structs.replace(self._waiting(document), lane=Lane.LARGE, attempt=attempt)

    def _in_turn(self, document: Document, fault: GoesOn) -> Document:
        """Between two turns of a stage that goes on; no upload waits for its place among those in flight."""
        attempt, lane = max(0, document.attempt - 1), patient_lane(document.lane)
        return msgspec.structs.replace(self._waiting(document), attempt=attempt, stage_share=fault.share, lane=lane)

    def _giving_way(self, job: Job, fault: GivesWay, stage: Stage) -> Document:
        """Its stage was not begun; what the group did before it ended by itself, so that start does not count."""
        now = time.time()
        return msgspec.structs.replace(
            job.document,
            attempt=max(0, job.document.attempt - 1) if job.made else job.document.attempt,
            updated_at=now,
            lease_until=now + fault.delay_s + self.lease_s,
            holder=_here(),
            hindrance=_told(fault, stage),
        )

    def _hindered(self, incomplete: Incomplete, fault: TriviumError, pause_s: float) -> Document:
        """A stage that ended by itself killed nobody: its start does not count. Its worker keeps it for the pause."""
        document, now = incomplete.job.document, time.time()
        return msgspec.structs.replace(
            document,
            attempt=max(0, document.attempt - 1),
            updated_at=now,
            lease_until=now + pause_s + self.lease_s,
            hindrance=_told(fault, incomplete.stage),
        )

    def _begun_again(self, incomplete: Incomplete, fault: Damaged) -> Document:
        """Anybody may claim it and begin at the first stage, so that it is made again; its starts are counted."""
        document = incomplete.job.document
        if document.attempt < self.max_attempts:
            log.warning("stage_retried", **_line_of(incomplete, fault))
            return msgspec.structs.replace(given_back(document), attempt=document.attempt)
        lasting = NeverWill(fault.code, fault.message, "Look at the object store; submit the document again to retry.")
        log.error("document_failed", **_line_of(incomplete, lasting))
        return _failed(document, incomplete.stage, lasting)

    def _note_hindrance(self, message: Message, hindrance: Failure, pause_s: float) -> None:
        """What the whole message waits for, and that its worker keeps it for the pause: it is not lost."""
        until = time.time() + pause_s + self.lease_s
        held = {"hindrance": hindrance, "holder": _here(), "lease_until": until, "updated_at": time.time()}
        with suppress(TriviumError):  # it may be the registry that is away
            jobs = self._open(message)
            self._save([msgspec.structs.replace(job.document, **held) for job in jobs], message)

    def _save(self, documents: Sequence[Document], message: Message) -> set[str]:
        """Answers the ids of those that are somebody else's by now, and clears up after them."""
        if not documents:
            return set()
        with store_call("registry", "write"):
            refused = self.registry.for_tenant(Tenant(message.tenant)).save_many(documents)
        if refused:
            self._open(message.of(entry for entry in message.entries if entry.document_id in refused))
        return refused

    def _ended(self, documents: Sequence[Document], message: Message) -> None:
        """Count them, and clear up after those that failed."""
        for document in documents:
            code = document.failure.code if document.failure else ""
            telemetry.DOCUMENTS.labels(document.state.value, code_label(code)).inc()
        if documents:
            self.on_left()
        failed = {document.id for document in documents if document.state is DocumentState.FAILED}
        if failed:
            self._open(message.of(entry for entry in message.entries if entry.document_id in failed))


def postponed(message: Message, stage: Stage, error: TriviumError) -> TaskResult:
    """Nothing could be done: all documents come again."""
    told = {"code": error.code, "reason": error.message, "action": error.action}
    log.warning("batch_retried", documents=len(message.entries), **told)
    redelivery = Redelivery(message.of(message.entries, message.retries + 1), stage, _backoff_s(message.retries))
    return TaskResult(message.of(()), (redelivery,))


def _keys(work: StageWork, jobs: Sequence[Job], fingerprint: str) -> dict[str, str]:
    """Document id to the key of what the stage makes of it."""
    chosen = work if isinstance(work, ChosenWork) else None  # asked once: such a look at a protocol takes its time
    return {
        job.document.id: artifacts.artifact_key(
            job.entry,
            work.stage,
            chosen.fingerprint_for(job.document) if chosen else fingerprint,
            job.scope,
        )
        for job in jobs
    }


def _holds(entry: Entry, document: Document) -> bool:
    return document.fence == entry.fence and document.state is DocumentState.RUNNING


def _erased(tenant: Tenant, entry: Entry) -> Document:
    """What stands for the record of a document that went with its tenant."""
    return Document(entry.document_id, tenant.name, "", entry.version, state=DocumentState.DELETED)


def _stored(
    jobs: Sequence[Job], incomplete: Sequence[Incomplete], start: Stage, message: Message, writes: PendingWrites
) -> tuple[list[Job], list[Incomplete]]:
    """Store what was made, also of those that come again; where that fails, the document does the stage group again."""
    first = {entry.document_id: entry for entry in message.entries}
    lasting = [each for each in incomplete if not isinstance(each.fault, TryLater)]
    passing = [each for each in incomplete if isinstance(each.fault, TryLater)]
    reached = [Incomplete(job, start) for job in jobs] + passing
    faults = writes.faults([each.job for each in reached])
    kept = [each for each, error in zip(reached, faults, strict=True) if error is None]
    repeated = [
        Incomplete(_again(each.job, first[each.job.document.id]), start, error)
        for each, error in zip(reached, faults, strict=True)
        if error is not None
    ]
    return [each.job for each in kept if each.fault is None], [*lasting, *(e for e in kept if e.fault), *repeated]


def _again(job: Job, entry: Entry) -> Job:
    """From the group's first stage on; who was ready is not, without what is to be stored."""
    document = msgspec.structs.replace(job.document, state=DocumentState.RUNNING)
    return msgspec.structs.replace(job, document=document, entry=entry)


def _failed(document: Document, stage: Stage, error: TriviumError) -> Document:
    return msgspec.structs.replace(
        document,
        state=DocumentState.FAILED,
        failure=_told(error, stage),
        updated_at=time.time(),
        lease_until=0.0,
        holder="",
        hindrance=None,
    )


def _told(error: TriviumError, stage: Stage) -> Failure:
    return Failure(error.code, error.message, error.action, stage.value)


def _here() -> str:
    """This process, for people; a forked one has another name than its parent."""
    return f"{socket.gethostname()}-{os.getpid()}"


def _retries(message: Message, stage: Stage, start: Stage) -> int:
    """How often `stage` was tried again already: a message counts for its first one."""
    return message.retries if stage is start else 0


def _redeliveries(
    incomplete: Sequence[Incomplete], start: Stage, message: Message, pauses: Mapping[Stage, float]
) -> Iterator[Redelivery]:
    """At once: who should go alone, each by itself, who takes long, in its lane, and whose stage goes on, in its turn.

    Later: those that give way, with no retry counted, and the others, together.
    """
    aside = msgspec.structs.replace(message, lane=Lane.LARGE)
    slow = [each for each in incomplete if isinstance(each.fault, TakesLong)]
    yield from (Redelivery(message.of([each.job.entry]), each.stage) for each in incomplete if each.fault is None)
    yield from (Redelivery(aside.of([each.job.entry]), each.stage) for each in slow)
    turns = [(each, each.fault) for each in incomplete if isinstance(each.fault, GoesOn)]
    for each, fault in turns:
        in_turn = {"in_turn": message.in_turn or fault.asks_model, "lane": patient_lane(message.lane)}
        yield Redelivery(msgspec.structs.replace(message, **in_turn).of([each.job.entry]), each.stage)
    ways = [(each, each.fault) for each in incomplete if isinstance(each.fault, GivesWay)]
    for stage in dict.fromkeys(each.stage for each, _ in ways):
        together = [(each, fault) for each, fault in ways if each.stage is stage]
        entries = [each.job.entry for each, _ in together]
        yield Redelivery(message.of(entries, _retries(message, stage, start)), stage, together[0][1].delay_s)
    hindered = [each for each in incomplete if each.fault and not isinstance(each.fault, TakesLong | GoesOn | GivesWay)]
    for stage in dict.fromkeys(each.stage for each in hindered):
        entries = [each.job.entry for each in hindered if each.stage is stage]
        yield Redelivery(message.of(entries, _retries(message, stage, start) + 1), stage, pauses[stage])


def _backoff_s(retries: int) -> float:
    """Half of it is jitter (AWS Architecture Blog, "Exponential Backoff And Jitter")."""
    ceiling = min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2 ** min(retries, 16))
    return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - not a secret


def _line_of(incomplete: Incomplete, fault: TriviumError) -> dict[str, str]:
    why = {"code": fault.code, "reason": fault.message, "action": fault.action}
    return {**about(incomplete.job.document), "stage": incomplete.stage.value, **why}


def _poison(job: Job) -> NeverWill:
    return NeverWill(
        "poison",
        f"The worker died {job.document.attempt} times on this document at stage {job.document.stage}.",
        "Look at the file; submit it again to retry.",
    )
