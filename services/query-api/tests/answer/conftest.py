"""A small library of chunks and what it takes to answer from it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import Position, UnitKind
from trivium.domain.retrieval import Bridge, Hit, Rerank, SearchResult
from trivium.ports.inference import Reranker, Vector
from trivium.ports.llm import Llm
from trivium.text.sentences import split_sentences
from trivium.text.source_code import split_source_code
from trivium_query.answer.answer import Dependencies
from trivium_query.requests import AskRequest
from trivium_query.words import content_words

DIMENSION = 256


def bag_of_words(texts: Sequence[str]) -> Vector:
    """Texts that share words are near each other; deterministic, and no model."""
    rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in content_words(text):
            row[zlib.crc32(word.encode()) % DIMENSION] += 1.0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)


class Library:
    """Chunks, found by shared words; every call is counted."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.bridges: dict[str, Bridge] = {}
        self.asked: list[str] = []

    def add(self, source: str, text: str, title: str = "", number: int = 1, **more: object) -> Chunk:
        kind = more.get("kind", UnitKind.TEXT)
        position = more.get("position", Position(page=3))
        assert isinstance(kind, UnitKind)
        assert isinstance(position, Position)
        chunk = Chunk(
            id=f"{source}#{number}",
            document_id=source,
            version="v1",
            ordinal=number - 1,
            text=text,
            span=Span(0, len(text)),
            source=source,
            sentences=split_source_code(text) if kind is UnitKind.CODE else split_sentences(text),
            title=title,
            kind=kind,
            positions=(position,),
        )
        self.chunks.append(chunk)
        return chunk

    def bridge(self, origin: Chunk, sentence: str, name: str, target: Chunk) -> None:
        self.bridges[target.id] = Bridge(origin.id, name, sentence, 1.0)

    def hits(self, question: str, top_k: int = 10) -> tuple[Hit, ...]:
        wanted = set(content_words(question))
        scored = [
            (len(wanted & set(content_words(f"{chunk.title} {chunk.text}"))) + 5.0 * (chunk.id in self.bridges), chunk)
            for chunk in self.chunks
        ]
        best = sorted(scored, key=lambda pair: -pair[0])[:top_k]
        return tuple(
            Hit(chunk, rank, score, bridge=self.bridges.get(chunk.id)) for rank, (score, chunk) in enumerate(best, 1)
        )

    async def retrieve(self, question: str, top_k: int) -> SearchResult:
        self.asked.append(question)
        return SearchResult(self.hits(question, top_k), timings_ms={"vector": 1.0})

    async def sentence_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        return {
            chunk.id: bag_of_words([span.of(chunk.text) for span in chunk.sentences])
            for chunk in self.chunks
            if chunk.id in chunk_ids
        }

    async def embed(self, texts: Sequence[str]) -> Vector:
        return bag_of_words(texts)

    def dependencies(
        self, llm: Llm | None = None, reranker: Reranker | None = None, rerank: Rerank = Rerank.NONE
    ) -> Dependencies:
        return Dependencies(self.retrieve, self.sentence_vectors, self.embed, llm, reranker, rerank)  # type: ignore[arg-type]


@pytest.fixture
def library() -> Library:
    shelf = Library()
    shelf.add(
        "reports/apollo.pdf",
        "Apollo 11 was launched on July 16, 1969. Neil Armstrong commanded the Apollo 11 mission. "
        "The crew returned safely to the ocean after eight days.",
        title="Apollo 11",
        number=2,
    )
    shelf.add(
        "people/armstrong.docx",
        "Neil Armstrong was born in Wapakoneta, Ohio. He studied aeronautical engineering at Purdue University.",
        title="Neil Armstrong",
    )
    shelf.add("garden.md", "Tomatoes need full sun. Water them every morning.", title="Gardening")
    return shelf


@pytest.fixture
def ask() -> Callable[..., AskRequest]:
    def build(question: str, timeout_s: float = 20.0, top_k: int = 8, **more: object) -> AskRequest:
        return AskRequest(question=question, timeout_s=timeout_s, top_k=top_k, **more)  # type: ignore[arg-type]

    return build
