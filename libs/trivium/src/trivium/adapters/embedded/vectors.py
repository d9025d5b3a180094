"""Vectors: SQLite rows as the truth, a flat in-memory index over the passages, sentences read from disk."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from trivium.adapters.embedded.flat import FlatIndex
from trivium.adapters.embedded.mirror import STATE_TABLE, Mirror, count_changes
from trivium.adapters.embedded.recent import RecentRows
from trivium.adapters.embedded.slots import COLUMNS
from trivium.adapters.embedded.sqlite import Database, ReadThreads, Schema, TenantDatabases, json_list, rebuilding
from trivium.adapters.embedded.stored_kinds import of_neighbour
from trivium.adapters.embedded.stored_times import fill_uploaded
from trivium.adapters.kinds import kinds_text
from trivium.adapters.narrow import Int16Vectors, cosines, dequantized, quantized_int16
from trivium.domain.drift import Store
from trivium.domain.errors import NeverWill
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.scope import Tenant
from trivium.ports.vectors import Vector, VectorRow


def _name_all_kinds(connection: sqlite3.Connection) -> None:
    """`kind` was the passage's own alone; the keyword index beside this file knows the others."""
    if connection.execute("SELECT 1 FROM passages LIMIT 1").fetchone():
        connection.executemany("UPDATE passages SET kind = ? WHERE chunk_id = ?", of_neighbour(connection))


SCHEMA = Schema(
    name="vector index",
    steps=(
        STATE_TABLE
        + """
        CREATE TABLE passages (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a mirror sees every change
            chunk_id TEXT NOT NULL UNIQUE, document_id TEXT NOT NULL, version TEXT NOT NULL,
            dataset TEXT NOT NULL, run TEXT NOT NULL, kind TEXT NOT NULL, -- all kinds, see trivium.adapters.kinds
            vector BLOB NOT NULL -- float32
        );
        CREATE INDEX by_document ON passages (document_id, version);
        CREATE TABLE sentences (
            seq INTEGER PRIMARY KEY REFERENCES passages (seq) ON DELETE CASCADE,
            vectors BLOB NOT NULL -- int16, row by row, see trivium.adapters.narrow
        );
        """,
        _name_all_kinds,
        # Times, in Unix seconds; `dated` is what the document says of itself.
        """
        ALTER TABLE passages ADD COLUMN uploaded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE passages ADD COLUMN dated INTEGER
        """,
        lambda connection: fill_uploaded(connection, "passages", "document_id"),
    ),
    recovery=rebuilding(Store.VECTORS),  # which writes those of pictures as well
    page_size=16384,  # three chunks' sentence vectors stand in one page without overflow
)
_COLUMNS = COLUMNS.replace("kinds", "kind")
_FLOAT32_BYTES = 4
MAX_RECENT_BYTES = 96 * 1024 * 1024  # about 125,000 sentences of 384 values

Sentences = RecentRows[str, Int16Vectors]


class SqliteVectors:
    """All tenants' vectors of one space, in `<data>/tenants/<tenant>/<space>.sqlite`."""

    def __init__(self, data: Path, space: str = "vectors", schema: Schema = SCHEMA) -> None:
        self._databases = TenantDatabases(data, space, schema)
        self._threads = ReadThreads(space)
        self._lock = threading.Lock()
        self._mirrors: dict[Tenant, Mirror[FlatIndex]] = {}
        self._sentences: dict[Tenant, Sentences] = {}

    def writer(self, tenant: Tenant) -> SqliteVectorWriter:
        """For workers."""
        return SqliteVectorWriter(self._databases.of(tenant))

    def reader(self, tenant: Tenant) -> SqliteVectorReader:
        """For queries; the index is loaded by the first search."""
        with self._lock:
            mirror = self._mirrors.get(tenant)
            if mirror is None:
                mirror = self._mirrors[tenant] = Mirror(
                    FlatIndex,
                    f"SELECT {_COLUMNS}, vector FROM passages WHERE seq > ? ORDER BY seq",  # noqa: S608
                    "SELECT seq FROM passages",
                )
            sentences = self._sentences.setdefault(tenant, RecentRows(lambda row: row.nbytes, MAX_RECENT_BYTES))
        return SqliteVectorReader(self._databases.of(tenant), mirror, sentences, self._threads)

    def database(self, tenant: Tenant) -> Database:
        """The tenant's file, for what is made of it."""
        return self._databases.of(tenant)

    def tenants(self) -> set[Tenant]:
        """Those that have a file."""
        return self._databases.tenants()

    def drop(self, tenant: Tenant) -> None:
        """Delete the tenant's file."""
        with self._lock:
            self._mirrors.pop(tenant, None)
            self._sentences.pop(tenant, None)
        self._databases.drop(tenant)

    def close(self) -> None:
        """End the threads and close the files."""
        self._threads.close()
        self._databases.close()


