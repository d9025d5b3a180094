"""The envelope of every task: re-read the world, skip what is done, run the stage, save, hand on.

The documents of a batch share the message and the bulk calls, and nothing else: each keeps its own record, attempt,
fence, artifacts and failure. What becomes of it is a property of its error's type: `TryLater` brings it back to this
stage with jittered back-off while the others go on, `NeverWill` ends it as FAILED with its reason, `Conflict` means
that somebody newer took over. A document whose stage was started before and never ended, because something killed
the worker, goes through it alone: if it kills again, it takes no neighbour with it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import msgspec
import structlog
from celery.exceptions import SoftTimeLimitExceeded

from trivium import telemetry
from trivium.at_once import at_once
from trivium.domain.documents import STAGES, Document, DocumentState, Failure, Stage
from trivium.domain.errors import Conflict, NeverWill, NotFound, TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry, Message
from trivium.flow.heartbeat import LEASES_IN_A_QUEUE, leases_renewed
from trivium.flow.stage import BulkWork, Job, Outcome, StageWork
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry

BACKOFF_BASE_S = 0.5
BACKOFF_CAP_S = 60.0
MAX_RETRIES = 2000  # about a day of a store being away, which is no fault of the document

log = structlog.get_logger()


class Again(msgspec.Struct, frozen=True):
    """A message for the same stage, in `delay_s` seconds."""

    message: Message
    delay_s: float = 0.0


class Handed(msgspec.Struct, frozen=True):
    """What becomes of a message: `onward` goes to the next stage, `again` comes back to this one."""

    onward: Message
    again: tuple[Again, ...] = ()


class Result(msgspec.Struct, frozen=True):
    """What a stage made of one document."""

    job: Job
    outcome: Outcome | TriviumError


class Envelope(msgspec.Struct, frozen=True):
    """Runs stages against one registry and one object store.

    `lease_s` is how long a claim holds without a sign of life. A document whose stage killed its worker
    `max_attempts` times is given up (`poison`). `on_left` is called when documents came to their end, `clear_up` with
    the record of each that was deleted, replaced or claimed by somebody else while its batch was under way.
    """

    registry: Registry
    objects: Objects
    lease_s: float
    max_attempts: int
    on_left: Callable[[], None] = lambda: None
    clear_up: Callable[[Document, Entry], None] = lambda *_: None

    def run(self, work: StageWork, message: Message) -> Handed:
        """Do `work` for each document of the message, once in effect.

        Those that were deleted, replaced or claimed by somebody else meanwhile drop out.
        """
        with structlog.contextvars.bound_contextvars(tenant=message.tenant, stage=work.stage.value):
            try:
                return self._attempt(work, message)
            except TryLater as error:  # the registry or the object store itself
                return postponed(message, error)

    def _attempt(self, work: StageWork, message: Message) -> Handed:
        fingerprint = work.fingerprint()
        keys = {entry.document_id: artifacts.artifact_key(entry, work.stage, fingerprint) for entry in message.entries}
        results, todo = [], []
        for job in self._open(message):
            done = _done_before(work, job, keys[job.document.id])
            if done is not None:
                results.append(Result(job, done))
            elif _starts(job, work.stage) >= self.max_attempts:
                results.append(Result(job, _poison(job, work.stage)))
            else:
                todo.append(job)
        todo, alone = _isolated(todo, work.stage, len(message.entries))
        begun = self._begin(todo, work.stage)
        with self._leases(begun, work.stage):
            with telemetry.timed(telemetry.STAGE_SECONDS, work.stage.value):
                outcomes = _outcomes(work, begun)
            results += at_once(lambda result: _kept(result, keys[result.job.document.id]), outcomes)
        onward, later = self._settle(work.stage, results, message)
        again = [Again(message.of([entry])) for entry in alone]
        if later:
            again.append(_later(message, later))
        return Handed(message.of(_with_artifact(entry, work.stage, keys) for entry in onward), tuple(again))

    def _open(self, message: Message) -> list[Job]:
        """Re-read the world: those whose claim behind this message is still the newest; the others are cleared up."""
        tenant = Tenant(message.tenant)
        objects = self.objects.for_tenant(tenant)
        known = self.registry.for_tenant(tenant).get_many([entry.document_id for entry in message.entries])
        jobs = []
        for entry in message.entries:
            document = known.get(entry.document_id)
            if document and _holds(entry, document):
                jobs.append(Job(document, entry, objects))
            elif document:
                self.clear_up(document, entry)
        return jobs

    def _begin(self, jobs: Sequence[Job], stage: Stage) -> list[Job]:
        """Count the attempts before the work, and renew the leases; answers the jobs that are still ours."""
        now = time.time()
        begun = [
            msgspec.structs.replace(
                job,
                document=msgspec.structs.replace(
                    job.document,
                    stage=stage.value,
                    stage_share=0.0,
                    attempt=_starts(job, stage) + 1,
                    updated_at=now,
                    lease_until=now + self.lease_s,
                ),
            )
            for job in jobs
        ]
        refused = self._save([job.document for job in begun])
        return [job for job in begun if job.document.id not in refused]

    def _leases(self, jobs: Sequence[Job], stage: Stage) -> Any:
        quick = not jobs or stage is Stage.PUBLISH  # which saves the records itself
        return nullcontext() if quick else leases_renewed(self.registry, jobs, self.lease_s)

    def _settle(self, stage: Stage, results: Iterable[Result], message: Message) -> tuple[list[Entry], list[Entry]]:
        """Write what was learnt into the records; answers who goes on, and who comes again."""
        onward: list[Job] = []
        later: list[Job] = []
        changed: list[Document] = []
        for job, outcome in ((result.job, result.outcome) for result in results):
            if isinstance(outcome, Outcome):
                onward.append(job)
                changed.append(self._learnt(job.document, outcome.facts))
            elif isinstance(outcome, TryLater) and message.retries < MAX_RETRIES:
                if not isinstance(outcome, Conflict):
                    later.append(job)
                    changed.append(_unstarted(job.document))
                    _log(job, "stage_retried", outcome)
            else:
                changed.append(_failed(job.document, stage, outcome))
                _log(job, "document_failed", outcome)
        refused = self._save(changed)
        if refused:
            self._open(message.of(entry for entry in message.entries if entry.document_id in refused))
        self._tell(document for document in changed if document.id not in refused)
        return (
            [job.entry for job in onward if job.document.id not in refused],
            [job.entry for job in later if job.document.id not in refused],
        )

    def _learnt(self, document: Document, facts: dict[str, Any]) -> Document:
        """With the lease that waiting for the next stage needs."""
        now = time.time()
        times = {"updated_at": now, "lease_until": now + LEASES_IN_A_QUEUE * self.lease_s}
        return msgspec.convert({**msgspec.to_builtins(document), **times, **facts}, Document)

    def _save(self, documents: Sequence[Document]) -> set[str]:
        """Answers the ids of those that are somebody else's by now."""
        if not documents:
            return set()
        return self.registry.for_tenant(Tenant(documents[0].tenant)).save_many(documents)

    def _tell(self, documents: Iterable[Document]) -> None:
        ended = [document for document in documents if document.state.terminal]
        for document in ended:
            code = document.failure.code if document.failure else ""
            telemetry.DOCUMENTS.labels(document.state.value, code).inc()
        if ended:
            self.on_left()


