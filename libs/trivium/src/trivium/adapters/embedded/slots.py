"""What the in-memory indexes share: which chunk stands in which slot, and the best of a column of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.retrieval import Scored

WASTED_SHARE = 0.25  # of slots that are dead, before the index is built anew
WASTED_SLOTS = 1000

Mask = NDArray[np.bool_]


class Slots(msgspec.Struct, frozen=True):
    """An immutable view of the rows read so far, in the order of their sequence numbers.

    `ids` and `codes` only ever grow and are shared with later views: only the first `len(sequence)` count.
    """

    sequence: NDArray[np.int64] = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    documents: NDArray[np.int32] = msgspec.field(default_factory=lambda: np.zeros(0, np.int32))
    alive: Mask = msgspec.field(default_factory=lambda: np.zeros(0, np.bool_))
    living: int = 0
    ids: list[str] = msgspec.field(default_factory=list)
    codes: dict[str, int] = msgspec.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sequence)

    @property
    def last(self) -> int:
        """The highest sequence number seen."""
        return int(self.sequence[-1]) if len(self) else 0

    @property
    def wasted(self) -> bool:
        """Whether so many slots are dead that a new index is cheaper than carrying them."""
        dead = len(self) - self.living
        return dead > 0 and (self.living == 0 or dead > max(WASTED_SLOTS, WASTED_SHARE * len(self)))

    def extended(self, rows: Sequence[tuple[Any, ...]]) -> Slots:
        """With rows that start with (sequence number, chunk id, document id)."""
        del self.ids[len(self) :]  # what a load that failed half-way left behind
        self.ids.extend(row[1] for row in rows)
        codes = [self.codes.setdefault(row[2], len(self.codes)) for row in rows]
        return Slots(
            np.concatenate([self.sequence, np.fromiter((row[0] for row in rows), np.int64, len(rows))]),
            np.concatenate([self.documents, np.array(codes, np.int32)]),
            np.concatenate([self.alive, np.ones(len(rows), np.bool_)]),
            self.living + len(rows),
            self.ids,
            self.codes,
        )

    def reduced(self, living: NDArray[np.int64]) -> Slots:
        """With only those slots alive whose sequence number is in `living`."""
        alive = np.isin(self.sequence, living)
        return msgspec.structs.replace(self, alive=alive, living=int(alive.sum()))

    def allowed(self, document_ids: Sequence[str] | None) -> Mask | None:
        """The slots a search may answer with; None means all."""
        if document_ids is None:
            return None if self.living == len(self) else self.alive
        codes = [self.codes[document] for document in document_ids if document in self.codes]
        return self.alive & np.isin(self.documents, np.array(codes, np.int32))

    def best(self, slots: NDArray[np.intp], scores: NDArray[Any], limit: int) -> list[Scored]:
        """The `limit` best of `slots`, whose scores stand beside them; ties by chunk id."""
        if limit <= 0 or not len(slots):
            return []
        if limit < len(slots):
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            kept = np.flatnonzero(scores >= least)  # every tie with the last one too: the id decides
            slots, scores = slots[kept], scores[kept]
        ranked = sorted((-score, self.ids[slot]) for slot, score in zip(slots.tolist(), scores.tolist(), strict=True))
        return [Scored(chunk_id, -score) for score, chunk_id in ranked[:limit]]
