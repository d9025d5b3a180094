"""Patience with a process that has just started: its models are compiled, its indexes loaded, and nobody is late."""

from __future__ import annotations

import time

from trivium_query.retrieve.budgeted_reads import GRAPH, KEYWORD, VECTOR, Budgets

LONGEST_S = 120.0  # what takes longer is no preparation


class Warmth:
    """Whether the process is still preparing itself. Shared by all its threads."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        """Until `end`, and at most for `LONGEST_S`."""
        self._until = time.monotonic() + LONGEST_S

    def end(self) -> None:
        """From now on a source that is late is late."""
        self._until = 0.0

    @property
    def preparing(self) -> bool:
        """Whether the process has begun and not ended, within its time."""
        return time.monotonic() < self._until

    def budgets(self, usual: Budgets) -> Budgets:
        """What the sources may take of a search that begins now."""
        return usual.patient(VECTOR, KEYWORD, GRAPH) if self.preparing else usual
