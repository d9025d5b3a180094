from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.graph_schema import SCHEMA
from trivium.domain.chunks import Span
from trivium.domain.graph import Alias, ChunkGraph, EntityType, Mention, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphRow

# What `unresolved` was before it told which neighbours came or went.
BEFORE_NEIGHBOURS_WERE_TOLD = """
    ALTER TABLE unresolved RENAME TO later;
    CREATE TABLE unresolved (key TEXT PRIMARY KEY) WITHOUT ROWID;
    INSERT INTO unresolved SELECT DISTINCT key FROM later;
    DROP TABLE later;
"""
ACME = Tenant("acme")
KEYS = ["ada keller", "ak", "harbour", "bridge", "mill"]


def share(chunk: str, *names: str) -> ChunkGraph:
    """A chunk in which every name is related to the first, and "ak" is short for "ada keller"."""
    return ChunkGraph(
        chunk,
        tuple(Mention(name, chunk, 0, Span(0, 1), name) for name in names),
        tuple(Relation(names[0], other, "NEAR", 0.8, chunk, Span(0, 1), "x", "test") for other in names[1:]),
        (Alias("ak", "ada keller", "AK", chunk),),
    )


async def test_a_graph_written_before_degrees_and_the_order_of_edges_were_kept_tells_the_same(tmp_path: Path) -> None:
    shares = [share("c1", "ada keller", "harbour", "bridge"), share("c2", "ak", "bridge", "mill")]
    with closing(SqliteGraphs(tmp_path)) as graphs:
        graphs.writer(ACME).upsert([GraphRow(share, "d1", "v1", Scope(ACME)) for share in shares])
        told = (await graphs.reader(ACME).entities()).entities
        edges = await graphs.reader(ACME).edges(KEYS)
    file = tmp_path / "tenants" / ACME.name / "graph.sqlite"
    with closing(sqlite3.connect(file)) as older:
        older.executescript(
            "DROP TABLE tie; DROP TABLE degree; DROP TABLE state; DROP TABLE step; DROP TABLE decided;"
            "DROP TABLE hidden; ALTER TABLE edge DROP COLUMN hidden; ALTER TABLE share DROP COLUMN kinds;"
            "ALTER TABLE share DROP COLUMN uploaded; ALTER TABLE share DROP COLUMN dated;"
            "ALTER TABLE share DROP COLUMN within; DROP TABLE evidence; DROP TABLE unresolved; DROP TABLE block;"
            "DROP TABLE near; DROP TABLE verdict; PRAGMA user_version = 1;"
        )
    with closing(SqliteGraphs(tmp_path)) as graphs:
        assert (await graphs.reader(ACME).entities()).entities == told
        assert await graphs.reader(ACME).edges(KEYS) == edges
        assert [edge.evidence for edge in edges["ada keller"]] == [2, 1, 1]
        assert {entity.key: entity.degree for entity in told}["ada keller"] == 3
        graphs.writer(ACME).delete("d1")
        assert (await graphs.reader(ACME).entities()).entities == ()
        assert await graphs.reader(ACME).edges(KEYS) == {}


async def test_names_left_to_settle_by_an_earlier_version_are_decided_anew(tmp_path: Path) -> None:
    def put(document: str, *names: str) -> None:
        with closing(SqliteGraphs(tmp_path)) as graphs:
            graphs.writer(ACME).upsert([GraphRow(person(document, *names), document, "v1", Scope(ACME))])

    put("d1", "ilse brandt", "harbour")
    put("d2", "brandt", "mill")
    with closing(SqliteGraphs(tmp_path)) as graphs:
        while graphs.writer(ACME).resolve():
            pass
    put("d3", "ilse brandt", "mill")
    file = tmp_path / "tenants" / ACME.name / "graph.sqlite"
    with closing(sqlite3.connect(file)) as older:
        older.executescript(f"{BEFORE_NEIGHBOURS_WERE_TOLD} PRAGMA user_version = {SCHEMA.version - 1}")
    put("d4", "ilse brandt", "bridge")  # of which brandt has nothing
    with closing(SqliteGraphs(tmp_path)) as graphs:
        while graphs.writer(ACME).resolve():
            pass
        [told] = (await graphs.reader(ACME).verdicts(["brandt"]))["brandt"]
        assert (told.other, told.merges) == ("ilse brandt", True)


def person(chunk: str, *names: str) -> ChunkGraph:
    return msgspec.structs.replace(
        share(chunk, *names),
        mentions=tuple(Mention(name, chunk, 0, Span(0, 1), name, type=EntityType.PERSON) for name in names),
        aliases=(),
    )
