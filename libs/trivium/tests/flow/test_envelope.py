"""The envelope: once in effect, whatever is delivered twice, late, damaged or failing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry, SqliteTenantRegistry
from trivium.domain.documents import Document, DocumentState, Lane, Stage
from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry, Message, message_for
from trivium.flow.envelope import BACKOFF_CAP_S, MAX_RETRIES, Envelope, Handed
from trivium.flow.stage import Job, Outcome

LEASE_S = 60.0
MAX_ATTEMPTS = 3


class Work:
    """A stage whose behaviour the test chooses; remembers for whom it really ran."""

    stage = Stage.PARSE

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

    def settled(self, job: Job) -> bool:
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


def key_in(handed: Handed) -> str:
    (entry,) = handed.onward.entries
    return entry.artifacts["parse"]


def started(world: World, name: str, attempts: int) -> None:
    """As a worker leaves the record when it dies."""
    world.documents.save(msgspec.structs.replace(world.now(name), stage="parse", attempt=attempts))


# One document


def test_a_stage_hands_on_its_artifact_and_what_it_learnt(world: World) -> None:
    handed = world.envelope.run([Work()], world.message)
    assert artifacts.load(world.objects.for_tenant(DEFAULT_TENANT), key_in(handed), str) == "parsed"
    assert handed.again == ()
    assert world.now().title == "A title"
    assert world.now().stage == "parse"


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
    handed = world.envelope.run([work], world.message)
    assert (handed.onward.entries, handed.again) == ((), ())
    failed = world.now()
    assert failed.state is DocumentState.FAILED
    assert failed.failure is not None
    assert (failed.failure.code, failed.failure.stage) == ("password_needed", "parse")
    assert world.left == 1


def test_a_passing_fault_is_retried_with_growing_pauses_and_told_after_a_day(world: World) -> None:
    work = Work(raising(TryLater("store_busy", "The store is busy.")))
    message, pauses = world.message, []
    for _ in range(10):
        (again,) = world.envelope.run([work], message).again
        message = again.message
        pauses.append(again.delay_s)
    assert message.entries == world.message.entries
    assert pauses[0] < 1 < pauses[5] < pauses[-1] <= BACKOFF_CAP_S
    assert (world.now().state, world.now().attempt, world.left) == (DocumentState.RUNNING, 0, 0)
    handed = world.envelope.run([work], message.of(message.entries, MAX_RETRIES))
    assert (handed.onward.entries, handed.again) == ((), ())
    assert world.now().state is DocumentState.FAILED


def test_a_bug_of_ours_fails_one_document_and_says_so(world: World) -> None:
    assert world.envelope.run([Work(raising(ZeroDivisionError()))], world.message).onward.entries == ()
    failure = world.now().failure
    assert failure is not None
    assert failure.code == "internal_error"
    assert "ZeroDivisionError" in failure.message


def test_a_holder_whose_claim_was_taken_over_does_nothing(world: World) -> None:
    world.claim()
    work = Work()
    assert world.envelope.run([work], world.message) == Handed(world.message.of(()))
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


def test_what_a_late_stage_left_is_cleared_up_when_the_next_one_looks(world: World) -> None:
    onward = world.envelope.run([Work()], world.message).onward
    world.documents.delete(world.document.id)
    world.envelope.run([Work()], onward)
    assert world.late == [DocumentState.DELETED]


def test_a_registry_that_is_away_brings_the_whole_message_back(world: World, tmp_path: Path) -> None:
    class Away(SqliteRegistry):
        def for_tenant(self, tenant: Tenant) -> SqliteTenantRegistry:
            raise TryLater("store_busy", "The registry is busy.")

    envelope = msgspec.structs.replace(world.envelope, registry=Away(tmp_path))
    handed = envelope.run([Work()], world.message)
    assert handed.onward.entries == ()
    (again,) = handed.again
    assert (again.message.entries, again.message.retries) == (world.message.entries, 1)
    assert again.delay_s > 0


def test_a_document_that_kills_its_worker_each_time_is_given_up(world: World) -> None:
    work = Work()
    started(world, "a.txt", MAX_ATTEMPTS - 1)
    assert world.envelope.run([work], world.message).onward.entries
    work.code = "v2"  # so that the artifact counts as absent
    started(world, "a.txt", MAX_ATTEMPTS)
    assert world.envelope.run([work], world.message) == Handed(world.message.of(()))
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
        job.share.tell(0.5)
        deadline = time.monotonic() + 10
        while world.now().stage_share == 0 and time.monotonic() < deadline:
            time.sleep(0.005)
        seen.append(world.now().progress)
        return Outcome("parsed")

    msgspec.structs.replace(world.envelope, lease_s=0.06).run([Work(act)], world.message)
    assert seen == [0.5 / len(Stage)]
    assert world.now().stage_share == 0


def test_a_lease_is_renewed_for_as_long_as_the_work_takes(world: World) -> None:
    def act(_: Job) -> Outcome:
        deadline, first = time.monotonic() + 10, world.now().lease_until
        while world.now().lease_until <= first:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return Outcome("parsed", {"title": "slow"})

    envelope = msgspec.structs.replace(world.envelope, lease_s=0.06)
    assert envelope.run([Work(act)], world.message).onward.entries
    assert world.now().title == "slow"


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
    handed = world.envelope.run([bulk], world.batch("b.txt", "c.txt"))
    objects = world.objects.for_tenant(DEFAULT_TENANT)
    stored = [artifacts.load(objects, entry.artifacts["parse"], str) for entry in handed.onward.entries]
    assert stored == ["parsed a.txt", "parsed b.txt", "parsed c.txt"]
    assert [world.now(name).title for name in ("a.txt", "b.txt", "c.txt")] == ["A.TXT", "B.TXT", "C.TXT"]
    assert bulk.calls == [3]
    assert bulk.ran == []


@pytest.mark.parametrize("kind", [Work, Bulk])
def test_one_documents_fault_fails_only_itself(world: World, kind: type[Work]) -> None:
    work = kind(raising(NeverWill("corrupt", "It is broken."), "b.txt"))
    handed = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert world.names(handed.onward) == ["a.txt", "c.txt"]
    assert handed.again == ()
    assert [world.now(n).state for n in ("a.txt", "b.txt", "c.txt")] == ["running", "failed", "running"]


@pytest.mark.parametrize("fault", [NeverWill("wrong_dimension", "It does not fit."), ZeroDivisionError()])
def test_a_bulk_call_that_fails_as_a_whole_is_repeated_one_by_one(world: World, fault: Exception) -> None:
    work = Bulk(raising(fault, "b.txt"), all_or_nothing=True)
    handed = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert world.names(handed.onward) == ["a.txt", "c.txt"]
    assert world.now("b.txt").state is DocumentState.FAILED
    assert work.ran == ["a.txt", "b.txt", "c.txt"]


def test_a_passing_fault_of_some_splits_the_batch(world: World) -> None:
    work = Bulk(raising(TryLater("incomplete_write", "Not all is there."), "a.txt", "c.txt"))
    handed = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert world.names(handed.onward) == ["b.txt"]
    (again,) = handed.again
    assert world.names(again.message) == ["a.txt", "c.txt"]
    assert (again.message.retries, handed.onward.retries) == (1, 0)
    assert [world.now(n).state for n in ("a.txt", "b.txt", "c.txt")] == ["running"] * 3


def test_a_store_that_is_away_brings_all_of_a_bulk_call_back_together(world: World) -> None:
    work = Bulk(raising(TryLater("store_down", "Nobody answers.")), all_or_nothing=True)
    handed = world.envelope.run([work], world.batch("b.txt", "c.txt"))
    assert handed.onward.entries == ()
    (again,) = handed.again
    assert world.names(again.message) == ["a.txt", "b.txt", "c.txt"]
    assert work.ran == []
    assert [world.now(n).attempt for n in ("a.txt", "b.txt", "c.txt")] == [0, 0, 0]
    recovered = Bulk(lambda _: Outcome("parsed"))
    assert len(world.envelope.run([recovered], again.message).onward.entries) == 3
    assert recovered.calls == [3]


def test_those_whom_somebody_newer_took_over_drop_out(world: World) -> None:
    message = world.batch("b.txt", "c.txt")
    world.claim("b.txt")
    work = Work()
    handed = world.envelope.run([work], message)
    assert world.names(handed.onward) == ["a.txt", "c.txt"]
    assert work.ran == ["a.txt", "c.txt"]


def test_a_document_deleted_while_its_batch_works_drops_out_alone(world: World) -> None:
    def act(job: Job) -> Outcome:
        if job.document.source == "b.txt":
            world.documents.delete(job.document.id)
        return Outcome("parsed", {"title": "late"})

    handed = world.envelope.run([Bulk(act)], world.batch("b.txt", "c.txt"))
    assert world.names(handed.onward) == ["a.txt", "c.txt"]
    assert world.now("b.txt").state is DocumentState.DELETED


def test_a_document_that_may_have_killed_a_worker_goes_alone_and_its_neighbours_go_on(world: World) -> None:
    message = world.batch("b.txt", "c.txt", "d.txt")
    started(world, "b.txt", 1)
    started(world, "d.txt", 2)
    work = Work()
    handed = world.envelope.run([work], message)
    assert world.names(handed.onward) == ["a.txt", "c.txt"]
    assert work.ran == ["a.txt", "c.txt"]
    assert [world.names(again.message) for again in handed.again] == [["b.txt"], ["d.txt"]]
    assert [again.delay_s for again in handed.again] == [0.0, 0.0]
    alone = world.envelope.run([work], handed.again[0].message)
    assert world.names(alone.onward) == ["b.txt"]
    assert world.now("b.txt").attempt == 2


def test_of_a_batch_delivered_twice_only_what_is_missing_is_done(world: World) -> None:
    message = world.batch("b.txt")
    work = Work(raising(TryLater("store_busy", "Busy."), "b.txt"))
    world.envelope.run([work], message)
    work.act = raising(NeverWill("never", "Nobody is failed."), "nobody")
    handed = world.envelope.run([work], message)
    assert world.names(handed.onward) == ["a.txt", "b.txt"]
    assert work.ran == ["a.txt", "b.txt", "b.txt"]


def test_messages_carry_references_and_survive_the_wire() -> None:
    entry = Entry("d", "v", 3, {"parse": "artifacts/d/v/parse-1"})
    message = Message("default", Lane.BACKFILL, (entry,), retries=2)
    wire: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message.to_wire()))
    assert Message.from_wire(wire) == message
    with pytest.raises(msgspec.ValidationError):
        Message.from_wire({**wire, "retries": "three"})
