"""The keys of every tenant, in the object store that holds the tenant's other truths.

`access/keys/<id>` is written once. `access/ended/<id>` says since when it opens nothing: whoever replaces a key writes
it only where there is none, whoever revokes one writes it anyway, so no race brings a revoked key back.
`access/uses/<id>/<number>` is a note of its use: what the note before it says, and more. Of several processes that add
to one note, one writes the next number, by a condition; the others add to that. So none loses another's counts, and the
last note alone is read, however many processes there were. Older versions kept the last use alone, as
`access/used/<id>`. `access/first` is written by whoever makes a tenant's first key, before it, by a condition.
"""

from __future__ import annotations

import hmac
import re
import time
from functools import partial

import msgspec

from trivium.access.key_text import KeyText, new_key
from trivium.concurrent_calls import map_concurrent
from trivium.domain.access import AccessKey, KeyUse, Role
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.objects import Objects, ObjectStore
from trivium.tenants.being_erased import refuse_while_erased

KEYS = "access/keys/"
ENDED = "access/ended/"
USED = "access/used/"
USES = "access/uses/"
FIRST = "access/first"
MAX_KEYS = 1000
"""Of one tenant, ended ones included: a listing reads them all."""
KEPT_NOTES = 20
"""Behind the last: a process that is slower than so many notes of others has its own overlooked."""
STALE_S = 4.0
"""How long another process may still go by what it found of a key."""
_ID = re.compile(r"[0-9a-f]{12}")


class _Record(msgspec.Struct, frozen=True):
    """A key as it is kept."""

    key: AccessKey
    digest: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Record).decode
_instant = msgspec.json.Decoder(float).decode
_use = msgspec.json.Decoder(KeyUse).decode


def is_key_id(text: str) -> bool:
    """Whether a caller's `key_id` names a key that is kept here."""
    return _ID.fullmatch(text) is not None


