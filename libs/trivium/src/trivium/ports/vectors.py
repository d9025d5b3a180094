"""Vectors: dense search over passages, and the sentence vectors that path retrieval reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.chunks import ChunkVectors
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.scope import Scope, Tenant

Vector = NDArray[np.float32]


class VectorRow(msgspec.Struct, frozen=True):
    """What is stored of a chunk: its vectors and the fields a filter may name; `kinds` as `Chunk.held_kinds`."""

    vectors: ChunkVectors
    document_id: str
    version: str
    scope: Scope
    kinds: tuple[str, ...] = ("text",)


class VectorWriter(Protocol):
    """Writes one tenant's vectors.

    Missing: deleting what is not there does nothing.
    Duplicate: a row with a known chunk id replaces the old one.
    Empty: an empty batch is a no-op.
    Order: rows may come in any order.
    Half-done: a batch with a bad row leaves nothing; a repeated batch converges. One that a server failed in may be
    there in part; nobody sees it, because its version is not published.
    Visible: reads see a write at the latest once `ids`, called after it, has answered. Embedded stores promise more:
    at once, and a batch as a whole or not at all; and what `ids` has answered is there after a power cut.
    A vector of another dimension than the tenant's first raises `NeverWill` (`wrong_dimension`).
    """

    def upsert(self, rows: Sequence[VectorRow]) -> None: ...
    def delete(self, document_id: str) -> None:
        """Remove the document's rows."""
        ...

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove the rows of these documents, except those of the version that each keeps (id to version).

        One that keeps "" is removed whole. Many documents cost hardly more than one.
        """
        ...

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunk ids stored for one version of each document, `versions` being document id to version.

        Every document asked for is in the answer. Read back before publishing, and by the audit.
        """
        ...

    def seen_ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """As `ids`, but never waits for the newest writes: they may not be in the answer yet.

        What is in the answer every later search sees too.
        """
        ...

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows, in any order, each at least once; for the audit."""
        ...

    def unlike(self, rows: Sequence[VectorRow]) -> set[str]:
        """Of these rows, the ids of the chunks that are not stored exactly so, or not at all; for the audit.

        It sees every write before it, and reads what it compares: give it some hundred at a time.
        """
        ...


class VectorReader(Protocol):
    """Reads one tenant's vectors.

    Missing: unknown chunk ids are absent from the answer.
    Empty: a tenant without vectors answers no hits.
    Order: best first by cosine similarity, ties by chunk id.
    Filter: `where` holds within the search: however many better rows do not pass, those that do are found.
    """

    async def search(self, vector: Vector, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]: ...
    async def sentence_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """(n_sentences, d) float32 per chunk."""
        ...

    async def sentence_cosines(self, chunk_ids: Sequence[str], vector: Vector) -> dict[str, Vector]:
        """(n_sentences,) float32: the cosine of `vector` with each sentence, per chunk that has sentences as long."""
        ...

    async def passage_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """(d,) float32 per chunk."""
        ...

    async def origins(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """(document id, version) per chunk."""
        ...


class Vectors(Protocol):
    """All tenants' vectors."""

    def writer(self, tenant: Tenant) -> VectorWriter: ...
    def reader(self, tenant: Tenant) -> VectorReader: ...
    def drop(self, tenant: Tenant) -> None:
        """Remove everything of the tenant."""
        ...

    def tenants(self) -> set[Tenant]:
        """Whoever has rows that reads see, known to the registry or not; for the audit."""
        ...
