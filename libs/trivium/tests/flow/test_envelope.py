"""The envelope: once in effect, whatever is delivered twice, late, damaged or failing."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from waiting import wait_until

from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry, SqliteTenantRegistry
from trivium.domain.documents import Document, DocumentState, Failure, Lane, Stage
from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry, Message, message_for
from trivium.flow.envelope import BACKOFF_CAP_S, MAX_RETRIES, Envelope, TaskResult
from trivium.flow.gives_way import GivesWay
from trivium.flow.heartbeat import BEATS_PER_LEASE
from trivium.flow.in_turns import GoesOn
from trivium.flow.large import LARGE_READ_BYTES, quick_reading
from trivium.flow.stage import Job, Outcome

LEASE_S = 60.0
MAX_ATTEMPTS = 3


class Work:
    """A stage whose behaviour the test chooses; remembers for whom it really ran."""

    stage: Stage = Stage.PARSE

    def __init__(self, act: Callable[[Job], Outcome] = lambda _: Outcome("parsed", {"title": "A title"})) -> None:
        self.act = act
        self.ran: list[str] = []
        self.code = "v1"
        self.rows_are_there = True

    @property
    def runs(self) -> int:
        return len(self.ran)

    def fingerprint(self) -> str:
        return self.code

    def outputs_present(self, job: Job) -> bool:
        return self.rows_are_there

    def run(self, job: Job) -> Outcome:
        self.ran.append(job.document.source)
        return self.act(job)


class Bulk(Work):
    """The same in bulk: `act` is asked for each job, and what it raises stands in its place, or ends the call."""

    def __init__(self, act: Callable[[Job], Outcome], *, all_or_nothing: bool = False) -> None:
        super().__init__(act)
        self.all_or_nothing = all_or_nothing
        self.calls: list[int] = []

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome | TriviumError]:
        self.calls.append(len(jobs))
        answers: list[Outcome | TriviumError] = []
        for job in jobs:
            try:
                answers.append(self.act(job))
            except TriviumError as error:
                if self.all_or_nothing:
                    raise
                answers.append(error)
        return answers


class World:
    """A registry and an object store with claimed documents."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.registry = SqliteRegistry(data)
        self.objects = LocalObjects(data)
        self.left = 0
        self.late: list[DocumentState] = []
        self.envelope = Envelope(
            self.registry,
            self.objects,
            LEASE_S,
            MAX_ATTEMPTS,
            self.count_left,
            lambda now, _: self.late.append(now.state),
        )
        self.clock = time.time()
        self.documents = self.registry.for_tenant(DEFAULT_TENANT)
        self.document = self.add("a.txt")
        self.message = message_for([self.document])

    def count_left(self) -> None:
        self.left += 1

    def add(self, name: str) -> Document:
        identifier = document_id(DEFAULT_TENANT, name)
        self.documents.accept(Document(identifier, DEFAULT_TENANT.name, name, "v", created_at=time.time()))
        return self.claim(name)

    def claim(self, name: str = "a.txt") -> Document:
        """Each claim comes an hour after the one before: that lease has run out."""
        self.clock += 3600
        return self.documents.claim(document_id(DEFAULT_TENANT, name), "v", LEASE_S, self.clock)

    def batch(self, *names: str) -> Message:
        """The documents so called, with `a.txt` before them."""
        return message_for([self.document, *(self.add(name) for name in names)])

    def now(self, name: str = "a.txt") -> Document:
        return self.documents.get(document_id(DEFAULT_TENANT, name))

    def names(self, message: Message) -> list[str]:
        return [self.documents.get(entry.document_id).source for entry in message.entries]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def raising(error: Exception, *names: str) -> Callable[[Job], Outcome]:
    """Raises for the sources so called, or for all."""

    def act(job: Job) -> Outcome:
        if not names or job.document.source in names:
            raise error
        return Outcome("parsed", {"title": "A title"})

    return act


def key_in(result: TaskResult) -> str:
    (entry,) = result.onward.entries
    return entry.artifacts["parse"]


def started(world: World, name: str, attempts: int) -> None:
    """As a worker leaves the record when it dies."""
    world.documents.save(msgspec.structs.replace(world.now(name), stage="parse", attempt=attempts))


