"""Keywords: BM25 over chunks, and the chunks' own text by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.scope import Scope, Tenant

BM25_K1 = 1.2
BM25_B = 0.75


class KeywordRow(msgspec.Struct, frozen=True):
    """What is stored of a chunk: itself, and the fields a filter may name."""

    chunk: Chunk
    scope: Scope


def keyword_rows(chunks: Sequence[Chunk], scope: Scope) -> list[KeywordRow]:
    """The rows of chunks of one document, or of several that have one scope."""
    return [KeywordRow(chunk, scope) for chunk in chunks]


class KeywordWriter(Protocol):
    """Writes one tenant's chunks.

    Missing: deleting what is not there does nothing.
    Duplicate: a chunk with a known id replaces the old one.
    Empty: an empty batch is a no-op.
    Order: chunks may come in any order.
    Half-done: a batch with a bad chunk leaves nothing; a repeated batch converges. One that a server failed in may be
    there in part; nobody sees it, because its version is not published.
    Visible: reads see a write at the latest once `ids`, called after it, has answered. Embedded stores promise more:
    at once, and a batch as a whole or not at all; and what `ids` has answered is there after a power cut.
    """

    def upsert(self, rows: Sequence[KeywordRow]) -> None: ...
    def delete(self, document_id: str) -> None:
        """Remove the document's chunks."""
        ...

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove the chunks of these documents, except those of the version that each keeps (id to version).

        One that keeps "" is removed whole. Many documents cost hardly more than one.
        """
        ...

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunk ids stored for one version of each document, `versions` being document id to version.

        Every document asked for is in the answer.
        """
        ...

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows, in any order, each at least once; for the audit."""
        ...

    def unlike(self, rows: Sequence[KeywordRow]) -> set[str]:
        """Of these rows, the ids of the chunks that are not stored exactly so, or not at all; for the audit.

        It sees every write before it, and reads what it compares: give it some hundred at a time.
        """
        ...


class KeywordReader(Protocol):
    """Reads one tenant's chunks.

    Missing: unknown chunk ids are absent from the answer.
    Empty: a query without a searchable word, or a tenant without chunks, answers no hits and no rarities.
    Order: best first by BM25 (k1 1.2, b 0.75; words folded to lower case without accents, English
    stemmed) over heading, context and text, ties by chunk id; `document_chunks` by ordinal.
    A query is words, never syntax: no character of it is an operator.
    Filter: `where` holds within the search: however many better chunks do not pass, those that do are found.
    """

    async def search(self, text: str, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]: ...
    async def rarities(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency by which `search` weighs each word; words that no chunk holds are absent.

        What the store takes apart has the sum of its parts'.
        """
        ...

    async def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]: ...
    async def document_chunks(self, document_id: str, version: str, start: int = 0, limit: int = 1000) -> list[Chunk]:
        """The chunks of one version with `ordinal >= start`."""
        ...


class Keywords(Protocol):
    """All tenants' chunks."""

    def writer(self, tenant: Tenant) -> KeywordWriter: ...
    def reader(self, tenant: Tenant) -> KeywordReader: ...
    def drop(self, tenant: Tenant) -> None: ...
    def tenants(self) -> set[Tenant]:
        """Whoever has rows that reads see, known to the registry or not; for the audit."""
        ...
