"""A stage group: stages that one process does in a row, and stores as one object a document."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from waiting import wait_until

from trivium.adapters.embedded.objects import LocalObjects, LocalObjectStore
from trivium.adapters.embedded.registry import SqliteRegistry, SqliteTenantRegistry
from trivium.domain.documents import STAGES, Document, DocumentState, Stage
from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry, Message, message_for
from trivium.flow.envelope import Envelope, TaskResult
from trivium.flow.pipeline import PIPELINE
from trivium.flow.stage import Job, Outcome, group_of

PARSE, CHUNK, ENRICH, EMBED = STAGES[:4]
MAX_ATTEMPTS = 3
NO_TIME_S = -1.0


class Work:
    """A stage whose value says what its inputs were; `act` may do something else."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.code = "v1"
        self.ran: list[str] = []
        self.act: Callable[[Job], None] = lambda _: None

    def fingerprint(self) -> str:
        return self.code

    def outputs_present(self, job: Job) -> bool:
        return True

    def run(self, job: Job) -> Outcome:
        self.ran.append(job.document.source)
        self.act(job)
        inputs = ", ".join(job.load(needed, str) for needed in PIPELINE[self.stage].inputs)
        return Outcome(f"{self.stage}({inputs})", {"title": f"{job.document.title}>{self.stage}"})


class Rows(Work):
    """A stage that writes rows, and can say before which."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.written: set[str] = set()

    def outputs_present(self, job: Job) -> bool:
        return job.document.source in self.written

    def run(self, job: Job) -> Outcome:
        self.ran.append(job.document.source)
        self.act(job)
        self.written.add(job.document.source)
        return self.planned([job])[0]

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome]:
        return [self.run(job) for job in jobs]

    def planned(self, jobs: Sequence[Job]) -> list[Outcome]:
        return [Outcome(f"rows of {job.load(ENRICH, str)}") for job in jobs]


class Ends(Work):
    """The last stage."""

    def run(self, job: Job) -> Outcome:
        self.ran.append(job.document.source)
        return Outcome("published", {"state": DocumentState.READY, "active_version": job.document.version})


class Killed(BaseException):
    """The end of a process."""


class Full(LocalObjects):
    """Objects that take nothing more."""

    def for_tenant(self, tenant: Tenant) -> LocalObjectStore:
        return FullStore(Path(f"no folder of {tenant}"))


class FullStore(LocalObjectStore):
    def put(self, key: str, content: bytes, *, durable: bool = True) -> None:
        raise TryLater("store_full", "It is full.")


class World:
    """Claimed documents, and a process that does four stages."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.documents = SqliteRegistry(data).for_tenant(DEFAULT_TENANT)
        self.objects = LocalObjects(data).for_tenant(DEFAULT_TENANT)
        self.works = {stage: Work(stage) for stage in (PARSE, CHUNK, ENRICH, EMBED)}
        self.envelope = Envelope(SqliteRegistry(data), LocalObjects(data), 60.0, MAX_ATTEMPTS)
        self.message = message_for([self.add("a.txt"), self.add("b.txt")])

    def add(self, name: str) -> Document:
        identifier = document_id(DEFAULT_TENANT, name)
        self.documents.accept(Document(identifier, DEFAULT_TENANT.name, name, "v", created_at=time.time()))
        return self.documents.claim(identifier, "v", 60.0, time.time())

    def run(self, message: Message, start: Stage = PARSE) -> TaskResult:
        return self.envelope.run(group_of(list(self.works.values()), start), message)

    def now(self, name: str) -> Document:
        return self.documents.get(document_id(DEFAULT_TENANT, name))

    def ran(self) -> list[list[str]]:
        return [work.ran for work in self.works.values()]

    def forget(self) -> None:
        for work in self.works.values():
            work.ran = []

    def stored(self, entry: Entry) -> list[str]:
        return list(self.objects.keys(artifacts.artifact_prefix(entry.document_id)))

    def wait_for_object(self, entry: Entry) -> int:
        """How many objects the document has, once it has one."""
        return len(wait_until(lambda: self.stored(entry), "an object is stored", pause_s=0.001))

    def load(self, entry: Entry, stage: Stage) -> str:
        return artifacts.load(self.objects, entry.artifacts[stage.value], str)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


