"""Stores that a newer version wrote are refused by name, nothing of them is changed, and the doctor tells it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import msgspec
import pytest
from elasticsearch import Elasticsearch
from pymilvus import MilvusClient

from trivium.adapters.distributed import probes
from trivium.adapters.distributed.elasticsearch.keywords import ElasticKeywords
from trivium.adapters.distributed.milvus.rows import index, schema
from trivium.adapters.distributed.milvus.vectors import MilvusVectors
from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.distributed.neo4j.schema import VERSION
from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.distributed.redis.server import RedisServer
from trivium.adapters.distributed.s3.bucket import Bucket
from trivium.adapters.distributed.s3.objects import FORMAT_KEY, S3Objects
from trivium.adapters.newer import STATE_FORMAT
from trivium.config import Settings, load_settings
from trivium.domain.chunks import Chunk, Span
from trivium.domain.errors import TryLater
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.ports.keywords import keyword_rows


@pytest.fixture
def mine() -> Settings:
    """Indexes that only one test has."""
    return msgspec.structs.replace(load_settings(), index_prefix=f"n{uuid.uuid4().hex[:8]}")


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(TryLater) as refusal:
        work()
    assert refusal.value.code == "store_newer"
    assert refusal.value.action
    return refusal.value.message


async def refused_reading(work: Callable[[], object]) -> None:
    with pytest.raises(TryLater) as refusal:
        await work()  # type: ignore[misc]
    assert refusal.value.code == "store_newer"


def doctors(probe: probes.Probe, settings: Settings) -> str:
    """What the doctor finds."""
    return refused(lambda: list(probe(settings)))


def test_a_bucket_of_a_newer_version_is_refused(own: Settings) -> None:
    with closing(S3Objects(own)) as objects:
        objects.for_tenant(DEFAULT_TENANT).put("a", b"1")
    with closing(Bucket(own, own.s3_bucket, "TRIVIUM_S3_BUCKET")) as bucket:
        stored = bucket.get(FORMAT_KEY)
        assert stored is not None
        assert int(stored.content) == STATE_FORMAT
        bucket.put(FORMAT_KEY, b"%d" % (STATE_FORMAT + 1))
        with closing(S3Objects(own)) as objects:
            store = objects.for_tenant(DEFAULT_TENANT)
            uses = (lambda: store.get("a"), lambda: store.put("a", b"2"), objects.tenants, lambda: list(store.keys()))
            for use in uses:
                assert own.s3_bucket in refused(use)
        kept = bucket.get("tenants/default/a")
        assert kept is not None
        assert kept.content == b"1"
        assert own.s3_bucket in doctors(probes.object_store, own)
        bucket.put(FORMAT_KEY, b"%d" % STATE_FORMAT)
    with closing(S3Objects(own)) as objects:
        assert objects.for_tenant(DEFAULT_TENANT).get("a") == b"1"


def test_a_redis_of_a_newer_version_is_refused(own: Settings) -> None:
    with closing(RedisServer(own)) as server:
        key = f"{server.prefix}format"
        assert int(server.call(lambda client: client.get(key))) == STATE_FORMAT
        server.call(lambda client: client.set(key, STATE_FORMAT + 1))
        with closing(RedisServer(own)) as late:
            assert "Redis" in refused(lambda: late.call(lambda client: client.set(f"{late.prefix}x", 1)))
            refused(lambda: late.remember(lambda client, prefix: client.set(f"{prefix}x", 1)))
        assert "Redis" in doctors(probes.redis, own)
        assert server.call(lambda client: client.keys(f"{server.prefix}*x")) == []
        server.call(lambda client: client.delete(key))


def chunk() -> Chunk:
    return Chunk("a", "d", "v1", 0, "apple", Span(0, 5), "d.txt")


@contextmanager
def administered(settings: Settings) -> Iterator[Elasticsearch]:
    account = (settings.elasticsearch_user, settings.elasticsearch_password)
    with closing(Elasticsearch(settings.elasticsearch_url, basic_auth=account)) as client:
        yield client


async def test_an_index_of_a_newer_version_is_refused(mine: Settings) -> None:
    alias = f"{mine.index_prefix}-chunks-{DEFAULT_TENANT}"
    with administered(mine) as elastic, closing(ElasticKeywords(mine)) as keywords:
        elastic.indices.create(index=f"{alias}.9", aliases={alias: {}})
        try:
            writer, reader = keywords.writer(DEFAULT_TENANT), keywords.reader(DEFAULT_TENANT)
            for use in (
                lambda: writer.upsert(keyword_rows([chunk()], Scope(DEFAULT_TENANT))),
                lambda: keywords.drop(DEFAULT_TENANT),
            ):
                assert f"{alias}.9" in refused(use)
            for read in (lambda: reader.search("apple", 3), lambda: reader.chunks(["a"])):
                await refused_reading(read)
            assert f"{alias}.9" in doctors(probes.elasticsearch, mine)
            assert elastic.count(index=alias)["count"] == 0
        finally:
            elastic.indices.delete(index=f"{alias}.9")


async def test_a_collection_of_a_newer_version_is_refused(mine: Settings) -> None:
    name = f"{mine.index_prefix}_passages_4_9"
    milvus = MilvusClient(mine.milvus_url, token=mine.milvus_token)
    milvus.create_collection(name, schema=schema(4), index_params=index(), num_shards=1)
    try:
        with closing(MilvusVectors(mine)) as vectors:
            for use in (
                lambda: vectors.writer(DEFAULT_TENANT).delete("d"),
                lambda: vectors.drop(DEFAULT_TENANT),
                vectors.tenants,
            ):
                assert name in refused(use)
            await refused_reading(lambda: vectors.reader(DEFAULT_TENANT).passage_vectors(["a"]))
        assert name in doctors(probes.milvus, mine)
    finally:
        milvus.drop_collection(name)
        milvus.close()


@pytest.fixture
def newer_graph(mine: Settings, own_schema_node: str) -> Settings:
    """A Neo4j whose schema is of the next version."""
    with closing(Neo4jGraphs(mine)) as graphs:
        graphs.prepare()
    with closing(Neo4jServer(mine)) as server:
        stamped = server.run(
            "MATCH (s:Schema {name: 'trivium'}) SET s.version = $version RETURN s.name", version=VERSION + 1
        )
    assert stamped == [[own_schema_node]]
    return mine


async def test_a_graph_of_a_newer_version_is_refused(newer_graph: Settings) -> None:
    with closing(Neo4jGraphs(newer_graph)) as graphs:
        for use in (graphs.prepare, graphs.tenants, lambda: graphs.drop(DEFAULT_TENANT)):
            assert f"format {VERSION + 1}, known {VERSION}" in refused(use)
        await refused_reading(lambda: graphs.reader(DEFAULT_TENANT).entities())
    assert "Neo4j" in doctors(probes.neo4j, newer_graph)