class Patient(Work):
    """Asks something that is busy until the test says otherwise."""

    stage = Stage.CHUNK
    busy = True

    def gives_way(self, job: Job) -> GivesWay | None:
        return GivesWay("12 requests wait.", job.document.lane) if self.busy else None


# What gives way


def test_a_stage_that_gives_way_comes_back_soon_and_nothing_is_counted(world: World) -> None:
    work = Patient(lambda _: Outcome("read"))
    work.stage = Stage.PARSE
    message = world.message
    for _ in range(MAX_RETRIES // 100):
        result = world.envelope.run([work], message)
        assert result.onward.entries == ()
        (again,) = result.redeliveries
        assert (again.stage, again.message.retries) == (Stage.PARSE, 0)
        assert 0 < again.delay_s < 1
        message = again.message
    assert (work.runs, world.now().attempt, world.now().state) == (0, 0, DocumentState.RUNNING)
    assert world.now().hindrance == Failure(
        "llm_busy", "The document waits: 12 requests wait.", "It goes on by itself.", "parse"
    )
    assert world.now().lease_until > time.time() + LEASE_S / 2
    work.busy = False
    assert len(world.envelope.run([work], message).onward.entries) == 1
    assert (work.runs, world.now().hindrance) == (1, None)


def test_what_was_made_before_it_gave_way_is_kept(world: World) -> None:
    parse, chunk = Work(), Patient(lambda _: Outcome("chunks"))
    (again,) = world.envelope.run([parse, chunk], world.batch("b.txt")).redeliveries
    assert len(again.message.entries) == 2
    assert (again.stage, world.now().attempt) == (Stage.CHUNK, 0)
    chunk.busy = False
    assert len(world.envelope.run([chunk], again.message).onward.entries) == 2
    assert parse.ran == ["a.txt", "b.txt"]


def test_a_backfill_gives_way_for_longer_than_an_upload() -> None:
    waits = [GivesWay("", Lane.BACKFILL).delay_s for _ in range(20)]
    assert min(waits) > max(GivesWay("", Lane.INTERACTIVE).delay_s for _ in range(20))


# One document


def test_a_stage_hands_on_its_artifact_and_what_it_learnt(world: World) -> None:
    result = world.envelope.run([Work()], world.message)
    assert artifacts.load(world.objects.for_tenant(DEFAULT_TENANT), key_in(result), str) == "parsed"
    assert result.redeliveries == ()
    assert world.now().title == "A title"
    assert world.now().stage == "parse"


def test_what_a_record_lost_with_its_server_is_learnt_again(world: World) -> None:
    claimed = world.now()
    result = world.envelope.run([Work()], world.message)
    world.documents.save(claimed)
    later = Work(lambda _: Outcome("chunks"))
    later.stage = Stage.CHUNK
    world.envelope.run([later], result.onward)
    assert (world.now().title, world.now().stage) == ("A title", "chunk")


def test_a_second_delivery_does_not_work_again(world: World) -> None:
    work = Work()
    first = world.envelope.run([work], world.message)
    assert world.envelope.run([work], world.message) == first
    assert work.runs == 1


def test_other_code_options_or_model_work_again_under_another_key(world: World) -> None:
    work = Work()
    first = world.envelope.run([work], world.message)
    work.code = "v2"
    assert world.envelope.run([work], world.message) != first
    assert work.runs == 2


def test_a_damaged_artifact_counts_as_absent(world: World) -> None:
    work = Work()
    key = key_in(world.envelope.run([work], world.message))
    objects = world.objects.for_tenant(DEFAULT_TENANT)
    objects.put(key, objects.get(key)[:-1] + b"?")
    world.envelope.run([work], world.message)
    assert work.runs == 2
    assert artifacts.load(objects, key, str) == "parsed"


def test_rows_that_are_gone_are_written_again(world: World) -> None:
    work = Work()
    world.envelope.run([work], world.message)
    work.rows_are_there = False
    world.envelope.run([work], world.message)
    assert work.runs == 2


def test_what_can_never_work_ends_as_failed_with_its_reason(world: World) -> None:
    work = Work(raising(NeverWill("password_needed", "The file is encrypted.", "Remove the password.")))
    result = world.envelope.run([work], world.message)
    assert (result.onward.entries, result.redeliveries) == ((), ())
    failed = world.now()
    assert failed.state is DocumentState.FAILED
    assert failed.failure is not None
    assert (failed.failure.code, failed.failure.stage) == ("password_needed", "parse")
    assert world.left == 1


def test_a_passing_fault_is_retried_with_growing_pauses_and_told_after_a_day(world: World) -> None:
    work = Work(raising(TryLater("store_busy", "The store is busy.")))
    message, pauses = world.message, []
    for _ in range(10):
        (redelivery,) = world.envelope.run([work], message).redeliveries
        message = redelivery.message
        pauses.append(redelivery.delay_s)
    assert message.entries == world.message.entries
    assert pauses[0] < 1 < pauses[5] < pauses[-1] <= BACKOFF_CAP_S
    assert (world.now().state, world.now().attempt, world.left) == (DocumentState.RUNNING, 0, 0)
    result = world.envelope.run([work], message.of(message.entries, MAX_RETRIES))
    assert (result.onward.entries, result.redeliveries) == ((), ())
    assert world.now().state is DocumentState.FAILED


def corrupt_for_want_of_room() -> NeverWill:
    """What a parser says that takes a failed write of its own for a damaged file."""
    error = NeverWill("corrupt_file", "It is damaged.")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    return error


@pytest.mark.parametrize(
    "fault",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        corrupt_for_want_of_room(),
    ],
    ids=["full", "quota", "wrapped"],
)
@pytest.mark.parametrize("kind", [Work, Bulk])
def test_a_full_scratch_disk_is_waited_for(world: World, kind: type[Work], fault: Exception) -> None:
    work = kind(raising(fault))
    again = [redelivery.message for redelivery in world.envelope.run([work], world.batch("b.txt")).redeliveries]
    assert world.left == 0
    for name in ("a.txt", "b.txt"):
        assert (world.now(name).state, world.now(name).failure) == (DocumentState.RUNNING, None)
    work.act = lambda _: Outcome("parsed")
    done = [world.names(world.envelope.run([work], message).onward) for message in again]
    assert [name for names in done for name in names] == ["a.txt", "b.txt"]


