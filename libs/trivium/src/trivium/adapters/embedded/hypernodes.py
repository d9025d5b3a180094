"""HyperNodes: vectors in a space of their own, made from the passages where a data directory has none yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from trivium.adapters.embedded.neighbour import opened
from trivium.adapters.embedded.sqlite import rebuilding
from trivium.adapters.embedded.stored_sections import StoredPassage, passages_of
from trivium.adapters.embedded.vectors import SCHEMA, SqliteVectors, put_rows
from trivium.adapters.kinds import kinds_of
from trivium.batches import batches
from trivium.domain.chunks import ChunkVectors
from trivium.domain.drift import Store
from trivium.domain.errors import TriviumError
from trivium.domain.scope import Scope, Tenant
from trivium.hypernodes.centroids import Centroids
from trivium.hypernodes.sections import within
from trivium.ports.vectors import VectorRow

SPACE = "hypernodes"
ROWS_AT_ONCE = 512


class SqliteHyperNodes(SqliteVectors):
    """All tenants' HyperNodes, in `<data>/tenants/<tenant>/hypernodes.sqlite`."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, SPACE, msgspec.structs.replace(SCHEMA, recovery=rebuilding(Store.HYPERNODES)))

    def fill(self, vectors: SqliteVectors) -> None:
        """Make those of tenants that have vectors and never had a HyperNode: without a model; seconds for 100,000.

        All of a tenant or none: what is broken off is made at the next call. A tenant whose files cannot be read is
        left for `trivium rebuild --store hypernodes`.
        """
        for tenant in sorted(vectors.tenants(), key=str):
            database = self.database(tenant)
            keywords = database.path.with_name("keywords.sqlite")
            if not keywords.exists() or _was_filled(database.path):
                continue
            with (
                suppress(sqlite3.DatabaseError, msgspec.DecodeError, TriviumError),
                opened(keywords) as index,
                vectors.database(tenant).read() as stored,
                database.write() as connection,
            ):
                for some in batches(_rows(tenant, stored, index), ROWS_AT_ONCE):
                    put_rows(connection, {row.vectors.chunk_id: row for row in some})


def _was_filled(file: Path) -> bool:
    """Whether a HyperNode was ever in it; the file tells so alone, but for what is in its log still."""
    return file.exists() and (_had_rows(file, log=False) or _had_rows(file, log=True))


def _had_rows(file: Path, *, log: bool) -> bool:
    """True also where that cannot be read. A process that was killed before the first row leaves tables at most."""
    with suppress(sqlite3.DatabaseError), opened(file, log=log) as index:
        (version,) = index.execute("PRAGMA user_version").fetchone()
        return bool(version) and index.execute("SELECT 1 FROM state WHERE added > 0").fetchone() is not None
    return True


def _rows(tenant: Tenant, stored: sqlite3.Connection, keywords: sqlite3.Connection) -> Iterator[VectorRow]:
    """The HyperNodes of every version that has vectors."""
    for passages in passages_of(keywords):
        known = {row.vectors.chunk_id: row for row in _vectors(tenant, stored, passages)}
        nodes = within(*passages[0].place, passages)
        centroids = Centroids()
        for passage in passages:
            if passage.id in known:
                centroids.add(nodes[passage.id], known[passage.id], len(passage.text))
        yield from centroids.rows()


def _vectors(tenant: Tenant, stored: sqlite3.Connection, passages: Sequence[StoredPassage]) -> Iterator[VectorRow]:
    document_id, version = passages[0].place
    for chunk_id, dataset, run, uploaded, dated, kinds, vector in stored.execute(
        "SELECT chunk_id, dataset, run, uploaded, dated, kind, vector FROM passages"
        " WHERE document_id = ? AND version = ?",
        (document_id, version),
    ):
        scope = Scope(tenant, dataset, run, uploaded, dated)
        yield VectorRow(ChunkVectors(chunk_id, vector), document_id, version, scope, kinds_of(kinds))
