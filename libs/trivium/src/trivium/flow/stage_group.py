"""One stage of a stage group: for which documents it is done, who may do it together, and what it made of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from celery.exceptions import SoftTimeLimitExceeded

from trivium import telemetry
from trivium.domain.documents import STAGES, Document, Stage
from trivium.domain.errors import NeverWill, NotFound, TriviumError, TryLater
from trivium.flow import artifacts
from trivium.flow.stage import BulkWork, Job, Outcome, RowsWork, StageWork
from trivium.full_disk import full_disk
from trivium.logs.context import about
from trivium.stopping import Stopped, Stopping

log = structlog.get_logger()


class Incomplete(msgspec.Struct, frozen=True):
    """A document that does not get through `stage`; without a fault, it may do it by itself."""

    job: Job
    stage: Stage
    fault: TriviumError | None = None


class CompletedStages:
    """What earlier tries stored, as far as a stage group has looked: one object may hold what several stages made."""

    def __init__(self) -> None:
        self._outputs: dict[str, artifacts.Output] = {}

    def done_before(self, work: StageWork, job: Job, key: str) -> artifacts.Output | None:
        """The stage's whole output under `key` whose rows are there too, else None."""
        try:
            if key not in self._outputs:
                if _comes_first(job, work.stage) or not job.objects.exists(key):
                    return None
                self._outputs |= artifacts.outputs(job.objects, key)
            if not work.outputs_present(job):
                return None
        except NotFound as error:
            log.warning("artifact_damaged", key=key, reason=error.message)
            return None
        telemetry.STAGE_SKIPPED.labels(work.stage.value).inc()
        return self._outputs[key]


def starts(job: Job, stage: Stage) -> int:
    """How often `stage`, or one of the same stage group behind it, was started and did not end."""
    return job.document.attempt if _reached(job) >= STAGES.index(stage) else 0


def isolated(jobs: Sequence[Job], stage: Stage, company: int) -> tuple[list[Job], list[Job]]:
    """Those that may work together, and those that may only work alone."""
    if company == 1:
        return list(jobs), []
    suspect = [not job.made and starts(job, stage) > 0 for job in jobs]
    return (
        [job for job, alone in zip(jobs, suspect, strict=True) if not alone],
        [job for job, alone in zip(jobs, suspect, strict=True) if alone],
    )


def relearnt(job: Job) -> Job:
    """With what the stages behind its message learnt, where the record has lost it with the server that held it."""
    done = [stage for stage in STAGES if stage.value in job.entry.artifacts]
    if not done or _reached(job) >= STAGES.index(done[-1]):
        return job
    document, found = job.document, dict[str, artifacts.Output]()
    for reference in (job.entry.artifacts[stage.value] for stage in done):
        with suppress(NotFound):  # damaged: it is made again where it is needed
            if artifacts.own_key(reference) not in found:
                found |= artifacts.outputs(job.objects, artifacts.holder_of(reference))
            document = _learnt(document, found[artifacts.own_key(reference)].facts)
    return msgspec.structs.replace(job, document=document)


def skipped(job: Job, stage: Stage, found: artifacts.Output) -> Job:
    """The job behind a stage that was done before."""
    return _advanced(job, stage, found.reference, found.facts)


def worked(job: Job, stage: Stage, key: str, outcome: Outcome) -> Job:
    """The job behind a stage that it did now. What one stage group makes will lie under the key of its first stage."""
    made = (*job.made, artifacts.made(key, outcome.value, outcome.facts))
    reference = artifacts.reference(made[0].key, key)
    return _advanced(msgspec.structs.replace(job, made=made), stage, reference, outcome.facts)


def planned(work: RowsWork, jobs: Sequence[Job], keys: Mapping[str, str]) -> list[Job]:
    """The jobs as they will be behind the stage; none where that cannot be told, which its work meets again."""
    try:
        plans = work.planned(jobs) if jobs else ()
    except TriviumError:
        return []
    return [worked(job, work.stage, keys[job.document.id], plan) for job, plan in zip(jobs, plans, strict=True)]


def outcomes(work: StageWork, jobs: Sequence[Job], stopping: Stopping) -> list[Outcome | TriviumError]:
    """Do the work: together where the stage can, and one by one where it cannot or where that went wrong.

    What goes wrong while the process is stopping is `Stopped`: its connections and threads end under the work.
    """
    return [
        outcome if isinstance(outcome, Outcome) or not stopping.begun else Stopped()
        for outcome in _outcomes(work, jobs, stopping)
    ]


def _outcomes(work: StageWork, jobs: Sequence[Job], stopping: Stopping) -> list[Outcome | TriviumError]:
    if isinstance(work, BulkWork) and len(jobs) > 1:
        try:
            return [_as_meant(outcome) for outcome in work.run_all(jobs)]
        except TryLater as error:
            return [error for _ in jobs]
        except Exception as error:  # noqa: BLE001 - told below, by the document that it belongs to
            if stopping.begun:
                return [Stopped() for _ in jobs]
            log.warning("bulk_failed", documents=len(jobs), error=type(error).__name__)
    return [_outcome(work, job, stopping) for job in jobs]


def _as_meant(outcome: Outcome | TriviumError) -> Outcome | TriviumError:
    """A parser may take a full disk for a damaged file."""
    return outcome if isinstance(outcome, Outcome) else full_disk(outcome) or outcome


def _outcome(work: StageWork, job: Job, stopping: Stopping) -> Outcome | TriviumError:
    try:
        return work.run(job)
    except TriviumError as error:
        return _as_meant(error)
    except SoftTimeLimitExceeded:
        return NeverWill("too_slow", "The document takes too long.", "Split it, or look at the server's log.")
    except Exception as error:  # a bug of ours must end one document, not the worker
        if (full := full_disk(error)) is not None:
            log.warning("disk_full", reason=str(error), **about(job.document))
            return full
        if not stopping.begun:
            log.exception("stage_crashed", **about(job.document))
        return _internal(error)


def _advanced(job: Job, stage: Stage, reference: str, facts: dict[str, Any]) -> Job:
    entry = msgspec.structs.replace(job.entry, artifacts={**job.entry.artifacts, stage.value: reference})
    return msgspec.structs.replace(job, entry=entry, document=_learnt(job.document, facts))


def _learnt(document: Document, facts: dict[str, Any]) -> Document:
    return msgspec.convert({**msgspec.to_builtins(document), **facts}, Document) if facts else document


def _comes_first(job: Job, stage: Stage) -> bool:
    """Whether nobody can have done the stage before, which spares a look into the object store."""
    return job.untouched and _reached(job) < STAGES.index(stage)


def _reached(job: Job) -> int:
    return STAGES.index(Stage(job.document.stage)) if job.document.stage else -1


def _internal(error: Exception) -> NeverWill:
    return NeverWill(
        "internal_error",
        f"Trivium failed on this document ({type(error).__name__}).",
        "Please report it with the server's log; the document can be submitted again.",
    )