def test_a_bug_of_ours_fails_one_document_and_says_so(world: World) -> None:
    assert world.envelope.run([Work(raising(ZeroDivisionError()))], world.message).onward.entries == ()
    failure = world.now().failure
    assert failure is not None
    assert failure.code == "internal_error"
    assert "ZeroDivisionError" in failure.message


def test_a_holder_whose_claim_was_taken_over_does_nothing(world: World) -> None:
    world.claim()
    work = Work()
    assert world.envelope.run([work], world.message) == TaskResult(world.message.of(()))
    assert work.runs == 0


def test_a_claim_taken_over_during_the_work_is_not_overwritten(world: World) -> None:
    def act(_: Job) -> Outcome:
        world.claim()
        return Outcome("late", {"title": "late"})

    assert world.envelope.run([Work(act)], world.message).onward.entries == ()
    assert world.now().title == ""


def test_a_document_deleted_during_the_work_stays_deleted(world: World) -> None:
    def act(_: Job) -> Outcome:
        world.documents.delete(world.document.id)
        return Outcome("late", {"state": "ready", "active_version": "v"})

    assert world.envelope.run([Work(act)], world.message).onward.entries == ()
    assert world.now().state is DocumentState.DELETED
    assert world.now().active_version == ""
    assert world.late == [DocumentState.DELETED], "what the work left is cleared up"


def test_a_document_whose_tenant_is_erased_during_the_work_is_cleared_up_and_does_not_come_back(world: World) -> None:
    def act(job: Job) -> Outcome:
        world.registry.drop(DEFAULT_TENANT)
        return Outcome("late", {"title": "late"})

    assert world.envelope.run([Work(act)], world.message).onward.entries == ()
    assert world.documents.list().documents == ()
    assert world.late == [DocumentState.DELETED]


def test_what_a_late_stage_left_is_cleared_up_when_the_next_one_looks(world: World) -> None:
    onward = world.envelope.run([Work()], world.message).onward
    world.documents.delete(world.document.id)
    world.envelope.run([Work()], onward)
    assert world.late == [DocumentState.DELETED]


