"""How well the rules find entities and relations: `python bench/extraction.py ../shared/data/conll04 [--misses]`.

Reads `<set>.jsonl.gz` of CoNLL04 (tokens, entities, relations with gold spans). An entity counts as found when its
folded name and its type agree, a relation when both names and its type do. The folder is not part of the project:
without it, nothing is measured. The last line is the speed: mentions a second of processor time, extraction alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import EntityType, MentionRole
from trivium.text.names import fold_name
from trivium.text.sentences import split_sentences
from trivium_graph.build import extract
from trivium_graph.division import untitled

ENTITY_TYPES = {"Peop": EntityType.PERSON, "Org": EntityType.ORGANIZATION, "Loc": EntityType.LOCATION}
RELATION_TYPES = {
    ("LOCATED_IN", EntityType.ORGANIZATION): "OrgBased_In",
    ("REPORTS_FROM", EntityType.ORGANIZATION): "OrgBased_In",
    ("LOCATED_IN", EntityType.LOCATION): "Located_In",
    ("PART_OF", EntityType.LOCATION): "Located_In",
    ("LIVES_IN", EntityType.PERSON): "Live_In",
    ("BORN_IN", EntityType.PERSON): "Live_In",
    ("HOLDS_OFFICE_IN", EntityType.PERSON): "Live_In",
    ("WORKS_FOR", EntityType.PERSON): "Work_For",
    ("MEMBER_OF", EntityType.PERSON): "Work_For",
    ("FOUNDED", EntityType.PERSON): "Work_For",
    ("KILLED", EntityType.PERSON): "Kill",
}
Fact = tuple[str, ...]  # (name, type) or (name, type, name)


def detokenized(tokens: list[str]) -> str:
    """The sentence as it was printed: the set's tokens stand apart from their punctuation."""
    text = " ".join(tokens)
    text = re.sub(r" ([,.;:!?)%]|'s\b|n't\b|'re\b|'ve\b|'ll\b)", r"\1", text)
    text = re.sub(r"([($]) ", r"\1", text)
    text = re.sub(r"`` ?| ?''", '"', text)
    return re.sub(r"(\w) '(\w)", r"\1'\2", text).replace("-LRB- ", "(").replace(" -RRB-", ")")


def name_of(surface: str) -> str:
    """The folded name without an office or courtesy title, on both sides of the comparison."""
    bare = re.sub(r"^[^\w]+|[,;:]+$", "", detokenized(surface.split(" ")).strip())
    return untitled(bare) or fold_name(bare)


def gold_of(row: dict[str, Any]) -> tuple[set[Fact], set[Fact]]:
    entities: set[Fact] = {
        (name_of(e["text"]), ENTITY_TYPES[e["type"]].value) for e in row["entities"] if e["type"] in ENTITY_TYPES
    }
    relations: set[Fact] = {(name_of(r["head_text"]), r["type"], name_of(r["tail_text"])) for r in row["relations"]}
    return entities, relations


def chunk_of(row: dict[str, Any]) -> Chunk:
    text = detokenized(row["tokens"])
    return Chunk(row["id"], row["id"], "1", 0, text, Span(0, len(text)), row["id"], split_sentences(text))


def speed(chunks: list[Chunk], rounds: int = 3) -> str:
    """Of the fastest round, so that it is not the compiling of patterns that is measured."""
    seconds = []
    for _ in range(rounds):
        began = time.process_time()
        mentions = sum(len(share.mentions) for chunk in chunks for share in extract([chunk]))
        seconds.append(time.process_time() - began)
    return f"{mentions} mentions, {mentions / min(seconds):,.0f} a second"


def found_in(chunk: Chunk) -> tuple[set[Fact], set[Fact]]:
    [share] = extract([chunk])
    wanted = set(ENTITY_TYPES.values())
    named = [m for m in share.mentions if m.role is MentionRole.MENTION and m.confidence >= 0.5]
    types = {m.key: m.type for m in named}
    entities: set[Fact] = {(untitled(m.surface) or m.key, m.type.value) for m in named if m.type in wanted}
    bare = {m.key: untitled(m.surface) or m.key for m in named}
    relations: set[Fact] = {
        (bare[r.source_key], RELATION_TYPES[r.type, types[r.source_key]], bare.get(r.target_key, r.target_key))
        for r in share.relations
        if (r.type, types.get(r.source_key)) in RELATION_TYPES
    }
    return entities, relations


def rows_of(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def report(title: str, right: Counter[str], found: Counter[str], gold: Counter[str]) -> None:
    print(f"{title:<14}{'precision':>10}{'recall':>8}{'F1':>7}{'gold':>7}")
    total = "all"
    for counts in (right, found, gold):
        counts[total] = sum(counts.values())
    for kind in sorted(gold, key=lambda kind: (kind == total, kind)):
        precision = right[kind] / found[kind] if found[kind] else 0.0
        recall = right[kind] / gold[kind] if gold[kind] else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        print(f"{kind:<14}{100 * precision:>10.1f}{100 * recall:>8.1f}{100 * f1:>7.1f}{gold[kind]:>7}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", default="dev", dest="name")
    parser.add_argument("--misses", action="store_true", help="print what was missed and what was invented")
    options = parser.parse_args()
    if not (options.folder / f"{options.name}.jsonl.gz").exists():
        print(f"{options.folder} has no {options.name}.jsonl.gz: CoNLL04 is not part of this project.", file=sys.stderr)
        return 1
    tables = [[Counter[str]() for _ in range(3)] for _ in range(2)]
    rows = [(row, chunk_of(row)) for row in rows_of(options.folder, options.name)]
    for row, chunk in rows:
        for table, ours, theirs in zip(tables, found_in(chunk), gold_of(row), strict=True):
            for counts, facts in zip(table, (ours & theirs, ours, theirs), strict=True):
                counts.update(fact[1] for fact in facts)
            if options.misses and ours != theirs:
                print(chunk.text, "\n   missed  ", sorted(theirs - ours), "\n   invented", sorted(ours - theirs))
    for title, table in zip(("entities", "relations"), tables, strict=True):
        report(title, *table)
    print(speed([chunk for _, chunk in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
