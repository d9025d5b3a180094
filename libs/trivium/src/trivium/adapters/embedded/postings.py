"""BM25 over postings in memory, exact at every moment.

Robertson and Zaragoza 2009, with the inverse document frequency of Lucene and Elasticsearch, which stays
positive for words in more than half of the chunks. Counts are of living chunks only, so a deleted document
leaves no trace in anybody's score.

FTS5's own `bm25()` needs 20-70 ms for a question in whole sentences over 20,000 chunks, because it visits every
chunk that holds any word of it; adding columns of numbers for the same words takes about one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.adapters.embedded.slots import OWN, Slots
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.ports.keywords import BM25_B, BM25_K1

MAX_QUERY_WORDS = 256  # the rarest of a longer question: they decide its ranking
KEY_BYTES = 8
MAX_COUNT = 255  # BM25 saturates far below

Keys = NDArray[np.uint64]


def encode_counts(counts: dict[int, int]) -> bytes:
    """A chunk's words as stored: all keys, then all counts."""
    keys = np.fromiter(counts.keys(), np.uint64, len(counts))
    times = np.minimum(np.fromiter(counts.values(), np.int64, len(counts)), MAX_COUNT).astype(np.uint8)
    return keys.tobytes() + times.tobytes()


class _Segment(msgspec.Struct, frozen=True):
    """Postings by word: those of `keys[i]` stand in [starts[i], starts[i + 1]) of `slots` and `times`."""

    keys: Keys
    starts: NDArray[np.int64]
    slots: NDArray[np.int32]
    times: NDArray[np.uint8]

    def places(self, keys: Keys) -> list[tuple[int, int]]:
        """The range of each key; empty for one that is absent."""
        if not len(self.keys):
            return [(0, 0)] * len(keys)
        at = np.searchsorted(self.keys, keys)
        near = np.minimum(at, len(self.keys) - 1)
        found = self.keys[near] == keys
        starts = np.where(found, self.starts[near], 0).tolist()
        ends = np.where(found, self.starts[near + 1], 0).tolist()
        return list(zip(starts, ends, strict=True))


class PostingsIndex(msgspec.Struct, frozen=True):
    """Postings in a few segments, the older the larger, merged as they grow."""

    slots: Slots = msgspec.field(default_factory=Slots)
    lengths: NDArray[np.float32] = msgspec.field(default_factory=lambda: np.zeros(0, np.float32))
    norms: NDArray[np.float32] = msgspec.field(default_factory=lambda: np.zeros(0, np.float32))
    segments: tuple[_Segment, ...] = ()

    def extended(self, rows: Sequence[tuple[Any, ...]]) -> Self:
        """With rows of `slots.COLUMNS`, length in words, and counts."""
        lengths = np.concatenate([self.lengths, np.fromiter((row[OWN] for row in rows), np.float32, len(rows))])
        slots = self.slots.extended(rows)
        segments = [*self.segments, _segment([row[OWN + 1] for row in rows], first=len(self.slots))]
        while len(segments) > 1 and len(segments[-2].slots) < 2 * len(segments[-1].slots):
            segments[-2:] = [_merged(segments[-2], segments[-1])]
        return type(self)(slots, lengths, _norms(lengths, slots), tuple(segments))

    def reduced(self, living: NDArray[np.int64]) -> Self:
        """With only the living rows."""
        slots = self.slots.reduced(living)
        return type(self)(slots, self.lengths, _norms(self.lengths, slots), self.segments)

    def search(self, keys: Keys, limit: int, where: RowFilter = EVERYWHERE) -> list[Scored]:
        """The best chunks for distinct words, best first."""
        allowed = self.slots.allowed(where)
        scores = self._scores(np.sort(keys))
        found = np.flatnonzero(scores if allowed is None else np.where(allowed, scores, 0.0))
        return self.slots.best(found, scores[found], limit)

    def rarities(self, keys: Keys) -> list[float]:
        """The inverse document frequency of each word; 0 for one that no chunk holds."""
        places = zip(*(segment.places(keys) for segment in self.segments), strict=True)
        counts = (
            sum(self._living(segment.slots[start:end]) for segment, (start, end) in zip(self.segments, at, strict=True))
            for at in places
        )
        return [self._rarity(count) if count else 0.0 for count in counts] or [0.0] * len(keys)

    def _scores(self, keys: Keys) -> NDArray[np.float64]:
        scores = np.zeros(len(self.slots))
        places = [segment.places(keys) for segment in self.segments]
        upper = [sum(end - start for start, end in ranges) for ranges in zip(*places, strict=True)]
        rarest = sorted((count, number) for number, count in enumerate(upper) if count)[:MAX_QUERY_WORDS]
        for number in sorted(number for _, number in rarest):  # always in one order: sums of floats depend on it
            parts = [
                (segment.slots[start:end], segment.times[start:end])
                for segment, (start, end) in ((s, p[number]) for s, p in zip(self.segments, places, strict=True))
                if start < end
            ]
            self._add(scores, parts)
        return scores

    def _add(self, scores: NDArray[np.float64], parts: list[tuple[NDArray[np.int32], NDArray[np.uint8]]]) -> None:
        """One word's share of the scores."""
        weight = self._rarity(sum(self._living(slots) for slots, _ in parts)) * (BM25_K1 + 1)
        for slots, times in parts:
            scores[slots] += weight * times / (times + self.norms[slots])

    def _living(self, slots: NDArray[np.int32]) -> int:
        return len(slots) if self.slots.living == len(self.slots) else int(self.slots.alive[slots].sum())

    def _rarity(self, chunks: int) -> float:
        """Of a word that so many chunks hold."""
        return float(np.log1p((self.slots.living - chunks + 0.5) / (chunks + 0.5)))


