"""Sentence vectors that were read lately: a search reads those of 200 passages, most of which the last ones read too.

A passage's sentences change under the same id only when it is made anew by another model or chunker. What this process
writes is forgotten at once; what another wrote is seen after `KEPT_S`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from cachetools import TTLCache
from numpy.typing import NDArray

KEPT_S = 300.0
MAX_BYTES = 96 * 1024 * 1024  # about 125,000 sentences of 384 values

Int16Vectors = NDArray[np.int16]  # (n_sentences, d), see trivium.adapters.narrow


class RecentSentences:
    """By primary key, least recently used first. Shared by every reader and writer of a process."""

    def __init__(self, max_bytes: int = MAX_BYTES, now: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._kept: TTLCache[str, Int16Vectors] = TTLCache(
            max_bytes, KEPT_S, timer=now, getsizeof=lambda one: one.nbytes
        )

    def known(self, keys: Iterable[str]) -> dict[str, Int16Vectors]:
        """Those that are kept and not too old."""
        with self._lock:
            found = {key: self._kept.get(key) for key in keys}
        return {key: rows for key, rows in found.items() if rows is not None}

    def keep(self, rows: Mapping[str, Int16Vectors]) -> None:
        """Keep what was just read."""
        with self._lock:
            for key, matrix in rows.items():
                self._kept.pop(key, None)
                if matrix.nbytes <= self._kept.maxsize:
                    self._kept[key] = matrix

    def forget(self, keys: Iterable[str] | None = None) -> None:
        """What is written from here is read again; None forgets everything."""
        with self._lock:
            for key in list(self._kept) if keys is None else keys:
                self._kept.pop(key, None)
