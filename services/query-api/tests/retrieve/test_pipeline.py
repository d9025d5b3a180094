import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from trivium.adapters.distributed.elasticsearch import server as elasticsearch
from trivium.adapters.distributed.milvus import server as milvus
from trivium.adapters.distributed.neo4j import server as neo4j
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.hypernodes import SqliteHyperNodes
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.errors import TryLater
from trivium.domain.graph import ChunkGraph, EntityType, Mention, MentionRole
from trivium.domain.retrieval import Mode, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.hypernodes.centroids import Centroids
from trivium.hypernodes.sections import within
from trivium.ports.graph import GraphRow
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow
from trivium.text.names import fold_name, names_in
from trivium_query.retrieve import pipeline
from trivium_query.retrieve.budgeted_reads import PATIENT_S, Budgets
from trivium_query.retrieve.store_reads import Readers

TEXTS = {
    "Sleep, My Love": "Sleep, My Love is a film. It was directed by Douglas Sirk.",
    "Douglas Sirk": "He was born in Hamburg. He worked in Los Angeles.",
    "Cabbage": "A vegetable that grows in the garden. It is a green plant.",
    "Film": "Motion pictures are shown. Each has someone who directed it.",
}
QUESTION = "Where was the one who directed Sleep, My Love born?"
WORDS = ["film", "directed", "born", "vegetable", "love", "green"]


def vector(text: str) -> np.ndarray:
    """A bag of a few words: enough geometry for a ranking."""
    counts = np.array([text.lower().count(word) for word in WORDS] + [0.1], np.float32)
    return counts / np.linalg.norm(counts)


async def embed(texts: Sequence[str]) -> np.ndarray:
    return np.stack([vector(text) for text in texts])