def test_what_a_document_left_that_fails_is_cleared_up_however_often_a_store_is_away(world: World) -> None:
    away = [True, True]

    def clear_up(now: Document, _: Entry) -> None:
        world.late.append(now.state)
        if away and away.pop():
            raise TryLater("store_down", "The store is away.")

    world.envelope = msgspec.structs.replace(world.envelope, clear_up=clear_up)
    stage = Work(raising(NeverWill("never", "It never will."), "b.txt"))
    (back,) = world.envelope.run([stage], world.batch("b.txt")).redeliveries
    assert world.now("b.txt").state is DocumentState.FAILED
    assert world.names(world.envelope.run([stage], back.message).onward) == ["a.txt"]
    assert world.late == [DocumentState.FAILED] * 3


def test_a_registry_that_is_away_brings_the_whole_message_back(world: World, tmp_path: Path) -> None:
    class Away(SqliteRegistry):
        def for_tenant(self, tenant: Tenant) -> SqliteTenantRegistry:
            raise TryLater("store_busy", "The registry is busy.")

    envelope = msgspec.structs.replace(world.envelope, registry=Away(tmp_path))
    result = envelope.run([Work()], world.message)
    assert result.onward.entries == ()
    (redelivery,) = result.redeliveries
    assert (redelivery.message.entries, redelivery.message.retries) == (world.message.entries, 1)
    assert redelivery.delay_s > 0


def test_a_document_that_kills_its_worker_each_time_is_given_up(world: World) -> None:
    work = Work()
    started(world, "a.txt", MAX_ATTEMPTS - 1)
    assert world.envelope.run([work], world.message).onward.entries
    work.code = "v2"  # so that the artifact counts as absent
    started(world, "a.txt", MAX_ATTEMPTS)
    assert world.envelope.run([work], world.message) == TaskResult(world.message.of(()))
    failure = world.now().failure
    assert failure is not None
    assert (failure.code, failure.stage) == ("poison", "parse")
    assert work.runs == 1
    assert world.left == 1


def test_the_attempt_is_counted_before_the_work(world: World) -> None:
    seen = []

    def act(_: Job) -> Outcome:
        seen.append((world.now().stage, world.now().attempt))
        return Outcome("parsed")

    world.envelope.run([Work(act)], world.message)
    assert seen == [("parse", 1)]


def test_how_far_a_long_stage_is_stands_in_the_record_until_it_ends(world: World) -> None:
    seen: list[float] = []

    def act(job: Job) -> Outcome:
        job.progress.tell(0.5)
        wait_until(lambda: world.now().stage_share > 0, "the share is told")
        seen.append(world.now().progress)
        return Outcome("parsed")

    msgspec.structs.replace(world.envelope, lease_s=0.06).run([Work(act)], world.message)
    assert seen == [0.5 / len(Stage)]
    assert world.now().stage_share == 0


def test_a_lease_is_renewed_for_as_long_as_the_work_takes(world: World) -> None:
    def act(_: Job) -> Outcome:
        first = world.now().lease_until
        wait_until(lambda: world.now().lease_until > first, "the lease is renewed")
        return Outcome("parsed", {"title": "slow"})

    envelope = msgspec.structs.replace(world.envelope, lease_s=0.06)
    assert envelope.run([Work(act)], world.message).onward.entries
    assert world.now().title == "slow"


def test_the_record_names_who_has_a_document_in_hand_and_what_keeps_its_stage_from_going_on(world: World) -> None:
    holders: list[str] = []

    def act(_: Job) -> Outcome:
        holders.append(world.now().holder)
        raise TryLater("store_away", "The store does not answer.", "Start it.")

    often = world.message.of(world.message.entries, retries=9)
    (redelivery,) = msgspec.structs.replace(world.envelope, lease_s=1.0).run([Work(act)], often).redeliveries
    assert holders[0].endswith(f"-{os.getpid()}")
    assert world.now().hindrance == Failure("store_away", "The store does not answer.", "Start it.", "parse")
    assert world.now().holder == holders[0], "its worker keeps it for the pause"
    assert world.now().lease_until - time.time() > redelivery.delay_s > 1
    world.envelope.run([Work()], redelivery.message)
    assert (world.now().holder, world.now().hindrance) == ("", None)


