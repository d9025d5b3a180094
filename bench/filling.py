"""An installation filled with passages in a few minutes, through the stores' own writers and the registry.

The model reads each of `SENTENCES` sentences once. A passage is some of them under a name; its vector is the mean of
theirs, as the product's is the mean of its tokens. Names are found by the product's own extraction. What is left out
is the queue, the artifacts and the enrichment: searches use none of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import numpy as np
from speed import Writer

from trivium.adapters.distributed.neo4j.server import in_batches
from trivium.adapters.distributed.stores import DistributedStores
from trivium.adapters.models import connect_models
from trivium.concurrent_calls import map_concurrent
from trivium.config import Settings
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.ids import chunk_id, content_version, document_id
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.ports.graph import GraphRow
from trivium.ports.inference import Vector
from trivium.ports.keywords import keyword_rows
from trivium.ports.registry import TenantRegistry
from trivium.ports.vectors import VectorRow
from trivium_graph.build import extract

SENTENCES = 4000
SENTENCES_A_PASSAGE = 4  # some 350 characters
PASSAGES_A_DOCUMENT = 20
DOCUMENTS_AT_ONCE = 25
TEXTS_AT_ONCE = 64  # a query's deadline is short
LEASE_S = 600.0

Pool = tuple[list[str], Vector]


class Filled(msgspec.Struct, frozen=True):
    """A document's passages and their vectors."""

    chunks: list[Chunk]
    vectors: list[ChunkVectors]


def fill(settings: Settings, passages: int, seed: int) -> int:
    """Make so many passages findable, whole documents; answers how many."""
    writer = Writer(seed)
    with DistributedStores(settings) as stores, connect_models(settings) as models:
        texts = [writer.sentence() for _ in range(SENTENCES)]
        embedded = [models.embedder.embed_queries(some) for some in in_batches(texts, TEXTS_AT_ONCE)]
        pool = (texts, np.concatenate(embedded))
        registry = stores.registry.for_tenant(DEFAULT_TENANT)
        numbers = range(-(-passages // PASSAGES_A_DOCUMENT))
        for some in in_batches(numbers, DOCUMENTS_AT_ONCE):
            documents = [_document(number, writer, pool) for number in some]
            _index(stores, documents)
            map_concurrent(lambda document: _publish(registry, document.chunks), documents)
    return len(numbers) * PASSAGES_A_DOCUMENT


def _document(number: int, writer: Writer, pool: Pool) -> Filled:
    source = f"filled-{number:05}.md"
    identifier, version = document_id(DEFAULT_TENANT, source), content_version(source.encode())
    made = [_passage(identifier, version, ordinal, source, writer, pool) for ordinal in range(PASSAGES_A_DOCUMENT)]
    return Filled([chunk for chunk, _ in made], [vectors for _, vectors in made])


def _passage(
    identifier: str, version: str, ordinal: int, source: str, writer: Writer, pool: Pool
) -> tuple[Chunk, ChunkVectors]:
    texts, vectors = pool
    chosen = writer.rng.sample(range(SENTENCES), SENTENCES_A_PASSAGE)
    sentences: list[Span] = []
    text = ""
    for sentence in (texts[place] for place in chosen):
        text += " " if text else ""
        sentences.append(Span(len(text), len(text) + len(sentence)))
        text += sentence
    key = chunk_id(identifier, version, ordinal)
    mean = vectors[chosen].mean(axis=0)
    chunk = Chunk(
        key,
        identifier,
        version,
        ordinal,
        text,
        Span(0, len(text)),
        source,
        tuple(sentences),
        title=source,
        section=(writer.rng.choice(writer.names),),
    )
    return chunk, ChunkVectors(key, (mean / np.linalg.norm(mean)).tobytes(), vectors[chosen].tobytes())


def _index(stores: DistributedStores, documents: Sequence[Filled]) -> None:
    scope = Scope(DEFAULT_TENANT)
    chunks = [chunk for document in documents for chunk in document.chunks]
    vectors = [vectors for document in documents for vectors in document.vectors]
    shares = [share for document in documents for share in extract(document.chunks)]
    stores.keywords.writer(DEFAULT_TENANT).upsert(keyword_rows(chunks, scope))
    stores.vectors.writer(DEFAULT_TENANT).upsert(
        [
            VectorRow(of_one, chunk.document_id, chunk.version, scope, chunk.kind.value)
            for chunk, of_one in zip(chunks, vectors, strict=True)
        ]
    )
    stores.graphs.writer(DEFAULT_TENANT).upsert(
        [GraphRow(share, chunk.document_id, chunk.version, scope) for chunk, share in zip(chunks, shares, strict=True)]
    )


def _publish(registry: TenantRegistry, chunks: Sequence[Chunk]) -> None:
    first, now = chunks[0], time.time()
    registry.accept(Document(first.document_id, DEFAULT_TENANT.name, first.source, first.version, created_at=now))
    claimed = registry.claim(first.document_id, first.version, LEASE_S, now)
    registry.save(
        msgspec.structs.replace(
            claimed,
            state=DocumentState.READY,
            active_version=first.version,
            chunks=len(chunks),
            title=first.title,
            lease_until=0.0,
        )
    )