def postponed(message: Message, error: TriviumError) -> Handed:
    """Nothing could be done: all documents come again."""
    told = {"code": error.code, "reason": error.message, "action": error.action}
    log.warning("batch_retried", documents=len(message.entries), **told)
    return Handed(message.of(()), (_later(message, message.entries),))


def _holds(entry: Entry, document: Document) -> bool:
    return document.fence == entry.fence and document.state is DocumentState.RUNNING


def _starts(job: Job, stage: Stage) -> int:
    """How often the stage was started and did not end."""
    return job.document.attempt if job.document.stage == stage.value else 0


def _done_before(work: StageWork, job: Job, key: str) -> Outcome | None:
    """The facts of the stage's whole artifact whose rows are there too, else None."""
    if _comes_first(job, work.stage) or not job.objects.exists(key):
        return None
    try:
        if not work.settled(job):
            return None
        facts = artifacts.load_facts(job.objects, key)
    except NotFound as error:
        log.warning("artifact_damaged", key=key, reason=error.message)
        return None
    telemetry.STAGE_SKIPPED.labels(work.stage.value).inc()
    return Outcome(None, facts)


def _comes_first(job: Job, stage: Stage) -> bool:
    """Whether nobody can have done the stage before, which spares a look into the object store."""
    reached = STAGES.index(Stage(job.document.stage)) if job.document.stage else -1
    return job.untouched and reached < STAGES.index(stage)


