"""Token buckets that everybody who works for a deployment shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class Charge(msgspec.Struct, frozen=True):
    """`cost` from the bucket of that name, which holds `capacity` and gains `per_s` a second."""

    bucket: str
    per_s: float
    capacity: float
    cost: float


class Buckets(Protocol):
    """Buckets by name.

    Missing: a bucket that nobody has taken from is full. Duplicate: one name is one bucket, whoever asks.
    Empty: no charge is always taken. Order: charges of one call count together. Half-done: all are taken, or none.
    A cost above a bucket's capacity needs a full bucket, and takes no more than that.
    """

    async def take(self, charges: Sequence[Charge], *, owe: bool = False) -> float:
        """Take all and answer 0, or take nothing and answer the seconds to wait.

        With `owe` all is taken whatever the buckets hold: what is known only afterwards. Raises `TryLater`.
        """
        ...
