"""Dispatch: everything unfinished is claimed once, in batches, a bounded number at a time, uploads first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import wait_until

from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.work_signal import LocalWorkSignal
from trivium.config import Settings
from trivium.domain.documents import Document, DocumentState, Lane, Stage
from trivium.domain.errors import TryLater
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.queued import Claim, claim_of
from trivium.flow.queues import queue_of
from trivium.flow.tasks import make_app
from trivium_ingest.dispatch import (
    MAX_BATCH,
    MAX_BATCH_BYTES,
    MAX_IN_FLIGHT,
    SWEEP_S,
    Dispatcher,
    batches,
    release_orphans,
)
from trivium_ingest.lost import LOOK_S, UNBEGUN_S, LostMessages

LEASE_S = 300.0


@pytest.fixture
def registry(tmp_path: Path) -> SqliteRegistry:
    return SqliteRegistry(tmp_path)


class Running:
    """A dispatcher on the in-memory broker, which every test of this process shares and nobody consumes."""

    def __init__(self, registry: SqliteRegistry, name: str) -> None:
        self.app = make_app(f"memory://{name}/")
        self.work_signal = LocalWorkSignal()
        self.dispatcher = Dispatcher(self.app, registry, self.work_signal, lease_s=LEASE_S)

    def sent(self, lane: Lane = Lane.INTERACTIVE) -> list[list[str]]:
        """The document ids of each message that waits in the lane."""
        found = []
        with self.app.connection_for_read() as connection:
            queue = connection.SimpleQueue(queue_of(Stage.PARSE, lane))
            while len(queue):
                message = queue.get_nowait()
                found.append([entry["document_id"] for entry in message.payload[0][0]["entries"]])
                message.ack()
            queue.close()
        return found


@pytest.fixture
def running(registry: SqliteRegistry, request: pytest.FixtureRequest) -> Iterator[Running]:
    it = Running(registry, request.node.name)
    for lane in Lane:
        it.sent(lane)  # what an earlier test left on the shared in-memory broker
    it.dispatcher.start()
    yield it
    it.dispatcher.stop()


@pytest.fixture
def idle(registry: SqliteRegistry, request: pytest.FixtureRequest) -> Running:
    """Does only what the test asks it to."""
    it = Running(registry, request.node.name)
    for lane in Lane:
        it.sent(lane)
    return it


def accept(registry: SqliteRegistry, *names: str, tenant: Tenant = DEFAULT_TENANT, **fields: object) -> list[Document]:
    return [
        registry.for_tenant(tenant).accept(
            msgspec.structs.replace(
                Document(document_id(tenant, name), tenant.name, name, "v", created_at=time.time()), **fields
            )
        )
        for name in names
    ]


def flat(sent: list[list[str]]) -> list[str]:
    return list(chain.from_iterable(sent))


def many(count: int) -> list[str]:
    return [f"{number:04}" for number in range(count)]


def states(registry: SqliteRegistry) -> dict[str, int]:
    return registry.for_tenant(DEFAULT_TENANT).counts().by_state


def finish(registry: SqliteRegistry, document_ids: list[str]) -> None:
    tenant = registry.for_tenant(DEFAULT_TENANT)
    tenant.save_many(
        [msgspec.structs.replace(tenant.get(id_), state=DocumentState.READY, lease_until=0.0) for id_ in document_ids]
    )


def test_a_rung_bell_claims_and_sends_each_document_once(registry: SqliteRegistry, running: Running) -> None:
    documents = accept(registry, "a", "b", "c")
    for _ in range(5):
        running.work_signal.notify()
    found: list[str] = []
    wait_until(lambda: found.extend(flat(running.sent())) or len(found) >= len(documents), "all are sent")
    assert sorted(found) == sorted(document.id for document in documents)
    assert states(registry) == {"running": 3}


def test_the_smallest_bound_sends_one(registry: SqliteRegistry, idle: Running) -> None:
    accept(registry, *many(9))
    Dispatcher(idle.app, registry, idle.work_signal, lease_s=LEASE_S, max_in_flight=1).fill()
    assert states(registry) == {"pending": 8, "running": 1}


def test_no_more_than_a_bounded_number_is_in_flight(registry: SqliteRegistry, running: Running) -> None:
    documents = accept(registry, *many(MAX_IN_FLIGHT + MAX_BATCH))
    running.work_signal.notify()
    wait_until(lambda: states(registry).get("running") == MAX_IN_FLIGHT, "as many run as may")
    time.sleep(0.1)
    assert states(registry).get("pending") == MAX_BATCH
    finish(registry, [document.id for document in documents[:MAX_BATCH]])
    running.work_signal.notify()
    wait_until(lambda: "pending" not in states(registry), "nothing waits")


def test_the_bound_counts_what_other_processes_have_in_flight(registry: SqliteRegistry, idle: Running) -> None:
    elsewhere = Running(registry, "elsewhere")
    accept(registry, *many(2 * MAX_IN_FLIGHT))
    elsewhere.dispatcher.fill()
    idle.sent()
    idle.dispatcher.fill()
    assert states(registry) == {"running": MAX_IN_FLIGHT, "pending": MAX_IN_FLIGHT}
    assert idle.sent() == []


def test_two_dispatchers_at_once_claim_each_document_once(registry: SqliteRegistry, running: Running) -> None:
    elsewhere = Running(registry, "elsewhere")
    elsewhere.dispatcher.start()
    documents = accept(registry, *many(MAX_IN_FLIGHT))
    for work_signal in (running.work_signal, elsewhere.work_signal) * 3:
        work_signal.notify()
    wait_until(lambda: states(registry) == {"running": MAX_IN_FLIGHT}, "all run")
    elsewhere.dispatcher.stop()
    running.dispatcher.stop()
    assert sorted(flat(running.sent())) == sorted(document.id for document in documents)


def test_a_lone_upload_goes_at_once_also_when_the_backfill_is_full(registry: SqliteRegistry, idle: Running) -> None:
    accept(registry, *many(MAX_IN_FLIGHT + 5), lane=Lane.BACKFILL)
    idle.dispatcher.fill()
    assert len(flat(idle.sent(Lane.BACKFILL))) == MAX_IN_FLIGHT
    (upload,) = accept(registry, "upload")
    idle.dispatcher.fill()
    assert idle.sent(Lane.INTERACTIVE) == [[upload.id]]
    assert idle.sent(Lane.BACKFILL) == []


def test_of_many_the_first_goes_alone_and_the_others_in_growing_batches(
    registry: SqliteRegistry, idle: Running
) -> None:
    documents = accept(registry, *many(MAX_IN_FLIGHT))
    idle.dispatcher.fill()
    sent = idle.sent()
    assert [len(batch) for batch in sent][:6] == [1, 1, 2, 4, 8, 16]
    assert flat(sent) == [document.id for document in documents]


def test_while_the_workers_are_busy_documents_wait_for_company(registry: SqliteRegistry, idle: Running) -> None:
    running = accept(registry, *many(2 * MAX_BATCH))
    idle.dispatcher.fill()
    idle.sent()
    late = accept(registry, "late-1", "late-2")
    idle.dispatcher.fill()
    assert idle.sent() == []
    finish(registry, [document.id for document in running[: MAX_BATCH + 1]])
    idle.dispatcher.fill()
    assert idle.sent() == [[document.id for document in late]]


def test_nobody_waits_for_company_for_long(
    registry: SqliteRegistry, idle: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A language model may read for hours what is in flight."""
    accept(registry, *many(2 * MAX_BATCH))
    idle.dispatcher.fill()
    idle.sent()
    (late,) = accept(registry, "late")
    idle.dispatcher.fill()
    assert idle.sent() == []
    with monkeypatch.context() as later:
        later.setattr("trivium_ingest.dispatch.COMPANY_S", 0.0)
        idle.dispatcher.fill()
    assert idle.sent() == [[late.id]]
    accept(registry, "later")
    idle.dispatcher.fill()
    assert idle.sent() == [], "each waits by itself"