def _isolated(jobs: list[Job], stage: Stage, company: int) -> tuple[list[Job], list[Entry]]:
    """Those that may work together, and those that may only work alone."""
    if company == 1:
        return jobs, []
    suspects = [job.entry for job in jobs if _starts(job, stage)]
    return [job for job in jobs if not _starts(job, stage)], suspects


def _outcomes(work: StageWork, jobs: Sequence[Job]) -> list[Result]:
    """Do the work: together where the stage can, and one by one where it cannot or where that went wrong."""
    if isinstance(work, BulkWork) and len(jobs) > 1:
        try:
            return [Result(job, outcome) for job, outcome in zip(jobs, work.run_all(jobs), strict=True)]
        except TryLater as error:
            return [Result(job, error) for job in jobs]
        except Exception as error:  # noqa: BLE001 - told below, by the document that it belongs to
            log.warning("bulk_failed", documents=len(jobs), error=type(error).__name__)
    return [Result(job, _outcome(work, job)) for job in jobs]


def _outcome(work: StageWork, job: Job) -> Outcome | TriviumError:
    try:
        return work.run(job)
    except TriviumError as error:
        return error
    except SoftTimeLimitExceeded:
        return NeverWill("too_slow", "The document takes too long.", "Split it, or look at the server's log.")
    except Exception as error:  # a bug of ours must end one document, not the worker
        log.exception("stage_crashed", document_id=job.document.id)
        return _internal(error)


def _kept(result: Result, key: str) -> Result:
    """Store the artifact; a fault of the store becomes the document's outcome."""
    if isinstance(result.outcome, Outcome):
        try:
            artifacts.save(result.job.objects, key, result.outcome.value, result.outcome.facts)
        except TriviumError as error:
            return Result(result.job, error)
    return result


def _with_artifact(entry: Entry, stage: Stage, keys: dict[str, str]) -> Entry:
    return msgspec.structs.replace(entry, artifacts={**entry.artifacts, stage.value: keys[entry.document_id]})


def _unstarted(document: Document) -> Document:
    """A stage that ended by itself killed nobody: its start does not count."""
    return msgspec.structs.replace(document, attempt=max(0, document.attempt - 1), updated_at=time.time())


def _failed(document: Document, stage: Stage, error: TriviumError) -> Document:
    failure = Failure(error.code, error.message, error.action, stage.value)
    return msgspec.structs.replace(
        document, state=DocumentState.FAILED, failure=failure, updated_at=time.time(), lease_until=0.0
    )


def _later(message: Message, entries: Iterable[Entry]) -> Again:
    return Again(message.of(entries, message.retries + 1), _backoff_s(message.retries))


def _backoff_s(retries: int) -> float:
    """Half of it is jitter (AWS Architecture Blog, "Exponential Backoff And Jitter")."""
    ceiling = min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2 ** min(retries, 16))
    return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - not a secret


def _log(job: Job, event: str, error: TriviumError) -> None:
    log.warning(event, document_id=job.document.id, code=error.code, reason=error.message, action=error.action)


def _poison(job: Job, stage: Stage) -> NeverWill:
    return NeverWill(
        "poison",
        f"The worker died {job.document.attempt} times on this document at stage {stage.value}.",
        "Look at the file; submit it again to retry.",
    )


def _internal(error: Exception) -> NeverWill:
    return NeverWill(
        "internal_error",
        f"Trivium failed on this document ({type(error).__name__}).",
        "Please report it with the server's log; the document can be submitted again.",
    )
