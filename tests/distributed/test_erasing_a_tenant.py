"""A tenant is erased from the real servers while all processes run and workers have its documents in hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import redis
from cluster import Cluster
from erasure import BESIDE, LEDGER, settle_everywhere, words_in
from minio.commonconfig import ENABLED
from minio.versioningconfig import VersioningConfig
from server_contents import held
from tenancy import API_KEYS, BLUE, RED

from trivium.config import load_settings

LEASE_S = 10


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Both buckets keep what was replaced and deleted."""
    folder = tmp_path_factory.mktemp("erasing")
    running = Cluster(folder, TRIVIUM_API_KEYS=API_KEYS, TRIVIUM_UPLOADS_TENANT="*", TRIVIUM_LEASE_S=str(LEASE_S))
    running.make_buckets()
    running.key = BLUE
    for bucket in _buckets(running):
        running.s3.set_bucket_versioning(bucket, VersioningConfig(ENABLED))
    try:
        yield running.start()
    finally:
        running.stop()
        for bucket in _buckets(running):
            for found in running.s3.list_objects(bucket, recursive=True, include_version=True):
                running.s3.remove_object(bucket, str(found.object_name), found.version_id)
        running.remove()


@pytest.mark.slow
def test_a_tenants_words_are_on_no_server_afterwards_and_another_tenants_things_are_as_they_were(
    cluster: Cluster,
) -> None:
    cluster.take("mill.md", BESIDE)
    cluster.upload("blue/quarry.txt", b"The quarry is kept by Fenna Aldous.")
    cluster.upload("red/orchid-ledger.md", LEDGER.encode())
    cluster.upload("red/orchid-ledger.md", LEDGER.replace("Tower", "Periwinkle").encode())
    assert cluster.document("blue/quarry.txt")["state"] == "ready"
    assert cluster.document("red/orchid-ledger.md", key=RED)["state"] == "ready"
    left = settle_everywhere(cluster, RED)
    assert len(_words(cluster)) >= 6
    before = _of_blue(cluster)
    archive = str(cluster.folder / "red.zip")
    cluster.cli("tenants", "export", "red", archive)
    with cluster.http(RED) as client:  # in hand, and waiting, while it is erased
        for number in range(40):
            file = (f"orchid-ledger-{number}.md", f"# Ledger {number}\n\n{LEDGER}")
            assert client.post("/v1/sources", files={"file": file}).status_code == 202

    cluster.env["TRIVIUM_API_KEYS"] = f"blue:{BLUE}"
    said = cluster.cli("tenants", "erase", "red", "--yes")
    assert f"{LEASE_S} seconds" in said.stderr

    assert _words(cluster) == set()
    assert _of_red(cluster) == ["trail"]
    assert _of_blue(cluster) == before
    with cluster.http(left["secret"]) as client:
        assert client.get("/v1/sources").status_code == 401
    with cluster.http(RED) as client:
        assert client.get("/v1/sources").json()["sources"] == []
        assert client.get(f"/v1/sources/{left['ledger']}").status_code == 404
        assert [entry["action"] for entry in client.get("/v1/trail").json()["entries"]] == ["tenant.erase"]
    assert "Bertil Strand" in cluster.search("ledger of the mill")[0]["chunk"]["text"]
    states = {row["name"]: row["state"] for row in json.loads(cluster.cli("tenants", "list", "--json").stdout)}
    assert states == {"blue": "in use", "red": "erased"}
    assert cluster.cli("audit", "--json", "--quick").stdout == "[]\n"

    cluster.cli("tenants", "import", archive)
    cluster.settled(left["ledger"], RED)
    assert "Kvint" in cluster.ask("Who keeps the Zephyrine ledger?", RED)["text"]


def _words(cluster: Cluster) -> set[str]:
    """The tenant's words anywhere on the servers: in rows, nodes, and every value that Redis and the buckets keep."""
    settings = load_settings(cluster.env)
    contents = held(settings)
    rows = (contents.collections, contents.indexes, contents.nodes, contents.relations)
    found = words_in(msgspec.msgpack.encode(rows))
    for name, body in _values(cluster):
        found |= words_in(name.encode()) | words_in(body)
    for url in (settings.redis_url, settings.broker):
        with redis.Redis.from_url(url) as server:
            for key in server.scan_iter(match="*" if url == settings.broker else f"{cluster.name}*", count=1000):
                found |= words_in(key) | words_in(repr(_redis_value(server, key)).encode())
    return found


def _redis_value(server: Any, key: bytes) -> Any:
    reads = {
        b"string": server.get,
        b"hash": server.hgetall,
        b"set": server.smembers,
        b"list": lambda name: server.lrange(name, 0, -1),
        b"zset": lambda name: server.zrange(name, 0, -1),
    }
    kind = server.type(key)
    return reads[kind](key) if kind in reads else None


def _values(cluster: Cluster) -> Iterator[tuple[str, bytes]]:
    """Every value of every object of both buckets, old ones too."""
    for bucket in _buckets(cluster):
        for found in cluster.s3.list_objects(bucket, recursive=True, include_version=True):
            name = str(found.object_name)
            if found.is_delete_marker:
                yield name, b""
                continue
            with cluster.s3.get_object(bucket, name, version_id=found.version_id) as answer:
                yield name, answer.read()


def _of_red(cluster: Cluster) -> list[str]:
    """What has the tenant's name: the kinds of its objects, and rows of any store."""
    contents = held(load_settings(cluster.env))
    objects = [name.split("/")[2] for name, _ in _values(cluster) if name.startswith("tenants/red/")]
    others = [name for name, _ in _values(cluster) if "red" in name.replace("~", "/").split("/")[:3]]
    assert len(others) == len(objects), others
    rows = [row for collection in contents.collections.values() for row in collection["rows"]]
    assert not [row for row in rows if row["tenant"].partition("/")[0] == "red"]
    assert not [name for name, index in contents.indexes.items() if any(a.endswith("-red") for a in index["aliases"])]
    assert not [node for node in contents.nodes if node[2]["tenant"].endswith(":red")]
    return objects


def _of_blue(cluster: Cluster) -> tuple[Any, ...]:
    """Its objects' values, its rows and its nodes."""
    contents = held(load_settings(cluster.env))
    rows = [row for each in contents.collections.values() for row in each["rows"] if row["tenant"].startswith("blue")]
    passages = [
        row["_source"]
        for index in contents.indexes.values()
        if any(alias.endswith("-blue") for alias in index["aliases"])
        for row in index["rows"]
    ]
    nodes = [(labels, properties) for _, labels, properties in contents.nodes if properties["tenant"].endswith(":blue")]
    objects = sorted((name, body) for name, body in _values(cluster) if "blue" in name.split("/")[:2])
    assert rows
    assert passages
    assert nodes
    return objects, sorted(map(repr, rows)), sorted(map(repr, passages)), sorted(map(repr, nodes))


def _buckets(cluster: Cluster) -> tuple[str, str]:
    return cluster.env["TRIVIUM_S3_BUCKET"], cluster.uploads