class SqliteVectorWriter:
    """Writes one tenant's vectors; see `trivium.ports.vectors.VectorWriter`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Store the rows in one transaction."""
        batch = {row.vectors.chunk_id: row for row in rows}
        if not batch:
            return
        with self._database.write() as connection:
            put_rows(connection, batch)

    def delete(self, document_id: str) -> None:
        """Remove the document's rows."""
        self.delete_others({document_id: ""})

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove all but the version that each document keeps."""
        with self._database.write() as connection:
            removed = connection.executemany(
                "DELETE FROM passages WHERE document_id = ? AND version <> ?", list(kept.items())
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
                        "SELECT chunk_id FROM passages WHERE document_id = ? AND version = ?", (document_id, version)
                    )
                }
                for document_id, version in versions.items()
            }

    def seen_ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The same: every write is seen at once."""
        return self.ids(versions)

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows."""
        with self._database.read() as connection:
            yield from connection.execute("SELECT DISTINCT document_id, version FROM passages").fetchall()

    def unlike(self, rows: Sequence[VectorRow]) -> set[str]:
        """The chunks whose row is another."""
        wanted = {row.vectors.chunk_id: (*_columns(row), quantized_int16(row.vectors.sentences)) for row in rows}
        with self._database.read() as connection:
            stored = connection.execute(
                "SELECT chunk_id, document_id, version, dataset, run, uploaded, dated, kind, vector,"
                " cast(coalesce(vectors, '') AS BLOB)"
                " FROM passages LEFT JOIN sentences USING (seq) WHERE chunk_id IN (SELECT value FROM json_each(?))",
                (json_list(list(wanted)),),
            )
            return set(wanted) - {row[0] for row in stored if row == wanted[row[0]]}


class SqliteVectorReader:
    """Reads one tenant's vectors; see `trivium.ports.vectors.VectorReader`."""

    def __init__(
        self, database: Database, mirror: Mirror[FlatIndex], sentences: Sentences, threads: ReadThreads
    ) -> None:
        self._database = database
        self._mirror = mirror
        self._sentences = sentences
        self._threads = threads

    async def search(self, vector: Vector, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]:
        """The best passages by cosine similarity."""
        return await self._threads.run(
            self._database,
            lambda connection: self._mirror.at(connection).search(vector, limit, where),
        )

    async def sentence_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The sentences' vectors by chunk."""

        def query(connection: sqlite3.Connection) -> dict[str, Vector]:
            return {key: dequantized(rows) for key, rows in self._read_sentences(chunk_ids, connection).items()}

        return await self._threads.run(self._database, query)

    async def sentence_cosines(self, chunk_ids: Sequence[str], vector: Vector) -> dict[str, Vector]:
        """The cosine of `vector` with every sentence, by chunk."""
        return await self._threads.run(
            self._database, lambda connection: cosines(self._read_sentences(chunk_ids, connection), vector)
        )

    def _read_sentences(self, chunk_ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Int16Vectors]:
        stamp = connection.execute("SELECT epoch, removed FROM state").fetchone()  # rows added change no other
        return self._sentences.at(stamp, chunk_ids, lambda missing: _read_sentences(connection, missing))

    async def passage_vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The passages' own vectors."""

        def query(connection: sqlite3.Connection) -> dict[str, Vector]:
            rows = connection.execute(
                "SELECT chunk_id, vector FROM passages WHERE chunk_id IN (SELECT value FROM json_each(?))",
                (json_list(chunk_ids),),
            )
            return {chunk_id: np.frombuffer(vector, np.float32) for chunk_id, vector in rows}

        return await self._threads.run(self._database, query)

    async def origins(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The document and version of each."""

        def query(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
            rows = connection.execute(
                "SELECT chunk_id, document_id, version FROM passages"
                " WHERE chunk_id IN (SELECT value FROM json_each(?))",
                (json_list(chunk_ids),),
            )
            return {chunk_id: (document_id, version) for chunk_id, document_id, version in rows}

        return await self._threads.run(self._database, query)


def _read_sentences(connection: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, Int16Vectors]:
    """(n_sentences, d) by chunk."""
    rows = connection.execute(
        "SELECT chunk_id, vectors, length(vector) / 4 FROM passages JOIN sentences USING (seq)"
        " WHERE chunk_id IN (SELECT value FROM json_each(?))",
        (json_list(chunk_ids),),
    )
    return {key: np.frombuffer(vectors, np.int16).reshape(-1, dimension) for key, vectors, dimension in rows}


def put_rows(connection: sqlite3.Connection, batch: Mapping[str, VectorRow]) -> None:
    """Add or replace the rows, by chunk id, in a transaction that is open."""
    _require_dimension(connection, batch.values())
    replaced = connection.execute(
        "DELETE FROM passages WHERE chunk_id IN (SELECT value FROM json_each(?))", (json_list(list(batch)),)
    ).rowcount
    for row in batch.values():
        _insert(connection, row)
    count_changes(connection, len(batch), replaced)


def _insert(connection: sqlite3.Connection, row: VectorRow) -> None:
    seq = connection.execute(
        "INSERT INTO passages (chunk_id, document_id, version, dataset, run, uploaded, dated, kind, vector)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _columns(row),
    ).lastrowid
    sentences = quantized_int16(row.vectors.sentences)
    connection.execute("INSERT INTO sentences (seq, vectors) VALUES (?, ?)", (seq, sentences))


def _columns(row: VectorRow) -> tuple[str | bytes | int | None, ...]:
    """What stands in `passages`."""
    scope, vectors = row.scope, row.vectors
    address = (vectors.chunk_id, row.document_id, row.version)
    of_document = (scope.dataset, scope.run, scope.uploaded, scope.dated)
    return (*address, *of_document, kinds_text(row.kinds), vectors.passage)


def _require_dimension(connection: sqlite3.Connection, rows: Iterable[VectorRow]) -> None:
    """An empty tenant takes any dimension, the same for all rows of its first batch."""
    first = connection.execute("SELECT length(vector) FROM passages LIMIT 1").fetchone()
    size = first[0] if first else 0
    for row in rows:
        size = size or len(row.vectors.passage)
        good = len(row.vectors.passage) == size and size and len(row.vectors.sentences) % size == 0
        if not good:
            raise NeverWill(
                "wrong_dimension",
                f"The vectors of chunk {row.vectors.chunk_id} have {len(row.vectors.passage) / _FLOAT32_BYTES:g}"
                f" values, the tenant's others {size // _FLOAT32_BYTES}.",
                "Use one embedding model for all documents of a tenant; after a change, rebuild its vectors.",
            )
