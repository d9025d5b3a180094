"""From a text to its table and back, and results that hold the modalities that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.graph import ChunkGraph, Step, StepType
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Mode, Nearby, Scored, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.ports.graph import GraphRow
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow
from trivium_query.retrieve import pipeline
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.coverage import covering, missing
from trivium_query.retrieve.store_reads import Readers, Visuals

PAGES = [
    ("lead", UnitKind.TEXT, "Harbour traffic of the herring fleet grew in spring."),
    ("table", UnitKind.TABLE, "1911 | 412\n1912 | 430"),
    *((f"other{n}", UnitKind.TEXT, f"Harbour cats, number {n}, sleep.") for n in range(6)),
    ("picture", UnitKind.IMAGE, "A lighthouse at night."),
]
WORDS = ["harbour", "traffic", "herring", "cats", "lighthouse"]


def vector(text: str) -> np.ndarray:
    counts = np.array([text.lower().count(word) for word in WORDS] + [0.1], np.float32)
    return counts / np.linalg.norm(counts)


async def embed(texts: Sequence[str]) -> np.ndarray:
    return np.stack([vector(text) for text in texts])


async def active(document_ids: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(document_ids, "v1")


async def published(_document: str, _version: str) -> Mapping[str, Chunk]:
    return {}


def chunk(ordinal: int, name: str, kind: UnitKind, text: str) -> Chunk:
    whole = Span(0, len(text))
    return Chunk(name, "d", "v1", ordinal, text, whole, "ports.pdf", sentences=(whole,), kind=kind)


@pytest.fixture
def readers(tmp_path: Path) -> Readers:
    tenant, scope = DEFAULT_TENANT, Scope(DEFAULT_TENANT)
    vectors, keywords, graphs = SqliteVectors(tmp_path), SqliteKeywords(tmp_path), SqliteGraphs(tmp_path)
    chunks = [chunk(n, *page) for n, page in enumerate(PAGES)]
    rows = [ChunkVectors(c.id, vector(c.text).tobytes(), vector(c.text).tobytes()) for c in chunks]
    vectors.writer(tenant).upsert([VectorRow(row, "d", "v1", scope) for row in rows])
    keywords.writer(tenant).upsert(keyword_rows(chunks, scope))
    shares = {c.id: ChunkGraph(c.id) for c in chunks}
    shares["lead"] = ChunkGraph("lead", steps=(Step(StepType.HAS_TABLE, "table"),))
    graphs.writer(tenant).upsert([GraphRow(share, "d", "v1", scope) for share in shares.values()])
    return Readers(vectors.reader(tenant), keywords.reader(tenant), graphs.reader(tenant), embed, published)


async def search(readers: Readers, question: str, *modalities: str, top_k: int = 3):
    restrict = SearchFilter(modalities=modalities)
    return await pipeline.search(question, Mode.HYBRID, top_k, restrict, readers, active, Budgets(30, 30, 30))


async def test_a_text_leads_to_its_table_whose_words_the_question_does_not_have(readers: Readers) -> None:
    found = await search(readers, "harbour traffic of the herring fleet")
    assert [hit.chunk.id for hit in found.hits[:2]] == ["lead", "table"]
    assert found.hits[1].nearby == Nearby("lead", StepType.HAS_TABLE)


async def test_a_table_leads_back_to_the_text_that_has_it(readers: Readers) -> None:
    found = await search(readers, "430 in 1912")
    assert found.hits[0].chunk.id == "table"
    lead = next(hit for hit in found.hits if hit.chunk.id == "lead")
    assert lead.nearby == Nearby("table", StepType.HAS_TABLE)


async def test_a_modality_that_was_asked_for_is_among_the_hits(readers: Readers) -> None:
    plain = await search(readers, "harbour cats")
    assert {hit.chunk.kind for hit in plain.hits} == {UnitKind.TEXT}
    asked = await search(readers, "harbour cats", "image")
    assert [hit.chunk.kind for hit in asked.hits] == [UnitKind.TEXT, UnitKind.TEXT, UnitKind.IMAGE]
    assert asked.uncovered == ()


async def test_a_picture_near_the_question_is_found_in_its_own_space(readers: Readers, tmp_path: Path) -> None:
    """Nothing of the question stands in the words of "picture": its pixels are near it."""
    pictures = SqliteVectors(tmp_path, "pictures")
    near = np.array([0.8, 0.6], np.float32)
    rows = [ChunkVectors("picture", near.tobytes()), ChunkVectors("other0", np.array([0, 1], np.float32).tobytes())]
    pictures.writer(DEFAULT_TENANT).upsert([VectorRow(row, "d", "v1", Scope(DEFAULT_TENANT)) for row in rows])

    async def seen(texts: Sequence[str]) -> np.ndarray:
        return np.array([[1.0, 0.0]] * len(texts), np.float32)

    sighted = msgspec.structs.replace(readers, visuals=Visuals(pictures.reader(DEFAULT_TENANT), seen))
    (blind,) = [hit for hit in (await search(readers, "harbour cats", top_k=9)).hits if hit.chunk.id == "picture"]
    (found,) = [hit for hit in (await search(sighted, "harbour cats", top_k=9)).hits if hit.chunk.id == "picture"]
    assert found.score > blind.score
    assert [(at.source, at.rank) for at in found.sources if at.source == "visual"] == [("visual", 1)]


async def test_a_modality_that_is_nowhere_is_named(readers: Readers) -> None:
    found = await search(readers, "harbour cats", "equation", "text")
    assert found.uncovered == ("equation",)
    assert len(found.hits) == 3


def test_a_short_table_within_a_text_counts_as_a_table() -> None:
    mixed = Chunk("c", "d", "v", 0, "x", Span(0, 1), "s", kinds=(UnitKind.TEXT, UnitKind.TABLE))
    assert missing([mixed], ["table", "image"]) == ["image"]


KINDS = st.sampled_from([UnitKind.TEXT, UnitKind.TABLE, UnitKind.IMAGE])


@given(st.lists(KINDS, max_size=12), st.lists(KINDS, max_size=3), st.integers(1, 6))
def test_covering_keeps_the_order_and_leaves_out_no_modality_that_it_could_show(
    kinds: list[UnitKind], wanted: list[UnitKind], top_k: int
) -> None:
    ranked = [(Scored(str(n), 1.0 - n / 100), chunk(n, str(n), kind, "x")) for n, kind in enumerate(kinds)]
    kept = covering(ranked, wanted, top_k)
    places = [ranked.index(pair) for pair in kept]
    assert places == sorted(set(places))
    assert len(kept) == min(top_k, len(ranked))
    reachable = [kind for kind in dict.fromkeys(wanted) if kind in kinds]
    left_out = [kind for kind in reachable if kind not in {c.kind for _, c in kept}]
    assert len(left_out) == max(0, len(reachable) - top_k)
