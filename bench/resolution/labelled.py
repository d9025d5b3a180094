"""How often names are rightly said to be one thing: `python bench/resolution/labelled.py [--misses]`.

Reads `pairs.txt`, written for it. Weights and thresholds were fitted to one half; of the other only the totals were
looked at.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trivium.domain.graph import EntityType
from trivium.resolution.record import Record
from trivium.resolution.score import ONE_THING, REVIEW, judge
from trivium.text.names import fold_name

PAIRS = Path(__file__).with_name("pairs.txt")


class Pair(NamedTuple):
    """Two records, what else the graph has, whether they are one thing, and whether thresholds may see them."""

    left: Record
    right: Record
    others: tuple[Record, ...]
    same: bool
    held_out: bool


def record_of(text: str) -> Record:
    """From "Ilse Brandt:person:harrow weir,born_in=lisbon"."""
    name, kind, related = text.rsplit(":", 2)
    facts: dict[str, set[str]] = {}
    neighbours = set()
    for item in filter(None, related.split(",")):
        attribute, equals, value = item.partition("=")
        neighbours.add(fold_name(value or attribute))
        if equals:
            facts.setdefault(attribute.upper(), set()).add(fold_name(value))
    frozen = {attribute: frozenset(values) for attribute, values in facts.items()}
    return Record(fold_name(name), EntityType(kind), frozenset(neighbours), frozen)


def labelled_pairs() -> Iterator[Pair]:
    """All of them; every second one by its checksum is held out."""
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        if line[:1] not in "+-" or not line:
            continue
        sign, left, right, *others = line.split("|")
        yield Pair(
            record_of(left),
            record_of(right),
            tuple(map(record_of, others)),
            sign == "+",
            bool(zlib.crc32(line.encode()) % 2),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--misses", action="store_true", help="print what is judged wrongly in the tuning half")
    options = parser.parse_args()
    print(f"{'half':<10}{'pairs':>7}{'merged':>8}{'precision':>11}{'recall':>8}{'asked':>7}")
    for held_out in (False, True):
        pairs = [pair for pair in labelled_pairs() if pair.held_out == held_out]
        judged = [(pair, judge(pair.left, pair.right, pair.others)) for pair in pairs]
        merged = [pair for pair, judgement in judged if judgement.score >= ONE_THING]
        right = sum(pair.same for pair in merged)
        asked = sum(REVIEW <= judgement.score < ONE_THING for _, judgement in judged)
        precision, recall = right / len(merged), right / sum(pair.same for pair in pairs)
        half = "held out" if held_out else "tuning"
        print(f"{half:<10}{len(pairs):>7}{len(merged):>8}{100 * precision:>11.1f}{100 * recall:>8.1f}{asked:>7}")
        for pair, judgement in judged:
            if options.misses and not held_out and (judgement.score >= ONE_THING) != pair.same:
                print(
                    f"   {'+' if pair.same else '-'} {pair.left.key} | {pair.right.key}",
                    *judgement.reasons,
                    sep="\n      ",
                )


if __name__ == "__main__":
    main()
