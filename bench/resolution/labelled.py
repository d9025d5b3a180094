"""The labelled list of name pairs: `pairs.txt`, and its halves."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trivium.domain.graph import EntityType
from trivium.resolution.record import Record
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
