"""What the in-memory indexes share: which chunk stands in which slot, and the best of a column of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.adapters.kinds import holds_any
from trivium.adapters.times import UNDATED
from trivium.domain.retrieval import EVERYWHERE, RowFilter, Scored
from trivium.domain.times import Period, TimeOf

WASTED_SHARE = 0.25  # of slots that are dead, before the index is built anew
WASTED_SLOTS = 1000

FIELDS = 4  # what a filter may name: document, dataset, kinds, run
TIMES = 2  # and when: handed over, dated
OWN = 1 + 1 + FIELDS + TIMES  # columns of every row; what an index of its own reads stands behind them
COLUMNS = f"seq, chunk_id, document_id, dataset, kinds, run, uploaded, coalesce(dated, {UNDATED})"

Mask = NDArray[np.bool_]
Codes = tuple[dict[str, int], dict[str, int], dict[str, int], dict[str, int]]


class Slots(msgspec.Struct, frozen=True):
    """An immutable view of the rows read so far, in the order of their sequence numbers.

    `fields` has a row of codes per slot, one for each of document, dataset, kinds and run; `times` has its two times.
    `ids` and `codes` only ever grow and are shared with later views: only the first `len(sequence)` count.
    """

    sequence: NDArray[np.int64] = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    fields: NDArray[np.int32] = msgspec.field(default_factory=lambda: np.zeros((0, FIELDS), np.int32))
    times: NDArray[np.int64] = msgspec.field(default_factory=lambda: np.zeros((0, TIMES), np.int64))
    alive: Mask = msgspec.field(default_factory=lambda: np.zeros(0, np.bool_))
    living: int = 0
    ids: list[str] = msgspec.field(default_factory=list)
    codes: Codes = msgspec.field(default_factory=lambda: ({}, {}, {}, {}))

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
        """With rows that start with `COLUMNS`."""
        del self.ids[len(self) :]  # what a load that failed half-way left behind
        self.ids.extend(row[1] for row in rows)
        fields = [
            [codes.setdefault(value, len(codes)) for codes, value in zip(self.codes, row[2 : 2 + FIELDS], strict=True)]
            for row in rows
        ]
        times = [row[OWN - TIMES : OWN] for row in rows]
        return Slots(
            np.concatenate([self.sequence, np.fromiter((row[0] for row in rows), np.int64, len(rows))]),
            np.concatenate([self.fields, np.array(fields, np.int32).reshape(-1, FIELDS)]),
            np.concatenate([self.times, np.array(times, np.int64).reshape(-1, TIMES)]),
            np.concatenate([self.alive, np.ones(len(rows), np.bool_)]),
            self.living + len(rows),
            self.ids,
            self.codes,
        )

    def reduced(self, living: NDArray[np.int64]) -> Slots:
        """With only those slots alive whose sequence number is in `living`."""
        alive = np.isin(self.sequence, living)
        return msgspec.structs.replace(self, alive=alive, living=int(alive.sum()))

    def allowed(self, where: RowFilter) -> Mask | None:
        """The slots a search may answer with; None means all."""
        if where == EVERYWHERE:
            return None if self.living == len(self) else self.alive
        mask = self.alive
        for column, wanted in enumerate(self._wanted(where)):
            if wanted is not None:
                mask = mask & np.isin(self.fields[:, column], np.array(wanted, np.int32))
        return mask & self._within(where.period) if where.period else mask

    def _within(self, period: Period) -> Mask:
        times = self.times[:, 0 if period.of is TimeOf.UPLOADED else 1]
        within: Mask = times > UNDATED if period.start is None else times >= period.start
        return within if period.end is None else within & (times < period.end)

    def _wanted(self, where: RowFilter) -> tuple[list[int] | None, ...]:
        """The codes that pass in each field; None where any does."""
        documents, datasets, kinds, runs = self.codes
        return (
            None if where.document_ids is None else _known(documents, where.document_ids),
            _known(datasets, [where.dataset]) if where.dataset else None,
            [code for stored, code in list(kinds.items()) if holds_any(stored, where.kinds)] if where.kinds else None,
            _known(runs, [where.run]) if where.run else None,
        )

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


def _known(codes: Mapping[str, int], values: Iterable[str]) -> list[int]:
    return [codes[value] for value in values if value in codes]
