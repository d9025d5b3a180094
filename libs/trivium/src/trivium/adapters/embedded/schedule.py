"""The schedule in memory, for a deployment of one process."""

from __future__ import annotations

import math
import threading
import time

from trivium.ports.schedule import Slot


class MemorySchedule:
    """See `trivium.ports.schedule`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: dict[Slot, float] = {}
        self._held: dict[Slot, float] = {}

    def plan(self, slot: Slot, at: float) -> None:
        """See the port."""
        with self._lock:
            self._due[slot] = at

    def plan_if_absent(self, slot: Slot, at: float) -> None:
        """See the port."""
        with self._lock:
            self._due.setdefault(slot, at)

    def forget(self, slot: Slot) -> None:
        """See the port."""
        with self._lock:
            self._due.pop(slot, None)

    def take(self, now: float, lease_s: float) -> Slot | None:
        """See the port."""
        with self._lock:
            clock = time.monotonic()
            free = [(at, slot) for slot, at in self._due.items() if at <= now and self._held.get(slot, clock) <= clock]
            if not free:
                return None
            slot = min(free, key=lambda one: one[0])[1]
            self._due[slot] = now + lease_s
            self._held[slot] = clock + lease_s
            return slot

    def hold(self, slot: Slot, lease_s: float) -> None:
        """See the port."""
        with self._lock:
            now = time.time()
            self._held[slot] = time.monotonic() + lease_s
            if self._due.get(slot, now) > now:  # else it was asked for meanwhile
                self._due[slot] = now + lease_s

    def done(self, slot: Slot, now: float, next_at: float | None) -> None:
        """See the port."""
        with self._lock:
            self._held.pop(slot, None)
            if self._due.get(slot, math.inf) <= now:
                return
            if next_at is None:
                self._due.pop(slot, None)
            else:
                self._due[slot] = next_at
