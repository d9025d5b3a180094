"""Keywords on a real Elasticsearch: what the contract cannot ask of an embedded store."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context

import msgspec
import pytest
from busy_elastic import BusyElastic
from elasticsearch import Elasticsearch
from wire import Wire

from trivium.adapters.distributed.elasticsearch.keywords import ElasticKeywords
from trivium.config import Settings, load_settings
from trivium.domain.chunks import Chunk, Span
from trivium.domain.errors import TryLater
from trivium.domain.scope import Scope, Tenant
from trivium.ports.keywords import keyword_rows


@pytest.fixture
def tenant() -> Iterator[Tenant]:
    name = Tenant(f"t{uuid.uuid4().hex}")
    yield name
    with closing(ElasticKeywords(load_settings())) as keywords:
        keywords.drop(name)


def chunk(name: str, text: str, document: str = "d", ordinal: int = 0) -> Chunk:
    return Chunk(name, document, "v1", ordinal, text, Span(0, len(text)), f"{document}.txt")


def changed(**fields: str) -> Settings:
    return msgspec.structs.replace(load_settings(), **fields)


def index_of(tenant: Tenant) -> str:
    return f"{load_settings().index_prefix}-chunks-{tenant}"


def administrator() -> Elasticsearch:
    settings = load_settings()
    return Elasticsearch(
        settings.elasticsearch_url, basic_auth=(settings.elasticsearch_user, settings.elasticsearch_password)
    )


async def test_a_connection_that_was_cut_is_made_again(tenant: Tenant) -> None:
    with (
        Wire(load_settings().elasticsearch_url) as wire,
        closing(ElasticKeywords(changed(elasticsearch_url=wire.url))) as keywords,
    ):
        writer, reader = keywords.writer(tenant), keywords.reader(tenant)
        writer.upsert(keyword_rows([chunk("a", "apple")], Scope(tenant)))
        assert writer.ids({"d": "v1"}) == {"d": {"a"}}
        assert [hit.chunk_id for hit in await reader.search("apple", 5)] == ["a"]
        wire.cut()
        rows = keyword_rows([chunk("b", "pear")], Scope(tenant))
        for call in (lambda: writer.upsert(rows), lambda: writer.ids({"d": "v1"})):
            with pytest.raises(TryLater) as failure:
                call()
            assert failure.value.code == "elasticsearch_down"
        with pytest.raises(TryLater) as failure:
            await reader.search("apple", 5)
        assert failure.value.code == "elasticsearch_down"
        assert wire.url.removeprefix("http://") in failure.value.message
        wire.mend()
        writer.upsert(keyword_rows([chunk("b", "apple pie")], Scope(tenant)))
        assert writer.ids({"d": "v1"}) == {"d": {"a", "b"}}
        assert [hit.chunk_id for hit in await reader.search("apple", 5)] == ["a", "b"]


async def test_a_server_that_does_not_answer_costs_a_search_its_budget_and_no_more(tenant: Tenant) -> None:
    with (
        Wire(load_settings().elasticsearch_url) as wire,
        closing(ElasticKeywords(changed(elasticsearch_url=wire.url))) as keywords,
    ):
        reader = keywords.reader(tenant)
        await reader.search("apple", 5)
        wire.stall()
        with pytest.raises(TimeoutError):  # a client that cannot be interrupted would say that the server is away
            async with asyncio.timeout(0.3):
                await reader.search("apple", 5)


async def test_nobody_at_the_address_is_said_so(tenant: Tenant) -> None:
    with closing(ElasticKeywords(changed(elasticsearch_url="http://127.0.0.1:9"))) as keywords:
        with pytest.raises(TryLater, match="TRIVIUM_ELASTICSEARCH_URL"):
            keywords.writer(tenant).ids({"d": "v1"})
        with pytest.raises(TryLater, match="TRIVIUM_ELASTICSEARCH_URL"):
            await keywords.reader(tenant).search("apple", 5)


async def test_wrong_credentials_are_said_so_and_not_shown(tenant: Tenant) -> None:
    with closing(ElasticKeywords(changed(elasticsearch_password="not-the-one"))) as keywords:
        with pytest.raises(TryLater) as writing:
            keywords.writer(tenant).upsert(keyword_rows([chunk("a", "apple")], Scope(tenant)))
        with pytest.raises(TryLater) as reading:
            await keywords.reader(tenant).search("apple", 5)
    for failure in (writing, reading):
        assert failure.value.code == "elasticsearch_credentials"
        assert "not-the-one" not in str(failure.value)


def test_what_a_busy_server_turned_away_is_sent_again(tenant: Tenant) -> None:
    with (
        BusyElastic(turns_away=2) as server,
        closing(ElasticKeywords(changed(elasticsearch_url=server.url))) as keywords,
    ):
        keywords.writer(tenant).upsert(keyword_rows([chunk("a", "apple"), chunk("b", "pear")], Scope(tenant)))
    assert server.stored == {"a", "b"}
    assert (server.mappings, server.requests) == (2, 3)


async def test_a_search_does_not_wait_for_a_busy_server(tenant: Tenant) -> None:
    with (
        BusyElastic(turns_away=99) as server,
        closing(ElasticKeywords(changed(elasticsearch_url=server.url))) as keywords,
        pytest.raises(TryLater) as failure,
    ):
        await keywords.reader(tenant).search("apple", 5)
    assert failure.value.code == "elasticsearch_busy"
    assert server.requests == 1


def test_ten_thousand_chunks_are_all_there_also_after_they_were_replaced(tenant: Tenant) -> None:
    chunks = [chunk(f"c{n}", f"apple {n}", f"d{n % 2}", n) for n in range(10_000)]
    with closing(ElasticKeywords(load_settings())) as keywords:
        writer = keywords.writer(tenant)
        for _ in range(2):
            writer.upsert(keyword_rows(chunks, Scope(tenant)))
            stored = writer.ids({"d0": "v1", "d1": "v1"})
            assert [len(ids) for ids in stored.values()] == [5000, 5000]
        writer.upsert(keyword_rows([chunk(f"e{n}", "pear", "e", n) for n in range(10_001)], Scope(tenant)))
        assert len(writer.ids({"e": "v1"})["e"]) == 10_001
        read = asyncio.run(keywords.reader(tenant).document_chunks("e", "v1", start=1, limit=20_000))
        assert [found.ordinal for found in read] == list(range(1, 10_001))
        writer.delete("e")
        assert writer.ids({"e": "v1", "d0": "v1"}) == {"e": set(), "d0": stored["d0"]}


@pytest.mark.slow
async def test_deleted_chunks_leave_the_scores_when_their_segments_merge(tenant: Tenant) -> None:
    with closing(ElasticKeywords(load_settings())) as keywords, administrator() as client:
        writer, reader = keywords.writer(tenant), keywords.reader(tenant)
        kept = [chunk(f"k{n}", text, "kept") for n, text in enumerate(["apple pie", "apple", "cherry apple tree"])]
        writer.upsert(keyword_rows(kept, Scope(tenant)))
        writer.ids({"kept": "v1"})
        alone = await reader.search("apple cherry pie", 9)
        writer.upsert(keyword_rows([chunk(f"g{n}", "apple cherry", "gone") for n in range(20)], Scope(tenant)))
        writer.delete("gone")
        writer.ids({"gone": "v1"})

        def merge() -> None:
            client.indices.flush(index=index_of(tenant), force=True)
            client.indices.forcemerge(index=index_of(tenant), max_num_segments=1)
            writer.ids({"gone": "v1"})

        # Deleted chunks are kept for a replica that may ask for them, and the server looks every 30 s whether one may.
        async with asyncio.timeout(120):
            while await reader.search("apple cherry pie", 9) != alone:
                await asyncio.to_thread(merge)


async def test_chunks_that_the_server_cannot_read_now_are_not_taken_for_absent(tenant: Tenant) -> None:
    with closing(ElasticKeywords(load_settings())) as keywords, administrator() as client:
        keywords.writer(tenant).upsert(keyword_rows([chunk("a", "apple")], Scope(tenant)))
        client.indices.close(index=f"{index_of(tenant)}.1")
        with pytest.raises(TryLater):
            await keywords.reader(tenant).chunks(["a"])
        client.indices.open(index=f"{index_of(tenant)}.1")
        keywords.writer(tenant).ids({"d": "v1"})
        assert set(await keywords.reader(tenant).chunks(["a"])) == {"a"}


def write_one(prefix: str, tenant: str, name: str) -> None:
    with closing(ElasticKeywords(changed(index_prefix=prefix))) as keywords:
        keywords.writer(Tenant(tenant)).upsert(keyword_rows([chunk(name, "apple")], Scope(Tenant(tenant))))


def test_two_processes_make_the_index_at_once(tenant: Tenant) -> None:
    prefix = load_settings().index_prefix
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        list(processes.map(write_one, [prefix] * 2, [tenant.name] * 2, ["a", "b"]))
    with closing(ElasticKeywords(load_settings())) as keywords:
        assert keywords.writer(tenant).ids({"d": "v1"}) == {"d": {"a", "b"}}


async def test_an_index_that_somebody_deleted_is_made_again_with_its_own_shape(tenant: Tenant) -> None:
    with closing(ElasticKeywords(load_settings())) as keywords, administrator() as client:
        writer, reader = keywords.writer(tenant), keywords.reader(tenant)
        writer.upsert(keyword_rows([chunk("a", "apples")], Scope(tenant)))
        client.indices.delete(index=f"{index_of(tenant)}.1")
        assert writer.ids({"d": "v1"}) == {"d": set()}
        assert await reader.search("apple", 5) == []
        writer.delete("d")
        writer.upsert(keyword_rows([chunk("a", "apples")], Scope(tenant)))
        writer.ids({"d": "v1"})
        assert [hit.chunk_id for hit in await reader.search("apple", 5)] == ["a"]
