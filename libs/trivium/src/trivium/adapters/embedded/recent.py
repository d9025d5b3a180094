"""What was read lately, kept in memory for as long as the table does not change under it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")

Stamp = tuple[bytes | int, ...]
"""What a table says of itself within one snapshot; rows that were read under an equal stamp are still true."""


class _Kept(msgspec.Struct, Generic[Key, Row], frozen=True):
    stamp: Stamp
    rows: dict[Key, Row]
    size: list[int]  # one item


class RecentRows(Generic[Key, Row]):
    """One tenant's rows by key, shared by its readers. What would not fit drops all that is kept.

    A row belongs to everybody: no caller may change it.
    """

    def __init__(self, size: Callable[[Row], int], max_size: int) -> None:
        self._size = size
        self._max_size = max_size
        self._lock = threading.Lock()
        self._kept: _Kept[Key, Row] = _Kept((), {}, [0])

    def at(
        self, stamp: Stamp, keys: Sequence[Key], read: Callable[[Sequence[Key]], Mapping[Key, Row]]
    ) -> dict[Key, Row]:
        """The row of each key that has one, in the order of `keys`; `read` gets those that are not kept."""
        known, missing = self.known(stamp, keys)
        if not missing:
            return known
        fresh = read(missing)
        self.keep(stamp, fresh)
        known.update(fresh)
        return {key: known[key] for key in keys if key in known}

    def known(self, stamp: Stamp, keys: Iterable[Key]) -> tuple[dict[Key, Row], list[Key]]:
        """The rows that are kept, in the order of `keys`, and the keys of which none is."""
        kept = self._kept
        rows = kept.rows if kept.stamp == stamp else {}
        known: dict[Key, Row] = {}
        missing: list[Key] = []
        for key in keys:
            if key in rows:
                known[key] = rows[key]
            else:
                missing.append(key)
        return known, missing

    def keep(self, stamp: Stamp, fresh: Mapping[Key, Row]) -> None:
        """For whoever asks next under this stamp; nothing where a later one is kept."""
        with self._lock:
            kept = self._kept
            if _is_earlier(stamp, kept.stamp):
                return
            more = sum(map(self._size, fresh.values()))
            if kept.stamp != stamp or kept.size[0] + more > self._max_size:
                kept = self._kept = _Kept(stamp, {}, [0])
            new = {key: row for key, row in fresh.items() if key not in kept.rows}
            kept.rows.update(new)
            kept.size[0] += sum(map(self._size, new.values()))

    def carry_over(self, before: Stamp, after: Stamp, changed: Collection[Key]) -> None:
        """Keep what was read when stamps began with `before` for those that begin with `after`, but not `changed`.

        The rows of all other keys must be the same under both.
        """
        with self._lock:
            kept = self._kept
            if kept.stamp[: len(before)] != before:
                return
            rows = dict(kept.rows)  # who reads under the stamp before goes on with what it had
            gone = [rows.pop(key) for key in changed if key in rows]
            stamp = (*after, *kept.stamp[len(before) :])
            self._kept = _Kept(stamp, rows, [kept.size[0] - sum(map(self._size, gone))])


def _is_earlier(one: Stamp, other: Stamp) -> bool:
    """Whether the table has counted on since, from `one` to `other`."""
    if len(one) != len(other) or one == other:
        return False
    pairs = zip(one, other, strict=True)
    return all(a <= b if isinstance(a, int) and isinstance(b, int) else a == b for a, b in pairs)
