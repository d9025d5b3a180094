"""The envelope of every task: re-read the world, skip what is done, run the stage, save, hand on.

Retry is a property of the error's type: `TryLater` goes back to Celery with jittered back-off, `NeverWill` ends the
document as FAILED with its reason, `Conflict` and `NotFound` of the record mean that somebody newer took over.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from trivium import telemetry
from trivium.domain.documents import Document, DocumentState, Failure, Stage
from trivium.domain.errors import Conflict, NeverWill, NotFound, TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Message
from trivium.flow.stage import Job, StageWork
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry

BACKOFF_BASE_S = 0.5
BACKOFF_CAP_S = 60.0
MAX_RETRIES = 8  # about two minutes of a store being away; the sweep picks the document up after that

log = structlog.get_logger()


class Superseded(Exception):
    """The document was deleted, replaced or claimed by another worker: stop quietly."""


class RetryAt(Exception):
    """The stage met a passing fault: run the same message again in `delay_s` seconds."""

    def __init__(self, delay_s: float) -> None:
        super().__init__(f"again in {delay_s:.1f} s")
        self.delay_s = delay_s


class Envelope(msgspec.Struct, frozen=True):
    """Runs stages against one registry and one object store.

    `lease_s` is how long a claim holds without progress; `on_left` hears (document id, fence) of every chain that
    ends here, whether its document is done, failed or somebody else's by now.
    """

    registry: Registry
    objects: Objects
    lease_s: float
    on_left: Callable[[str, int], None] = lambda _id, _fence: None

    def run(self, work: StageWork, message: Message, retries: int) -> Message:
        """Do `work` for `message`, once in effect; returns the message for the next stage.

        Raises `RetryAt` for a passing fault (`retries` counts the ones before) and `Superseded` when there is
        nothing left to do.
        """
        structlog.contextvars.bind_contextvars(document_id=message.document_id, tenant=message.tenant)
        try:
            return self._attempt(work, message, retries)
        except RetryAt:
            raise
        except Exception:  # also when the registry itself is away: the sweep takes the document up after its lease
            self.on_left(message.document_id, message.fence)
            raise

    def _attempt(self, work: StageWork, message: Message, retries: int) -> Message:
        job = self._open(message)
        try:
            key = artifacts.artifact_key(message, work.stage, work.fingerprint())
            facts = self._done_before(work, job, key)
            if facts is None:
                job = self._begin(job, work.stage)
                with telemetry.timed(telemetry.STAGE_SECONDS, work.stage.value):
                    facts = _do(work, job, key)
            if facts:
                self._commit(job, facts)
            return msgspec.structs.replace(message, artifacts={**message.artifacts, work.stage.value: key})
        except Conflict as error:
            raise Superseded from error
        except TryLater as error:
            if retries < MAX_RETRIES:
                log.warning("stage_retried", stage=work.stage.value, code=error.code, reason=error.message)
                raise RetryAt(_backoff_s(retries)) from error
            self._fail(job, work.stage, error)
            raise Superseded from error
        except TriviumError as error:
            self._fail(job, work.stage, error)
            raise Superseded from error
        except Exception as error:  # a bug of ours must end one document, not the worker
            log.exception("stage_crashed", stage=work.stage.value)
            self._fail(job, work.stage, _internal(error))
            raise Superseded from error

    def _open(self, message: Message) -> Job:
        """Re-read the world: is the claim behind this message still the newest?"""
        tenant = Tenant(message.tenant)
        try:
            document = self.registry.for_tenant(tenant).get(message.document_id)
        except NotFound as error:
            raise Superseded from error
        if document.fence != message.fence or document.state is not DocumentState.RUNNING:
            raise Superseded
        return Job(document, message, self.objects.for_tenant(tenant))

    def _done_before(self, work: StageWork, job: Job, key: str) -> dict[str, Any] | None:
        """The facts of the stage's whole artifact whose rows are there too, else None."""
        if not (job.objects.exists(key) and work.settled(job)):
            return None
        try:
            facts = artifacts.load_facts(job.objects, key)
        except NotFound:
            log.warning("artifact_damaged", key=key)
            return None
        telemetry.STAGE_SKIPPED.labels(work.stage.value).inc()
        return facts

    def _begin(self, job: Job, stage: Stage) -> Job:
        """Count the attempt before the work, and renew the lease."""
        now = time.time()
        again = job.document.attempt if job.document.stage == stage.value else 0
        document = msgspec.structs.replace(
            job.document, stage=stage.value, attempt=again + 1, updated_at=now, lease_until=now + self.lease_s
        )
        self.registry.for_tenant(job.tenant).save(document)
        return msgspec.structs.replace(job, document=document)

    def _commit(self, job: Job, facts: dict[str, Any]) -> None:
        """Write what the stage learnt into the record; refused when the claim is not the newest any more."""
        record = {**msgspec.to_builtins(job.document), **facts, "updated_at": time.time()}
        changed = msgspec.convert(record, Document)
        self.registry.for_tenant(job.tenant).save(changed)
        if changed.state.terminal:
            telemetry.DOCUMENTS.labels(changed.state.value, "").inc()
            self.on_left(changed.id, changed.fence)

    def _fail(self, job: Job, stage: Stage, error: TriviumError) -> None:
        failed = msgspec.structs.replace(
            job.document,
            state=DocumentState.FAILED,
            failure=Failure(error.code, error.message, error.action, stage.value),
            updated_at=time.time(),
        )
        try:
            self.registry.for_tenant(job.tenant).save(failed)
        except (Conflict, NotFound):
            return
        telemetry.DOCUMENTS.labels(failed.state.value, error.code).inc()
        log.warning("document_failed", stage=stage.value, code=error.code, reason=error.message)


def _do(work: StageWork, job: Job, key: str) -> dict[str, Any]:
    outcome = work.run(job)
    artifacts.save(job.objects, key, outcome.value, outcome.facts)
    return outcome.facts


def _backoff_s(retries: int) -> float:
    """Full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter")."""
    ceiling = min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2**retries)
    return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - not a secret


def _internal(error: Exception) -> NeverWill:
    return NeverWill(
        "internal_error",
        f"Trivium failed on this document ({type(error).__name__}).",
        "Please report it with the server's log; the document can be submitted again.",
    )
