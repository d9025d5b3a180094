from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import RowFilter
from trivium.domain.scope import Scope, Tenant
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow

ACME = Tenant("acme")
UP = np.eye(1, 4, dtype=np.float32)[0]


def chunk(name: str, *kinds: UnitKind) -> Chunk:
    """A passage with units of these kinds, the first its own."""
    return Chunk(name, "d", "v1", 0, "apple", Span(0, 5), "a.txt", kind=kinds[0], kinds=kinds if len(kinds) > 1 else ())


CHUNKS = [
    chunk("plain", UnitKind.TEXT),
    chunk("mixed", UnitKind.TEXT, UnitKind.TABLE),
    chunk("picture", UnitKind.IMAGE),
]


async def test_indexes_written_before_kinds_were_kept_find_the_same_kinds(tmp_path: Path) -> None:
    rows = [
        VectorRow(ChunkVectors(each.id, UP.tobytes()), each.document_id, "v1", Scope(ACME), each.held_kinds)
        for each in CHUNKS
    ]
    with closing(SqliteKeywords(tmp_path)) as keywords, closing(SqliteVectors(tmp_path)) as vectors:
        keywords.writer(ACME).upsert(keyword_rows(CHUNKS, Scope(ACME)))
        vectors.writer(ACME).upsert(rows)
    folder = tmp_path / "tenants" / ACME.name
    with closing(sqlite3.connect(folder / "keywords.sqlite")) as older:
        older.executescript(
            "ALTER TABLE chunks DROP COLUMN kinds; ALTER TABLE chunks DROP COLUMN uploaded;"
            "ALTER TABLE chunks DROP COLUMN dated; PRAGMA user_version = 1;"
        )
    with closing(sqlite3.connect(folder / "vectors.sqlite")) as older:
        older.executescript(
            "UPDATE passages SET kind = 'text' WHERE kind = 'table|text'; ALTER TABLE passages DROP COLUMN uploaded;"
            "ALTER TABLE passages DROP COLUMN dated; PRAGMA user_version = 1;"
        )
    with closing(SqliteVectors(tmp_path)) as vectors, closing(SqliteKeywords(tmp_path)) as keywords:
        for wanted, found in (("table", {"mixed"}), ("image", {"picture"}), ("text", {"plain", "mixed"})):
            where = RowFilter(kinds=(wanted,))
            assert {hit.chunk_id for hit in await vectors.reader(ACME).search(UP, 9, where)} == found
            assert {hit.chunk_id for hit in await keywords.reader(ACME).search("apple", 9, where)} == found
        assert vectors.writer(ACME).unlike(rows) == set()
        assert keywords.writer(ACME).unlike(keyword_rows(CHUNKS, Scope(ACME))) == set()
