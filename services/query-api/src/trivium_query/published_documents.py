"""The collection that one caller sees: counted from the registry, searched through the keyword index."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from trivium.batches import batches
from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.retrieval import Hit, SearchFilter
from trivium.ports.keywords import KeywordReader
from trivium.ports.registry import TenantRegistry
from trivium_query.answer.answerers.listing import Documents, Listing
from trivium_query.words import content_words

PAGE = 1000
MAX_DOCUMENTS = 10_000
MAX_PASSAGES = 1000  # that are looked through for what mentions something
MAX_PASSAGES_OF_ONE = 200
MAX_SHOWN = 20
MAX_LOOKED_AT = 200  # documents of which the kinds of passages are looked at


class PublishedDocuments(msgspec.Struct, frozen=True):
    """See `trivium_query.answer.answerers.listing.Collection`."""

    registry: TenantRegistry
    keywords: KeywordReader
    restrict: SearchFilter

    async def documents(self) -> Documents:
        """Page by page."""
        return await asyncio.to_thread(self._listed)

    async def first_passages(self, documents: Documents) -> Listing:
        """One read for each of the first `MAX_SHOWN`; where kinds are asked for, of the first `MAX_LOOKED_AT`."""
        kinds = self.restrict.kinds
        most, count = (MAX_LOOKED_AT, MAX_PASSAGES_OF_ONE) if kinds else (MAX_SHOWN, 1)
        looked_at = documents.found[:most]
        read: list[list[Chunk]] = []
        for some in batches(looked_at, MAX_SHOWN):
            read += await asyncio.gather(*(self._passages(each.id, each.active_version, count) for each in some))
        first = [chunks[0] for chunks in read if chunks]
        hits = _ranked(first[:MAX_SHOWN])
        if not kinds:
            return Listing(len(documents.found), hits, documents.exact)
        whole = all(chunks or each.chunks <= count for each, chunks in zip(looked_at, read, strict=True))
        return Listing(len(first), hits, documents.exact and whole and len(looked_at) == len(documents.found))

    async def mentioning(self, words: str) -> Listing:
        """Every passage that the index finds is read, for it finds those with one of the words too."""
        scored = await self.keywords.search(words, MAX_PASSAGES, self.restrict.rows())
        known = await published_chunks(self.keywords, self.registry, [one.chunk_id for one in scored])
        seen = [known[one.chunk_id] for one in scored if one.chunk_id in known]
        passages = await asyncio.to_thread(_holding, seen, content_words(words))
        return Listing(len(passages), _ranked(passages[:MAX_SHOWN]), exact=len(scored) < MAX_PASSAGES)

    async def passages(self, document_id: str, version: str) -> Sequence[Chunk]:
        """One read."""
        return await self._passages(document_id, version, MAX_PASSAGES_OF_ONE)

    async def _passages(self, document_id: str, version: str, count: int) -> list[Chunk]:
        """Of its first `count` those of the kinds that the filter asks for."""
        kinds = self.restrict.kinds
        chunks = await self.keywords.document_chunks(document_id, version, 0, count)
        return [chunk for chunk in chunks if not kinds or any(chunk.holds(kind) for kind in kinds)]

    def _listed(self) -> Documents:
        found: list[Document] = []
        cursor = ""
        while len(found) < MAX_DOCUMENTS:
            page = self.registry.list(limit=PAGE, cursor=cursor)
            found += [each for each in page.documents if self._is_seen(each)]
            cursor = page.cursor
            if not cursor:
                break
        return Documents(found, exact=not cursor)

    def _is_seen(self, document: Document) -> bool:
        return bool(document.active_version) and self.restrict.admits(document)


async def published_chunks(
    keywords: KeywordReader, registry: TenantRegistry, chunk_ids: Sequence[str]
) -> dict[str, Chunk]:
    """Those of the chunks that queries may see."""
    found = await keywords.chunks(chunk_ids) if chunk_ids else {}
    documents = sorted({chunk.document_id for chunk in found.values()})
    active = await asyncio.to_thread(registry.active_versions, documents)
    return {key: chunk for key, chunk in found.items() if active.get(chunk.document_id) == chunk.version}


def _holding(chunks: Sequence[Chunk], words: Sequence[str]) -> list[Chunk]:
    """The first passage of each document that holds the words in their order, content words alone."""
    wanted = f" {' '.join(words)} "
    holds = (chunk for chunk in chunks if wanted in f" {' '.join(content_words(f'{chunk.heading} {chunk.text}'))} ")
    first: dict[str, Chunk] = {}
    for chunk in holds:
        first.setdefault(chunk.document_id, chunk)
    return list(first.values())


def _ranked(chunks: Sequence[Chunk]) -> tuple[Hit, ...]:
    return tuple(Hit(chunk, rank, 0.0) for rank, chunk in enumerate(chunks, start=1))