async def active(document_ids: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(document_ids, "v1")


def chunk_of(title: str, text: str) -> Chunk:
    first = text.index(". ") + 1
    return Chunk(
        id=fold_name(title).replace(" ", "-"),
        document_id=f"doc {title}",
        version="v1",
        ordinal=0,
        text=text,
        span=Span(0, len(text)),
        source=f"{title}.txt",
        sentences=(Span(0, first), Span(first + 1, len(text))),
        title=title,
    )


def type_of(name: str) -> EntityType:
    return EntityType.PERSON if name == "Douglas Sirk" else EntityType.CONCEPT


def share_of(chunk: Chunk) -> ChunkGraph:
    about = Mention(
        fold_name(chunk.title), chunk.id, 0, Span(0, 0), chunk.title, MentionRole.TITLE, type_of(chunk.title)
    )
    named = (
        Mention(name.key, chunk.id, name.sentence, Span(name.start, name.end), name.surface, type=type_of(name.surface))
        for name in names_in(chunk.text, [(span.start, span.end) for span in chunk.sentences])
    )
    return ChunkGraph(chunk.id, (about, *named))


async def published_chunks(document_id: str, version: str) -> Mapping[str, Chunk]:
    """What the artifacts would say."""
    title = document_id.removeprefix("doc ")
    chunk = chunk_of(title, TEXTS[title])
    return {chunk.id: chunk}


@pytest.fixture
def readers(tmp_path: Path) -> Readers:
    return filled(tmp_path, {"default": TEXTS})


def filled(folder: Path, datasets: Mapping[str, Mapping[str, str]]) -> Readers:
    """Stores with a passage for each title and text."""
    vectors, keywords, graphs = SqliteVectors(folder), SqliteKeywords(folder), SqliteGraphs(folder)
    hypernodes = SqliteHyperNodes(folder)
    passages = [(Scope(DEFAULT_TENANT, name), row) for name, texts in datasets.items() for row in texts.items()]
    for scope, (title, text) in passages:
        chunk = chunk_of(title, text)
        sentences = np.stack([vector(span.of(text)) for span in chunk.sentences])
        stored = ChunkVectors(chunk.id, vector(f"{title} {text}").tobytes(), sentences.tobytes())
        vectors.writer(DEFAULT_TENANT).upsert([VectorRow(stored, chunk.document_id, "v1", scope)])
        keywords.writer(DEFAULT_TENANT).upsert(keyword_rows([chunk], scope))
        nodes = within(chunk.document_id, "v1", [chunk])[chunk.id]
        row = GraphRow(share_of(chunk), chunk.document_id, "v1", scope, within=nodes)
        graphs.writer(DEFAULT_TENANT).upsert([row])
        centroids = Centroids()
        centroids.add(nodes, VectorRow(stored, chunk.document_id, "v1", scope), len(text))
        hypernodes.writer(DEFAULT_TENANT).upsert(centroids.rows())
    tenant = DEFAULT_TENANT
    return Readers(
        vectors.reader(tenant),
        keywords.reader(tenant),
        graphs.reader(tenant),
        embed,
        published_chunks,
        hypernodes=hypernodes.reader(tenant),
    )


class Down:
    """A store that does not answer."""

    def __getattr__(self, name: str):
        async def failing(*args, **kwargs):
            raise TryLater("store_down", "The store is down.")

        return failing


class Slow(Down):
    """A store that answers after everybody has left."""

    def __getattr__(self, name: str):
        async def waiting(*args, **kwargs):
            await asyncio.sleep(60)

        return waiting


CROWD = 300  # more than any mode looks at
ENOUGH = Budgets(30, 30, 30)


async def search(
    readers: Readers, mode: Mode = Mode.HYBRID, restrict: SearchFilter | None = None, budgets: Budgets = ENOUGH
):
    return await pipeline.search(QUESTION, mode, 3, restrict or SearchFilter(), readers, active, budgets)


async def test_a_passage_that_shares_no_word_with_the_question_is_found_over_its_bridge(readers: Readers):
    result = await search(readers)
    hits = {hit.chunk.title: hit for hit in result.hits[:2]}
    assert set(hits) == {"Sleep, My Love", "Douglas Sirk"}
    bridge = hits["Douglas Sirk"].bridge
    assert bridge is not None
    assert (bridge.name, bridge.sentence) == ("Douglas Sirk", "It was directed by Douglas Sirk.")
    assert bridge.from_chunk_id == hits["Sleep, My Love"].chunk.id


@pytest.mark.parametrize("mode", list(Mode))
async def test_every_mode_ranks_from_one_best_first_and_says_why(readers: Readers, mode: Mode):
    result = await search(readers, mode)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert result.hits
    assert all(hit.sources for hit in result.hits)
    assert result.degraded == ()
    assert result.timings_ms["search"] >= 0


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.PPR])
async def test_what_scores_below_average_comes_last_and_is_not_lost(readers: Readers, mode: Mode):
    result = await pipeline.search(QUESTION, mode, 10, SearchFilter(), readers, active, ENOUGH)
    assert {hit.chunk.title for hit in result.hits} == set(TEXTS)


@pytest.mark.parametrize("broken", [Down(), Slow()])
@pytest.mark.parametrize("source", ["vectors", "keywords", "graph"])
async def test_a_lost_source_costs_its_own_results_and_is_named(readers: Readers, source: str, broken: Down):
    name = source.removesuffix("s")
    budgets = msgspec.structs.replace(ENOUGH, **{f"{name}_s": 0.1})
    result = await search(msgspec.structs.replace(readers, **{source: broken}), budgets=budgets)
    assert [lost.source for lost in result.degraded] == [name]
    assert result.hits[0].chunk.title == "Sleep, My Love"


