"""What `trivium.ports.vectors` and `trivium.ports.keywords` promise alike."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from read_back import is_embedded, read_back

from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import RowFilter
from trivium.domain.scope import Scope, Tenant
from trivium.domain.times import Period, TimeOf
from trivium.ports.keywords import KeywordRow, Keywords
from trivium.ports.vectors import VectorRow, Vectors

CROWD = 3000
DIRECTION = np.eye(8, dtype=np.float32)[0]


class Row(NamedTuple):
    """All rows are alike but for whose they are, so that a search finds all of them, in the order of their names."""

    name: str
    document: str = "d"
    version: str = "v1"
    dataset: str = "default"
    kinds: tuple[UnitKind, ...] = (UnitKind.TEXT,)
    run: str = ""
    uploaded: int = 0
    dated: int | None = None

    def scope(self, tenant: Tenant) -> Scope:
        return Scope(tenant, self.dataset, self.run, self.uploaded, self.dated)


def _of(documents: Sequence[str] | None) -> RowFilter:
    return RowFilter(None if documents is None else tuple(documents))


def _scope(tenant: Tenant, changed: str) -> Scope:
    """That of a plain row, or with one field changed."""
    other = {"dataset": "b", "run": "b", "uploaded": 1, "dated": 1}
    return Scope(tenant, **{changed: other[changed]} if changed in other else {})


class VectorIndex:
    """Rows as vectors that all point one way."""

    def __init__(self, vectors: Vectors) -> None:
        self.store = vectors

    def put(self, tenant: Tenant, *rows: Row) -> None:
        vector = DIRECTION.tobytes()
        self.store.writer(tenant).upsert(
            [
                VectorRow(
                    ChunkVectors(row.name, vector, b""),
                    row.document,
                    row.version,
                    row.scope(tenant),
                    row.kinds,
                )
                for row in rows
            ]
        )

    def unlike(self, tenant: Tenant, name: str, changed: str = "") -> set[str]:
        """Asked of the row `name` of document d, one part of which is as it was not written."""
        vector, sentences = (-DIRECTION if changed == "vector" else DIRECTION).tobytes(), b""
        if changed == "sentences":
            sentences = vector
        stored = ChunkVectors(name, vector, sentences)
        version = "v2" if changed == "version" else "v1"
        return self.store.writer(tenant).unlike([VectorRow(stored, "d", version, _scope(tenant, changed))])

    async def found(self, tenant: Tenant, limit: int = 1000, documents: Sequence[str] | None = None) -> list[str]:
        return await self.within(tenant, _of(documents), limit)

    async def within(self, tenant: Tenant, where: RowFilter, limit: int = 10) -> list[str]:
        return [hit.chunk_id for hit in await self.store.reader(tenant).search(DIRECTION, limit, where)]

    async def known(self, tenant: Tenant, *names: str) -> set[str]:
        reader = self.store.reader(tenant)
        passages = set(await reader.passage_vectors(names))
        assert set(await reader.sentence_vectors(names)) == passages
        return passages


class KeywordIndex:
    """Rows as passages of one word."""

    def __init__(self, keywords: Keywords) -> None:
        self.store = keywords

    def put(self, tenant: Tenant, *rows: Row) -> None:
        self.store.writer(tenant).upsert([KeywordRow(self._chunk(row), row.scope(tenant)) for row in rows])

    def _chunk(self, row: Row) -> Chunk:
        return Chunk(
            *(row.name, row.document, row.version, 0, "apple", Span(0, 5), "a.txt"),
            kind=row.kinds[0],
            kinds=row.kinds if len(row.kinds) > 1 else (),
        )

    def unlike(self, tenant: Tenant, name: str, changed: str = "") -> set[str]:
        """Asked of the row `name` of document d, one part of which is as it was not written."""
        text, title = ("apples" if changed == "vector" else "apple"), ("Fruit" if changed == "sentences" else "")
        version = "v2" if changed == "version" else "v1"
        chunk = Chunk(name, "d", version, 0, text, Span(0, 5), "a.txt", title=title)
        return self.store.writer(tenant).unlike([KeywordRow(chunk, _scope(tenant, changed))])

    async def found(self, tenant: Tenant, limit: int = 1000, documents: Sequence[str] | None = None) -> list[str]:
        return await self.within(tenant, _of(documents), limit)

    async def within(self, tenant: Tenant, where: RowFilter, limit: int = 10) -> list[str]:
        return [hit.chunk_id for hit in await self.store.reader(tenant).search("apple", limit, where)]

    async def known(self, tenant: Tenant, *names: str) -> set[str]:
        return set(await self.store.reader(tenant).chunks(names))


Index = VectorIndex | KeywordIndex
OPEN: dict[str, Callable[[Any], Index]] = {
    "vectors": lambda stores: VectorIndex(read_back(stores.vectors)),
    "keywords": lambda stores: KeywordIndex(read_back(stores.keywords)),
}


@pytest.fixture(params=OPEN.values(), ids=OPEN.keys())
def of(request: pytest.FixtureRequest) -> Callable[[Any], Index]:
    """The index under test, of whatever stores are open."""
    return request.param


@pytest.fixture
def index(stores: Any, of: Callable[[Any], Index], tenants: list[Tenant]) -> Iterator[Index]:
    opened = of(stores)
    yield opened
    for tenant in tenants:
        opened.store.drop(tenant)


async def test_what_passes_a_filter_is_found_behind_three_thousand_that_do_not(index: Index, tenant: Tenant) -> None:
    index.put(tenant, *(Row(f"a{number:04}", f"d{number % 100}") for number in range(CROWD)))
    index.put(tenant, Row("y", "mixed", kinds=(UnitKind.TEXT, UnitKind.TABLE)), Row("z", "lone", dataset="papers"))
    assert await index.within(tenant, RowFilter(dataset="papers")) == ["z"]
    assert await index.within(tenant, RowFilter(("lone",))) == ["z"]
    assert await index.within(tenant, RowFilter(kinds=("table",))) == ["y"]
    assert await index.within(tenant, RowFilter(kinds=("image", "table"), dataset="default")) == ["y"]
    assert await index.within(tenant, RowFilter(("mixed", "lone"), kinds=("text",))) == ["y", "z"]
    assert await index.within(tenant, RowFilter(kinds=("table",), dataset="papers")) == []
    assert await index.within(tenant, RowFilter(dataset="paper")) == []


async def test_a_day_and_a_run_of_one_passage_are_found_behind_three_thousand(index: Index, tenant: Tenant) -> None:
    crowd = [Row(f"a{n:04}", f"d{n % 100}", run="crowd", uploaded=1000 + n, dated=n or None) for n in range(CROWD)]
    index.put(
        tenant, *crowd, Row("y", "early", run="lone", uploaded=500, dated=-(10**9)), Row("z", "late", uploaded=9000)
    )
    uploaded, dated = TimeOf.UPLOADED, TimeOf.DATED
    assert await index.within(tenant, RowFilter(run="lone")) == ["y"]
    assert await index.within(tenant, RowFilter(run="lon")) == []
    assert await index.within(tenant, RowFilter(period=Period(uploaded, 9000, None))) == ["z"]
    assert await index.within(tenant, RowFilter(period=Period(uploaded, None, 1000))) == ["y"]
    assert await index.within(tenant, RowFilter(period=Period(uploaded, 1007, 1008))) == ["a0007"]
    assert await index.within(tenant, RowFilter(period=Period(dated, None, 1))) == ["y"]
    assert await index.within(tenant, RowFilter(period=Period(dated, CROWD - 1, None))) == [f"a{CROWD - 1:04}"]
    assert await index.within(tenant, RowFilter(dataset="default", run="lone", period=Period(dated, None, 0))) == ["y"]
    assert await index.within(tenant, RowFilter(run="lone", period=Period(uploaded, 501, None))) == []


async def test_missing_ids_are_absent_and_deleting_them_does_nothing(index: Index, tenant: Tenant) -> None:
    index.store.writer(tenant).delete("none")
    index.put(tenant, Row("a"))
    index.store.writer(tenant).delete("none")
    assert await index.known(tenant, "a", "none", "' OR 1=1 --") == {"a"}
    assert index.store.writer(tenant).ids({"none": "v1"}) == {"none": set()}
    assert index.store.writer(tenant).ids({"d": "v2"}) == {"d": set()}
    assert index.store.writer(tenant).ids({"d": "v1"}) == {"d": {"a"}}


def test_one_call_tells_the_ids_of_many_documents(index: Index, tenant: Tenant) -> None:
    index.put(tenant, Row("a"), Row("b", "e"), Row("c"))
    writer = index.store.writer(tenant)
    assert writer.ids({"d": "v1", "e": "v1", "f": "v1"}) == {"d": {"a", "c"}, "e": {"b"}, "f": set()}
    assert writer.ids({}) == {}
    assert set(writer.versions()) == {("d", "v1"), ("e", "v1")}


def test_nobody_else_s_versions_are_told(index: Index, tenant: Tenant, other: Tenant) -> None:
    index.put(tenant, Row("a"))
    assert set(index.store.writer(other).versions()) == set()


def test_a_row_that_was_not_stored_exactly_so_is_told(index: Index, tenant: Tenant, other: Tenant) -> None:
    assert index.unlike(tenant, "a") == {"a"}
    index.put(tenant, Row("a"), Row("b"))
    assert index.unlike(tenant, "a") == set()
    assert index.unlike(tenant, "missing") == {"missing"}
    assert index.unlike(other, "a") == {"a"}
    for changed in ("vector", "sentences", "version", "dataset", "run", "uploaded", "dated"):
        assert index.unlike(tenant, "b", changed) == {"b"}


def test_whoever_has_rows_is_among_the_tenants(index: Index, tenant: Tenant, other: Tenant) -> None:
    index.put(tenant, Row("a"))
    assert index.store.writer(tenant).ids({"d": "v1"}) == {"d": {"a"}}
    assert tenant in index.store.tenants()
    assert other not in index.store.tenants()


async def test_ties_stand_in_the_order_of_their_ids(index: Index, tenant: Tenant) -> None:
    index.put(tenant, *(Row(name) for name in "zmab"))
    for limit in range(5):
        assert await index.found(tenant, limit) == list("abmz")[:limit]


async def test_a_search_restricted_to_documents_finds_only_theirs(index: Index, tenant: Tenant) -> None:
    index.put(tenant, *(Row(f"c{number:02}", f"d{number}") for number in range(20)))
    assert await index.found(tenant, documents=["d7", "d3", "none"]) == ["c03", "c07"]
    assert await index.found(tenant, documents=["none"]) == []
    assert await index.found(tenant, documents=[]) == []
    most = [f"d{number}" for number in range(19)]
    assert len(await index.found(tenant, documents=most)) == 19
    assert len(await index.found(tenant, 4, most)) == 4


async def test_deleting_a_document_keeps_the_version_asked_for(index: Index, tenant: Tenant) -> None:
    index.put(tenant, Row("old"), Row("new", version="v2"), Row("other", "e"))
    assert await index.found(tenant) == ["new", "old", "other"]
    index.store.writer(tenant).delete_others({"d": "v2"})
    assert await index.found(tenant) == ["new", "other"]
    index.store.writer(tenant).delete("d")
    assert await index.found(tenant) == ["other"]
    assert await index.known(tenant, "old", "new") == set()


async def test_documents_keep_each_its_own_version_though_two_have_one_of_the_same_name(
    index: Index, tenant: Tenant
) -> None:
    index.put(tenant, Row("old"), Row("new", version="v2"), Row("kept", "e"), Row("gone", "f"), Row("other", "g"))
    index.store.writer(tenant).delete_others({"d": "v2", "e": "v1", "f": ""})
    assert await index.found(tenant) == ["kept", "new", "other"]
    index.store.writer(tenant).delete_others({})
    assert await index.found(tenant) == ["kept", "new", "other"]


async def test_a_tenant_never_sees_anothers_rows(index: Index, tenant: Tenant, other: Tenant) -> None:
    index.put(tenant, Row("canary"))
    index.put(other, Row("own"))
    assert await index.found(other) == ["own"]
    assert await index.known(other, "canary") == set()
    index.store.writer(other).delete("d")
    index.store.drop(other)
    assert await index.found(tenant) == ["canary"]


async def test_a_dropped_tenant_is_empty_and_may_start_again(index: Index, tenant: Tenant) -> None:
    index.put(tenant, Row("a"))
    assert await index.found(tenant) == ["a"]
    index.store.drop(tenant)
    index.store.drop(tenant)
    assert await index.found(tenant) == []
    assert index.store.writer(tenant).ids({"d": "v1"}) == {"d": set()}
    index.put(tenant, Row("b"))
    assert await index.found(tenant) == ["b"]


async def test_what_one_opening_writes_the_next_one_reads(
    deployment: Any, of: Callable[[Any], Index], tmp_path: Path, tenant: Tenant
) -> None:
    with deployment(tmp_path) as one, deployment(tmp_path) as another:
        first, second = of(one), of(another)
        first.put(tenant, Row("a"), Row("b", "e"))
        assert await second.found(tenant) == ["a", "b"]
        first.store.writer(tenant).delete("d")
        first.put(tenant, Row("c", "e"))
        assert await second.found(tenant) == ["b", "c"]
    with deployment(tmp_path) as later:
        assert await of(later).found(tenant) == ["b", "c"]
        of(later).store.drop(tenant)


async def test_while_sixteen_threads_write_readers_see_whole_batches(index: Index, tenant: Tenant) -> None:
    def write(thread: int) -> None:
        for batch in range(6):
            name = f"{thread}.{batch}"
            index.put(tenant, *(Row(f"{name}.{number}", name) for number in range(5)))
            if batch % 3 == 2:
                index.store.writer(tenant).delete(name)

    with running(write, 16) as threads:
        while any(thread.is_alive() for thread in threads):
            seen = await index.found(tenant)
            assert len(seen) == len(set(seen))
            documents = [name.rpartition(".")[0] for name in seen]
            if isinstance(index, VectorIndex) or is_embedded(index.store):  # Elasticsearch's refresh may cut a batch
                assert {documents.count(document) for document in documents} <= {5}
            await asyncio.sleep(0)
    assert len(await index.found(tenant)) == 16 * 4 * 5


@pytest.mark.parametrize("_turn", range(6))
async def test_readers_of_an_index_that_is_just_being_made_are_not_refused(
    index: Index, tenant: Tenant, _turn: int
) -> None:
    with running(lambda number: index.put(tenant, Row(f"{number}")), 4) as threads:
        while any(thread.is_alive() for thread in threads):
            assert set(await index.found(tenant)) <= set("0123")
            await asyncio.sleep(0)
    assert sorted(await index.found(tenant)) == list("0123")


@contextmanager
def running(work: Callable[[int], None], count: int) -> Iterator[list[threading.Thread]]:
    """`count` threads that work, each with its number; all are through when the block ends, however it does."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield threads
    finally:
        for thread in threads:
            thread.join()
