"""Dispatch: everything unfinished is claimed once, a bounded number at a time, and poison is given up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.domain.documents import Document, DocumentState
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.tasks import QUEUE, make_app
from trivium_ingest.dispatch import MAX_INFLIGHT, Dispatcher, release_orphans

LEASE_S = 300.0
MAX_ATTEMPTS = 3


@pytest.fixture
def registry(tmp_path: Path) -> SqliteRegistry:
    return SqliteRegistry(tmp_path)


class Running:
    """A dispatcher on a broker of its own that nobody consumes."""

    def __init__(self, registry: SqliteRegistry, name: str) -> None:
        self.app = make_app(f"memory://{name}/")
        self.dispatcher = Dispatcher(self.app, registry, lease_s=LEASE_S, max_attempts=MAX_ATTEMPTS)

    def sent(self) -> list[str]:
        ids = []
        with self.app.connection_for_read() as connection:
            queue = connection.SimpleQueue(QUEUE)
            while len(queue):
                message = queue.get_nowait()
                ids.append(message.payload[0][0]["document_id"])
                message.ack()
            queue.close()
        return ids


@pytest.fixture
def running(registry: SqliteRegistry, request: pytest.FixtureRequest) -> Iterator[Running]:
    it = Running(registry, request.node.name)
    it.sent()  # what an earlier test left on the shared in-memory broker
    it.dispatcher.start()
    yield it
    it.dispatcher.stop()


def accept(registry: SqliteRegistry, count: int) -> list[Document]:
    return [
        registry.for_tenant(DEFAULT_TENANT).accept(
            Document(document_id(DEFAULT_TENANT, f"{i}"), DEFAULT_TENANT.name, f"{i}", "v", created_at=float(i + 1))
        )
        for i in range(count)
    ]


def eventually(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def states(registry: SqliteRegistry) -> dict[str, int]:
    return registry.for_tenant(DEFAULT_TENANT).counts().by_state


def test_a_rung_bell_claims_and_sends_each_document_once(registry: SqliteRegistry, running: Running) -> None:
    documents = accept(registry, 3)
    for _ in range(5):
        running.dispatcher.ring()
    eventually(lambda: states(registry).get("running") == 3)
    assert sorted(running.sent()) == sorted(d.id for d in documents)


def test_no_more_than_a_bounded_number_is_in_flight(registry: SqliteRegistry, running: Running) -> None:
    documents = accept(registry, MAX_INFLIGHT + 2)
    running.dispatcher.ring()
    eventually(lambda: states(registry).get("running") == MAX_INFLIGHT)
    time.sleep(0.1)
    assert states(registry).get("pending") == 2
    first = registry.for_tenant(DEFAULT_TENANT).get(documents[0].id)
    registry.for_tenant(DEFAULT_TENANT).save(msgspec.structs.replace(first, state=DocumentState.READY))
    running.dispatcher.left(first.id, first.fence)
    eventually(lambda: states(registry).get("pending") == 1)


def test_a_document_that_kills_its_worker_each_time_is_given_up(registry: SqliteRegistry, running: Running) -> None:
    (document,) = accept(registry, 1)
    tenant = registry.for_tenant(DEFAULT_TENANT)
    died = tenant.claim(document.id, "v", 0.0, time.time())
    tenant.save(msgspec.structs.replace(died, stage="embed", attempt=MAX_ATTEMPTS))
    running.dispatcher.ring()
    eventually(lambda: states(registry).get("failed") == 1)
    failure = tenant.get(document.id).failure
    assert failure is not None
    assert failure.code == "poison"
    assert running.sent() == []


def test_orphans_of_a_killed_process_are_claimable_at_once(registry: SqliteRegistry) -> None:
    (document,) = accept(registry, 1)
    tenant = registry.for_tenant(DEFAULT_TENANT)
    claimed = tenant.claim(document.id, "v", LEASE_S, time.time())
    assert not registry.unfinished(time.time())
    assert release_orphans(registry) == 1
    (again,) = registry.unfinished(time.time())
    assert tenant.claim(again.id, "v", LEASE_S, time.time()).fence > claimed.fence