class StoredKeys:
    """All tenants' keys.

    Missing: `find` and `named` are None; `rotate` and `revoke` raise `NotFound`.
    Duplicate: a name may be given twice; `revoke` of an ended key ends it at once, at the latest now.
    Empty: a tenant without keys lists none.
    Order: `listed` newest first.
    Half-done: a key opens nothing before its record is whole; `rotate` makes the new key before it ends the old one,
    and takes it back where another ended that meanwhile; so does `create` where its tenant's erasing began meanwhile;
    when `used` raises, its counts may stand there all the same.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def create(
        self, tenant: Tenant, name: str, role: Role, *, expires_at: float | None = None, by: str = ""
    ) -> tuple[AccessKey, str]:
        """A new key, and the text that is shown this once.

        Raises `Refused` (`too_many_keys`, `expired`, `tenant_being_erased`).
        """
        if expires_at is not None and expires_at <= time.time():
            raise Refused("expired", "The key would have expired already.", "Name a time that is to come.")
        objects = self._objects.for_tenant(tenant)
        refuse_while_erased(objects)
        if sum(1 for _ in objects.keys(KEYS)) >= MAX_KEYS and not self._forget_ended(tenant):
            raise Refused("too_many_keys", f"A tenant has at most {MAX_KEYS} keys.", "Revoke those nobody needs.")
        text = new_key(tenant)
        key = AccessKey(text.id, tenant.name, name, role, time.time(), by, expires_at)
        objects.put_if_absent(KEYS + key.id, _encode(_Record(key, text.digest)))
        try:
            refuse_while_erased(objects)
        except Refused:  # whoever erases may have looked for keys before this one was there
            objects.delete(KEYS + key.id)
            raise
        return key, text.text

    def may_begin(self, tenant: Tenant) -> bool:
        """Whether the tenant's first key is the caller's to make: True once, until the tenant is erased."""
        return self._objects.for_tenant(tenant).put_if_absent(FIRST, _encode(time.time()))

    def find(self, text: KeyText) -> AccessKey | None:
        """The key, ended ones too, if the secret is its own; compared in constant time."""
        objects = self._objects.for_tenant(text.tenant)
        record = _record(objects, text.id)
        if record is None or not hmac.compare_digest(record.digest, text.digest):
            return None
        return msgspec.structs.replace(record.key, ended_at=_at(objects, ENDED + text.id))

    def named(self, tenant: Tenant, key_id: str) -> AccessKey | None:
        """The key of that id, ended ones too. It proves nothing of who asks."""
        return _told(self._objects.for_tenant(tenant), key_id)

    def listed(self, tenant: Tenant) -> list[AccessKey]:
        """Every key of the tenant with its end and its last use."""
        objects = self._objects.for_tenant(tenant)
        ids = [key.removeprefix(KEYS) for key in objects.keys(KEYS)]
        found = [key for key in map_concurrent(partial(_told, objects), ids) if key]
        return sorted(found, key=lambda key: (-key.created_at, key.id))

    def rotate(self, tenant: Tenant, key_id: str, *, keep_s: float = 0.0, by: str = "") -> tuple[AccessKey, str]:
        """Another key of the same name, role and expiry; the old one opens for `keep_s` more.

        A key is replaced once. Raises `NotFound`, and `Refused` (`key_ended`, and as `create`).
        """
        objects = self._objects.for_tenant(tenant)
        old = _need(objects, key_id)
        stops = old.stops_at()
        if stops is not None and stops <= time.time():
            raise Refused("key_ended", f"The key {key_id} has ended.", "Create another.")
        if old.ended_at is not None:
            raise _replaced(key_id)
        key, text = self.create(tenant, old.name, old.role, expires_at=old.expires_at, by=by)
        if not objects.put_if_absent(ENDED + key_id, _encode(time.time() + keep_s)):
            objects.delete(KEYS + key.id)
            raise _replaced(key_id)
        return key, text

    def revoke(self, tenant: Tenant, key_id: str) -> AccessKey:
        """From now on it opens nothing. Raises `NotFound`."""
        objects = self._objects.for_tenant(tenant)
        key = _need(objects, key_id)
        if key.ended_at is None or key.ended_at > time.time():
            objects.put(ENDED + key_id, _encode(time.time()))
        return _need(objects, key_id)

    def forget(self, tenant: Tenant, key_id: str) -> None:
        """Remove all that is known of an ended key. Raises `NotFound`, and `Refused` (`key_in_force`)."""
        objects = self._objects.for_tenant(tenant)
        stops = _need(objects, key_id).stops_at()
        if stops is None or stops > time.time():
            raise Refused("key_in_force", f"The key {key_id} is in force.", "Revoke it first.")
        for prefix in (KEYS, USED, ENDED):
            objects.delete(prefix + key_id)
        for note in _notes(objects, key_id):
            objects.delete(note)

    def _forget_ended(self, tenant: Tenant) -> int:
        ended = [key for key in self.listed(tenant) if (stops := key.stops_at()) is not None and stops <= time.time()]
        for key in ended:
            self.forget(tenant, key.id)
        return len(ended)

    def used(self, tenant: Tenant, key_id: str, use: KeyUse) -> None:
        """Add to what is noted of its use. Of a key that is gone nothing is noted."""
        objects = self._objects.for_tenant(tenant)
        while objects.exists(KEYS + key_id):
            notes = _notes(objects, key_id)
            number = int(notes[-1].rpartition("/")[2]) + 1 if notes else 0
            total = use.plus(_last_use(objects, key_id, notes))
            if objects.put_if_absent(f"{USES}{key_id}/{number:012d}", _encode(total)):
                for note in notes[:-KEPT_NOTES]:
                    objects.delete(note)
                return


def _record(objects: ObjectStore, key_id: str) -> _Record | None:
    """None also for one that is damaged, or of a newer Trivium: who does not know a key's role gives it none."""
    try:
        return _decode(objects.get(KEYS + key_id)) if _ID.fullmatch(key_id) else None
    except (NotFound, msgspec.DecodeError):
        return None


def _at(objects: ObjectStore, key: str) -> float | None:
    try:
        return _instant(objects.get(key))
    except NotFound:
        return None
    except msgspec.DecodeError:
        return 0.0 if key.startswith(ENDED) else None  # a torn note of an end is an end


def _notes(objects: ObjectStore, key_id: str) -> list[str]:
    return list(objects.keys(f"{USES}{key_id}/"))


def _last_use(objects: ObjectStore, key_id: str, notes: list[str]) -> KeyUse | None:
    if not notes:
        at = _at(objects, USED + key_id)
        return KeyUse(at) if at is not None else None
    try:
        return _use(objects.get(notes[-1]))
    except (NotFound, msgspec.DecodeError):  # the key is being forgotten; a damaged note counts for nothing
        return None


def _told(objects: ObjectStore, key_id: str) -> AccessKey | None:
    record = _record(objects, key_id)
    if record is None:
        return None
    use = _last_use(objects, key_id, _notes(objects, key_id))
    told = {"used_at": use.at, "uses": use.uses} if use else {}
    return msgspec.structs.replace(record.key, ended_at=_at(objects, ENDED + key_id), **told)


def _replaced(key_id: str) -> Refused:
    return Refused(
        "key_ended", f"The key {key_id} has been replaced or revoked already.", "Rotate the key that replaced it."
    )


def _need(objects: ObjectStore, key_id: str) -> AccessKey:
    key = _told(objects, key_id)
    if key is None:
        raise NotFound("no_such_key", f"There is no key {key_id[:80]!r}.", "`trivium keys list` shows those there are.")
    return key
