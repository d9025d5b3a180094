"""The schedule: what is due next, and who has it in hand."""

from __future__ import annotations

from typing import Protocol

import msgspec

from trivium.domain.scope import Tenant


class Slot(msgspec.Struct, frozen=True):
    """Something that is done now and then for a tenant."""

    tenant: Tenant
    name: str


class Schedule(Protocol):
    """Slots with the time at which each is due, in Unix seconds. It may forget: whoever plans tells it again.

    Missing: `forget`, and `done` with an unknown slot without a next time, do nothing.
    Duplicate: `plan` replaces the time; `plan_if_absent` keeps one that is planned.
    Empty: `take` is None when nothing is due.
    Order: what is due longest is taken first.
    Half-done: who took a slot and died has it until its lease is over; then it is due again.
    Every call raises `TryLater` when what carries the schedule is away.
    """

    def plan(self, slot: Slot, at: float) -> None: ...
    def plan_if_absent(self, slot: Slot, at: float) -> None: ...
    def forget(self, slot: Slot) -> None: ...
    def take(self, now: float, lease_s: float) -> Slot | None:
        """A slot that is due and in nobody's hand; in the caller's hand from now on, and planned for after `lease_s`.

        One that is due and in somebody's hand stays planned.
        """
        ...

    def hold(self, slot: Slot, lease_s: float) -> None:
        """Go on having it in hand, for `lease_s` from now."""
        ...

    def done(self, slot: Slot, now: float, next_at: float | None) -> None:
        """Put it down, and plan it for `next_at`; None: not at all. What was planned meanwhile and is due stays so."""
        ...
