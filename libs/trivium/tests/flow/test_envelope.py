"""The envelope: once in effect, whatever is delivered twice, late, damaged or failing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry, SqliteTenantRegistry
from trivium.domain.documents import Document, DocumentState, Stage
from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Message
from trivium.flow.envelope import MAX_RETRIES, Envelope, RetryAt, Superseded
from trivium.flow.stage import Job, Outcome

LEASE_S = 60.0


class Work:
    """A stage whose behaviour the test chooses; counts how often it really ran."""

    stage = Stage.PARSE

    def __init__(self, act: Callable[[Job], Outcome] = lambda _: Outcome("parsed", {"title": "A title"})) -> None:
        self.act = act
        self.runs = 0
        self.code = "v1"
        self.rows_are_there = True

    def fingerprint(self) -> str:
        return self.code

    def settled(self, job: Job) -> bool:
        return self.rows_are_there

    def run(self, job: Job) -> Outcome:
        self.runs += 1
        return self.act(job)


class World:
    """A registry and an object store with one claimed document."""

    def __init__(self, data: Path) -> None:
        self.registry = SqliteRegistry(data)
        self.objects = LocalObjects(data)
        self.left: list[tuple[str, int]] = []
        self.envelope = Envelope(self.registry, self.objects, LEASE_S, lambda i, fence: self.left.append((i, fence)))
        self.clock = time.time()
        self.documents = self.registry.for_tenant(DEFAULT_TENANT)
        identifier = document_id(DEFAULT_TENANT, "a.txt")
        self.documents.accept(Document(identifier, DEFAULT_TENANT.name, "a.txt", "v", created_at=time.time()))
        self.document = self.claim()
        self.message = Message(DEFAULT_TENANT.name, identifier, "v", self.document.fence)

    def claim(self) -> Document:
        """Each claim comes an hour after the one before: that lease has run out."""
        self.clock += 3600
        identifier = document_id(DEFAULT_TENANT, "a.txt")
        return self.documents.claim(identifier, "v", LEASE_S, self.clock)

    def now(self) -> Document:
        return self.documents.get(self.document.id)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def raising(error: Exception) -> Callable[[Job], Outcome]:
    def act(_: Job) -> Outcome:
        raise error

    return act


def test_a_stage_hands_on_its_artifact_and_what_it_learnt(world: World) -> None:
    after = world.envelope.run(Work(), world.message, 0)
    key = after.artifacts["parse"]
    assert artifacts.load(world.objects.for_tenant(DEFAULT_TENANT), key, str) == "parsed"
    assert world.now().title == "A title"
    assert world.now().stage == "parse"


def test_a_second_delivery_does_not_work_again(world: World) -> None:
    work = Work()
    first = world.envelope.run(work, world.message, 0)
    assert world.envelope.run(work, world.message, 0) == first
    assert work.runs == 1


def test_other_code_options_or_model_work_again_under_another_key(world: World) -> None:
    work = Work()
    first = world.envelope.run(work, world.message, 0)
    work.code = "v2"
    assert world.envelope.run(work, world.message, 0) != first
    assert work.runs == 2


def test_a_damaged_artifact_counts_as_absent(world: World) -> None:
    work = Work()
    key = world.envelope.run(work, world.message, 0).artifacts["parse"]
    objects = world.objects.for_tenant(DEFAULT_TENANT)
    objects.put(key, objects.get(key)[:-1] + b"?")
    world.envelope.run(work, world.message, 0)
    assert work.runs == 2
    assert artifacts.load(objects, key, str) == "parsed"


def test_rows_that_are_gone_are_written_again(world: World) -> None:
    work = Work()
    world.envelope.run(work, world.message, 0)
    work.rows_are_there = False
    world.envelope.run(work, world.message, 0)
    assert work.runs == 2


def test_what_can_never_work_ends_as_failed_with_its_reason(world: World) -> None:
    work = Work(raising(NeverWill("password_needed", "The file is encrypted.", "Remove the password.")))
    with pytest.raises(Superseded):
        world.envelope.run(work, world.message, 0)
    failed = world.now()
    assert failed.state is DocumentState.FAILED
    assert failed.failure is not None
    assert (failed.failure.code, failed.failure.stage) == ("password_needed", "parse")
    assert world.left == [(failed.id, failed.fence)]


def test_a_passing_fault_is_retried_with_growing_pauses_and_then_told(world: World) -> None:
    work = Work(raising(TryLater("store_busy", "The store is busy.")))
    pauses = []
    for retries in range(MAX_RETRIES):
        with pytest.raises(RetryAt) as again:
            world.envelope.run(work, world.message, retries)
        pauses.append(again.value.delay_s)
    assert pauses[-1] > pauses[0]
    assert world.now().state is DocumentState.RUNNING
    assert world.left == []
    with pytest.raises(Superseded):
        world.envelope.run(work, world.message, MAX_RETRIES)
    assert world.now().state is DocumentState.FAILED


def test_a_bug_of_ours_fails_one_document_and_says_so(world: World) -> None:
    with pytest.raises(Superseded):
        world.envelope.run(Work(raising(ZeroDivisionError())), world.message, 0)
    failure = world.now().failure
    assert failure is not None
    assert failure.code == "internal_error"
    assert "ZeroDivisionError" in failure.message


def test_a_holder_whose_claim_was_taken_over_does_nothing(world: World) -> None:
    world.claim()
    work = Work()
    with pytest.raises(Superseded):
        world.envelope.run(work, world.message, 0)
    assert work.runs == 0


def test_a_claim_taken_over_during_the_work_is_not_overwritten(world: World) -> None:
    def act(_: Job) -> Outcome:
        world.claim()
        return Outcome("late", {"title": "late"})

    with pytest.raises(Superseded):
        world.envelope.run(Work(act), world.message, 0)
    assert world.now().title == ""


def test_a_document_deleted_during_the_work_stays_deleted(world: World) -> None:
    def act(_: Job) -> Outcome:
        world.documents.delete(world.document.id)
        return Outcome("late", {"state": "ready", "active_version": "v"})

    with pytest.raises(Superseded):
        world.envelope.run(Work(act), world.message, 0)
    assert world.now().state is DocumentState.DELETED
    assert world.now().active_version == ""


def test_a_registry_that_is_away_frees_the_place_in_flight(world: World, tmp_path: Path) -> None:
    class Away(SqliteRegistry):
        def for_tenant(self, tenant: Tenant) -> SqliteTenantRegistry:
            raise TryLater("store_busy", "The registry is busy.")

    envelope = msgspec.structs.replace(world.envelope, registry=Away(tmp_path))
    with pytest.raises(TryLater):
        envelope.run(Work(), world.message, 0)
    assert world.left == [(world.document.id, world.document.fence)]


def test_messages_carry_references_and_survive_the_wire() -> None:
    message = Message("default", "d", "v", 3, {"parse": "artifacts/d/v/parse-1"})
    wire: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message.to_wire()))
    assert Message.from_wire(wire) == message
    with pytest.raises(msgspec.ValidationError):
        Message.from_wire({**wire, "fence": "three"})
