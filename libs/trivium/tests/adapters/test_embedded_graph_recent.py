from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.domain.chunks import Span
from trivium.domain.graph import CO_OCCURS, ChunkGraph, EntityType, Mention, MentionRole, Relation
from trivium.domain.retrieval import Places
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphRow

ACME = Tenant("acme")
FIRST = ("ilse", "carl", "nadia", "tom", "wanda")
LAST = ("brandt", "kowal", "harrow", "lund")
NAMES = [*LAST, *(f"{first} {last}" for first in FIRST for last in LAST), "harrow weir", "lower ford"]


def share(chunk: str, names: list[str]) -> ChunkGraph:
    """Names that stand together, the first of them in the title."""
    role = {names[0]: MentionRole.TITLE}
    return ChunkGraph(
        chunk,
        tuple(
            Mention(name, chunk, 0, Span(0, 1), name, role.get(name, MentionRole.MENTION), EntityType.PERSON, 0.9)
            for name in names
        ),
        tuple(Relation(a, b, CO_OCCURS, 0.9, chunk, Span(0, 1), "x", "test") for a in names for b in names if a < b),
    )


async def places(graphs: SqliteGraphs) -> Places:
    return await graphs.reader(ACME).places(NAMES, NAMES, 5)


async def test_what_is_remembered_is_what_another_process_reads_whatever_rules_decide(tmp_path: Path) -> None:
    chance = random.Random(7)
    moved = kept = 0
    with closing(SqliteGraphs(tmp_path)) as graphs:
        recent = graphs._read_lately(ACME)
        writer = graphs.writer(ACME)
        for number in range(40):
            document = f"d{number % 25}"
            writer.delete(document)
            shown = share(f"c{number}", chance.sample(NAMES, 4))
            writer.upsert([GraphRow(shown, document, "v1", Scope(ACME))])
            before = await places(graphs)
            while writer.resolve(chance.choice((1, 3, 10))):
                kept += bool(recent.names._kept.rows)
                told = await places(graphs)
                moved += told != before
                before = told
                with closing(SqliteGraphs(tmp_path)) as others:
                    assert told == await places(others)
    assert moved > 10
    assert kept > 10
