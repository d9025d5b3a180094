"""What keys are used for: counted in memory by each process, and added once a minute to what is noted of each key."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import structlog

from trivium.access.stored_keys import StoredKeys, is_key_id
from trivium.concurrent_calls import map_concurrent
from trivium.domain.access import Caller, KeyUse
from trivium.domain.errors import TriviumError
from trivium.domain.scope import Tenant
from trivium_query.access.rules import Rule

NOTED_S = 60.0
REFUSED = "refused"
"""Counts what the key's role does not cover, whatever it was."""
_Place = tuple[Tenant, str]
log = structlog.get_logger()


class Uses:
    """What this process counted since it was last noted. Safe among threads."""

    def __init__(self) -> None:
        self._counted: dict[_Place, KeyUse] = {}
        self._counting = threading.Lock()
        self._noting = threading.Lock()

    def count(self, caller: Caller, rule: Rule) -> None:
        """One request, if a stored key brought it."""
        use = rule.use if caller.role.covers(rule.role) else REFUSED
        if use and is_key_id(caller.key_id):
            self._add((caller.tenant, caller.key_id), KeyUse(time.time(), {use: 1}))

    def note(self, keys: StoredKeys, tenant: Tenant | None = None) -> None:
        """Have the counts of a tenant, or of all, noted; what cannot be noted is kept for the next time."""
        with self._noting:
            with self._counting:
                due = [place for place in self._counted if tenant in (None, place[0])]
                taken = [(place, self._counted.pop(place)) for place in due]
            map_concurrent(partial(self._note, keys), taken)

    def _note(self, keys: StoredKeys, counted: tuple[_Place, KeyUse]) -> None:
        place, use = counted
        try:
            keys.used(*place, use)
        except TriviumError as error:
            self._add(place, use)
            log.warning("uses_not_noted", code=error.code)

    def _add(self, place: _Place, use: KeyUse) -> None:
        with self._counting:
            self._counted[place] = use.plus(self._counted.get(place))


async def noting(uses: Uses, keys: StoredKeys) -> None:
    """Note them once a minute until this is cancelled, and once more then."""
    try:
        while True:
            await asyncio.sleep(NOTED_S)
            await asyncio.to_thread(uses.note, keys)
    finally:
        await asyncio.to_thread(uses.note, keys)
