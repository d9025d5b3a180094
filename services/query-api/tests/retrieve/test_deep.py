"""Mode deep: down from whole sections and documents; and what is left of it where something is away."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.hypernodes import SqliteHyperNodes
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.errors import TryLater
from trivium.domain.graph import ChunkGraph, Mention
from trivium.domain.retrieval import Mode, Scored, SearchFilter, SearchResult
from trivium.domain.scope import DEFAULT_TENANT, Scope, Tenant
from trivium.hypernodes.centroids import Centroids
from trivium.hypernodes.sections import within
from trivium.ports.graph import GraphRow
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow
from trivium.text.names import fold_name
from trivium_query.retrieve import deep, pipeline
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.store_reads import Readers

# A passage is (section, text, direction of its vector, names). The question lies between two directions: no passage of
# the tide section is as near to it as the decoys, the middle of the section is nearer than they are.
SCOPE = Scope(DEFAULT_TENANT)
ENOUGH = Budgets(9, 9, 9)
QUESTION = "what the chapter of the estuary is about"
ASKED = (1.0, 1.0, 0.0, 0.0)
Passages = Sequence[tuple[str, str, tuple[float, ...], tuple[str, ...]]]
SEA: Passages = (
    ("Tides", "Ebb is told of here.", (1.0, 0.0, 0.0, 0.0), ("Ebb Chart",)),
    ("Tides", "Flood is told of there.", (0.0, 1.0, 0.0, 0.0), ()),
    ("Boats", "Hulls and oars.", (0.0, 0.0, 1.0, 0.0), ()),
    ("Boats", "Sails and ropes.", (0.0, 0.0, 1.0, 0.1), ()),
)
CHART: Passages = (("", "It was drawn by hand and corrected since.", (0.0, 0.0, 0.2, 1.0), ("Ebb Chart",)),)
DECOY: Passages = (("", "A decoy that lies nearer than either.", (1.0, 0.5, 0.9, 0.0), ()),)
DOCUMENTS = {"sea": SEA, "chart": CHART, "decoy": DECOY}


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


async def embed(texts: Sequence[str]) -> np.ndarray:
    return np.stack([unit(*ASKED) for _ in texts])


async def active(document_ids: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(document_ids, "v1")


async def nothing_published(document_id: str, version: str) -> Mapping[str, Chunk]:
    return {}


def chunks_of(document: str, passages: Passages) -> list[Chunk]:
    return [
        Chunk(
            f"{document}-{n}",
            document,
            "v1",
            n,
            text,
            Span(0, len(text)),
            f"{document}.md",
            sentences=(Span(0, len(text)),),
            title="The Estuary" if document == "sea" else "",
            section=(section,) if section else (),
        )
        for n, (section, text, _, _) in enumerate(passages)
    ]


class Shelf:
    """Stores over one folder, with documents in them."""

    def __init__(self, folder: Path) -> None:
        self.vectors, self.keywords = SqliteVectors(folder), SqliteKeywords(folder)
        self.graphs, self.hypernodes = SqliteGraphs(folder), SqliteHyperNodes(folder)

    def put(self, document: str, passages: Passages, scope: Scope = SCOPE, *, with_nodes: bool = True) -> None:
        chunks = chunks_of(document, passages)
        nodes = within(document, "v1", chunks) if with_nodes else {}
        centroids = Centroids()
        for chunk, (_, text, direction, names) in zip(chunks, passages, strict=True):
            vector = unit(*direction).tobytes()
            row = VectorRow(ChunkVectors(chunk.id, vector, vector), document, "v1", scope)
            centroids.add(nodes.get(chunk.id, ()), row, len(text))
            self.vectors.writer(scope.tenant).upsert([row])
            self.keywords.writer(scope.tenant).upsert(keyword_rows([chunk], scope))
            named = tuple(Mention(fold_name(name), chunk.id, 0, Span(0, 3), name) for name in names)
            share = ChunkGraph(chunk.id, named)
            self.graphs.writer(scope.tenant).upsert(
                [GraphRow(share, document, "v1", scope, within=nodes.get(chunk.id, ()))]
            )
        self.hypernodes.writer(scope.tenant).upsert(centroids.rows())

    def readers(self, tenant: Tenant = DEFAULT_TENANT) -> Readers:
        return Readers(
            self.vectors.reader(tenant),
            self.keywords.reader(tenant),
            self.graphs.reader(tenant),
            embed,
            nothing_published,
            hypernodes=self.hypernodes.reader(tenant),
        )


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path)
    for document, passages in DOCUMENTS.items():
        made.put(document, passages)
    return made


async def search(
    readers: Readers, restrict: SearchFilter | None = None, mode: Mode = Mode.DEEP, budgets: Budgets = ENOUGH
) -> SearchResult:
    return await pipeline.search(QUESTION, mode, 10, restrict or SearchFilter(), readers, active, budgets)


def ids(result: SearchResult) -> list[str]:
    return [hit.chunk.id for hit in result.hits]


async def test_a_section_that_is_nearer_than_any_passage_brings_its_passages(shelf: Shelf) -> None:
    assert ids(await search(shelf.readers(), mode=Mode.VECTOR))[0] == "decoy-0"
    result = await search(shelf.readers())
    assert set(ids(result)[:2]) == {"sea-0", "sea-1"}
    assert [hit.hypernode for hit in result.hits[:2]] == ["The Estuary > Tides"] * 2
    assert {source.source for source in result.hits[0].sources} >= {"vector", "hypernode"}
    assert result.degraded == ()


async def test_from_the_section_it_goes_on_over_a_shared_name(shelf: Shelf) -> None:
    result = await search(shelf.readers())
    chart = next(hit for hit in result.hits if hit.chunk.id == "chart-0")
    assert chart.bridge is not None
    assert (chart.bridge.from_chunk_id, chart.bridge.name) == ("sea-0", "Ebb Chart")


async def test_a_filter_holds_for_sections_and_for_their_passages(shelf: Shelf) -> None:
    papers = Scope(DEFAULT_TENANT, "papers", run="second", uploaded=100)
    shelf.put("other sea", SEA, papers)
    for restrict in (
        SearchFilter(dataset="papers"),
        SearchFilter(document_ids=("other sea",)),
        SearchFilter(run="second"),
    ):
        result = await search(shelf.readers(), restrict)
        assert {hit.chunk.document_id for hit in result.hits} == {"other sea"}
        assert result.hits[0].hypernode is not None
    assert ids(await search(shelf.readers(), SearchFilter(kinds=("table",)))) == []


async def test_tenants_are_separate(shelf: Shelf) -> None:
    other = Tenant("other")
    shelf.put("their sea", SEA, Scope(other))
    assert {hit.chunk.document_id for hit in (await search(shelf.readers(other))).hits} == {"their sea"}
    assert "their sea" not in {hit.chunk.document_id for hit in (await search(shelf.readers())).hits}


class Away:
    """A store that refuses, or keeps others waiting."""

    def __init__(self, *, late: bool = False, but: object = None, method: str = "") -> None:
        self._late, self._but, self._method = late, but, method

    def __getattr__(self, name: str) -> object:
        if self._method and name != self._method:
            return getattr(self._but, name)

        async def failing(*_: object, **__: object) -> None:
            if self._late:
                await asyncio.sleep(60)
            raise TryLater("store_down", "The store is down.")

        return failing


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("method", ["", "evidence_of", "hypernodes_of"])
async def test_a_graph_that_is_late_or_down_leaves_vectors_and_keywords(shelf: Shelf, late: bool, method: str) -> None:
    readers = shelf.readers()
    graph = Away(late=late, but=readers.graph, method=method)
    without = msgspec.structs.replace(readers, graph=graph)  # type: ignore[arg-type]
    result = await search(without, budgets=Budgets(9, 9, graph_s=0.2))
    assert [lost.source for lost in result.degraded] == ["graph"]
    assert set(ids(result)) >= {"decoy-0", "sea-0", "sea-1"}


@pytest.mark.parametrize("late", [False, True])
async def test_hypernodes_that_are_late_or_down_leave_hybrid_and_are_named(shelf: Shelf, late: bool) -> None:
    without = msgspec.structs.replace(shelf.readers(), hypernodes=Away(late=late))  # type: ignore[arg-type]
    result = await search(without, budgets=Budgets(0.3, 9, 9))
    assert [lost.source for lost in result.degraded] == ["hypernode"]
    assert ids(result) == ids(await search(shelf.readers(), mode=Mode.HYBRID))


async def test_vectors_that_are_down_leave_keywords_and_graph(shelf: Shelf) -> None:
    shelf.put("named", (("", "The chapter of the estuary.", (0.0, 0.0, 0.0, 1.0), ()),))
    result = await search(msgspec.structs.replace(shelf.readers(), vectors=Away()))  # type: ignore[arg-type]
    assert [lost.source for lost in result.degraded] == ["vector"]
    assert ids(result)[0] == "named-0"


async def test_where_there_are_no_hypernodes_yet_it_says_so_and_what_makes_them(tmp_path: Path) -> None:
    older = Shelf(tmp_path)
    for document, passages in DOCUMENTS.items():
        older.put(document, passages, with_nodes=False)
    result = await search(older.readers())
    assert [lost.source for lost in result.degraded] == ["hypernode"]
    assert "trivium rebuild --store hypernodes" in result.degraded[0].reason
    assert ids(result) == ids(await search(older.readers(), mode=Mode.HYBRID))
    older.put("newer", SEA)
    found = await search(older.readers())
    assert "6 of the 10 nearest passages are without HyperNodes" in found.degraded[0].reason
    assert set(ids(found)[:2]) == {"newer-0", "newer-1"}


async def test_an_empty_tenant_has_no_hits_and_lacks_nothing(tmp_path: Path) -> None:
    result = await search(Shelf(tmp_path).readers())
    assert (result.hits, result.degraded) == ((), ())


def test_a_large_section_brings_what_was_found_of_it_anyway() -> None:
    nodes = [Scored("section", 0.9), Scored("other", 0.1)]
    down = deep.descent(nodes, {"section": ["first"]}, {"found": ("document", "section"), "elsewhere": ("document",)})
    assert dict(down.gains) == {"first": deep.STRENGTH, "found": deep.STRENGTH}
    assert down.through == {"first": "section", "found": "section"}
    assert deep.descent([], {}, {"found": ("document",)}) == deep.NOWHERE


def test_a_document_of_one_passage_gains_nothing_by_being_a_hypernode_too() -> None:
    nodes = [Scored("single", 0.9), Scored("section", 0.8), Scored("far", 0.1)]
    within = {"only": ("single",), "p": ("wide", "section")}
    down = deep.descent(nodes, {"single": ["only"], "section": ["p"]}, within)
    assert set(down.gains) == {"p"}
    assert 0 < down.gains["p"] < deep.STRENGTH
