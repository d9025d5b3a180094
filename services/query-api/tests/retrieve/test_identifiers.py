"""Asked for an identifier, its passage comes first: `bench/identifiers`, with vectors that know no identifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.graph import ChunkGraph, Mention
from trivium.domain.retrieval import Mode, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.evaluation.dataset import EvaluationSet, Row, load_set
from trivium.ports.graph import GraphRow
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import Vector, VectorRow
from trivium.text.names import names_in
from trivium.text.sentences import split_sentences
from trivium_query.retrieve import pipeline
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.store_reads import Readers
from trivium_query.words import content_words

SET = Path(__file__).parents[4] / "bench" / "identifiers"
DIMENSION = 64
KNOWN_FROM = 4  # documents that a word must stand in for the vectors to know it
SCOPE = Scope(DEFAULT_TENANT)


class BlindVectors:
    """Random directions of ordinary words; any other word is lost."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = Counter(word for text in texts for word in set(content_words(text)))
        known = sorted(word for word, count in counts.items() if count >= KNOWN_FROM and word.isalpha())
        rows = np.random.default_rng(0).standard_normal((len(known) + 1, DIMENSION)).astype(np.float32)
        self._directions = dict(zip(known, rows[1:], strict=True))
        self._nothing = rows[0]

    def of(self, text: str) -> Vector:
        rows = [self._directions[word] for word in content_words(text) if word in self._directions]
        vector: Vector = np.sum(rows, axis=0) if rows else self._nothing
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    async def embed(self, texts: Sequence[str]) -> Vector:
        return np.stack([self.of(text) for text in texts])


@pytest.fixture(scope="module")
def asked() -> EvaluationSet:
    return load_set(SET)


@pytest.fixture(scope="module")
def readers(asked: EvaluationSet, tmp_path_factory: pytest.TempPathFactory) -> Readers:
    folder = tmp_path_factory.mktemp("identifiers")
    vectors, keywords, graphs = SqliteVectors(folder), SqliteKeywords(folder), SqliteGraphs(folder)
    blind = BlindVectors([row.text for row in asked.documents])
    chunks = [_chunk(row) for row in asked.documents]
    stored = [ChunkVectors(chunk.id, blind.of(chunk.text).tobytes(), _sentences(chunk, blind)) for chunk in chunks]
    vectors.writer(DEFAULT_TENANT).upsert([VectorRow(each, each.chunk_id, "v1", SCOPE) for each in stored])
    keywords.writer(DEFAULT_TENANT).upsert(keyword_rows(chunks, SCOPE))
    graphs.writer(DEFAULT_TENANT).upsert([GraphRow(_share(chunk), chunk.id, "v1", SCOPE) for chunk in chunks])
    stores = (store.reader(DEFAULT_TENANT) for store in (vectors, keywords, graphs))
    return Readers(*stores, blind.embed, _no_artifacts)


def _chunk(row: Row) -> Chunk:
    sentences = split_sentences(row.text)
    return Chunk(
        id=row.id,
        document_id=row.id,
        version="v1",
        ordinal=0,
        text=row.text,
        span=Span(0, len(row.text)),
        source=row.id,
        sentences=sentences,
        title=row.title or "",
    )


def _sentences(chunk: Chunk, blind: BlindVectors) -> bytes:
    return np.stack([blind.of(span.of(chunk.text)) for span in chunk.sentences]).tobytes()


def _share(chunk: Chunk) -> ChunkGraph:
    names = names_in(chunk.text, [(span.start, span.end) for span in chunk.sentences])
    rows = (Mention(name.key, chunk.id, name.sentence, Span(name.start, name.end), name.surface) for name in names)
    return ChunkGraph(chunk.id, tuple(rows))


async def _no_artifacts(document_id: str, version: str) -> dict[str, Chunk]:
    return {}


async def _active(document_ids: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(document_ids, "v1")


@pytest.mark.parametrize(
    ("mode", "at_least"),
    [(Mode.KEYWORD, 1.0), (Mode.HYBRID, 0.99), (Mode.RRF, 0.95), (Mode.WEIGHTED, 0.95), (Mode.PPR, 0.95)],
)
async def test_the_passage_with_the_identifier_comes_first(
    asked: EvaluationSet, readers: Readers, mode: Mode, at_least: float
) -> None:
    missed = []
    for query in asked.queries:
        found = await pipeline.search(query.question, mode, 1, SearchFilter(), readers, _active, Budgets(30, 30, 30))
        if not found.hits or found.hits[0].chunk.document_id not in query.relevant:
            missed.append(query.question)
    assert len(asked.queries) == 100
    assert 1 - len(missed) / len(asked.queries) >= at_least, missed
