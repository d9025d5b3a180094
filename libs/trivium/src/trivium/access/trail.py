"""The trail of a tenant: who did what to which document, key or edit, and when; never what was in it.

`trail/<20 digits of nanoseconds>-<8 hex>` is one entry, written once by a condition and never changed: its key is the
order. It stays until the tenant is erased.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import islice

import msgspec

from trivium.concurrent_calls import map_concurrent
from trivium.domain.access import Caller, TrailOutcome
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.objects import Objects, ObjectStore

ENTRIES = "trail/"
ERASED = "tenant.erase"
"""The action of a tenant's last entry."""
CREATED, EXPORTED, IMPORTED = "tenant.create", "tenant.export", "tenant.import"
MAX_TARGETS = 100
"""Of one entry; what was done to more is told by several."""
OPERATOR = "operator"
"""The `key_id` of whoever works on the stores themselves, as `trivium tenants` does."""
_CURSOR = re.compile(r"[0-9]{20}-[0-9a-f]{8}")
_touched: ContextVar[dict[str, TrailOutcome] | None] = ContextVar("touched", default=None)


class TrailEntry(msgspec.Struct, frozen=True):
    """One deed, `at` in Unix seconds.

    `key_id` names the credential, `by` is its name, `action` a word of `access/rules.py`, `targets` the ids of what it
    was done to, at most `MAX_TARGETS`; datasets and tenants have names. Entries of older releases have no `outcome`,
    those of newer ones may have one that is no `TrailOutcome`.
    """

    at: float
    key_id: str
    by: str
    action: str
    targets: tuple[str, ...] = ()
    outcome: str | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TrailEntry).decode


class Touches:
    """What a request touched while the block was open; what works for it says so by `touched` or `touching`."""

    def __enter__(self) -> dict[str, TrailOutcome]:
        """The ids, each once, in the order of their first touch, with what became of it."""
        ids: dict[str, TrailOutcome] = {}
        self._token = _touched.set(ids)
        return ids

    def __exit__(self, *_: object) -> None:
        _touched.reset(self._token)


def touched(*ids: str, outcome: TrailOutcome = TrailOutcome.DONE) -> None:
    """The request that is being served did something to these."""
    ids_so_far = _touched.get()
    if ids_so_far is not None:
        ids_so_far |= dict.fromkeys(filter(None, ids), outcome)


@contextmanager
def touching(*ids: str) -> Iterator[None]:
    """The block does something to these, also where it breaks off, unless it is refused."""
    try:
        yield
    except Refused:
        raise
    except BaseException:
        touched(*ids, outcome=TrailOutcome.BROKE_OFF)
        raise
    touched(*ids)


class Trail:
    """All tenants' trails.

    Missing: a tenant without entries has an empty trail. Duplicate: two entries at one instant are two.
    Order: oldest first. Half-done: an entry is there whole or not at all.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def add(
        self, caller: Caller, action: str, targets: Iterable[str], outcome: TrailOutcome = TrailOutcome.DONE
    ) -> None:
        """An entry more, or several where there are more than `MAX_TARGETS`; kept when this returns."""
        every = tuple(targets)
        for start in range(0, max(len(every), 1), MAX_TARGETS):
            some = every[start : start + MAX_TARGETS]
            self._write(caller.tenant, TrailEntry(0.0, caller.key_id, caller.name, action, some, outcome))

    def add_touched(self, caller: Caller, action: str, ids: Mapping[str, TrailOutcome]) -> None:
        """As `add`, for each outcome."""
        for outcome in dict.fromkeys(ids.values()) or (TrailOutcome.DONE,):
            self.add(caller, action, (one for one, its_outcome in ids.items() if its_outcome is outcome), outcome)

    def read(self, tenant: Tenant, limit: int, cursor: str = "", since: float = 0.0) -> tuple[list[TrailEntry], str]:
        """Entries after `cursor`, or from `since` on, and the cursor of the next page ("" at the end).

        Raises `Refused` (`bad_cursor`).
        """
        if cursor and not _CURSOR.fullmatch(cursor):
            raise Refused("bad_cursor", "The cursor is not one of this listing.", "Start again without a cursor.")
        objects = self._objects.for_tenant(tenant)
        after = ENTRIES + (cursor or f"{max(0, int(since * 1e9)):020d}")
        keys = list(islice(objects.keys(ENTRIES, start_after=after), limit + 1))
        entries = [entry for entry in map_concurrent(partial(_read, objects), keys[:limit]) if entry]
        return entries, keys[limit - 1].removeprefix(ENTRIES) if len(keys) > limit else ""

    def end(self, tenant: Tenant) -> str:
        """Add the one entry that stays of a tenant that was erased: when, and nobody's name. Its key."""
        return self._write(tenant, TrailEntry(0.0, "", "", ERASED, outcome=TrailOutcome.DONE))

    def has_ended(self, tenant: Tenant) -> bool:
        """Whether that entry is all that the tenant has."""
        objects = self._objects.for_tenant(tenant)
        keys = list(islice(objects.keys(), 2))
        entry = _read(objects, keys[0]) if len(keys) == 1 and keys[0].startswith(ENTRIES) else None
        return entry is not None and entry.action == ERASED

    def _write(self, tenant: Tenant, entry: TrailEntry) -> str:
        """Under a key that no entry has, whose time is the entry's. The key."""
        objects = self._objects.for_tenant(tenant)
        while True:
            now = time.time_ns()
            key = f"{ENTRIES}{now:020d}-{secrets.token_hex(4)}"
            if objects.put_if_absent(key, _encode(msgspec.structs.replace(entry, at=now / 1e9))):
                return key


def _read(objects: ObjectStore, key: str) -> TrailEntry | None:
    try:
        return _decode(objects.get(key))
    except NotFound:  # the tenant is being erased
        return None
