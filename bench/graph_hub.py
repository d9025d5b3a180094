"""What the graph's stages cost on a hub: a name that thousands of passages mention and relate to others.

    python bench/graph_hub.py            # the embedded graph
    set -a; . .services/env; set +a; python bench/graph_hub.py      # the server's

Median seconds of `TIMES` documents of `PASSAGES` passages each, written and deleted.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import msgspec

from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.config import load_settings
from trivium.domain.chunks import Span
from trivium.domain.graph import Alias, ChunkGraph, Mention, MentionRole, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphRow, Graphs, GraphWriter

sys.path.insert(0, str(Path(__file__).resolve().parent))
from report import Row, report

SIZES = (1_000, 10_000)
PASSAGES = 16
TIMES = 7
HUB = "kelmore"
TENANT = Tenant("bench")


def row(document: str, number: int, *, alias: str = "", again: bool = False) -> GraphRow:
    """A passage about the hub, which it relates to two names; to others, when it is written `again`."""
    chunk = f"{document}-{number}"
    others = (f"{document} name {number + again * PASSAGES}", f"common {(number + again) % 50}")
    names = (HUB, *others)
    mentions = [Mention(name, chunk, 0, Span(9 * at, 9 * at + 8), name.title()) for at, name in enumerate(names)]
    mentions.append(Mention(HUB, chunk, 0, Span(0, 0), HUB.title(), MentionRole.TITLE))
    relations = [Relation(HUB, other, "NEAR", 0.8, chunk, Span(0, 9), "…", "bench") for other in others]
    aliases = (Alias(alias, HUB, alias.title(), chunk),) if alias else ()
    return GraphRow(ChunkGraph(chunk, tuple(mentions), tuple(relations), aliases), document, "v1", Scope(TENANT))


def median_s(work: Callable[[int], None]) -> float:
    """Of `work` done `TIMES` times; the first time, when the server makes its plans, does not count."""
    taken = []
    for turn in range(TIMES + 1):
        begun = time.perf_counter()
        work(turn)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken[1:])


def measured(writer: GraphWriter, size: int) -> Iterator[tuple[str, float]]:
    """What was done with a hub of `size` passages, and how long it took."""
    for start in range(0, size, 500):
        writer.upsert([row("hub", number) for number in range(start, min(start + 500, size))])
    passages = range(PASSAGES)
    yield "write", median_s(lambda turn: writer.upsert([row(f"new{turn}", n) for n in passages]))
    yield "replace", median_s(lambda turn: writer.upsert([row(f"new{turn}", n, again=True) for n in passages]))
    yield "new alias", median_s(lambda turn: writer.upsert([row(f"alias{turn}", 0, alias=f"{HUB} {turn}")]))
    yield "delete", median_s(lambda turn: writer.delete(f"new{turn}"))


@contextmanager
def graphs() -> Iterator[Graphs]:
    """An empty store, of the settings' backend."""
    settings = load_settings()
    if settings.backend == "distributed":
        own = msgspec.structs.replace(settings, index_prefix=f"bench-{uuid.uuid4().hex}")
        with closing(Neo4jGraphs(own)) as server:
            try:
                yield server
            finally:
                server.drop(TENANT)
    else:
        with tempfile.TemporaryDirectory() as folder, closing(SqliteGraphs(Path(folder))) as embedded:
            yield embedded


def of_size(size: int) -> list[Row]:
    """The table's rows for one hub."""
    with graphs() as store:
        return [
            (f"hub of {size:,}: {what}", f"{s * 1000:.0f} ms", "") for what, s in measured(store.writer(TENANT), size)
        ]


if __name__ == "__main__":
    report("Writing to a hub", [partial(of_size, size) for size in SIZES])
