"""What a schema costs, and what it says of the rules: `python bench/graph_schema.py [--relations N] [--conll FOLDER]`.

Without `--conll`: an embedded graph is filled with N relations of 40 types, and a schema is proposed from it: seconds,
growth of the process's memory, and what was learnt beside what was planted. With it: CoNLL04's development set is cut
in two; from the rules' relations in one half a schema is proposed, all without a problem accepted, and the rules'
relations in the other half are scored, all of them and those alone that are in force; then the other way round.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from extraction import RELATION_TYPES, detokenized, gold_of, report, rows_of  # type: ignore[import-not-found]

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import ChunkGraph, EntityType, Mention, Relation
from trivium.domain.graph_schema import Compliance, GraphSchema, Targets
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.graph_schema.evolve import Author, accepted, proposed
from trivium.graph_schema.profile import Profile, ends_of
from trivium.graph_schema.validate import candidates
from trivium.ports.graph import GraphRow
from trivium.text.sentences import split_sentences
from trivium_graph.build import extract
from trivium_graph.spans import untitled
from trivium_query.graph_schema.discover import profiled

TYPES = 40
A_CHUNK = 4  # relations
NAMES = 20_000
AUTHOR = Author("bench", 0.0)


def planted(relations: int) -> Iterator[GraphRow]:
    """Even types have one target for a source, odd ones up to four; each has its own two types of ends."""
    drawn = random.Random(7)
    kinds = list(EntityType)
    for number in range(relations // A_CHUNK):
        chunk = f"{drawn.getrandbits(128):032x}"
        mentions: list[Mention] = []
        stated: list[Relation] = []
        for _ in range(A_CHUNK):
            kind, source = drawn.randrange(TYPES), drawn.randrange(NAMES // TYPES)
            target = f"t{kind} {source}" if kind % 2 == 0 else f"t{kind} {source} {drawn.randrange(4)}"
            ends = (f"s{kind} {source}", kinds[kind % 7]), (target, kinds[kind // 7 % 7])
            mentions += [Mention(key, chunk, 0, Span(0, 4), key, type=of) for key, of in ends]
            name = f"RELATION_{'ABCDEFGHIJ'[kind // 10]}{'ABCDEFGHIJ'[kind % 10]}"
            stated.append(Relation(ends[0][0], ends[1][0], name, 0.9, chunk, Span(0, 9), "a snippet", "bench"))
        share = ChunkGraph(chunk, tuple(mentions), tuple(stated))
        yield GraphRow(share, f"d{number // 10}", "v", Scope(DEFAULT_TENANT))


def scale(relations: int) -> None:
    """Print what a proposal from so many relations takes."""
    with tempfile.TemporaryDirectory() as folder, closing(SqliteGraphs(Path(folder))) as graphs:
        batch: list[GraphRow] = []
        writer = graphs.writer(DEFAULT_TENANT)
        for row in planted(relations):
            batch.append(row)
            if len(batch) == 512:
                writer.upsert(batch)
                batch.clear()
        writer.upsert(batch)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began, cpu = time.perf_counter(), time.process_time()
        profile = asyncio.run(profiled(graphs.reader(DEFAULT_TENANT), "default"))
        observed = profile.observed()
        schema = proposed(GraphSchema("default"), candidates(observed, {}, {}), "bench", AUTHOR, keep=lambda _: True)
        wall, spent = time.perf_counter() - began, time.process_time() - cpu
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    right = sum(
        one.type.targets is (Targets.ONE if "ACEGI".find(one.name[-1]) >= 0 else Targets.MANY)
        for one in schema.proposed
    )
    stated = sum(one.type.relations for one in schema.proposed)
    print(f"{stated} relations, {len(schema.proposed)} types: {wall:.1f} s, {spent:.1f} s of CPU, {grown:.0f} MB more")
    print(f"number of targets right: {right} of {TYPES}")


Read = tuple[dict[str, Any], ChunkGraph]


def scored(folder: Path) -> None:
    """Print the scores of both halves together."""
    rows = [(row, _share(row)) for row in rows_of(folder, "dev")]
    halves = rows[::2], rows[1::2]
    everything = [Counter[str]() for _ in range(3)]
    in_force = [Counter[str]() for _ in range(3)]
    kept = Counter[str]()
    for learnt, tested in (halves, halves[::-1]):
        schema = _schema(learnt)
        for row, share in tested:
            gold = gold_of(row)[1]
            for table, only in ((everything, False), (in_force, True)):
                found = _facts(share, schema, only=only)
                for counts, facts in zip(table, (found & gold, found, gold), strict=True):
                    counts.update(fact[1] for fact in facts)
            kept.update(schema.compliance(r.type, source, target) for r, source, target in ends_of(share))
    report("all", *everything)
    report("in force", *in_force)
    print(dict(kept))


def _schema(rows: Sequence[Read]) -> GraphSchema:
    profile = Profile()
    for _, share in rows:
        profile.add(GraphRow(share, share.chunk_id, "v", Scope(DEFAULT_TENANT)), {})
    made = proposed(
        GraphSchema("default"), candidates(profile.observed(), {}, {}), "bench", AUTHOR, keep=lambda _: True
    )
    made = accepted(made, (), AUTHOR)
    return GraphSchema("default", 2, 2, types=made.types)


def _share(row: dict[str, Any]) -> ChunkGraph:
    text = detokenized(row["tokens"])
    chunk = Chunk(row["id"], row["id"], "1", 0, text, Span(0, len(text)), row["id"], split_sentences(text))
    return extract([chunk])[0]


def _facts(share: ChunkGraph, schema: GraphSchema, *, only: bool) -> set[tuple[str, ...]]:
    bare = {m.key: untitled(m.surface) or m.key for m in share.mentions}
    return {
        (bare.get(r.source_key, r.source_key), RELATION_TYPES[r.type, source], bare.get(r.target_key, r.target_key))
        for r, source, target in ends_of(share)
        if (r.type, source) in RELATION_TYPES
        and (not only or schema.compliance(r.type, source, target) is Compliance.ACTIVE)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--relations", type=int, default=100_000)
    parser.add_argument("--conll", type=Path)
    options = parser.parse_args()
    if options.conll:
        scored(options.conll)
    else:
        scale(options.relations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
