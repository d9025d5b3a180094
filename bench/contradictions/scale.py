"""What looking for contradictions costs, and how that grows: time and memory by passages.

    .venv/bin/python bench/contradictions/scale.py [--passages 1000 10000 100000]

Passages are those of the made documents with other names and values, so that they are as many things as there are
documents; every third document has a second one about the same thing. Reads, blocks and compares as the query service
does, in one process, its rests left out; the last thousand passages are then added to what is known, as ingest does.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from wordings import TOPICS

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.chunks import Chunk, Span
from trivium.domain.ids import digest
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow import artifacts
from trivium.ports.objects import ObjectStore
from trivium.text.sentences import split_sentences
from trivium_query.contradictions import kept
from trivium_query.contradictions.find import AT_ONCE
from trivium_query.contradictions.match import Shelf, matched
from trivium_query.contradictions.statements import statements_of

ADDED = 1_000
_SYLLABLES = "ba ke lo mi nu ra se to vi dan gor hel jun kor lum mar nel pol ros sten tur val wen zor".split()  # noqa: SIM905


def passage(number: int) -> tuple[str, str]:
    """A title and a text."""
    thing = number - 1 if number % 3 == 1 else number
    chance = random.Random(thing)
    topic = chance.choice(TOPICS)
    name = " ".join("".join(chance.choices(_SYLLABLES, k=3)).capitalize() for _ in range(2))
    facts = chance.sample(topic.facts, 4)
    other = random.Random(number)
    said = [
        other.choice((*fact.work, *fact.apart)).format(N=name, v=other.choice(other.choice(fact.values)))
        for fact in facts
    ]
    return name, " ".join((*said, *other.sample(topic.fillers[0], 2)))


def read(objects: ObjectStore, number: int) -> kept.Read:
    """A document of one passage, read and kept as the service keeps it."""
    title, text = passage(number)
    chunk = Chunk(str(number), str(number), "1", 0, text, Span(0, len(text)), title, split_sentences(text), title=title)
    found = statements_of([chunk], [])
    reference = f"{artifacts.artifact_prefix(str(number), '1')}statements-{digest('bench')}"
    artifacts.save(objects, reference, found)
    return kept.Read(kept.Source(str(number), "1", "default", reference, 0.0, 1, 0.0), found)


def main() -> None:
    """One line a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    for size in parser.parse_args().passages:
        with tempfile.TemporaryDirectory() as work:
            objects = LocalObjects(Path(work)).for_tenant(DEFAULT_TENANT)
            known, spent = kept.Kept(), dict.fromkeys(("read", "match", "keep"), 0.0)
            for start in range(0, size, AT_ONCE):
                known = add(objects, known, range(start, min(start + AT_ONCE, size)), spent)
            whole = sum(spent.values())
            more = dict.fromkeys(spent, 0.0)
            for start in range(size, size + ADDED, AT_ONCE):
                known = add(objects, known, range(start, start + AT_ONCE), more)
            bytes_kept = len(objects.get(kept.KEPT))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told = "  ".join(f"{name} {1000 * seconds / size:.2f}" for name, seconds in spent.items())
        added = f"{1000 * sum(more.values()) / ADDED:.2f}"
        print(f"{size} passages: {whole:.1f} s; ms a passage: {told}; added later {added};", end=" ")
        print(f"found {len(known.found)}, kept {bytes_kept / 1e6:.1f} MB, peak {peak:.0f} MB", flush=True)


def add(objects: ObjectStore, known: kept.Kept, numbers: range, spent: dict[str, float]) -> kept.Kept:
    """Some documents, as one step of a look; `spent` is processor time."""
    began = time.process_time()
    reads = [read(objects, number) for number in numbers]
    spent["read"] += time.process_time() - began
    began = time.process_time()
    known = matched(kept.joined(known, reads), len(known.sources), Shelf(objects, reads), lambda: None)
    spent["match"] += time.process_time() - began
    began = time.process_time()
    kept.save(objects, known)
    spent["keep"] += time.process_time() - began
    return known


if __name__ == "__main__":
    main()
