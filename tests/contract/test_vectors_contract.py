"""What every vector store promises; see `trivium.ports.vectors`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from read_back import read_back
from waiting import wait_until

from trivium.config import load_settings
from trivium.domain.chunks import ChunkVectors
from trivium.domain.errors import NeverWill
from trivium.domain.scope import Scope, Tenant
from trivium.ports.vectors import Vector, VectorRow, Vectors

DIMENSION = 8
EXAMPLES = 15 if load_settings().backend == "distributed" else 50
QUANTISED = 1e-3  # sentence vectors may be stored in 16 bits


def unit(*components: float, dimension: int = DIMENSION) -> Vector:
    vector = np.zeros(dimension, np.float32)
    vector[: len(components)] = components
    return vector / np.linalg.norm(vector)


def row(
    tenant: Tenant,
    chunk: str,
    vector: Vector,
    document: str = "d",
    version: str = "v1",
    sentences: Sequence[Vector] = (),
) -> VectorRow:
    stored = ChunkVectors(chunk, vector.tobytes(), b"".join(sentence.tobytes() for sentence in sentences))
    return VectorRow(stored, document, version, Scope(tenant))


@pytest.fixture
def vectors(stores, tenants: list[Tenant]) -> Iterator[Vectors]:
    yield read_back(stores.vectors)
    for tenant in tenants:
        stores.vectors.drop(tenant)


async def found(vectors: Vectors, tenant: Tenant, query: Vector, **options) -> list[str]:
    return [hit.chunk_id for hit in await vectors.reader(tenant).search(query, options.pop("limit", 100), **options)]


async def test_what_is_seen_is_found_by_every_later_search(stores, tenant: Tenant) -> None:
    writer, reader = stores.vectors.writer(tenant), stores.vectors.reader(tenant)
    assert writer.seen_ids({"d": "v1"}) == {"d": set()}
    writer.upsert([row(tenant, name, unit(1)) for name in "abc"])
    seen = {"d": {"a", "b", "c"}, "e": set()}
    wait_until(lambda: writer.seen_ids({"d": "v1", "e": "v1"}) == seen, "all are seen")
    assert {hit.chunk_id for hit in await reader.search(unit(1), 10)} == {"a", "b", "c"}
    assert writer.seen_ids({"d": "v2"}) == {"d": set()}
    stores.vectors.drop(tenant)


async def test_duplicate_chunk_replaces_the_old_row(vectors: Vectors, tenant: Tenant) -> None:
    writer, reader = vectors.writer(tenant), vectors.reader(tenant)
    writer.upsert([row(tenant, "a", unit(1), sentences=[unit(1), unit(0, 1)])])
    assert (await reader.search(unit(0, 0, 1), 9))[0].score == pytest.approx(0, abs=1e-6)
    writer.upsert([row(tenant, "a", unit(0, 1)), row(tenant, "a", unit(0, 0, 1), sentences=[unit(0, 0, 1)])])
    hits = await reader.search(unit(0, 0, 1), 9)
    assert [hit.chunk_id for hit in hits] == ["a"]
    assert hits[0].score == pytest.approx(1, abs=1e-5)
    assert (await reader.sentence_vectors(["a"]))["a"].shape == (1, DIMENSION)


async def test_empty_tenant_answers_nothing_and_an_empty_batch_is_a_no_op(vectors: Vectors, tenant: Tenant) -> None:
    vectors.writer(tenant).upsert([])
    reader = vectors.reader(tenant)
    assert await reader.search(unit(1), 10) == []
    assert await reader.passage_vectors(["a"]) == {}
    assert await reader.sentence_vectors([]) == {}
    vectors.writer(tenant).upsert([row(tenant, "a", unit(1))])
    assert await reader.search(unit(1), 0) == []
    assert (await reader.sentence_vectors(["a"]))["a"].shape == (0, DIMENSION)


async def test_order_best_first_ties_by_chunk_id(vectors: Vectors, tenant: Tenant) -> None:
    vectors.writer(tenant).upsert(
        [row(tenant, name, unit(1, slope)) for name, slope in (("z", 1), ("b", 0), ("c", 2), ("a", 1), ("m", 1))]
    )
    assert await found(vectors, tenant, unit(1)) == ["b", "a", "m", "z", "c"]
    for limit in range(1, 5):
        assert await found(vectors, tenant, unit(1), limit=limit) == ["b", "a", "m", "z", "c"][:limit]
    scores = [hit.score for hit in await vectors.reader(tenant).search(7 * unit(1), 9)]
    assert scores[0] == pytest.approx(1, abs=1e-5)
    assert scores[1] == pytest.approx(2**-0.5, abs=1e-5)


async def test_half_done_a_batch_with_a_bad_row_leaves_nothing(vectors: Vectors, tenant: Tenant) -> None:
    writer = vectors.writer(tenant)
    writer.upsert([row(tenant, "a", unit(1))])
    with pytest.raises(NeverWill) as refusal:
        writer.upsert([row(tenant, "b", unit(1)), row(tenant, "c", unit(1, dimension=4))])
    assert refusal.value.code == "wrong_dimension"
    assert writer.ids({"d": "v1"}) == {"d": {"a"}}
    assert await found(vectors, tenant, unit(1)) == ["a"]
    with pytest.raises(NeverWill):
        await vectors.reader(tenant).search(unit(1, dimension=4), 5)


async def test_vectors_come_back_as_they_were(vectors: Vectors, tenant: Tenant) -> None:
    random = np.random.default_rng(1)
    sentences = {f"c{n}": [unit(*random.standard_normal(DIMENSION)) for _ in range(n)] for n in range(5)}
    rows = [row(tenant, name, unit(1, 2, 3), sentences=held) for name, held in sentences.items()]
    vectors.writer(tenant).upsert(rows)
    back = await vectors.reader(tenant).sentence_vectors(list(sentences))
    for name, held in sentences.items():
        assert back[name].dtype == np.float32
        assert back[name].shape == (len(held), DIMENSION)
        assert np.allclose(back[name], np.array(held).reshape(-1, DIMENSION), atol=QUANTISED)
    asked = unit(*random.standard_normal(DIMENSION))
    cosines = await vectors.reader(tenant).sentence_cosines([*sentences, "none"], asked)
    assert cosines.keys() == {name for name, held in sentences.items() if held}
    for name, near in cosines.items():
        assert near.dtype == np.float32
        assert np.allclose(near, np.array(sentences[name]) @ asked, atol=QUANTISED * DIMENSION)
    assert await vectors.reader(tenant).sentence_cosines([], asked) == {}
    passages = await vectors.reader(tenant).passage_vectors(list(sentences))
    assert all(np.allclose(passages[name], unit(1, 2, 3), atol=1e-6) for name in sentences)


async def test_a_chunk_tells_the_document_and_version_that_it_is_of(
    vectors: Vectors, tenant: Tenant, other: Tenant
) -> None:
    writer, reader = vectors.writer(tenant), vectors.reader(tenant)
    writer.upsert([row(tenant, "a", unit(1)), row(tenant, "b", unit(1), document="e", version="v2")])
    assert await reader.origins(["b", "a", "none", "' OR 1=1 --"]) == {"a": ("d", "v1"), "b": ("e", "v2")}
    assert await reader.origins([]) == {}
    assert await vectors.reader(other).origins(["a", "b"]) == {}
    writer.upsert([row(tenant, "a", unit(1), version="v3")])
    assert await reader.origins(["a"]) == {"a": ("d", "v3")}


async def test_a_passage_of_300_sentences_comes_back_whole(vectors: Vectors, tenant: Tenant) -> None:
    random = np.random.default_rng(2)
    held = [unit(*random.standard_normal(384), dimension=384) for _ in range(300)]
    writer, reader = vectors.writer(tenant), vectors.reader(tenant)
    writer.upsert([row(tenant, "long", held[0], sentences=held), row(tenant, "short", held[1], sentences=held[:1])])
    back = await reader.sentence_vectors(["long", "short"])
    assert np.allclose(back["long"], np.array(held), atol=QUANTISED)
    assert back["short"].shape == (1, 384)
    assert set(await found(vectors, tenant, held[0])) == {"long", "short"}
    writer.delete("d")
    assert await reader.sentence_vectors(["long", "short"]) == {}


async def test_no_sentence_is_compared_with_a_vector_of_another_length(vectors: Vectors, tenant: Tenant) -> None:
    vectors.writer(tenant).upsert([row(tenant, "a", unit(1), sentences=[unit(1), unit(2)])])
    assert await vectors.reader(tenant).sentence_cosines(["a"], unit(1, dimension=4)) == {}


async def test_a_dropped_tenant_may_take_vectors_of_another_length(vectors: Vectors, tenant: Tenant) -> None:
    vectors.writer(tenant).upsert([row(tenant, "a", unit(1))])
    vectors.drop(tenant)
    vectors.writer(tenant).upsert([row(tenant, "b", unit(1, dimension=4))])
    assert await found(vectors, tenant, unit(1, dimension=4)) == ["b"]


async def test_a_cancelled_search_leaves_the_store_working(vectors: Vectors, tenant: Tenant) -> None:
    vectors.writer(tenant).upsert([row(tenant, "a", unit(1))])
    reader = vectors.reader(tenant)
    for _ in range(50):
        search = asyncio.create_task(reader.search(unit(1), 5))
        await asyncio.sleep(0)
        search.cancel()
    assert [hit.chunk_id for hit in await reader.search(unit(1), 5)] == ["a"]


CHUNKS = st.integers(0, 11)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), st.lists(st.tuples(CHUNKS, st.integers(-3, 3)), max_size=5)),
        st.tuples(st.just("delete"), st.integers(0, 2)),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, limit=st.integers(1, 12))
def test_search_equals_scoring_every_row_of_a_dictionary(
    vectors: Vectors, new_tenant: Callable[[], Tenant], steps: list[tuple[str, object]], limit: int
) -> None:
    tenant = new_tenant()
    model: dict[str, Vector] = {}
    writer = vectors.writer(tenant)

    async def check() -> None:
        query = unit(1, 0.5)
        hits = await vectors.reader(tenant).search(query, limit)
        expected = sorted(((-float(vector @ query), name) for name, vector in model.items()))[:limit]
        assert [hit.score for hit in hits] == pytest.approx([-score for score, _ in expected], abs=1e-5)
        assert {hit.chunk_id for hit in hits} <= set(model)
        assert len({hit.chunk_id for hit in hits}) == len(hits)

    for step, argument in steps:
        if step == "upsert":
            batch = [(f"c{chunk}", chunk % 3, unit(1, slope)) for chunk, slope in argument]
            writer.upsert([row(tenant, name, vector, document=f"d{document}") for name, document, vector in batch])
            model.update({name: vector for name, _, vector in batch})
        else:
            writer.delete(f"d{argument}")
            model = {name: vector for name, vector in model.items() if int(name[1:]) % 3 != argument}
        asyncio.run(check())


async def test_hypernodes_and_passages_do_not_meet(stores, vectors: Vectors, tenant: Tenant) -> None:
    nodes = read_back(stores.hypernodes)
    try:
        nodes.writer(tenant).upsert([row(tenant, "same", unit(1)), row(tenant, "node", unit(0, 1), "e")])
        vectors.writer(tenant).upsert([row(tenant, "same", unit(0, 1))])
        assert await found(nodes, tenant, unit(1)) == ["same", "node"]
        assert await found(vectors, tenant, unit(1)) == ["same"]
        vectors.writer(tenant).delete("d")
        assert nodes.writer(tenant).ids({"d": "v1", "e": "v1"}) == {"d": {"same"}, "e": {"node"}}
        assert stores.hypernodes.tenants() >= {tenant}
    finally:
        stores.hypernodes.drop(tenant)
    assert await found(nodes, tenant, unit(1)) == []
