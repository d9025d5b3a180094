"""What the graph's share of a search costs over many mentions, and a page of a hub's neighbours.

    python bench/graph_reads.py [MENTIONS] [NEIGHBOURS]     # the embedded graph
    set -a; . .services/env; set +a; python bench/graph_reads.py      # the server's

A search asks, as path retrieval does: `about` its names, `mentions_in` the `SOURCES` best passages, then `places` of
every name they mention beside `beside` these passages. The passages are of one field of `bench/topics.py`'s generator,
whose documents have a title here. Milliseconds of `SEARCHES` searches, one after the other, each about another field.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.graph import ChunkGraph, Mention, MentionRole, Relation
from trivium.domain.scope import Scope
from trivium.ports.graph import BATCH_CHUNKS, GraphReader, GraphRow, GraphWriter
from trivium_query.retrieve.path import MAX_SHARED, SOURCES

sys.path.insert(0, str(Path(__file__).resolve().parent))
from graph_hub import TENANT, graphs
from report import Row, p50_p95, report
from topics import NAMES, PASSAGES, PER_FIELD, batches

MENTIONS = 1_000_000
NEIGHBOURS = 100_000
PAGE = 100
SEARCHES = 200
HUB = "kelmore"
REACHES = ("p95 60 ms", "", "100 ms", "")


def titled(number: int, share: ChunkGraph) -> ChunkGraph:
    """The first passage of a document bears its first name as the title."""
    if number % PASSAGES:
        return share
    first = share.mentions[0]
    title = Mention(first.key, share.chunk_id, 0, Span(0, 0), first.surface, MentionRole.TITLE)
    return msgspec.structs.replace(share, mentions=(title, *share.mentions))


def fill(writer: GraphWriter, mentions: int) -> None:
    for batch in batches(mentions):
        writer.upsert(
            [
                GraphRow(titled(int(share.chunk_id, 16), share), chunk.document_id, "v1", Scope(TENANT))
                for chunk, share in batch
            ]
        )


def fill_hub(writer: GraphWriter, neighbours: int) -> None:
    """Passages of ten relations of the hub, each to a name of its own."""
    for start in range(0, neighbours, BATCH_CHUNKS * NAMES):
        numbers = range(start, min(start + BATCH_CHUNKS * NAMES, neighbours))
        writer.upsert([_of_hub(numbers[at : at + NAMES]) for at in range(0, len(numbers), NAMES)])


def _of_hub(numbers: range) -> GraphRow:
    chunk = f"hub-{numbers.start}"
    others = [f"neighbour {number}" for number in numbers]
    mentions = [
        Mention(name, chunk, 0, Span(9 * at, 9 * at + 8), name.title()) for at, name in enumerate((HUB, *others))
    ]
    relations = [Relation(HUB, other, "NEAR", 0.8, chunk, Span(0, 9), "…", "bench") for other in others]
    return GraphRow(ChunkGraph(chunk, tuple(mentions), tuple(relations)), chunk, "v1", Scope(TENANT))


async def search(reader: GraphReader, field: int, fields: int, chance: random.Random) -> None:
    """What path retrieval asks of the graph, for passages of one field."""
    passages = [f"{field + fields * number:032x}" for number in chance.sample(range(PER_FIELD), SOURCES)]
    _, mentions = await asyncio.gather(
        reader.about([f"name{field:05}x{chance.randrange(40):03}"]), reader.mentions_in(passages)
    )
    keys = sorted({row.key for rows in mentions.values() for row in rows})
    assert len(mentions) == SOURCES
    await asyncio.gather(reader.places(keys, keys, MAX_SHARED), reader.beside(passages))


async def timed(what: Callable[[], Awaitable[object]], times: int = 1) -> str:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        await what()
        taken.append(1000 * (time.perf_counter() - begun))
    return p50_p95(taken) if times > 1 else f"{taken[0]:.1f} ms"


def measured(mentions: int, neighbours: int) -> list[Row]:
    with graphs() as store:
        begun = time.perf_counter()
        fill(store.writer(TENANT), mentions)
        fill_hub(store.writer(TENANT), neighbours)
        filled_s = time.perf_counter() - begun
        reader, chance = store.reader(TENANT), random.Random(2)
        fields = max(1, mentions // NAMES // PER_FIELD)

        async def asked() -> list[str]:
            return [
                await timed(lambda: search(reader, chance.randrange(fields), fields, chance), SEARCHES),
                await timed(partial(reader.edges, [HUB], PAGE)),  # a server plans the statement
                await timed(partial(reader.edges, [HUB], PAGE), 20),
                await timed(partial(reader.evidence, HUB), 20),
            ]

        names = (
            f"the graph's share of a search, {mentions:,} mentions",
            f"the first read of {PAGE} of {neighbours:,} neighbours",
            f"{PAGE} of {neighbours:,} neighbours",
            "its evidence",
        )
        rows: list[Row] = [(f"writing {mentions:,} mentions and the hub", f"{filled_s:.0f} s", "")]
        return rows + [
            (name, spent, reach) for name, spent, reach in zip(names, asyncio.run(asked()), REACHES, strict=True)
        ]


if __name__ == "__main__":
    sizes = [int(value) for value in sys.argv[1:]] + [MENTIONS, NEIGHBOURS][len(sys.argv) - 1 :]
    report("Reading a large graph", [partial(measured, *sizes)])
