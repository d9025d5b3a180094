"""An export on real servers: Neo4j runs the Cypher, and both stores give the same file and the same topics."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.config import load_settings
from trivium.domain.chunks import Span
from trivium.domain.documents import Document
from trivium.domain.exports import ExportFormat
from trivium.domain.graph import Alias, ChunkGraph, Entity, EntityType, Mention, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphRow
from trivium_query.export import parts
from trivium_query.export.formats import FORMATS
from trivium_query.topics.communities import communities
from trivium_query.topics.make import Sources, gather

ACME = Tenant("acme")
HOSTILE = "Robert\"); \\u0022}) DETACH DELETE n //\n\t'`\x00\x1b é \U0001f600"


@pytest.fixture
def server() -> Iterator[Neo4jServer]:
    with closing(Neo4jServer(load_settings())) as opened:
        yield opened


@pytest.fixture
def graphs() -> Iterator[Neo4jGraphs]:
    settings = msgspec.structs.replace(load_settings(), index_prefix=f"test-{uuid.uuid4().hex}")
    with closing(Neo4jGraphs(settings)) as opened:
        yield opened
        opened.drop(ACME)


def test_neo4j_runs_the_cypher_twice_and_holds_every_text_once(server: Neo4jServer) -> None:
    run = uuid.uuid4().hex
    one = Entity(f"{run}-1", "k", HOSTILE, EntityType.PERSON, (HOSTILE, "alias"), 3, 1)
    other = Entity(f"{run}-2", "k2", "Plain", EntityType.CONCEPT)
    said = parts.Statement(f"{run}-3", one.id, other.id, HOSTILE, 0.75, "d", HOSTILE, "c", HOSTILE, "test")
    content = FORMATS[ExportFormat.CYPHER].parts([one, other, said]).decode()
    try:
        for _ in range(2):
            for statement in content.splitlines():
                server.run(statement.removesuffix(";"))  # type: ignore[arg-type]  # what a person would paste
        [found] = server.run(
            "MATCH (a:TriviumEntity {id: $one})-[r:RELATES]->(b:TriviumEntity)"
            " RETURN a.name, a.aliases, a.mentions, r.type, r.snippet, r.confidence, b.name",
            one=one.id,
        )
        assert found == [HOSTILE, [HOSTILE, "alias"], 3, HOSTILE, HOSTILE, 0.75, "Plain"]
    finally:
        server.run("MATCH (n:TriviumEntity) WHERE n.id STARTS WITH $run DETACH DELETE n", run=run)


def rows() -> list[GraphRow]:
    found = []
    for number in range(120):
        names = [f"name {(number * step) % 40}" for step in (1, 3, 7)]
        chunk = f"{number:032x}"
        mentions = tuple(Mention(n, chunk, 0, Span(9 * i, 9 * i + 7), n.title()) for i, n in enumerate(names))
        stated = (Relation(names[0], names[1], "KNOWS", 0.9, chunk, Span(0, 7), "…", "test"),)
        aliases = (Alias("name 1", "name 2", "Name 1", chunk),) if number == 5 else ()
        scope = Scope(ACME, "odd" if number % 2 else "even")
        found.append(GraphRow(ChunkGraph(chunk, mentions, stated, aliases), f"{number // 4:032x}", "v1", scope))
    return found


async def told(graphs: Any) -> tuple[dict[str, bytes], list[list[int]]]:
    reader = graphs.reader(ACME)

    async def records(ids: Sequence[str]) -> Mapping[str, Document]:
        return {one: Document(one, "acme", f"{one}.txt", "v1", active_version="v1") for one in ids}

    async def active(ids: Sequence[str]) -> Mapping[str, str]:
        return dict.fromkeys(ids, "v1")

    nothing: Any = None
    stores = parts.Stores(reader, nothing, records)
    files = {}
    for dataset in ("", "odd"):
        pages = [page async for page in parts.whole(stores, dataset)]
        files[dataset] = b"".join(FORMATS[ExportFormat.JSONL].parts(page) for page in pages)
    gathered = await gather(Sources(reader, nothing, active))
    return files, [level.tolist() for level in communities(gathered.ties, len(gathered.keys))]


async def test_both_stores_give_the_same_file_and_the_same_communities(graphs: Neo4jGraphs, tmp_path: Path) -> None:
    with closing(SqliteGraphs(tmp_path)) as embedded:
        for one in (embedded, graphs):
            one.writer(ACME).upsert(rows())
        assert await told(embedded) == await told(graphs)
        files, levels = await told(embedded)
    assert len(files[""].splitlines()) > len(files["odd"].splitlines()) > 60
    assert levels
