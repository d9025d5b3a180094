"""What telling names apart costs as mentions come: `python bench/resolution/growth.py [--most 1000000]`.

Documents of twenty mentions come two hundred at once, of people, organisations and places that are written in several
ways (initials, last names, legal forms, misspellings); one mention in seven is of somebody new, the others of whom was
mentioned before. At some 10,000 mentions, 30,000 and so on: processor seconds since the start, names decided (some of
them again and again), peak memory, names, merges, how seconds and decisions grew (their exponents), and how right the
merges are, since the generator knows. A busy machine adds to the seconds, never to the decisions.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

from trivium.domain.graph import EntityType
from trivium.domain.verdicts import Verdict
from trivium.resolution.record import Record
from trivium.text.names import fold_name

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "peers"))
from name_index import NameIndex

STEPS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MENTIONS, DOCUMENTS, NEW = 20, 200, 1 / 7
MAX_NEIGHBOURS = 32
# fmt: off
SYLLABLES = (
    "ba", "ber", "bor", "da", "del", "dro", "fa", "fen", "gar", "go", "hal", "hen", "il", "ja", "ker", "la", "lor",
    "ma", "mer", "na", "nor", "o", "per", "qua", "ra", "ros", "sa", "sel", "ta", "tor", "u", "va", "vin", "wes", "yo",
    "zan",
)
# fmt: on
KINDS = (EntityType.PERSON, EntityType.PERSON, EntityType.ORGANIZATION, EntityType.LOCATION)
TRADES = ["Motors", "Foods", "Bank", "Steel", "Press", "Airlines", "Shipping", "Mills", "Labs", "Textiles"]


class Thing(NamedTuple):
    """One thing, and the names it goes by, the usual one first and often."""

    kind: EntityType
    names: tuple[str, ...]
    companions: tuple[int, ...]


def invented(chance: random.Random, parts: int) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(parts)).capitalize()


def thing(chance: random.Random, before: int) -> Thing:
    kind = chance.choice(KINDS)
    companions = tuple(chance.randrange(before) for _ in range(3)) if before else ()
    if kind is EntityType.PERSON:
        first, last = invented(chance, 2), invented(chance, 3)
        usual, others = f"{first} {last}", (f"{first[0]}. {last}", last, f"{first} {chance.choice('ABCDEFG')}. {last}")
    elif kind is EntityType.ORGANIZATION:
        usual = f"{invented(chance, 3)} {chance.choice(TRADES)}"
        others = (f"{usual} Inc.", f"{usual} Ltd.")
    else:
        usual = invented(chance, 4)
        others = (f"City of {usual}", usual[:-2] + usual[-1] + usual[-2])
    return Thing(kind, tuple(fold_name(name) for name in (usual, usual, usual, usual, *others)), companions)


class World:
    """Things, and what the graph so far says of their names."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._things: list[Thing] = []
        self._mentioned: list[int] = []
        self._neighbours: dict[str, set[str]] = {}
        self.meant: dict[str, set[int]] = {}
        self._kinds: dict[str, EntityType] = {}

    def batch(self, documents: int) -> Iterator[Record]:
        """The records that some documents change."""
        changed: set[str] = set()
        for _ in range(documents):
            names = list(self._document())
            for name, beside in zip(names, [*names[1:], names[0]], strict=True):
                for one, other in ((name, beside), (beside, name)):
                    known = self._neighbours.setdefault(one, set())
                    if one != other and len(known) < MAX_NEIGHBOURS:
                        known.add(other)
                        changed.add(one)
        yield from (Record(name, self._kinds[name], frozenset(self._neighbours[name])) for name in sorted(changed))

    def _document(self) -> Iterator[str]:
        while True:
            here = self._mention()
            for at in (here, *self._things[here].companions):
                yield self._named(at)
            if self._chance.random() < 4 / MENTIONS:
                return

    def _mention(self) -> int:
        if not self._things or self._chance.random() < 4 * NEW:
            self._things.append(thing(self._chance, len(self._things)))
            at = len(self._things) - 1
        else:
            at = self._chance.choice(self._mentioned)
        self._mentioned.append(at)
        return at

    def _named(self, at: int) -> str:
        name = self._chance.choice(self._things[at].names)
        self.meant.setdefault(name, set()).add(at)
        self._kinds.setdefault(name, self._things[at].kind)
        return name

    def precision(self, targets: dict[str, str]) -> float:
        right = sum(bool(self.meant[key] & self.meant[target]) for key, target in targets.items())
        return right / len(targets) if targets else 1.0


class Counting(NameIndex):
    """Counts the names decided."""

    decided = 0

    def decide(self, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """As a shelf does."""
        self.decided += len(verdicts)
        super().decide(verdicts)


def measured(steps: Iterable[int], seed: int) -> Iterator[tuple[int, float, World, Counting]]:
    """At each step: mentions, processor seconds of resolution alone, and what there is."""
    world, names, spent, documents = World(seed), Counting(), 0.0, 0
    for step in steps:
        while documents < step // MENTIONS:
            some = min(DOCUMENTS, step // MENTIONS - documents)
            documents += some
            records = list(world.batch(some))
            gc.freeze()  # the collector walks neither the world nor the index: a store keeps its own in a file
            began = time.process_time()
            names.update(records)
            spent += time.process_time() - began
        yield step, spent, world, names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=STEPS[-1], help="mentions at the last step")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("  mentions    names  merges  right %    CPU s  us/mention  growth    decided  growth  peak MB")
    before: tuple[int, float, int] | None = None
    for mentions, spent, world, names in measured((step for step in STEPS if step <= options.most), options.seed):
        targets = names.targets
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        grown = (
            [
                _exponent(mentions / before[0], now / then)
                for now, then in ((spent, before[1]), (names.decided, before[2]))
            ]
            if before
            else ["", ""]
        )
        right = 100 * world.precision(targets)
        print(
            f"{mentions:>10,}{len(world.meant):>9,}{len(targets):>8,}{right:>9.1f}{spent:>9.1f}"
            f"{1e6 * spent / mentions:>12.0f}{grown[0]:>8}{names.decided:>11,}{grown[1]:>8}{peak:>9}",
            flush=True,
        )
        before = mentions, spent, names.decided


def _exponent(mentions: float, cost: float) -> str:
    return f"n^{log(cost) / log(mentions):.2f}"


if __name__ == "__main__":
    main()
