"""Keywords: SQLite rows as the truth, BM25 postings in memory, the chunks' own text by id."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from trivium.adapters.embedded.mirror import STATE_TABLE, Mirror, count_changes
from trivium.adapters.embedded.postings import PostingsIndex, encode_counts
from trivium.adapters.embedded.slots import COLUMNS
from trivium.adapters.embedded.sqlite import Database, ReadThreads, Schema, TenantDatabases, json_list, rebuilding
from trivium.adapters.embedded.stored_kinds import of_chunks
from trivium.adapters.embedded.stored_times import fill_uploaded
from trivium.adapters.embedded.words import WordCounter, was_counted_otherwise, word_key
from trivium.adapters.kinds import kinds_text
from trivium.domain.chunks import Chunk
from trivium.domain.drift import Store
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.scope import Scope, Tenant
from trivium.ports.keywords import KeywordRow


def _name_kinds(connection: sqlite3.Connection) -> None:
    connection.executemany("UPDATE chunks SET kinds = ? WHERE chunk_id = ?", list(of_chunks(connection)))


def _count_words_anew(connection: sqlite3.Connection) -> None:
    """Words that were cut at their marks, and numbers at their dots; indexes in memory are read again."""
    stored = connection.execute("SELECT seq, chunk FROM bodies")
    with closing(WordCounter()) as words:
        while some := stored.fetchmany(_COUNTED_AT_ONCE):
            texts = {seq: text for seq, body in some if was_counted_otherwise(text := _searchable(_decode((body,))))}
            counted = zip(texts, words.counts(list(texts.values())), strict=True)
            connection.executemany(
                "UPDATE chunks SET length = ?, counts = ? WHERE seq = ?",
                [(*_counted(counts), seq) for seq, counts in counted],
            )
    connection.execute("UPDATE state SET epoch = randomblob(16)")


_SCHEMA = Schema(
    name="keyword index",
    steps=(
        STATE_TABLE
        + """
        CREATE TABLE chunks (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a mirror sees every change
            chunk_id TEXT NOT NULL UNIQUE, document_id TEXT NOT NULL, version TEXT NOT NULL,
            ordinal INTEGER NOT NULL, dataset TEXT NOT NULL, run TEXT NOT NULL,
            length INTEGER NOT NULL, counts BLOB NOT NULL -- see postings.encode_counts
        );
        CREATE INDEX by_document ON chunks (document_id, version, ordinal);
        CREATE TABLE bodies (
            seq INTEGER PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
            chunk BLOB NOT NULL -- msgpack
        );
        """,
        "ALTER TABLE chunks ADD COLUMN kinds TEXT NOT NULL DEFAULT 'text'; -- see trivium.adapters.kinds",
        _name_kinds,
        # Times, in Unix seconds; `dated` is what the document says of itself.
        """
        ALTER TABLE chunks ADD COLUMN uploaded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE chunks ADD COLUMN dated INTEGER
        """,
        lambda connection: fill_uploaded(connection, "chunks", "document_id"),
        _count_words_anew,
    ),
    recovery=rebuilding(Store.KEYWORDS),
)
MAX_QUERY_CHARS = 100_000
_COUNTED_AT_ONCE = 512


class SqliteKeywords:
    """All tenants' chunks, in `<data>/tenants/<tenant>/keywords.sqlite`."""

    def __init__(self, data: Path) -> None:
        self._databases = TenantDatabases(data, "keywords", _SCHEMA)
        self._threads = ReadThreads("keywords")
        self._lock = threading.Lock()
        self._mirrors: dict[Tenant, Mirror[PostingsIndex]] = {}
        self._written_words = WordCounter()  # two, so that no question waits for a large document
        self._asked_words = WordCounter()

    def writer(self, tenant: Tenant) -> SqliteKeywordWriter:
        """For workers."""
        return SqliteKeywordWriter(self._databases.of(tenant), self._written_words)

    def reader(self, tenant: Tenant) -> SqliteKeywordReader:
        """For queries; the postings are loaded by the first search."""
        with self._lock:
            mirror = self._mirrors.get(tenant)
            if mirror is None:
                mirror = self._mirrors[tenant] = Mirror(
                    PostingsIndex,
                    f"SELECT {COLUMNS}, length, counts FROM chunks WHERE seq > ? ORDER BY seq",  # noqa: S608
                    "SELECT seq FROM chunks",
                )
        return SqliteKeywordReader(self._databases.of(tenant), mirror, self._threads, self._asked_words)

    def tenants(self) -> set[Tenant]:
        """Those that have a file."""
        return self._databases.tenants()

    def drop(self, tenant: Tenant) -> None:
        """Delete the tenant's file."""
        with self._lock:
            self._mirrors.pop(tenant, None)
        self._databases.drop(tenant)

    def close(self) -> None:
        """End the threads and close the files."""
        self._threads.close()
        self._databases.close()
        self._written_words.close()
        self._asked_words.close()