ALL = "embed(enrich(chunk(parse())))"


def died_at(world: World, name: str, stage: Stage, attempt: int = 1) -> None:
    """As a worker leaves the record when it dies."""
    world.documents.save(msgspec.structs.replace(world.now(name), stage=stage.value, attempt=attempt))


def raising(error: Exception, name: str) -> Callable[[Job], None]:
    def act(job: Job) -> None:
        if job.document.source == name:
            raise error

    return act


def test_quick_stages_are_done_in_a_row_and_stored_in_one_object_a_document(world: World) -> None:
    result = world.run(world.message)
    assert (result.done, result.redeliveries) == (4, ())
    for entry in result.onward.entries:
        assert len(world.stored(entry)) == 1
        assert world.load(entry, EMBED) == ALL
        assert world.load(entry, PARSE) == "parse()"
    assert world.now("a.txt").title == ">parse>chunk>enrich>embed"


def test_a_second_delivery_finds_every_stage_done(world: World) -> None:
    first = world.run(world.message)
    world.forget()
    assert world.run(world.message) == first
    assert world.ran() == [[], [], [], []]


def test_what_short_stage_groups_stored_a_long_one_finds(world: World) -> None:
    long, world.envelope = world.envelope, msgspec.structs.replace(world.envelope, group_s=NO_TIME_S)
    message = first = message_for([world.add("c.txt")])
    for stage in (PARSE, CHUNK, ENRICH, EMBED):
        message = world.run(message, stage).onward
    (alone,) = message.entries
    assert len(world.stored(alone)) == 4
    world.envelope = long
    world.forget()
    assert world.run(first).onward == message
    assert world.ran() == [[], [], [], []]


def test_a_slow_stage_ends_the_stage_group_and_what_it_made_is_stored(world: World) -> None:
    long, world.envelope = world.envelope, msgspec.structs.replace(world.envelope, group_s=NO_TIME_S)
    result = world.run(world.message)
    assert result.done == 1
    assert [world.load(entry, PARSE) for entry in result.onward.entries] == ["parse()"] * 2
    world.envelope = long
    assert [world.load(entry, EMBED) for entry in world.run(result.onward, CHUNK).onward.entries] == [ALL] * 2


def test_another_model_does_again_only_what_depends_on_it(world: World) -> None:
    message = world.message.of(world.message.entries[:1])
    before = world.run(message)
    world.forget()
    world.works[EMBED].code = "v2"
    result = world.run(message)
    assert world.ran() == [[], [], [], ["a.txt"]]
    assert world.load(result.onward.entries[0], EMBED) == ALL
    assert result.onward != before.onward


def test_a_store_that_is_away_brings_a_document_back_to_its_stage_and_keeps_what_was_made(world: World) -> None:
    world.works[ENRICH].act = raising(TryLater("down", "It is down."), "b.txt")
    result = world.run(world.message)
    assert [entry.document_id for entry in result.onward.entries] == [world.now("a.txt").id]
    (redelivery,) = result.redeliveries
    assert (redelivery.stage, redelivery.message.retries, world.now("b.txt").attempt) == (ENRICH, 1, 0)
    world.forget()
    world.works[ENRICH].act = lambda _: None
    (entry,) = world.run(redelivery.message, redelivery.stage).onward.entries
    assert world.load(entry, EMBED) == ALL
    assert world.ran() == [[], [], ["b.txt"], ["b.txt"]]


def test_a_model_that_is_away_keeps_what_was_made_before(world: World) -> None:
    def away() -> str:
        raise TryLater("inference_down", "It is down.")

    world.works[EMBED].fingerprint = away  # type: ignore[method-assign]
    (redelivery,) = world.run(world.message).redeliveries
    assert (redelivery.stage, len(redelivery.message.entries)) == (EMBED, 2)
    assert [world.load(entry, ENRICH) for entry in redelivery.message.entries] == ["enrich(chunk(parse()))"] * 2


