"""Publishing: what it replaces goes, and what was handed over meanwhile stays."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from folder_stores import FolderStores, during_removal

from trivium.domain.documents import Document, DocumentState, Stage
from trivium.domain.errors import NotFound, TryLater
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.flow import artifacts
from trivium.flow.chain import Entry, Message, message_for
from trivium.flow.envelope import Envelope, TaskResult
from trivium.flow.intake import StoreIntake
from trivium.flow.originals import Originals
from trivium.flow.stage import Job
from trivium.ports.graph import GraphRow
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium_ingest.publish import PublishWork
from trivium_ingest.stages import LONG_PASSAGES

LEASE_S = 60.0


class World:
    """One document without passages, whose versions are handed over and published."""

    def __init__(self, folder: Path) -> None:
        self.stores = FolderStores(folder)
        self.registry = self.stores.registry.for_tenant(DEFAULT_TENANT)
        self.objects = self.stores.objects.for_tenant(DEFAULT_TENANT)
        whole = StoreIntake(self.stores, lambda: None, None, 10**6)  # type: ignore[arg-type]  # nothing is fetched
        self.intake = whole.for_tenant(DEFAULT_TENANT)

    def upload(self, content: bytes) -> Document:
        return self.intake.accept(NewSource(Blob("plan.txt", content)))

    def publish(self, document: Document) -> None:
        claimed = self.registry.claim(document.id, document.version, LEASE_S, time.time())
        key = f"{artifacts.artifact_prefix(document.id, document.version)}{Stage.ENRICH.value}-0"
        artifacts.save(self.objects, key, [])
        made = {stage.value: key for stage in (Stage.ENRICH, Stage.EMBED)}
        entry = Entry(claimed.id, claimed.version, claimed.fence, made)
        PublishWork(self.stores).run(Job(claimed, entry, self.objects))

    def publish_as_task(self, document: Document) -> TaskResult:
        """As a worker does, whatever goes wrong; all earlier stages made nothing."""
        claimed = self.registry.claim(document.id, document.version, LEASE_S, time.time())
        prefix = artifacts.artifact_prefix(document.id, document.version)
        made = {stage.value: f"{prefix}{stage.value}-0" for stage in Stage if stage is not Stage.PUBLISH}
        for key in made.values():
            artifacts.save(self.objects, key, [])
        message = message_for([claimed])
        (entry,) = message.entries
        return self.run(message.of([msgspec.structs.replace(entry, artifacts=made)]))

    def run(self, message: Message) -> TaskResult:
        return Envelope(self.stores.registry, self.stores.objects, LEASE_S, 3).run([PublishWork(self.stores)], message)

    def content(self, document: Document) -> bytes:
        return Originals(self.stores.objects).read(DEFAULT_TENANT, document.id, document.version)[1].content


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_version_that_is_handed_over_while_an_older_one_is_published_keeps_its_bytes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.upload(b"first")
    world.publish(first)
    second = world.upload(b"second")
    third: list[Document] = []
    during_removal(world.stores, monkeypatch, lambda: third.append(world.upload(b"third")))
    world.publish(second)
    assert world.registry.get(first.id).active_version == second.version
    assert world.content(third[0]) == b"third"
    assert world.content(second) == b"second"
    with pytest.raises(NotFound):
        world.content(first)
    world.publish(third[0])
    with pytest.raises(NotFound):
        world.content(second)


@pytest.mark.parametrize("goes", ["through", "no further", "before its rows are written anew"])
def test_a_version_that_is_published_while_an_older_ones_publishing_removes_rows_is_published_again(
    world: World, monkeypatch: pytest.MonkeyPatch, goes: str
) -> None:
    first = world.upload(b"first")
    world.publish(first)
    second = world.upload(b"second")
    if goes == "before its rows are written anew":
        surplus = GraphRow(ChunkGraph("cut otherwise"), second.id, second.version, Scope(DEFAULT_TENANT))
        world.stores.graphs.writer(DEFAULT_TENANT).upsert([surplus])

    def publish_a_third() -> None:
        third = world.upload(b"third")
        claimed = world.registry.claim(third.id, third.version, LEASE_S, time.time())
        shown = {"state": DocumentState.READY, "active_version": third.version}
        world.registry.save(msgspec.structs.replace(claimed, **shown))
        if goes == "no further":
            raise TryLater("away", "One store is away; the others removed their rows.")

    during_removal(world.stores, monkeypatch, publish_a_third)
    world.publish_as_task(second)
    newest = world.registry.get(first.id)
    assert newest.version not in (first.version, second.version)
    assert (newest.state, newest.active_version) == (DocumentState.PENDING, newest.version)


def test_bytes_that_publishing_removes_before_they_are_recorded_are_stored_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest version is put before the removal and recorded behind it."""
    first = world.upload(b"first")
    world.publish(first)
    second = world.upload(b"second")
    registry = type(world.registry)
    accept = registry.accept

    def accepted(self: Any, document: Document) -> Document:
        monkeypatch.undo()
        world.publish(second)
        return accept(self, document)

    monkeypatch.setattr(registry, "accept", accepted)
    third = world.upload(b"third")
    assert (third.state, third.active_version) == (DocumentState.PENDING, second.version)
    assert world.content(third) == b"third"


def test_an_older_version_that_is_handed_over_again_while_it_is_replaced_keeps_its_bytes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.upload(b"first")
    world.publish(first)
    second = world.upload(b"second")
    during_removal(world.stores, monkeypatch, lambda: world.upload(b"first"))
    world.publish(second)
    assert world.registry.get(first.id).version == first.version
    assert world.content(first) == b"first"


def test_the_parts_of_a_long_documents_vectors_go_once_these_are_stored(world: World) -> None:
    document = world.upload(b"long")
    claimed = world.registry.claim(document.id, document.version, LEASE_S, time.time())
    prefix = artifacts.artifact_prefix(document.id, document.version)
    made = {stage.value: f"{prefix}{stage.value}-0" for stage in (Stage.ENRICH, Stage.EMBED)}
    artifacts.save_all(world.objects, [artifacts.made(key, [], {}) for key in made.values()])
    part = f"{made[Stage.EMBED.value]}.parts/c0-64"
    artifacts.save(world.objects, part, [])
    entry = Entry(claimed.id, claimed.version, claimed.fence, made)
    PublishWork(world.stores).run(Job(msgspec.structs.replace(claimed, chunks=LONG_PASSAGES + 1), entry, world.objects))
    assert not world.objects.exists(part)


@pytest.mark.parametrize("fault", [TryLater("away", "It is away."), ZeroDivisionError()])
def test_what_goes_wrong_while_an_older_version_is_removed_does_not_bring_it_back(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    first = world.upload(b"first")
    world.publish_as_task(first)
    second = world.upload(b"second")

    def go_wrong() -> None:
        raise fault

    during_removal(world.stores, monkeypatch, go_wrong)
    result = world.publish_as_task(second)
    assert world.registry.get(first.id).active_version == second.version
    for redelivery in result.redeliveries:
        world.run(redelivery.message)
        assert world.registry.get(first.id).state is DocumentState.EMPTY