def test_the_record_names_the_service_that_a_whole_message_waits_for(world: World) -> None:
    told = ("inference_down", "The inference service does not answer.", "Start it.")

    class Unready(Work):
        def fingerprint(self) -> str:
            raise TryLater(*told)

    (redelivery,) = world.envelope.run([Unready()], world.message).redeliveries
    waiting = world.now()
    assert waiting.hindrance == Failure(
        "inference_down", "The inference service does not answer.", "Start it.", "parse"
    )
    assert waiting.holder, "its worker keeps it for the pause"
    assert waiting.attempt == 0, "no stage was begun"
    assert waiting.lease_until - time.time() > redelivery.delay_s
    world.envelope.run([Work()], redelivery.message)
    assert (world.now().title, world.now().hindrance) == ("A title", None)


def test_a_registry_that_was_away_hears_of_its_workers_as_soon_as_it_is_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beat that could not be told is told again at once, and not a third of a lease later."""
    monkeypatch.setattr("trivium.flow.heartbeat.RETRY_S", 0.01)
    beats: list[float] = []

    class Away(SqliteRegistry):
        def for_tenant(self, tenant: Tenant) -> SqliteTenantRegistry:
            if threading.current_thread().name == "heartbeat" and len(beats) < 3:
                beats.append(time.monotonic())
                raise TryLater("redis_away", "Redis does not answer.")
            return super().for_tenant(tenant)

    def act(_: Job) -> Outcome:
        first = world.now().lease_until
        wait_until(lambda: world.now().lease_until > first, "a beat")
        return Outcome("parsed")

    lease_s = 3.0
    msgspec.structs.replace(world.envelope, registry=Away(world.data), lease_s=lease_s).run([Work(act)], world.message)
    assert beats[2] - beats[0] < lease_s / BEATS_PER_LEASE


def test_no_sign_of_life_comes_behind_a_record_that_its_stage_saved(world: World) -> None:
    def act(job: Job) -> Outcome:
        published = msgspec.structs.replace(job.document, active_version="v")
        job.progress.seal(published)
        world.documents.save(published)
        neighbour = world.now("b.txt").lease_until
        wait_until(lambda: world.now("b.txt").lease_until > neighbour, "a beat of the other")
        seen.append(world.now().active_version)
        return Outcome("parsed")

    seen: list[str] = []
    bulk = Bulk(lambda job: act(job) if job.document.source == "a.txt" else Outcome("parsed"))
    msgspec.structs.replace(world.envelope, lease_s=0.06).run([bulk], world.batch("b.txt"))
    assert seen == ["v"]


@pytest.mark.parametrize(
    "fault", [TryLater("away", "It is away."), NeverWill("bad", "It is bad."), ZeroDivisionError()]
)
def test_what_goes_wrong_behind_a_record_that_its_stage_saved_does_not_undo_it(world: World, fault: Exception) -> None:
    def act(job: Job) -> Outcome:
        published = msgspec.structs.replace(job.document, active_version="v")
        job.progress.seal(published)
        world.documents.save(published)
        raise fault

    world.envelope.run([Work(act)], world.message)
    assert world.now().active_version == "v"
    assert (world.now().hindrance or world.now().failure) is not None


def test_what_waits_for_its_next_stage_waits_longer_than_a_worker_may_be_silent(world: World) -> None:
    during: list[float] = []

    def act(_: Job) -> Outcome:
        during.append(world.now().lease_until - time.time())
        return Outcome("parsed")

    world.envelope.run([Work(act)], world.message)
    assert during[0] <= LEASE_S
    assert world.now().lease_until - time.time() > 2 * LEASE_S


# A batch


def test_each_document_of_a_batch_keeps_its_own_record_and_artifact(world: World) -> None:
    bulk = Bulk(lambda job: Outcome(f"parsed {job.document.source}", {"title": job.document.source.upper()}))
    result = world.envelope.run([bulk], world.batch("b.txt", "c.txt"))
    objects = world.objects.for_tenant(DEFAULT_TENANT)
    stored = [artifacts.load(objects, entry.artifacts["parse"], str) for entry in result.onward.entries]
    assert stored == ["parsed a.txt", "parsed b.txt", "parsed c.txt"]
    assert [world.now(name).title for name in ("a.txt", "b.txt", "c.txt")] == ["A.TXT", "B.TXT", "C.TXT"]
    assert bulk.calls == [3]
    assert bulk.ran == []


@pytest.mark.parametrize("kind", [Work, Bulk])
def test_one_documents_fault_fails_only_itself(world: World, kind: type[Work]) -> None:
    work = kind(raising(NeverWill("corrupt", "It is broken."), "b.txt"))
    result = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert world.names(result.onward) == ["a.txt", "c.txt"]
    assert result.redeliveries == ()
    assert [world.now(n).state for n in ("a.txt", "b.txt", "c.txt")] == ["running", "failed", "running"]


@pytest.mark.parametrize("fault", [NeverWill("wrong_dimension", "It does not fit."), ZeroDivisionError()])
def test_a_bulk_call_that_fails_as_a_whole_is_repeated_one_by_one(world: World, fault: Exception) -> None:
    work = Bulk(raising(fault, "b.txt"), all_or_nothing=True)
    result = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert world.names(result.onward) == ["a.txt", "c.txt"]
    assert world.now("b.txt").state is DocumentState.FAILED
    assert work.ran == ["a.txt", "b.txt", "c.txt"]


def test_a_passing_fault_of_some_splits_the_batch(world: World) -> None:
    work = Bulk(raising(TryLater("incomplete_write", "Not all is there."), "a.txt", "c.txt"))
    result = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert world.names(result.onward) == ["b.txt"]
    (redelivery,) = result.redeliveries
    assert world.names(redelivery.message) == ["a.txt", "c.txt"]
    assert (redelivery.message.retries, result.onward.retries) == (1, 0)
    assert [world.now(n).state for n in ("a.txt", "b.txt", "c.txt")] == ["running"] * 3


def test_a_store_that_is_away_brings_all_of_a_bulk_call_back_together(world: World) -> None:
    work = Bulk(raising(TryLater("store_down", "Nobody answers.")), all_or_nothing=True)
    result = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert result.onward.entries == ()
    (redelivery,) = result.redeliveries
    assert world.names(redelivery.message) == ["a.txt", "b.txt", "c.txt"]
    assert work.ran == []
    assert [world.now(n).attempt for n in ("a.txt", "b.txt", "c.txt")] == [0, 0, 0]
    recovered = Bulk(lambda _: Outcome("parsed"))
    assert len(world.envelope.run([recovered], redelivery.message).onward.entries) == 3
    assert recovered.calls == [3]


def test_those_whom_somebody_newer_took_over_drop_out(world: World) -> None:
    message = world.batch("b.txt", "c.txt")
    world.claim("b.txt")
    work = Work()
    result = world.envelope.run([work], message)
    assert world.names(result.onward) == ["a.txt", "c.txt"]
    assert work.ran == ["a.txt", "c.txt"]


def test_a_document_deleted_while_its_batch_works_drops_out_alone(world: World) -> None:
    def act(job: Job) -> Outcome:
        if job.document.source == "b.txt":
            world.documents.delete(job.document.id)
        return Outcome("parsed", {"title": "late"})

    result = world.envelope.run([Bulk(act)], world.batch("b.txt", "c.txt"))
    assert world.names(result.onward) == ["a.txt", "c.txt"]
    assert world.now("b.txt").state is DocumentState.DELETED


def test_a_document_that_may_have_killed_a_worker_goes_alone_and_its_neighbours_go_on(world: World) -> None:
    message = world.batch("b.txt", "c.txt", "d.txt")
    started(world, "b.txt", 1)
    started(world, "d.txt", 2)
    work = Work()
    result = world.envelope.run([work], message)
    assert world.names(result.onward) == ["a.txt", "c.txt"]
    assert work.ran == ["a.txt", "c.txt"]
    assert [world.names(redelivery.message) for redelivery in result.redeliveries] == [["b.txt"], ["d.txt"]]
    assert [redelivery.delay_s for redelivery in result.redeliveries] == [0.0, 0.0]
    alone = world.envelope.run([work], result.redeliveries[0].message)
    assert world.names(alone.onward) == ["b.txt"]
    assert world.now("b.txt").attempt == 2


def test_of_a_batch_delivered_twice_only_what_is_missing_is_done(world: World) -> None:
    message = world.batch("b.txt")
    work = Work(raising(TryLater("store_busy", "Busy."), "b.txt"))
    world.envelope.run([work], message)
    work.act = raising(NeverWill("never", "Nobody is failed."), "nobody")
    result = world.envelope.run([work], message)
    assert world.names(result.onward) == ["a.txt", "b.txt"]
    assert work.ran == ["a.txt", "b.txt", "b.txt"]


def test_messages_carry_references_and_survive_the_wire() -> None:
    entry = Entry("d", "v", 3, {"parse": "artifacts/d/v/parse-1"})
    message = Message("default", Lane.BACKFILL, (entry,), retries=2)
    wire: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message.to_wire()))
    assert Message.from_wire(wire) == message
    with pytest.raises(msgspec.ValidationError):
        Message.from_wire({**wire, "retries": "three"})


def test_an_upload_in_which_much_was_read_goes_on_in_the_lane_of_large_ones(world: World) -> None:
    message = world.batch("large.csv.gz")

    def parse(job: Job) -> Outcome:
        return Outcome("x" * (2 * LARGE_READ_BYTES if job.document.source == "large.csv.gz" else 10))

    result = world.envelope.run([Work(parse)], message)
    (redelivery,) = result.redeliveries
    assert world.names(result.onward) == ["a.txt"]
    assert (redelivery.message.lane, redelivery.stage, redelivery.delay_s) == (Lane.LARGE, Stage.CHUNK, 0.0)
    assert world.now("large.csv.gz").lane is Lane.LARGE
    work = Work()
    assert world.names(world.envelope.run([work], redelivery.message).onward) == ["large.csv.gz"]
    assert work.runs == 0, "what was read is kept"


def test_what_takes_long_to_read_is_begun_again_in_the_lane_of_large_ones(world: World) -> None:
    def parse(job: Job) -> Outcome:
        check = quick_reading(lambda: None, limit_s=0.0)
        for _ in range(2):
            check()
        return Outcome("never")

    result = world.envelope.run([Work(parse)], world.message)
    (redelivery,) = result.redeliveries
    assert (redelivery.message.lane, redelivery.stage) == (Lane.LARGE, Stage.PARSE)
    assert (world.now().lane, world.now().attempt) == (Lane.LARGE, 0)


def test_a_stage_that_goes_on_does_so_at_once_in_the_language_models_queue(world: World) -> None:
    def read(job: Job) -> Outcome:
        if job.in_turn:
            return Outcome("read")
        raise GoesOn(0.25)

    result = world.envelope.run([Work(read)], world.message)
    (redelivery,) = result.redeliveries
    assert (redelivery.message.in_turn, redelivery.stage, redelivery.delay_s) == (True, Stage.PARSE, 0.0)
    assert (world.now().attempt, world.now().stage_share, world.now().hindrance) == (0, 0.25, None)
    assert redelivery.message.lane is world.now().lane is Lane.LARGE  # no upload waits for its place in flight
    again = world.envelope.run([Work(read)], redelivery.message)
    assert len(again.onward.entries) == 1
    assert again.onward.in_turn


def test_a_stage_that_goes_on_without_the_language_model_stays_in_its_own_queue(world: World) -> None:
    def hear(_: Job) -> Outcome:
        raise GoesOn(0.5, asks_model=False)

    (redelivery,) = world.envelope.run([Work(hear)], world.message).redeliveries
    assert (redelivery.message.in_turn, redelivery.stage, redelivery.delay_s) == (False, Stage.PARSE, 0.0)
    assert (world.now().attempt, world.now().stage_share) == (0, 0.5)


def test_a_stage_may_go_other_ways_with_other_documents(world: World) -> None:
    class Chosen(Work):
        def fingerprint_for(self, document: Document) -> str:
            return f"of {document.source}"

    result = world.envelope.run([Chosen(lambda _: Outcome("made"))], world.message)
    [entry] = result.onward.entries
    wanted = artifacts.artifact_key(world.message.entries[0], Stage.PARSE, f"of {world.now().source}")
    assert entry.artifacts[Stage.PARSE.value] == wanted
