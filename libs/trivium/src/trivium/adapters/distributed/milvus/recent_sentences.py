"""Sentence vectors that were read lately: a search reads those of 200 passages, most of which the last ones read too.

A passage's sentences change under the same id only when it is made anew by another model or chunker. What this process
writes is forgotten at once; what another wrote is seen after `KEPT_S`.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

KEPT_S = 300.0
MAX_BYTES = 96 * 1024 * 1024  # about 125,000 sentences of 384 values

Narrow = NDArray[np.int16]  # (n_sentences, d), see trivium.adapters.narrow


class RecentSentences:
    """By primary key, least recently used first. Shared by every reader and writer of a process."""

    def __init__(self, max_bytes: int = MAX_BYTES, now: Callable[[], float] = time.monotonic) -> None:
        self._max_bytes = max_bytes
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Narrow]] = OrderedDict()
        self._bytes = 0

    def known(self, keys: Iterable[str]) -> dict[str, Narrow]:
        """Those that are kept and not too old."""
        oldest = self._now() - KEPT_S
        found = {}
        with self._lock:
            for key in keys:
                kept = self._kept.get(key)
                if kept is not None and kept[0] >= oldest:
                    self._kept.move_to_end(key)
                    found[key] = kept[1]
        return found

    def keep(self, rows: Mapping[str, Narrow]) -> None:
        """Keep what was just read."""
        now = self._now()
        with self._lock:
            for key, matrix in rows.items():
                self._drop(key)
                self._kept[key] = (now, matrix)
                self._bytes += matrix.nbytes
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._kept)))

    def forget(self, keys: Iterable[str] | None = None) -> None:
        """What is written from here is read again; None forgets everything."""
        with self._lock:
            for key in list(self._kept) if keys is None else keys:
                self._drop(key)

    def _drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._bytes -= kept[1].nbytes
