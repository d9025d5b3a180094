from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.graph_shelf import SqliteShelf
from trivium.domain.chunks import Span
from trivium.domain.graph import CO_OCCURS, ChunkGraph, EntityType, Mention, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphRow
from trivium.resolution.record import MAX_NEIGHBOURS

ACME = Tenant("acme")


def row(document: str, name: str, other: str) -> GraphRow:
    """Two persons that stand together."""
    mentions = tuple(Mention(key, document, 0, Span(0, 1), key, type=EntityType.PERSON) for key in (name, other))
    together = Relation(name, other, CO_OCCURS, 0.9, document, Span(0, 1), "x", "test")
    return GraphRow(ChunkGraph(document, mentions, (together,)), document, "v1", Scope(ACME))


def test_of_a_name_that_waits_no_more_neighbours_are_kept_than_are_told_apart(tmp_path: Path) -> None:
    def kept() -> tuple[int, frozenset[str] | None]:
        with closing(sqlite3.connect(tmp_path / "tenants" / ACME.name / "graph.sqlite")) as db:
            [(rows,)] = db.execute("SELECT count(*) FROM unresolved WHERE key = 'brandt'")
            return rows, SqliteShelf(db).changed(["brandt"]).get("brandt", frozenset())

    with closing(SqliteGraphs(tmp_path)) as graphs:
        writer = graphs.writer(ACME)
        writer.upsert([row("first", "brandt", "quarry")])
        while writer.resolve():
            pass
        assert kept() == (0, frozenset())
        others = [f"quarry {number:03}" for number in range(MAX_NEIGHBOURS + 20)]
        for at in range(0, MAX_NEIGHBOURS, 64):
            writer.upsert([row(other, "brandt", other) for other in others[at : at + 64]])
        assert kept() == (MAX_NEIGHBOURS, frozenset(others[:MAX_NEIGHBOURS]))
        for other in others[MAX_NEIGHBOURS:]:
            writer.upsert([row(other, "brandt", other)])
        assert kept() == (MAX_NEIGHBOURS + 1, None)
        while writer.resolve():
            pass
        writer.upsert([row(f"all {other}", "quarry", other) for other in others])
        writer.delete_others({other: "" for other in others})
        assert kept() == (1, None)
