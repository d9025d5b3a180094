"""How long topics take to make, and the memory of it: graphs of 10,000 to 1,000,000 mentions, from a generator.

    bench/topics.py --mentions 100000

Passages of ten names, eight of which are of the passage's own field (400 names, the first of them frequent) and two
of anyone's; two of five passages relate two names by a type.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import ChunkGraph, EntityType, Mention, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import BATCH_CHUNKS, GraphRow
from trivium.ports.keywords import KeywordRow
from trivium_query.topics.make import Sources, make_topics

TENANT = Tenant("bench")
SCOPE = Scope(TENANT)
NAMES = 10  # of a passage
PASSAGES = 5  # of a document
FIELD = 400  # names of a field
PER_FIELD = 500  # passages of a field


def name_of(field: int, place: float) -> str:
    return f"Name{field:05}x{int(FIELD * place**2):03}"


def passage(number: int, fields: int, chance: random.Random) -> tuple[Chunk, ChunkGraph]:
    field = number % fields
    names = [name_of(field, chance.random()) for _ in range(NAMES - 2)]
    names += [name_of(chance.randrange(fields), chance.random()) for _ in range(2)]
    text = " and ".join(names) + f" meet about subject{field} words."
    chunk, document = f"{number:032x}", f"{number // PASSAGES:032x}"
    mentions, at = [], 0
    for name in names:
        at = text.index(name, at)
        mentions.append(
            Mention(name.lower(), chunk, 0, Span(at, at + len(name)), name, type=EntityType.PERSON, confidence=0.9)
        )
    related = [
        Relation(one.lower(), other.lower(), "KNOWS", 0.8, chunk, Span(0, 20), text[:20], "bench")
        for one, other in ([names[:2]] if number % 5 < 2 and names[0] != names[1] else [])
    ]
    whole = (Span(0, len(text)),)
    return (
        Chunk(chunk, document, "v1", number % PASSAGES, text, Span(0, len(text)), f"{document}.txt", whole),
        ChunkGraph(chunk, tuple(mentions), tuple(related)),
    )


def batches(mentions: int) -> Iterator[list[tuple[Chunk, ChunkGraph]]]:
    chance = random.Random(1)
    total = mentions // NAMES
    fields = max(1, total // PER_FIELD)
    for start in range(0, total, BATCH_CHUNKS):
        yield [passage(number, fields, chance) for number in range(start, min(start + BATCH_CHUNKS, total))]


async def active(document_ids: Sequence[str]) -> Mapping[str, str]:
    return dict.fromkeys(document_ids, "v1")


def rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def measure(mentions: int, folder: Path) -> None:
    graphs, keywords = SqliteGraphs(folder), SqliteKeywords(folder)
    started = time.perf_counter()
    for batch in batches(mentions):
        graphs.writer(TENANT).upsert([GraphRow(share, c.document_id, "v1", SCOPE) for c, share in batch])
        keywords.writer(TENANT).upsert([KeywordRow(chunk, SCOPE) for chunk, _ in batch])
    written = time.perf_counter() - started
    await keywords.reader(TENANT).rarities(["words"])  # its index is in memory before the measurement
    sources, before = Sources(graphs.reader(TENANT), keywords.reader(TENANT), active), rss_mb()
    started, cpu = time.perf_counter(), time.process_time()
    topics = await make_topics(sources)
    took, spent = time.perf_counter() - started, time.process_time() - cpu
    by_level = ", ".join(str(len(topics.at(level))) for level in range(topics.levels))
    print(
        f"{mentions:,} mentions: topics in {took:.1f} s ({spent:.1f} s of a processor), +{rss_mb() - before:.0f} MB;"
        f" by level: {by_level}; rows written in {written:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mentions", type=int, default=100_000)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(parser.parse_args().mentions, Path(folder)))


if __name__ == "__main__":
    main()
