"""Looks at connections when they are due: threads that take what the schedule has, for as long as the process serves.

Several processes share one schedule. It may forget (a Redis that was emptied, a process that died with a connection in
hand): the connections themselves are listed now and then, and what is not planned is planned again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec
import structlog

from trivium.connections.stored_connections import StoredConnections
from trivium.domain.connections import Connected, ConnectorKind
from trivium.domain.errors import TriviumError
from trivium.domain.scope import Tenant
from trivium.ports.schedule import Schedule, Slot
from trivium.telemetry import CONNECTION_FAILING
from trivium_query.connect.look import Desk, look
from trivium_query.connect.place import Stopped

AT_ONCE = 2
"""Connections that one process looks at at the same time."""
ASK_S = 0.5
LIST_S = 300.0
"""How long what the schedule forgot goes unnoticed."""
LEASE_S = 45.0
"""How long a connection that a dead process had in hand is nobody else's."""
AGAIN_S = 60.0
"""After a look that a store of ours broke off."""
STOP_S = 3.0

log = structlog.get_logger()


class Plans(msgspec.Struct, frozen=True):
    """The schedule of connections. `ahead`: what is due by itself is looked at; without, only what is asked for."""

    stored: StoredConnections
    schedule: Schedule
    ahead: bool = True

    def added(self, tenant: Tenant, found: Connected) -> None:
        """Plan a connection that is new."""
        if self.ahead and found.next_at is not None:
            self.schedule.plan(Slot(tenant, found.connection.id), found.next_at)

    def asked(self, tenant: Tenant, connection_id: str) -> None:
        """Look at it now; at one that is being looked at, once more afterwards."""
        self.schedule.plan(Slot(tenant, connection_id), 0.0)

    def planned_again(self) -> None:
        """Plan what is there and is not planned, and tell Prometheus what has failed for how long."""
        if not self.ahead:
            return
        now, failing = time.time(), dict.fromkeys(ConnectorKind, 0.0)
        for slot, found in self.stored.everyones():
            if found.next_at is not None:
                self.schedule.plan_if_absent(slot, found.next_at)
            if found.connection.every_s and (since := found.state.failing_since):
                kind = found.connection.kind
                failing[kind] = max(failing[kind], now - since)
        for kind, seconds in failing.items():
            CONNECTION_FAILING.labels(kind).set(seconds)


class Connecting(msgspec.Struct, frozen=True):
    """What there is to look at, and by what means; how often the schedule is asked."""

    plans: Plans
    desk: Desk
    ask_s: float = ASK_S

    def only_when_asked(self) -> Connecting:
        """The same, where nothing is looked at by itself."""
        return msgspec.structs.replace(self, plans=msgspec.structs.replace(self.plans, ahead=False))


@contextmanager
def driving(connecting: Connecting) -> Iterator[None]:
    """Do it while the block runs."""
    driver = _Driver(connecting)
    threads = [threading.Thread(target=driver.work, name=f"connect-{n}", daemon=True) for n in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        driver.ending.set()
        for thread in threads:
            thread.join(STOP_S)  # a request in hand may take longer; what comes of it is lost, and asked for again


class _Driver:
    def __init__(self, connecting: Connecting) -> None:
        self.ending = threading.Event()
        self._plans, self._desk, self._ask_s = connecting.plans, connecting.desk, connecting.ask_s
        self._listing = threading.Lock()
        self._list_at = 0.0
        self._away = False

    def work(self) -> None:
        while not self.ending.wait(self._ask_s):
            try:
                self._list()
                while not self.ending.is_set() and (slot := self._plans.schedule.take(time.time(), LEASE_S)):
                    self._look_at(slot)
                self._away = False
            except TriviumError as error:  # a store is away: told once, tried again
                told = log.debug if self._away else log.warning
                self._away = True
                told("connections_wait", code=error.code, reason=error.message)
            except Exception:  # a fault of ours
                log.exception("connections_failed")

    def _list(self) -> None:
        if time.monotonic() >= self._list_at and self._listing.acquire(blocking=False):
            try:
                self._plans.planned_again()
                self._list_at = time.monotonic() + LIST_S
            finally:
                self._listing.release()

    def _look_at(self, slot: Slot) -> None:
        schedule = self._plans.schedule
        next_at: float | None = time.time() + AGAIN_S
        try:
            with self._held(slot):
                found = look(self._desk, slot.tenant, slot.name, self._pause)
                next_at = found.next_at if found is not None and self._plans.ahead else None
        except Stopped:
            next_at = 0.0  # whoever else there is goes on with it
        finally:
            schedule.done(slot, time.time(), next_at)

    def _pause(self, seconds: float) -> None:
        if self.ending.wait(seconds) if seconds else self.ending.is_set():
            raise Stopped

    @contextmanager
    def _held(self, slot: Slot) -> Iterator[None]:
        """Keep it in hand while the block runs, however long one request takes."""
        ended = threading.Event()

        def renew() -> None:
            while not ended.wait(LEASE_S / 3):
                with suppress(TriviumError):  # once more before the lease is over
                    self._plans.schedule.hold(slot, LEASE_S)

        renewing = threading.Thread(target=renew, name="connect-lease", daemon=True)
        renewing.start()
        try:
            yield
        finally:
            ended.set()
            renewing.join()
