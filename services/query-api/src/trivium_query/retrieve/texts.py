"""Chunks by id, if queries may see them: from the keyword store and, while that is lost, from the artifacts.

The artifacts are what ingest made the rows from: whole documents, so slower to read, and there without an index.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from threading import Lock

from cachetools import LRUCache, cached

from trivium.domain.chunks import Chunk, memory_bytes
from trivium.domain.documents import Stage
from trivium.domain.errors import NotFound, TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.ports.objects import Objects
from trivium_query.retrieve.budgeted_reads import KEYWORD, BudgetedReads
from trivium_query.retrieve.store_reads import Readers

REMEMBERED_BYTES = 32 * 1024 * 1024  # of documents' chunks: the next question is often about the same ones
ORIGINS_S = 2.0
ARTIFACTS_S = 5.0  # one reading of artifacts, all its documents together
DOCUMENTS_PER_HIT = 2  # its own, and the one that its bridge starts from

ActiveVersions = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""document id -> the version that queries may see; documents without one are absent."""


class PublishedChunks:
    """The chunks that a document version was published with, from its artifacts."""

    def __init__(self, objects: Objects, max_bytes: int = REMEMBERED_BYTES) -> None:
        self._objects = objects
        recent: LRUCache[Hashable, Mapping[str, Chunk]] = LRUCache(
            max_bytes, lambda chunks: memory_bytes(chunks.values())
        )
        self._recent = cached(recent, lock=Lock())(self._load)  # an artifact's key names its content

    def of(self, tenant: Tenant, document_id: str, version: str) -> Mapping[str, Chunk]:
        """By chunk id; empty when the artifacts are damaged or gone. Blocks; raises `TryLater`."""
        publication = artifacts.published(self._objects.for_tenant(tenant), document_id, version)
        if publication is None:
            return {}
        try:
            return self._recent(tenant, publication.artifacts[Stage.ENRICH.value])
        except NotFound:
            return {}

    def _load(self, tenant: Tenant, key: str) -> Mapping[str, Chunk]:
        return {chunk.id: chunk for chunk in artifacts.load(self._objects.for_tenant(tenant), key, list[Chunk])}


class Texts:
    """One search's reading of chunks, for at most `hits` hits."""

    def __init__(self, readers: Readers, active: ActiveVersions, reads: BudgetedReads, hits: int) -> None:
        self._readers = readers
        self._active = active
        self._reads = reads
        self._max_documents = DOCUMENTS_PER_HIT * hits
        self._documents: dict[tuple[str, str], Mapping[str, Chunk]] = {}
        self._versions: dict[str, str] = {}  # "" for a document without a version that queries may see

    async def visible(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Those of the chunks, given best first, that exist and are published.

        Raises `TryLater` when neither the keyword store nor the artifacts can be read.
        """
        if not chunk_ids:
            return {}
        chunks: dict[str, Chunk] | None = await self._reads.ask(KEYWORD, self._readers.keywords.chunks(chunk_ids), None)
        if chunks is None:
            return await self._from_artifacts(chunk_ids)
        published = await self._published((chunk.document_id, chunk.version) for chunk in chunks.values())
        return {key: chunk for key, chunk in chunks.items() if (chunk.document_id, chunk.version) in published}

    async def _from_artifacts(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        origins = await self._origins(chunk_ids)
        published = await self._published(origins.values())
        places = {key: origins[key] for key in chunk_ids if origins.get(key) in published}
        try:
            async with asyncio.timeout(ARTIFACTS_S):
                for place in dict.fromkeys(places.values()):
                    await self._read(place)
        except TimeoutError as error:
            raise _no_text(f"the artifacts took more than {ARTIFACTS_S:g} s.") from error
        found = {key: self._documents.get(place, {}).get(key) for key, place in places.items()}
        return {key: chunk for key, chunk in found.items() if chunk is not None}

    async def _origins(self, chunk_ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Asked for whatever became of the question's vector: the rows may be there when the model is late."""
        try:
            with self._reads.waiting():
                async with asyncio.timeout(ORIGINS_S):
                    return await self._readers.vectors.origins(chunk_ids)
        except (TriviumError, TimeoutError) as error:
            reason = str(error) or f"no answer within {ORIGINS_S:g} s"
            raise _no_text(f"keyword: {self._reads.lost[KEYWORD].reason} vector: {reason}") from error

    async def _read(self, place: tuple[str, str]) -> None:
        if place not in self._documents and len(self._documents) < self._max_documents:
            self._documents[place] = await self._readers.published_chunks(*place)

    async def _published(self, places: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of the (document id, version) pairs that queries may see."""
        asked = set(places)
        unknown = sorted({document_id for document_id, _ in asked} - self._versions.keys())
        if unknown:
            with self._reads.waiting():
                self._versions |= dict.fromkeys(unknown, "") | dict(await self._active(unknown))
        return asked & self._versions.items()


def _no_text(reason: str) -> TryLater:
    return TryLater(
        "no_text", f"The passages' text could not be read: {reason}", "Or try again; /readyz says what is down."
    )
