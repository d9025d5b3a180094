"""Keys that somebody else put among the markers of unfinished work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from structlog.testing import capture_logs

from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.registry.registry import ManifestRegistry
from trivium.adapters.distributed.s3.bucket import PAGE_KEYS
from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.at_once import at_once
from trivium.config import Settings
from trivium.domain.documents import Document, Lane
from trivium.domain.scope import Tenant

TENANT = Tenant("mine")
NONE = "0" * 20
FOREIGN = ("notes.txt", "a/b.txt", f"{NONE}~mine~1", f"{NONE}~mine~one~d", f"{NONE}~MINE~1~d", f"{NONE}~mine~1~a/b")


@pytest.fixture
def objects(own: Settings) -> Iterator[S3Objects]:
    with closing(S3Objects(own)) as opened:
        yield opened


@pytest.fixture
def registry(own: Settings, objects: S3Objects) -> Iterator[ManifestRegistry]:
    with closing(RedisServer(own)) as server:
        yield ManifestRegistry(server, objects)


def accept(registry: ManifestRegistry, lane: Lane) -> None:
    registry.for_tenant(TENANT).accept(Document(f"of-{lane}", TENANT.name, "a.txt", "v1", lane=lane, created_at=5.0))


def test_foreign_keys_among_the_markers_are_told_once_and_stop_no_sweep(
    objects: S3Objects, registry: ManifestRegistry
) -> None:
    keys = [f"pending/{lane}/{name}" for lane in Lane for name in FOREIGN]
    for key in keys:
        objects.bucket.put(key, b"")
    for lane in Lane:
        accept(registry, lane)
    with capture_logs() as logs:
        for _ in range(2):
            assert {found.id for found in registry.unfinished(10.0)} == {f"of-{lane}" for lane in Lane}
    assert sorted(line["key"] for line in logs if line["event"] == "foreign_key") == sorted(keys)
    assert len(list(objects.bucket.listing("pending/"))) == len(keys) + len(Lane), "they are left alone"


def test_more_foreign_keys_than_a_page_holds_hide_no_marker_behind_them(
    own: Settings, objects: S3Objects, registry: ManifestRegistry
) -> None:
    at_once(lambda n: objects.bucket.put(f"pending/{Lane.INTERACTIVE}/0{n:04}", b""), range(PAGE_KEYS + 1))
    accept(registry, Lane.INTERACTIVE)
    with closing(RedisServer(own)) as server:
        server.remember(lambda client, _: client.flushall())
    assert [found.id for found in registry.unfinished(10.0)] == [f"of-{Lane.INTERACTIVE}"]
