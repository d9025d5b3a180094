"""Vectors on a real Milvus: what the contract cannot ask of an embedded store."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context

import msgspec
import numpy as np
import pytest
from waiting import wait_until
from wire import Wire

from trivium.adapters.distributed.milvus.vectors import MilvusVectors
from trivium.adapters.distributed.milvus.without_pandas import MilvusClient
from trivium.config import Settings, load_settings
from trivium.domain.chunks import ChunkVectors
from trivium.domain.errors import Refused, TryLater
from trivium.domain.retrieval import RowFilter
from trivium.domain.scope import Scope, Tenant
from trivium.ports.vectors import Vector, VectorRow

DIMENSION = 8


@pytest.fixture
def tenant() -> Iterator[Tenant]:
    name = Tenant(f"t{uuid.uuid4().hex}")
    yield name
    with closing(MilvusVectors(load_settings())) as vectors:
        vectors.drop(name)


def row(tenant: Tenant, name: str, vector: Vector, document: str = "d") -> VectorRow:
    return VectorRow(ChunkVectors(name, vector.tobytes(), vector.tobytes()), document, "v1", Scope(tenant))


def units(count: int) -> Vector:
    vectors = np.random.default_rng(3).standard_normal((count, DIMENSION)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def at(url: str) -> Settings:
    return msgspec.structs.replace(load_settings(), milvus_url=url)


def accepted(call: Callable[[], None]) -> bool:
    try:
        call()
    except TryLater:
        return False
    return True


async def test_a_connection_that_was_cut_is_made_again(tenant: Tenant) -> None:
    (vector,) = units(1)
    with Wire(load_settings().milvus_url) as wire, closing(MilvusVectors(at(wire.url))) as vectors:
        writer, reader = vectors.writer(tenant), vectors.reader(tenant)
        writer.upsert([row(tenant, "a", vector)])
        assert writer.ids({"d": "v1"}) == {"d": {"a"}}
        assert [hit.chunk_id for hit in await reader.search(vector, 5)] == ["a"]
        wire.cut()
        for call in (lambda: writer.upsert([row(tenant, "b", vector)]), lambda: writer.ids({"d": "v1"})):
            with pytest.raises(TryLater) as failure:
                call()
            assert failure.value.code == "milvus_down"
        with pytest.raises(TryLater) as failure:
            await reader.search(vector, 5)
        assert failure.value.code == "milvus_down"
        assert wire.url.removeprefix("http://") in failure.value.message
        wire.mend()
        wait_until(lambda: accepted(lambda: writer.upsert([row(tenant, "b", vector)])), "connected again")
        assert writer.ids({"d": "v1"}) == {"d": {"a", "b"}}
        assert [hit.chunk_id for hit in await reader.search(vector, 5)] == ["a", "b"]


async def test_a_server_that_does_not_answer_costs_a_search_its_budget_and_no_more(tenant: Tenant) -> None:
    (vector,) = units(1)
    with Wire(load_settings().milvus_url) as wire, closing(MilvusVectors(at(wire.url))) as vectors:
        vectors.writer(tenant).upsert([row(tenant, "a", vector)])
        reader = vectors.reader(tenant)
        await reader.search(vector, 5)
        wire.stall()
        with pytest.raises(TimeoutError):  # a client that cannot be interrupted would say that the server is away
            async with asyncio.timeout(0.3):
                await reader.search(vector, 5)


async def test_nobody_at_the_address_is_said_so(tenant: Tenant) -> None:
    with closing(MilvusVectors(at("http://127.0.0.1:9"))) as vectors:
        with pytest.raises(TryLater, match="TRIVIUM_MILVUS_URL"):
            vectors.writer(tenant).ids({"d": "v1"})
        with pytest.raises(TryLater, match="TRIVIUM_MILVUS_URL"):
            await vectors.reader(tenant).search(units(1)[0], 5)


def test_ten_thousand_rows_are_all_there_also_after_they_were_replaced(tenant: Tenant) -> None:
    rows = [row(tenant, f"c{n}", vector, f"d{n % 7}") for n, vector in enumerate(units(10_000))]
    with closing(MilvusVectors(load_settings())) as vectors:
        writer = vectors.writer(tenant)
        for _ in range(2):
            writer.upsert(rows)
            stored = writer.ids({f"d{n}": "v1" for n in range(7)})
            assert sum(map(len, stored.values())) == 10_000
            assert stored["d3"] == {f"c{n}" for n in range(3, 10_000, 7)}
        writer.delete("d3")
        assert writer.ids({"d3": "v1"}) == {"d3": set()}


async def test_no_id_becomes_part_of_an_expression(tenant: Tenant) -> None:
    (vector,) = units(1)
    with closing(MilvusVectors(load_settings())) as vectors:
        writer, reader = vectors.writer(tenant), vectors.reader(tenant)
        writer.upsert([row(tenant, "a", vector)])
        for hostile in ('d" or tenant != "', 'd"] or id != "', "d\\", "d\n", "é", "../d"):
            with pytest.raises(Refused):
                writer.upsert([row(tenant, "b", vector, hostile)])
            with pytest.raises(Refused):
                writer.upsert([row(tenant, hostile, vector)])
            assert writer.ids({hostile: "v1"}) == {hostile: set()}
            writer.delete(hostile)
            assert await reader.search(vector, 5, RowFilter((hostile,))) == []
            assert await reader.passage_vectors([hostile]) == {}
        assert writer.ids({"d": "v1"}) == {"d": {"a"}}


def write_one(prefix: str, tenant: str, name: str) -> None:
    settings = msgspec.structs.replace(load_settings(), index_prefix=prefix)
    with closing(MilvusVectors(settings)) as vectors:
        vectors.writer(Tenant(tenant)).upsert([row(Tenant(tenant), name, units(1)[0])])


def test_two_processes_make_the_collection_at_once(tenant: Tenant) -> None:
    prefix = f"test_{uuid.uuid4().hex}"
    settings = msgspec.structs.replace(load_settings(), index_prefix=prefix)
    try:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
            list(processes.map(write_one, [prefix] * 2, [tenant.name] * 2, ["a", "b"]))
        with closing(MilvusVectors(settings)) as vectors:
            assert vectors.writer(tenant).ids({"d": "v1"}) == {"d": {"a", "b"}}
    finally:
        drop_collections(prefix)


def test_a_collection_that_somebody_dropped_is_made_again(tenant: Tenant) -> None:
    prefix = f"test_{uuid.uuid4().hex}"
    settings = msgspec.structs.replace(load_settings(), index_prefix=prefix)
    rows = [row(tenant, "a", units(1)[0])]
    try:
        with closing(MilvusVectors(settings)) as vectors:
            writer = vectors.writer(tenant)
            writer.upsert(rows)
            drop_collections(prefix)
            assert writer.ids({"d": "v1"}) == {"d": set()}
            with pytest.raises(TryLater):
                writer.upsert(rows)
            writer.upsert(rows)
            assert writer.ids({"d": "v1"}) == {"d": {"a"}}
    finally:
        drop_collections(prefix)


def drop_collections(prefix: str) -> None:
    with closing(MilvusClient(load_settings().milvus_url, dedicated=True)) as client:
        for name in client.list_collections():
            if name.startswith(prefix):
                client.drop_collection(name)