def test_what_could_not_be_stored_is_made_again(world: World) -> None:
    whole, world.envelope = world.envelope, msgspec.structs.replace(world.envelope, objects=Full(world.data))
    result = world.run(world.message)
    assert result.onward.entries == ()
    (redelivery,) = result.redeliveries
    assert (redelivery.stage, redelivery.message.entries) == (PARSE, world.message.entries)
    world.envelope = whole
    assert [world.load(entry, EMBED) for entry in world.run(redelivery.message).onward.entries] == [ALL] * 2


def test_who_is_ready_but_not_stored_comes_again(world: World) -> None:
    last = Ends(Stage.PUBLISH)
    full = msgspec.structs.replace(world.envelope, objects=Full(world.data))
    made = {stage.value: f"{stage.value}-1" for stage in STAGES[:-1]}
    message = world.message.of(msgspec.structs.replace(entry, artifacts=made) for entry in world.message.entries)
    redeliveries = full.run([last], message).redeliveries
    assert world.now("a.txt").state is DocumentState.RUNNING
    world.envelope.run([last], redeliveries[0].message)
    assert world.now("a.txt").state is DocumentState.READY
    assert all(len(world.stored(entry)) == 1 for entry in world.message.entries)


def test_a_stage_group_is_stored_while_its_last_stage_writes_rows(world: World) -> None:
    rows = world.works[EMBED] = Rows(EMBED)
    stored: list[int] = []
    rows.act = lambda job: stored.append(world.wait_for_object(job.entry))
    result = world.run(world.message)
    assert stored == [1, 1]
    for entry in result.onward.entries:
        assert len(world.stored(entry)) == 1
        assert world.load(entry, EMBED) == "rows of enrich(chunk(parse()))"


def test_of_a_stage_group_that_was_stored_only_the_rows_that_did_not_come_are_written_again(world: World) -> None:
    rows = world.works[EMBED] = Rows(EMBED)

    def die_at_b(job: Job) -> None:
        world.wait_for_object(job.entry)
        raising(Killed(), "b.txt")(job)

    rows.act = die_at_b
    with pytest.raises(Killed):
        world.run(world.message)
    rows.act = lambda _: None
    world.forget()
    held = [world.documents.claim(entry.document_id, "v", 60.0, time.time() + 1000) for entry in world.message.entries]
    alone = [world.run(message_for([document])) for document in held]
    assert [len(result.onward.entries) for result in alone] == [1, 1]
    assert world.ran() == [[], [], [], ["b.txt"]]


def test_a_fault_fails_its_document_at_its_stage(world: World) -> None:
    world.works[CHUNK].act = raising(NeverWill("bad", "It is bad."), "a.txt")
    result = world.run(world.message)
    assert [entry.document_id for entry in result.onward.entries] == [world.now("b.txt").id]
    failed = world.now("a.txt")
    assert (failed.state, failed.failure and failed.failure.stage) == (DocumentState.FAILED, "chunk")


def test_each_stage_is_counted_before_it_begins(world: World) -> None:
    seen: list[tuple[str, int]] = []
    for work in world.works.values():
        work.act = lambda job: seen.append(
            (world.now(job.document.source).stage, world.now(job.document.source).attempt)
        )
    world.run(world.message.of(world.message.entries[:1]))
    assert seen == [("parse", 1), ("chunk", 1), ("enrich", 1), ("embed", 1)]


def test_who_killed_a_worker_in_the_middle_of_a_stage_group_does_it_alone(world: World) -> None:
    died_at(world, "b.txt", EMBED)
    result = world.run(world.message)
    assert [entry.document_id for entry in result.onward.entries] == [world.now("a.txt").id]
    (redelivery,) = result.redeliveries
    assert (redelivery.stage, redelivery.delay_s) == (PARSE, 0.0)
    assert len(world.run(redelivery.message).onward.entries) == 1
    assert world.now("b.txt").attempt == 2


def test_who_kills_at_the_same_stage_of_a_stage_group_each_time_is_given_up_there(world: World) -> None:
    died_at(world, "b.txt", EMBED, MAX_ATTEMPTS)
    result = world.run(world.message.of(world.message.entries[1:]))
    assert (result.onward.entries, result.redeliveries, world.ran()) == ((), (), [[], [], [], []])
    failure = world.now("b.txt").failure
    assert failure
    assert (failure.code, failure.stage) == ("poison", "embed")


