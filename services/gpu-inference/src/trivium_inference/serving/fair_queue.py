"""What goes into the next batch: policy only, no threads and no clock of its own.

Start-time fair queueing (Goyal, Vin, Cheng 1996): each caller's items carry the virtual time at which they would begin
if every caller had an equal share; the earliest goes first. A caller with ten thousand items delays one with ten by no
more than another one with ten would.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Ticket(Generic[T]):
    """One item's place in the queue. `cost` in tokens; `arrived_s` by the caller's clock."""

    __slots__ = ("arrived_s", "caller", "cost", "entry", "number", "start")

    def __init__(self, caller: str, entry: T, cost: int, arrived_s: float, start: int, number: int) -> None:
        self.caller = caller
        self.entry: T | None = entry
        self.cost = cost
        self.arrived_s = arrived_s
        self.start = start
        self.number = number

    def __lt__(self, other: Ticket[T]) -> bool:
        return (self.start, self.number) < (other.start, other.number)


class FairQueue(Generic[T]):
    """Items of many callers, each with a cost. Not safe for threads: its owner locks."""

    def __init__(self) -> None:
        self._heap: list[Ticket[T]] = []
        self._ends: dict[str, int] = {}  # caller -> virtual time at which its last item ends
        self._now = 0  # virtual time: the start of the item taken last
        self._number = 0
        self._gone = 0  # tickets in the heap whose item was withdrawn
        self._since: float | None = None
        self.cost = 0

    def __len__(self) -> int:
        return len(self._heap) - self._gone

    def push(self, caller: str, entry: T, cost: int, now_s: float) -> Ticket[T]:
        """Join the queue."""
        start = max(self._now, self._ends.get(caller, 0))
        self._ends[caller] = start + cost
        self._number += 1
        ticket = Ticket(caller, entry, cost, now_s, start, self._number)
        heapq.heappush(self._heap, ticket)
        self.cost += cost
        if self._since is None:
            self._since = now_s
        return ticket

    def withdraw(self, tickets: Iterable[Ticket[T]]) -> None:
        """Leave the queue; those that were taken or withdrawn before are left as they are.

        A caller's last items are taken off its account; behind others, which keep their places, they stay on it.
        """
        for ticket in sorted(tickets, reverse=True):
            if ticket.entry is not None:
                ticket.entry = None
                self.cost -= ticket.cost
                self._gone += 1
                if self._ends[ticket.caller] == ticket.start + ticket.cost:
                    self._ends[ticket.caller] = ticket.start
        if self._gone > len(self._heap) // 2:
            self._heap = [ticket for ticket in self._heap if ticket.entry is not None]
            heapq.heapify(self._heap)
            self._gone = 0
        self._rest_if_empty()

    def take(self, budget: int) -> list[tuple[Ticket[T], T]]:
        """The next items, together within `budget`, but one at least unless the queue is empty."""
        taken: list[tuple[Ticket[T], T]] = []
        while self._heap:
            ticket = self._heap[0]
            entry = ticket.entry
            if entry is None:
                self._gone -= 1
            elif taken and ticket.cost > budget:
                break
            else:
                self._now = ticket.start
                self.cost -= ticket.cost
                budget -= ticket.cost
                ticket.entry = None
                taken.append((ticket, entry))
            heapq.heappop(self._heap)
        self._rest_if_empty()
        return taken

    def due_in(self, now_s: float, enough: int, max_wait_s: float) -> float | None:
        """Seconds until a batch should start: 0 with `enough` in the queue or after the wait; None when empty."""
        if self._since is None:
            return None
        return 0.0 if self.cost >= enough else max(0.0, self._since + max_wait_s - now_s)

    def _rest_if_empty(self) -> None:
        if not len(self):
            self._heap.clear()
            self._ends.clear()
            self._gone = self._now = 0
            self._since = None