class Behind(Down):
    """A store that answers, and not at once."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str):
        async def answering(*args, **kwargs):
            await asyncio.sleep(0.2)
            return await getattr(self._store, name)(*args, **kwargs)

        return answering


@pytest.mark.parametrize(("mode", "source"), [(Mode.KEYWORD, "keywords"), (Mode.VECTOR, "vectors")])
async def test_a_source_without_which_there_is_no_answer_is_waited_for(readers: Readers, mode: Mode, source: str):
    behind = msgspec.structs.replace(readers, **{source: Behind(getattr(readers, source))})
    hurried = Budgets(0.01, 0.01, 0.01)
    found = await search(behind, mode, budgets=hurried)
    assert found.hits[0].chunk.title == "Sleep, My Love"
    name = source.removesuffix("s")
    assert name not in {lost.source for lost in found.degraded}
    assert name in {
        lost.source
        for lost in (await search(behind, budgets=msgspec.structs.replace(ENOUGH, **{f"{name}_s": 0.01}))).degraded
    }


@pytest.mark.parametrize("broken", [Down(), Slow()])
async def test_the_graph_mode_falls_back_to_vectors_and_keywords_when_the_graph_is_lost(readers: Readers, broken: Down):
    without = msgspec.structs.replace(readers, graph=broken)
    budgets = msgspec.structs.replace(ENOUGH, graph_s=0.1)
    result = await pipeline.search(QUESTION, Mode.GRAPH, 10, SearchFilter(), without, active, budgets)
    assert [lost.source for lost in result.degraded] == ["graph"]
    assert result.hits[0].chunk.title == "Sleep, My Love"


@pytest.mark.parametrize(
    "question", ["Where was Sirk born?", "Where was Duglas Sirk born?", "where was douglas sirk born", "about sirk"]
)
async def test_bfs_finds_a_person_by_surname_misspelt_or_in_lower_case(readers: Readers, question: str):
    result = await pipeline.search(question, Mode.BFS, 10, SearchFilter(), readers, active, ENOUGH)
    direct = {hit.chunk.title for hit in result.hits for source in hit.sources if source.source == "graph"}
    assert {"Douglas Sirk", "Sleep, My Love"} & direct


@pytest.mark.parametrize("broken", [Down(), Slow()])
async def test_without_keywords_hits_have_their_text_and_bridges_their_sentence(readers: Readers, broken: Down):
    budgets = msgspec.structs.replace(ENOUGH, keyword_s=0.1)
    whole = {hit.chunk.id: hit for hit in (await search(readers)).hits}
    result = await search(msgspec.structs.replace(readers, keywords=broken), budgets=budgets)
    assert [lost.source for lost in result.degraded] == ["keyword"]
    assert all(hit.chunk == chunk_of(hit.chunk.title, TEXTS[hit.chunk.title]) for hit in result.hits)
    hits = {hit.chunk.title: hit for hit in result.hits[:2]}
    assert set(hits) == {"Sleep, My Love", "Douglas Sirk"}
    assert hits["Douglas Sirk"].bridge is not None
    assert hits["Douglas Sirk"].bridge == whole[hits["Douglas Sirk"].chunk.id].bridge


async def test_without_keywords_a_model_that_is_late_takes_nobodys_text(readers: Readers):
    async def loading(texts: Sequence[str]) -> np.ndarray:
        await asyncio.sleep(60)
        return np.zeros(0)

    late = msgspec.structs.replace(readers, keywords=Down(), embed=loading)
    result = await search(late, budgets=Budgets(0.1, 30, 30))
    assert {lost.source for lost in result.degraded} == {"keyword", "vector"}
    assert result.hits[0].chunk.title == "Sleep, My Love"


async def test_a_keyword_store_that_is_lost_is_asked_once(readers: Readers):
    asked = Counter[str]()

    class Counted(Down):
        def __getattr__(self, name: str):
            async def failing(*args, **kwargs):
                asked[name] += 1
                raise TryLater("store_down", "The store is down.")

            return failing

    down = msgspec.structs.replace(readers, keywords=Counted())
    assert (await search(down)).hits
    assert asked == {"search": 1}
    asked.clear()
    assert [lost.source for lost in (await search(down, Mode.VECTOR)).degraded] == ["keyword"]
    assert asked == {"chunks": 1}


async def test_artifacts_are_read_of_published_documents_alone_and_not_while_keywords_answer(readers: Readers):
    read: list[tuple[str, str]] = []

    async def noted(document_id: str, version: str) -> Mapping[str, Chunk]:
        read.append((document_id, version))
        return await published_chunks(document_id, version)

    async def some(document_ids: Sequence[str]) -> dict[str, str]:
        return {each: "v2" if each == "doc Sleep, My Love" else "v1" for each in document_ids}

    noting = msgspec.structs.replace(readers, published_chunks=noted)
    assert (await search(noting)).hits
    assert read == []
    down = msgspec.structs.replace(noting, keywords=Down())
    result = await pipeline.search(QUESTION, Mode.HYBRID, 1, SearchFilter(), down, some, ENOUGH)
    assert [hit.chunk.title for hit in result.hits] == ["Douglas Sirk"]
    assert result.hits[0].bridge is None
    assert ("doc Sleep, My Love", "v2") not in read
    assert ("doc Sleep, My Love", "v1") not in read
    assert len(read) == len(set(read)) <= 2


async def test_text_that_can_be_read_nowhere_is_an_error_to_try_again(readers: Readers):
    async def away(document_id: str, version: str) -> Mapping[str, Chunk]:
        raise TryLater("objects_down", "The object store is down.")

    with pytest.raises(TryLater, match="object store is down"):
        await search(msgspec.structs.replace(readers, keywords=Down(), published_chunks=away))
    with pytest.raises(TryLater, match="text could not be read"):
        await search(msgspec.structs.replace(readers, keywords=Down(), vectors=Down()), Mode.GRAPH)


async def test_nothing_left_to_search_is_an_error_to_try_again(readers: Readers):
    with pytest.raises(TryLater, match="No source could answer"):
        await search(msgspec.structs.replace(readers, vectors=Down()), Mode.VECTOR)


async def test_a_filter_holds_for_passages_that_the_graph_reached(readers: Readers):
    result = await search(readers, restrict=SearchFilter(document_ids=("doc Sleep, My Love",)))
    assert [hit.chunk.title for hit in result.hits] == ["Sleep, My Love"]


async def test_versions_that_are_not_published_are_never_shown(readers: Readers):
    async def none(document_ids: Sequence[str]) -> dict[str, str]:
        return {}

    result = await pipeline.search(QUESTION, Mode.HYBRID, 3, SearchFilter(), readers, none, ENOUGH)
    assert result.hits == ()


@pytest.mark.parametrize("mode", Mode)
async def test_a_dataset_of_one_passage_is_found_by_each_mode_behind_a_crowd_that_is_closer(
    mode: Mode, tmp_path: Path
) -> None:
    closer = "Sleep, My Love was directed by Someone. The one who directed Sleep, My Love was born."
    crowd = {f"Sleep, My Love {number}": closer for number in range(CROWD)}
    readers = filled(tmp_path, {"default": crowd, "papers": {"Sleep, My Love": TEXTS["Sleep, My Love"]}})
    found = await search(readers, mode, SearchFilter(dataset="papers"))
    assert [hit.chunk.document_id for hit in found.hits] == ["doc Sleep, My Love"]
    assert not found.degraded


@pytest.mark.parametrize("mode", [Mode.VECTOR, Mode.KEYWORD])
async def test_what_is_published_is_found_behind_a_crowd_that_nobody_sees_yet(mode: Mode, tmp_path: Path) -> None:
    closer = "Sleep, My Love was directed by Someone. The one who directed Sleep, My Love was born."
    crowd = {f"Sleep, My Love {number}": closer for number in range(CROWD)}
    readers = filled(tmp_path, {"default": crowd | {"Sleep, My Love": TEXTS["Sleep, My Love"]}})
    hidden = {f"doc {title}" for title in crowd}

    async def seen(document_ids: Sequence[str]) -> dict[str, str]:
        return await active([one for one in document_ids if one not in hidden])

    result = await pipeline.search(QUESTION, mode, 3, SearchFilter(), readers, seen, ENOUGH)
    assert [hit.chunk.document_id for hit in result.hits] == ["doc Sleep, My Love"]


def test_no_store_gives_up_while_a_search_still_waits_for_it() -> None:
    for server in (elasticsearch, milvus, neo4j):
        assert server.READ_TIMEOUT_S > PATIENT_S, server.__name__
