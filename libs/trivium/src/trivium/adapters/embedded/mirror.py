"""Keeps an in-memory index in step with the SQLite rows it mirrors.

The rows are the truth. Writers only count what they add and remove; a reader compares the counters in its
own snapshot with those of the index, and fetches the difference. So an index needs no saving, survives any
crash, follows the writes of other processes, and never shows half a transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.adapters.embedded.slots import Slots

STATE_TABLE = """
    CREATE TABLE state (epoch BLOB NOT NULL, added INTEGER NOT NULL, removed INTEGER NOT NULL);
    INSERT INTO state VALUES (randomblob(16), 0, 0);
"""
ROWS_PER_FETCH = 8192
_NOT_ALL = -1  # rows added: an index that covers no state


class MirroredIndex(Protocol):
    """An immutable index over rows that start with `slots.COLUMNS`."""

    @property
    def slots(self) -> Slots: ...  # noqa: D102
    def extended(self, rows: Sequence[tuple[Any, ...]]) -> Self: ...  # noqa: D102
    def reduced(self, living: NDArray[np.int64]) -> Self: ...  # noqa: D102


Index = TypeVar("Index", bound=MirroredIndex)


class _Seen(msgspec.Struct, Generic[Index], frozen=True):
    """An index and the state it reflects. A new file has a new epoch."""

    index: Index
    epoch: bytes = b""
    added: int = 0
    removed: int = 0

    def covers(self, epoch: bytes, added: int, removed: int) -> bool:
        return epoch == self.epoch and added <= self.added and removed <= self.removed


class Mirror(Generic[Index]):
    """The newest index of one table, built at first use."""

    def __init__(self, empty: Callable[[], Index], rows: str, living: str) -> None:
        """`rows` selects what stands after a sequence number, in its order; `living` every sequence number."""
        self._empty = empty
        self._rows = rows
        self._living = living
        self._lock = threading.Lock()
        self._seen = _Seen(empty())

    def at(self, connection: sqlite3.Connection) -> Index:
        """An index at least as new as the connection's snapshot."""
        state = stamp_of(connection)
        seen = self._seen
        if seen.covers(*state):
            return seen.index
        with self._lock:
            if not self._seen.covers(*state):
                self._seen = self._caught_up(connection, *state)
            return self._seen.index

    def _caught_up(self, connection: sqlite3.Connection, epoch: bytes, added: int, removed: int) -> _Seen[Index]:
        index = self._seen.index if epoch == self._seen.epoch else self._empty()
        if removed > self._seen.removed and index.slots.last:
            found = connection.execute(self._living)
            index = index.reduced(np.fromiter((row[0] for row in found), np.int64))
            if index.slots.wasted:
                index = self._empty()
        try:
            cursor = connection.execute(self._rows, (index.slots.last,))
            while rows := cursor.fetchmany(ROWS_PER_FETCH):
                index = index.extended(rows)
        except BaseException:  # whoever asks next goes on from here: a load may take longer than one search has
            self._seen = _Seen(index, epoch, _NOT_ALL, removed)
            raise
        return _Seen(index, epoch, added, removed)


def stamp_of(connection: sqlite3.Connection) -> tuple[bytes, int, int]:
    """Epoch, rows added, rows removed: what was read under an equal one is still true."""
    stamp: tuple[bytes, int, int] = connection.execute("SELECT epoch, added, removed FROM state").fetchone()
    return stamp


def count_changes(connection: sqlite3.Connection, added: int, removed: int) -> None:
    """Tell every mirror, within the transaction that makes the change."""
    connection.execute("UPDATE state SET added = added + ?, removed = removed + ?", (added, removed))
