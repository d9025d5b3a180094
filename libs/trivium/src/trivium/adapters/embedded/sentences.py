"""The sentence vectors that were read lately: a search reads those of some hundred chunks, from SQLite in 5 ms."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

import msgspec
import numpy as np

from trivium.adapters.embedded.sqlite import json_list
from trivium.adapters.narrow import Narrow

MAX_BYTES = 192 * 1024 * 1024  # about 250,000 sentences of 384 values


class _Kept(msgspec.Struct, frozen=True):
    """Rows by chunk id, as they are while `stamp` is the table's: nothing was replaced or removed since."""

    stamp: tuple[bytes, int]
    rows: dict[str, Narrow]
    size: list[int]  # bytes, one item


class SentenceCache:
    """One tenant's, shared by its readers. Rows that are only added leave it as it is."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept = _Kept((b"", 0), {}, [0])

    def at(self, connection: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, Narrow]:
        """(n_sentences, d) by chunk, as the connection's snapshot has them."""
        stamp = connection.execute("SELECT epoch, removed FROM state").fetchone()
        kept = self._kept
        known = kept.rows if kept.stamp == stamp else {}
        found = {key: row for key in chunk_ids if (row := known.get(key)) is not None}
        missing = [key for key in chunk_ids if key not in found]
        if missing:
            read = _read(connection, missing)
            found |= read
            self._keep(stamp, read)
        return found

    def _keep(self, stamp: tuple[bytes, int], read: dict[str, Narrow]) -> None:
        with self._lock:
            kept = self._kept
            more = sum(row.nbytes for row in read.values())
            if kept.stamp != stamp or kept.size[0] + more > self._max_bytes:
                kept = self._kept = _Kept(stamp, {}, [0])
            new = {key: row for key, row in read.items() if key not in kept.rows}
            kept.rows.update(new)
            kept.size[0] += sum(row.nbytes for row in new.values())


def _read(connection: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, Narrow]:
    rows = connection.execute(
        "SELECT chunk_id, vectors, length(vector) / 4 FROM passages JOIN sentences USING (seq)"
        " WHERE chunk_id IN (SELECT value FROM json_each(?))",
        (json_list(chunk_ids),),
    )
    return {key: np.frombuffer(vectors, np.int16).reshape(-1, dimension) for key, vectors, dimension in rows}
