"""Which names are one thing, decided behind ingest: in a thread of its own, some names and one transaction at a time.

What is to be decided stands in the graph itself, written with what made it so. A process that dies leaves it to the
next one, and several at once take turns. Deciding is Python for the most part, which holds the interpreter: while
somebody is being answered it is done in small pieces, seldom.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from trivium.domain.errors import TriviumError
from trivium.domain.scope import Tenant
from trivium.flow.asking import Asking
from trivium.ports.graph import NAMES_AT_ONCE, Graphs

LOOK_S = 5.0  # how long a change goes unnoticed: a name that many documents bring is then looked at once
SHARE = 1 / 3  # of the time at most that is worked, so that ingest is hardly slower
SHARE_BESIDE = 1 / 12  # while questions come
NAMES_BESIDE = 25  # at once then: some 8 ms, a quarter dearer in all than 200 at once
PATIENCE_S = 0.2  # that is waited then for a moment in which none is being answered
FINISH_S = 3.0  # that a command waits for at its end; the rest is left to the next process

log = structlog.get_logger()


class Resolving:
    """All tenants' names."""

    def __init__(self, graphs: Graphs, asking: Asking | None = None) -> None:
        """`asking`: the questions that the same process answers; none where others do."""
        self._graphs = graphs
        self._asking = asking or Asking()
        self._waiting: set[str] = set()  # whose names could not be resolved at the last try
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="resolve", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the transaction in hand."""
        self._stop.set()
        self._thread.join()

    def _loop(self) -> None:
        while not self._stop.wait(LOOK_S):
            with self._told("all"):
                for tenant in sorted(self._graphs.unresolved(), key=str):
                    with self._told(tenant.name):  # one tenant's fault is not another's
                        self._settle(tenant)

    def _settle(self, tenant: Tenant) -> None:
        writer = self._graphs.writer(tenant)
        while not self._stop.is_set():
            beside = self._asking.lately()
            if beside:
                self._asking.wait_for_none(PATIENCE_S)
            began = time.monotonic()
            if not writer.resolve(NAMES_BESIDE if beside else NAMES_AT_ONCE):
                return
            self._stop.wait((time.monotonic() - began) * (1 / (SHARE_BESIDE if beside else SHARE) - 1))

    @contextmanager
    def _told(self, whose: str) -> Iterator[None]:
        """What fails leaves its names unresolved, to be tried again; a server that stays away is told once."""
        try:
            yield
            self._waiting.discard(whose)
        except TriviumError as error:
            told = log.debug if whose in self._waiting else log.warning
            self._waiting.add(whose)
            told("resolution_waits", code=error.code, reason=error.message, action=error.action)
        except Exception:  # a fault of ours
            log.exception("resolution_failed")


def resolve_all(graphs: Graphs, tenant: Tenant | None = None, within_s: float = math.inf) -> bool:
    """Decide about all that is left, of one tenant or of all. Returns whether it was done within the time."""
    until = time.monotonic() + within_s
    for one in [tenant] if tenant else sorted(graphs.unresolved(), key=str):
        writer = graphs.writer(one)
        while writer.resolve():
            if time.monotonic() > until:
                return False
    return True