def test_what_a_dead_worker_had_waits_for_no_company(registry: SqliteRegistry, idle: Running) -> None:
    mine = registry.for_tenant(DEFAULT_TENANT)
    accept(registry, *many(2 * MAX_BATCH))
    idle.dispatcher.fill()
    first, *_ = idle.sent()[0]
    mine.save(msgspec.structs.replace(mine.get(first), lease_until=time.time() - 1, holder="worker-7"))
    idle.dispatcher.fill()
    assert idle.sent() == [[first]]


def test_a_dead_workers_documents_are_free_within_a_minute_by_the_settings_that_nobody_changed() -> None:
    """Whether it died at work, between two stages or before it began."""
    at_work = Settings().lease_s + SWEEP_S
    with_a_message = UNBEGUN_S + 2 * max(LOOK_S, SWEEP_S) + SWEEP_S
    assert max(at_work, with_a_message) <= 60


class TestLostMessages:
    """A broker whose queues the test fills."""

    @pytest.fixture
    def claimed(self, registry: SqliteRegistry) -> Document:
        (document,) = accept(registry, "a")
        return registry.for_tenant(DEFAULT_TENANT).claim(document.id, "v", 10 * LEASE_S, time.time())

    def looks(self, registry: SqliteRegistry, queues: Callable[[], set[Claim] | None]) -> list[bool]:
        """After each look, a sweep apart and from the moment on at which a worker should have begun: is it free?"""
        lost = LostMessages(registry, lambda lane: queues() if lane is Lane.INTERACTIVE else set())
        begins = time.time() + UNBEGUN_S + 1
        free = []
        for at in (begins, begins + LOOK_S, begins + 2 * LOOK_S):
            lost.release(at)
            free.append(bool(registry.unfinished(at)))
        return free

    def test_what_no_queue_holds_and_nobody_has_begun_is_free(
        self, registry: SqliteRegistry, claimed: Document
    ) -> None:
        assert self.looks(registry, set) == [False, True, True]

    def test_what_waits_in_its_queue_keeps_its_place(self, registry: SqliteRegistry, claimed: Document) -> None:
        assert self.looks(registry, lambda: {claim_of(claimed)}) == [False, False, False]

    def test_a_broker_that_lets_nobody_look_is_believed(self, registry: SqliteRegistry, claimed: Document) -> None:
        assert self.looks(registry, lambda: None) == [False, False, False]

    def test_a_message_that_is_taken_between_the_looks_is_not_lost(
        self, registry: SqliteRegistry, claimed: Document
    ) -> None:
        mine, answers = registry.for_tenant(DEFAULT_TENANT), iter([set(), set(), set()])

        def taken() -> set[Claim]:
            mine.save(msgspec.structs.replace(claimed, holder="worker-7"))
            return next(answers)

        assert self.looks(registry, taken) == [False, False, False]

    def test_only_what_waits_is_looked_for(self, registry: SqliteRegistry, claimed: Document) -> None:
        registry.for_tenant(DEFAULT_TENANT).save(msgspec.structs.replace(claimed, holder="worker-7"))
        assert self.looks(registry, set) == [False, False, False]


