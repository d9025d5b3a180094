"""The sum of a growing log, gone on with from where it was last: an edit costs what it changes, however long the log.

What cannot be gone on with is folded anew from an earlier checkpoint, or from the start: an undo of what counted there,
and documents that were deleted or came back.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from trivium.domain.edits import Edit
from trivium.edits.fold import Folded, Folding, fold_on

APART = 1000  # edits between the checkpoints: what undoes one of the last of them is quick


class Checkpoints:
    """Of one tenant's log, which only grows. Safe among threads."""

    def __init__(self, apart: int = APART) -> None:
        self._apart = apart
        self._lock = threading.Lock()
        self._last = self._older = Folding()

    def folded(self, edits: Sequence[Edit], gone: frozenset[str] = frozenset()) -> Folded:
        """As `fold.fold`."""
        with self._lock:
            for before in (self._last, self._older):
                if before.leads_to(edits, gone):
                    break
            else:
                before = Folding(gone)
            self._last = fold_on(before, edits[before.length :])
            if self._last.length < self._older.length or self._older.gone != gone:
                self._older = Folding(gone)
            if self._last.length - self._older.length >= self._apart:
                self._older = self._last
            return self._last.folded()