def test_a_document_deleted_in_the_middle_of_a_stage_group_drops_out(world: World) -> None:
    late: list[DocumentState] = []
    world.envelope = msgspec.structs.replace(world.envelope, clear_up=lambda now, _: late.append(now.state))

    def delete(job: Job) -> None:
        world.documents.delete(job.document.id)

    world.works[CHUNK].act = delete
    result = world.run(world.message)
    assert result.onward.entries == ()
    assert set(late) == {DocumentState.DELETED}
    assert world.works[ENRICH].ran == []


def test_a_late_holder_does_not_replace_what_a_newer_one_stored(world: World) -> None:
    """It slept through its lease in its one stage; a newer one did all four meanwhile, and stored one object."""
    newer: list[TaskResult] = []

    def sleep(job: Job) -> None:
        world.works[PARSE].act = lambda _: None
        held = world.documents.claim(job.document.id, "v", 60.0, time.time() + 1000)
        newer.append(world.run(message_for([held])))

    world.works[PARSE].act = sleep
    late = msgspec.structs.replace(world.envelope, group_s=NO_TIME_S)
    message = world.message.of(world.message.entries[:1])
    assert late.run(group_of(list(world.works.values()), PARSE), message).onward.entries == ()
    (entry,) = newer[0].onward.entries
    assert world.load(entry, EMBED) == ALL


def test_a_registry_that_is_away_keeps_nothing_from_being_stored(world: World) -> None:
    class Away(SqliteRegistry):
        asked = 0

        def for_tenant(self, tenant: Tenant) -> SqliteTenantRegistry:
            self.asked += 1
            if self.asked > 2:  # to read the records, and to count the start
                raise TryLater("store_busy", "The registry is busy.")
            return super().for_tenant(tenant)

    away = msgspec.structs.replace(world.envelope, registry=Away(world.data), group_s=NO_TIME_S)
    assert len(away.run([world.works[PARSE]], world.message).redeliveries) == 1
    world.forget()
    world.run(world.message)
    assert world.works[PARSE].ran == []


def test_an_artifact_that_a_stage_finds_damaged_is_made_again(world: World) -> None:
    long, world.envelope = world.envelope, msgspec.structs.replace(world.envelope, group_s=NO_TIME_S)
    onward = world.run(world.run(world.message).onward, CHUNK).onward
    damaged = onward.entries[0].artifacts[CHUNK.value]
    world.objects.put(damaged, world.objects.get(damaged)[:-1] + b"?")
    result = world.run(onward, ENRICH)
    assert [entry.document_id for entry in result.onward.entries] == [world.now("b.txt").id]
    assert result.redeliveries == ()
    left = world.now("a.txt")
    assert (left.state, left.failure, left.lease_until, left.attempt) == (DocumentState.RUNNING, None, 0.0, 1)
    world.envelope = long
    world.forget()
    (entry,) = world.run(message_for([world.documents.claim(left.id, "v", 60.0, time.time())])).onward.entries
    assert world.load(entry, EMBED) == ALL
    assert world.ran() == [[], ["a.txt"], ["a.txt"], ["a.txt"]]


def test_an_artifact_that_is_damaged_each_time_fails_its_document(world: World) -> None:
    world.works[CHUNK].act = raising(artifacts.Damaged("The artifact k is damaged."), "a.txt")
    for _ in range(MAX_ATTEMPTS):
        assert world.now("a.txt").failure is None
        held = world.documents.claim(world.now("a.txt").id, "v", 60.0, time.time() + 100)
        world.run(message_for([held]))
    failure = world.now("a.txt").failure
    assert failure
    assert (failure.code, failure.stage, "submit" in failure.action) == ("artifact_damaged", "chunk", True)


def test_publishing_is_a_stage_group_of_its_own() -> None:
    works = [Work(stage) for stage in STAGES]
    assert [work.stage for work in group_of(works, PARSE)] == list(STAGES[:-1])
    assert [work.stage for work in group_of(works, Stage.PUBLISH)] == [Stage.PUBLISH]
    assert [work.stage for work in group_of([works[0], works[1], works[3]], PARSE)] == [PARSE, CHUNK]
