from pathlib import Path

import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.chunks import Chunk, Span
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow import artifacts
from trivium.ports.objects import ObjectStore
from trivium_query.retrieve.texts import PublishedChunks

PREFIX = artifacts.artifact_prefix("d", "v1")


@pytest.fixture
def objects(tmp_path: Path) -> LocalObjects:
    return LocalObjects(tmp_path)


@pytest.fixture
def store(objects: LocalObjects) -> ObjectStore:
    return objects.for_tenant(DEFAULT_TENANT)


def publish(store: ObjectStore, text: str, at: float) -> str:
    """Leave what ingest leaves; the key of the chunks."""
    key = f"{PREFIX}enrich-{at:g}"
    artifacts.save(store, key, [Chunk("c", "d", "v1", 0, text, Span(0, len(text)), "d.txt")])
    artifacts.save(store, f"{PREFIX}publish-{at:g}", artifacts.Published({"enrich": key}, at))
    return key


def test_chunks_are_those_of_the_last_publication(objects: LocalObjects, store: ObjectStore) -> None:
    published = PublishedChunks(objects)
    assert published.of(DEFAULT_TENANT, "d", "v1") == {}
    publish(store, "old", at=1)
    assert published.of(DEFAULT_TENANT, "d", "v1")["c"].text == "old"
    publish(store, "new", at=2)
    assert published.of(DEFAULT_TENANT, "d", "v1")["c"].text == "new"
    assert published.of(DEFAULT_TENANT, "d", "v2") == {}
    assert published.of(Tenant("other"), "d", "v1") == {}


def test_damaged_chunks_are_absent_until_they_are_made_again(objects: LocalObjects, store: ObjectStore) -> None:
    published = PublishedChunks(objects)
    key = publish(store, "text", at=1)
    whole = store.get(key)
    store.put(key, whole[:-1])
    assert published.of(DEFAULT_TENANT, "d", "v1") == {}
    store.put(key, whole)
    assert published.of(DEFAULT_TENANT, "d", "v1")["c"].text == "text"


def test_chunks_read_lately_are_not_read_again(objects: LocalObjects, store: ObjectStore) -> None:
    published = PublishedChunks(objects)
    key = publish(store, "text", at=1)
    first = published.of(DEFAULT_TENANT, "d", "v1")
    store.delete(key)
    assert published.of(DEFAULT_TENANT, "d", "v1") is first
