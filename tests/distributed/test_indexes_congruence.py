"""The same passages in the embedded stores and on the servers: the same questions find the same ones.

The passages and questions are those of the evaluation sets in DATA (as for `make eval`); the vectors are random
projections of their words, so that no model is needed and near passages are near.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from trivium.adapters.distributed.elasticsearch.keywords import ElasticKeywords
from trivium.adapters.distributed.milvus.vectors import MilvusVectors
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.config import load_settings
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.ids import digest
from trivium.domain.retrieval import Scored
from trivium.domain.scope import Scope, Tenant
from trivium.evaluation.dataset import load_set
from trivium.ports.keywords import Keywords, keyword_rows
from trivium.ports.vectors import Vector, VectorRow, Vectors

DATA = Path(os.environ.get("DATA") or Path(__file__).parents[3] / "shared" / "data")
SETS = ("2wiki_dev", "musique_train100", "hotpotqa_train100", "cranfield")
QUESTIONS = 500
TOP = 10
DIMENSION = 384
TENANT = Tenant(f"t{uuid.uuid4().hex}")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all((DATA / name).is_dir() for name in SETS), reason=f"DATA={DATA} does not hold {', '.join(SETS)}"
    ),
]


class Corpus(NamedTuple):
    chunks: list[Chunk]
    questions: list[str]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    sets = [load_set(DATA / name) for name in SETS]
    rows = [(held.name, row) for held in sets for row in held.documents]
    chunks = [
        Chunk(
            id=digest("c", name, row.id),
            document_id=digest("d", name, row.id),
            version="v1",
            ordinal=0,
            text=row.text,
            span=Span(0, len(row.text)),
            source=row.id,
            title=row.title or "",
        )
        for name, row in rows
    ]
    asked = sorted({query.question for held in sets for query in held.queries}, key=digest)
    return Corpus(chunks, asked[:QUESTIONS])


def test_keywords_rank_alike(corpus: Corpus, tmp_path: Path) -> None:
    with closing(SqliteKeywords(tmp_path)) as embedded, closing(ElasticKeywords(load_settings())) as distributed:
        try:
            here, there = (_keyword_rankings(store, corpus) for store in (embedded, distributed))
        finally:
            distributed.drop(TENANT)
    first = np.mean([a[0].chunk_id == b[0].chunk_id for a, b in zip(here, there, strict=True)])
    overlap = np.mean([_overlap(a, b) for a, b in zip(here, there, strict=True)])
    print(f"{len(here)} questions: the same first passage {first:.3f}, of the first {TOP} the same {overlap:.3f}")  # noqa: T201
    scales = [b[0].score / a[0].score for a, b in zip(here, there, strict=True)]
    assert np.median(scales) == pytest.approx(1, abs=0.02)
    assert first >= 0.95
    assert overlap >= 0.95


def test_vectors_rank_alike(corpus: Corpus, tmp_path: Path) -> None:
    with closing(SqliteVectors(tmp_path)) as embedded, closing(MilvusVectors(load_settings())) as distributed:
        try:
            here, there = (_vector_rankings(store, corpus) for store in (embedded, distributed))
        finally:
            distributed.drop(TENANT)
    overlap = np.mean([_overlap(a, b) for a, b in zip(here, there, strict=True)])
    print(f"{len(here)} questions: of the first {TOP} the same {overlap:.4f}")  # noqa: T201
    for mine, other in zip(here, there, strict=True):
        assert [hit.score for hit in mine] == pytest.approx([hit.score for hit in other], abs=1e-5)
    assert overlap >= 0.999  # but for ties in the last place


def _keyword_rankings(keywords: Keywords, corpus: Corpus) -> list[list[Scored]]:
    writer = keywords.writer(TENANT)
    for chunks in _batches(corpus.chunks):
        writer.upsert(keyword_rows(chunks, Scope(TENANT)))
    stored = writer.ids({chunk.document_id: "v1" for chunk in corpus.chunks})
    assert sum(map(len, stored.values())) == len(corpus.chunks)
    reader = keywords.reader(TENANT)

    async def ask() -> list[list[Scored]]:
        return [await reader.search(question, TOP) for question in corpus.questions]

    return asyncio.run(ask())


def _vector_rankings(vectors: Vectors, corpus: Corpus) -> list[list[Scored]]:
    writer = vectors.writer(TENANT)
    for chunks in _batches(corpus.chunks):
        held = [ChunkVectors(chunk.id, _embedded(chunk.text).tobytes()) for chunk in chunks]
        writer.upsert(
            [
                VectorRow(vector, chunk.document_id, "v1", Scope(TENANT))
                for vector, chunk in zip(held, chunks, strict=True)
            ]
        )
    stored = writer.ids({chunk.document_id: "v1" for chunk in corpus.chunks})
    assert sum(map(len, stored.values())) == len(corpus.chunks)
    reader = vectors.reader(TENANT)

    async def ask() -> list[list[Scored]]:
        return [await reader.search(_embedded(question), TOP) for question in corpus.questions]

    return asyncio.run(ask())


def _batches(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    rest = iter(chunks)
    while batch := list(islice(rest, 1000)):
        yield batch


def _overlap(here: Sequence[Scored], there: Sequence[Scored]) -> float:
    return len({hit.chunk_id for hit in here} & {hit.chunk_id for hit in there}) / max(1, len(here))


def _embedded(text: str) -> Vector:
    vector = np.sum([_direction(word) for word in re.findall(r"\w+", text.lower())] or [_direction("")], axis=0)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


@lru_cache(maxsize=1 << 16)
def _direction(word: str) -> Vector:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