def test_what_the_broker_does_not_take_is_tried_again_at_the_next_sweep(registry: SqliteRegistry) -> None:
    accept(registry, "a", "b")
    away = make_app("redis://127.0.0.1:1/0")
    away.conf.task_publish_retry = False
    with pytest.raises(TryLater) as refusal:
        Dispatcher(away, registry, LocalWorkSignal(), lease_s=LEASE_S).fill()
    assert refusal.value.code == "broker_away"
    assert len(registry.unfinished(time.time())) == 2


def test_a_fault_of_ours_does_not_end_the_thread(
    registry: SqliteRegistry, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium_ingest.dispatch.SWEEP_S", 0.05)
    faults = iter([ValueError("a record that nobody can read")])
    counted = registry.in_flight

    def in_flight(now: float) -> dict[Lane, int]:
        for fault in faults:
            raise fault
        return counted(now)

    monkeypatch.setattr(registry, "in_flight", in_flight)
    accept(registry, "a")
    running.work_signal.notify()
    wait_until(lambda: states(registry) == {"running": 1}, "it runs")


def test_orphans_of_a_killed_process_are_claimable_at_once(registry: SqliteRegistry) -> None:
    (document,) = accept(registry, "a")
    tenant = registry.for_tenant(DEFAULT_TENANT)
    claimed = tenant.claim(document.id, "v", LEASE_S, time.time())
    assert not registry.unfinished(time.time())
    assert release_orphans(registry) == 1
    (again,) = registry.unfinished(time.time())
    assert tenant.claim(again.id, "v", LEASE_S, time.time()).fence > claimed.fence


DOCUMENTS = st.lists(
    st.builds(
        Document,
        id=st.uuids().map(str),
        tenant=st.sampled_from(["one", "two"]),
        source=st.just("s"),
        version=st.just("v"),
        size_bytes=st.integers(0, 2 * MAX_BATCH_BYTES),
    ),
    max_size=60,
)


@given(DOCUMENTS, st.integers(0, 100))
def test_batches_keep_the_order_the_tenants_apart_and_their_bounds(documents: list[Document], begun: int) -> None:
    found = list(batches(documents, begun))
    assert list(chain.from_iterable(found)) == documents
    for batch in found:
        assert len({document.tenant for document in batch}) == 1
        assert len(batch) <= min(MAX_BATCH, max(1, begun))
        assert len(batch) == 1 or sum(document.size_bytes for document in batch) <= MAX_BATCH_BYTES
        begun += len(batch)