def _norms(lengths: NDArray[np.float32], slots: Slots) -> NDArray[np.float32]:
    """What a count is weighed against in each chunk: k1 for one of average length."""
    total = float(lengths.sum(where=slots.alive, dtype=np.float64))
    average = total / slots.living if total else 1.0
    return (BM25_K1 * (1 - BM25_B + BM25_B * lengths / average)).astype(np.float32)


def _segment(stored: list[bytes], first: int) -> _Segment:
    """The postings of chunks that stand in the slots from `first` on."""
    words = [len(counts) // (KEY_BYTES + 1) for counts in stored]
    keys = np.frombuffer(b"".join(counts[: KEY_BYTES * n] for counts, n in zip(stored, words, strict=True)), np.uint64)
    times = np.frombuffer(b"".join(counts[KEY_BYTES * n :] for counts, n in zip(stored, words, strict=True)), np.uint8)
    slots = np.repeat(np.arange(first, first + len(stored), dtype=np.int32), words)
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    return _Segment(keys[starts], np.append(starts, len(keys)), slots[order], times[order])


def _merged(older: _Segment, newer: _Segment) -> _Segment:
    """Both segments' postings, word by word, without sorting them again."""
    keys = np.union1d(older.keys, newer.keys)
    counts = np.zeros((2, len(keys)), np.int64)
    for row, part in enumerate((older, newer)):
        counts[row, np.searchsorted(keys, part.keys)] = np.diff(part.starts)
    ends = np.cumsum(counts.sum(axis=0))
    starts = np.concatenate([[0], ends])
    slots = np.empty(starts[-1], np.int32)
    times = np.empty(starts[-1], np.uint8)
    for row, part in enumerate((older, newer)):
        at = np.searchsorted(keys, part.keys)
        offsets = starts[at] + (counts[0, at] if row else 0) - part.starts[:-1]
        target = np.arange(len(part.slots), dtype=np.int32)
        target += np.repeat(offsets.astype(np.int32), np.diff(part.starts))
        slots[target] = part.slots
        times[target] = part.times
    return _Segment(keys, starts, slots, times)