class SqliteKeywordWriter:
    """Writes one tenant's chunks; see `trivium.ports.keywords.KeywordWriter`."""

    def __init__(self, database: Database, words: WordCounter) -> None:
        self._database = database
        self._words = words

    def upsert(self, rows: Sequence[KeywordRow]) -> None:
        """Store the chunks in one transaction."""
        batch = {row.chunk.id: row for row in rows}
        if not batch:
            return
        counted = self._words.counts([_searchable(row.chunk) for row in batch.values()])
        with self._database.write() as connection:
            replaced = connection.execute(
                "DELETE FROM chunks WHERE chunk_id IN (SELECT value FROM json_each(?))", (json_list(list(batch)),)
            ).rowcount
            for row, counts in zip(batch.values(), counted, strict=True):
                _insert(connection, row.chunk, counts, row.scope)
            count_changes(connection, len(batch), replaced)

    def delete(self, document_id: str) -> None:
        """Remove the document's chunks."""
        self.delete_others({document_id: ""})

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove all but the version that each document keeps."""
        with self._database.write() as connection:
            removed = connection.executemany(
                "DELETE FROM chunks WHERE document_id = ? AND version <> ?", list(kept.items())
            ).rowcount
            if removed:
                count_changes(connection, 0, removed)

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunk ids stored for one version of each document."""
        with self._database.read(durable=True) as connection:
            return {
                document_id: {
                    chunk_id
                    for (chunk_id,) in connection.execute(
                        "SELECT chunk_id FROM chunks WHERE document_id = ? AND version = ?", (document_id, version)
                    )
                }
                for document_id, version in versions.items()
            }

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows."""
        with self._database.read() as connection:
            yield from connection.execute("SELECT DISTINCT document_id, version FROM chunks").fetchall()

    def unlike(self, rows: Sequence[KeywordRow]) -> set[str]:
        """The chunks whose row is another, or whose words are not those of their text."""
        counted = self._words.counts([_searchable(row.chunk) for row in rows])
        wanted = {
            row.chunk.id: (*_columns(row.chunk, counts, row.scope), row.chunk)
            for row, counts in zip(rows, counted, strict=True)
        }
        with self._database.read() as connection:
            stored = connection.execute(
                "SELECT chunk_id, document_id, version, ordinal, dataset, run, uploaded, dated, kinds, length, counts,"
                " cast(coalesce(chunk, '') AS BLOB)"
                " FROM chunks LEFT JOIN bodies USING (seq) WHERE chunk_id IN (SELECT value FROM json_each(?))",
                (json_list(list(wanted)),),
            )
            return set(wanted) - {row[0] for row in stored if _as_read(row) == wanted[row[0]]}


class SqliteKeywordReader:
    """Reads one tenant's chunks; see `trivium.ports.keywords.KeywordReader`."""

    def __init__(
        self, database: Database, mirror: Mirror[PostingsIndex], threads: ReadThreads, words: WordCounter
    ) -> None:
        self._database = database
        self._mirror = mirror
        self._threads = threads
        self._words = words

    async def search(self, text: str, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]:
        """The best chunks by BM25; what stands after `MAX_QUERY_CHARS` is not read."""

        def query(connection: sqlite3.Connection) -> list[Scored]:
            (counts,) = self._words.counts([" ".join(dict.fromkeys(text[:MAX_QUERY_CHARS].split()))])
            keys = np.array([word_key(word) for word in counts], np.uint64)
            return self._mirror.at(connection).search(keys, limit, where)

        return await self._threads.run(self._database, query)

    async def rarities(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each word that a chunk holds."""

        def query(connection: sqlite3.Connection) -> dict[str, float]:
            parts = [[word_key(part) for part in counts] for counts in self._words.counts(words)]
            keys = np.array(sorted({key for some in parts for key in some}), np.uint64)
            rarity = dict(zip(keys.tolist(), self._mirror.at(connection).rarities(keys), strict=True))
            found = zip(words, (sum(rarity[key] for key in some) for some in parts), strict=True)
            return {word: value for word, value in found if value}

        return await self._threads.run(self._database, query)

    async def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks by id."""

        def query(connection: sqlite3.Connection) -> dict[str, Chunk]:
            rows = connection.execute(
                "SELECT chunk FROM chunks JOIN bodies USING (seq) WHERE chunk_id IN (SELECT value FROM json_each(?))",
                (json_list(chunk_ids),),
            )
            return {chunk.id: chunk for chunk in map(_decode, rows)}

        return await self._threads.run(self._database, query)

    async def document_chunks(self, document_id: str, version: str, start: int = 0, limit: int = 1000) -> list[Chunk]:
        """The chunks of one version by ordinal."""

        def query(connection: sqlite3.Connection) -> list[Chunk]:
            rows = connection.execute(
                "SELECT chunk FROM chunks JOIN bodies USING (seq)"
                " WHERE document_id = ? AND version = ? AND ordinal >= ? ORDER BY ordinal, chunk_id LIMIT ?",
                (document_id, version, start, max(0, limit)),
            )
            return [_decode(row) for row in rows]

        return await self._threads.run(self._database, query)


def _searchable(chunk: Chunk) -> str:
    return "\n".join((chunk.heading, chunk.context, chunk.text))


def _insert(connection: sqlite3.Connection, chunk: Chunk, counts: dict[str, int], scope: Scope) -> None:
    seq = connection.execute(
        "INSERT INTO chunks"
        " (chunk_id, document_id, version, ordinal, dataset, run, uploaded, dated, kinds, length, counts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _columns(chunk, counts, scope),
    ).lastrowid
    connection.execute("INSERT INTO bodies (seq, chunk) VALUES (?, ?)", (seq, msgspec.msgpack.encode(chunk)))


def _columns(chunk: Chunk, counts: dict[str, int], scope: Scope) -> tuple[str | int | bytes | None, ...]:
    """What stands in `chunks`."""
    address = (chunk.id, chunk.document_id, chunk.version, chunk.ordinal)
    of_document = (scope.dataset, scope.run, scope.uploaded, scope.dated)
    return (*address, *of_document, kinds_text(chunk.held_kinds), *_counted(counts))


def _counted(counts: dict[str, int]) -> tuple[int, bytes]:
    """The chunk's length and its words, as stored."""
    return sum(counts.values()), encode_counts({word_key(word): counts[word] for word in sorted(counts)})


def _as_read(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A stored row with its chunk; None in the place of one that cannot be read."""
    *columns, body = row
    with suppress(msgspec.MsgspecError):
        return (*columns, _decode((body,)))
    return (*columns, None)


def _decode(row: tuple[bytes]) -> Chunk:
    return msgspec.msgpack.decode(row[0], type=Chunk)
