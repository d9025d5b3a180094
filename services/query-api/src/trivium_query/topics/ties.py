"""What ties names: typed relations, standing in one sentence, standing near each other in one passage.

Evidence is counted in whole numbers, so that the order in which passages come changes nothing. What a name has is
divided by how often it stands anywhere (Salton's cosine), so that a name that stands everywhere ties nothing together.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.graph import CO_OCCURS, ChunkGraph, MentionRole

NEAR = 1  # evidence: in one passage, at most `WINDOW` names apart
BESIDE = 2  # in one sentence or row
RELATED = 8  # a typed relation of confidence 1
WINDOW = 12
MAX_NAMES = 400  # of one passage; a register of names says little about any of them
COMPACT_AT = 4_000_000  # pairs in memory before they are added up: 64 MB
ROLE_WEIGHTS = {MentionRole.TITLE: 3.0, MentionRole.HEADING: 2.0, MentionRole.MENTION: 1.0}

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Ties(msgspec.Struct, frozen=True):
    """Names by number: `left[i] < right[i]` are tied by `weight[i]`; sorted by pair."""

    left: Ints
    right: Ints
    weight: Floats


class Places(msgspec.Struct, frozen=True):
    """Where names stand: name `name[i]` in passage `passage[i]` with `weight[i]`; once for each pair, by passage."""

    passage: Ints
    name: Ints
    weight: Floats


class Gathering:
    """Adds up passages; names are numbered by whoever calls. Bounded by pairs and places, not by text."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Ints, Ints]] = []  # left << 32 | right, evidence
        self._waiting = 0
        self._passages: list[Ints] = []
        self._names: list[Ints] = []
        self._weights: list[Floats] = []
        self._count = 0

    def add(self, share: ChunkGraph, number_of: dict[str, int]) -> None:
        """One passage. Names that `number_of` does not know are left out."""
        weights: dict[int, float] = {}
        for mention in share.mentions:
            number = number_of.get(mention.key)
            if number is not None and (number in weights or len(weights) < MAX_NAMES):
                weights[number] = max(ROLE_WEIGHTS[mention.role], weights.get(number, 0.0))
        names = np.fromiter(weights, np.int64, len(weights))
        self._passages.append(np.full(len(names), self._count, np.int64))
        self._names.append(names)
        self._weights.append(np.fromiter(weights.values(), np.float64, len(weights)))
        self._count += 1
        for apart in range(1, min(WINDOW, len(names) - 1) + 1):
            self._tie(names[:-apart], names[apart:], np.full(len(names) - apart, NEAR, np.int64))
        self._tie(*_related(share, number_of))

    def _tie(self, ones: Ints, others: Ints, evidence: Ints) -> None:
        apart = ones != others
        low, high = np.minimum(ones, others)[apart], np.maximum(ones, others)[apart]
        self._pairs.append((low << 32 | high, evidence[apart]))
        self._waiting += len(low)
        if self._waiting > COMPACT_AT:
            self._pairs = [self._compacted()]
            self._waiting = 0

    def _compacted(self) -> tuple[Ints, Ints]:
        keys = np.concatenate([keys for keys, _ in self._pairs]) if self._pairs else np.zeros(0, np.int64)
        counts = np.concatenate([counts for _, counts in self._pairs]) if self._pairs else np.zeros(0, np.int64)
        if not len(keys):
            return keys, counts
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        return keys[starts], np.add.reduceat(counts, starts)

    def places(self) -> Places:
        """Every name of every passage."""
        if not self._passages:
            return Places(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float64))
        return Places(np.concatenate(self._passages), np.concatenate(self._names), np.concatenate(self._weights))

    def ties(self, spread: Ints) -> Ties:
        """All ties; `spread` counts the passages of each name."""
        keys, evidence = self._compacted()
        left, right = keys >> 32, keys & 0xFFFFFFFF
        return Ties(left, right, evidence / np.sqrt(np.maximum(spread[left], 1) * np.maximum(spread[right], 1)))


def _related(share: ChunkGraph, number_of: dict[str, int]) -> tuple[Ints, Ints, Ints]:
    """The ends of the passage's relations, and the evidence of each."""
    found: list[tuple[int, int, int]] = []
    for relation in share.relations:
        source, target = number_of.get(relation.source_key), number_of.get(relation.target_key)
        if source is not None and target is not None:
            strength = BESIDE if relation.type == CO_OCCURS else round(RELATED * relation.confidence)
            found.append((source, target, strength))
    rows = np.array(found, np.int64).reshape(-1, 3)
    return rows[:, 0], rows[:, 1], rows[:, 2]


def renumbered(ties: Ties, places: Places, keys: Sequence[str]) -> tuple[Ties, Places, list[str]]:
    """The same with names numbered in the order of their keys, whatever order they came in."""
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    new = np.empty(len(keys), np.int64)
    new[order] = np.arange(len(keys))
    ones, others = new[ties.left], new[ties.right]
    low, high = np.minimum(ones, others), np.maximum(ones, others)
    by_pair = np.lexsort((high, low))
    tied = Ties(low[by_pair], high[by_pair], ties.weight[by_pair])
    return tied, Places(places.passage, new[places.name], places.weight), [keys[number] for number in order]
