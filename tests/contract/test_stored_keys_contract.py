"""What the keys of every deployment promise; see `trivium.access.stored_keys`."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest

from trivium.access.key_text import KeyText, digest, read_key
from trivium.access.stored_keys import KEPT_NOTES, KEYS, USES, StoredKeys
from trivium.domain.access import AccessKey, KeyUse, Role
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.tenants.being_erased import MARK
from trivium.tenants.create import create_tenant


@pytest.fixture
def keys(stores) -> StoredKeys:
    return StoredKeys(stores.objects)


def taken_apart(text: str) -> KeyText:
    found = read_key(text)
    assert found is not None
    return found


def test_missing_nothing_is_found_and_nothing_can_be_ended(keys: StoredKeys, tenant: Tenant) -> None:
    assert keys.find(KeyText(tenant, "0" * 12, "0" * 64)) is None
    assert keys.named(tenant, "0" * 12) is keys.named(tenant, "../ended/x") is None
    for unknown in ("0" * 12, "../ended/x", ""):
        with pytest.raises(NotFound):
            keys.rotate(tenant, unknown)
        with pytest.raises(NotFound):
            keys.revoke(tenant, unknown)


def test_a_key_is_found_by_its_secret_alone_and_only_for_its_tenant(
    keys: StoredKeys, tenant: Tenant, other: Tenant
) -> None:
    made, text = keys.create(tenant, "Mira's laptop", Role.READER, by="environment-1")
    parts = taken_apart(text)
    assert keys.find(parts) == made
    assert keys.find(KeyText(tenant, parts.id, "0" * 64)) is None
    assert keys.find(KeyText(other, parts.id, parts.secret)) is None
    assert keys.listed(other) == []


def test_no_secret_is_kept(stores, keys: StoredKeys, tenant: Tenant) -> None:
    _, text = keys.create(tenant, "one", Role.ADMIN)
    parts = taken_apart(text)
    objects = stores.objects.for_tenant(tenant)
    kept = b"".join(objects.get(key) for key in objects.keys(KEYS))
    assert parts.secret.encode() not in kept
    assert digest(parts.secret).encode() in kept
    assert parts.secret not in repr(parts)


def test_duplicate_names_are_two_keys_and_order_is_newest_first(keys: StoredKeys, tenant: Tenant) -> None:
    first, second = (keys.create(tenant, "same", Role.WRITER)[0] for _ in range(2))
    assert [key.id for key in keys.listed(tenant)] == [second.id, first.id]


def test_a_revoked_key_stays_ended_whatever_comes_after(keys: StoredKeys, tenant: Tenant) -> None:
    made, text = keys.create(tenant, "one", Role.WRITER)
    revoked = keys.revoke(tenant, made.id)
    assert revoked.ended_at is not None
    assert revoked.ended_at <= time.time()
    with pytest.raises(Refused, match="has ended"):
        keys.rotate(tenant, made.id, keep_s=3600)
    assert keys.revoke(tenant, made.id) == revoked
    found = keys.find(taken_apart(text))
    assert found is not None
    assert found.stops_at() == revoked.ended_at


def test_half_done_rotating_makes_the_new_key_before_the_old_one_ends(keys: StoredKeys, tenant: Tenant) -> None:
    old, _ = keys.create(tenant, "one", Role.ADMIN, expires_at=time.time() + 1000)
    new, text = keys.rotate(tenant, old.id, keep_s=60)
    assert (new.name, new.role, new.expires_at) == (old.name, old.role, old.expires_at)
    assert keys.find(taken_apart(text)) == new
    ends = {key.id: key.ended_at for key in keys.listed(tenant)}
    assert ends[new.id] is None
    assert 50 < ends[old.id] - time.time() <= 60
    keys.revoke(tenant, old.id)
    assert {key.id: key.ended_at for key in keys.listed(tenant)}[old.id] <= time.time()


class Meeting:
    """A tenant's part of a store, where `calls` of the method `name` have answered before one of them goes on."""

    def __init__(self, part: Any, name: str, calls: int) -> None:
        self._part, self._name, self._barrier = part, name, Barrier(calls)

    def for_tenant(self, tenant: Tenant) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        return partial(self._met, found) if name == self._name else found

    def _met(self, found: Callable[..., Any], *args: Any, **more: Any) -> Any:
        answer = found(*args, **more)
        self._barrier.wait(10)
        return answer


class Meanwhile:
    """A tenant's part of a store, where `then` is done as soon as a key is there."""

    def __init__(self, part: Any, then: Callable[[], object]) -> None:
        self._part, self._then = part, then

    def for_tenant(self, tenant: Tenant) -> Any:
        return self

    def put_if_absent(self, key: str, content: bytes) -> bool:
        kept: bool = self._part.put_if_absent(key, content)
        if key.startswith(KEYS):
            self._then()
        return kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


def at_once(calls: int, work: Callable[[], tuple[AccessKey, str]]) -> tuple[list[tuple[AccessKey, str]], list[str]]:
    """What came of `work`, and the codes of its refusals."""

    def one(_: int) -> tuple[AccessKey, str] | str:
        try:
            return work()
        except Refused as refused:
            return refused.code

    with ThreadPoolExecutor(calls) as pool:
        told = list(pool.map(one, range(calls)))
    return [each for each in told if not isinstance(each, str)], [each for each in told if isinstance(each, str)]


def test_of_those_who_create_a_tenant_at_one_instant_one_gets_its_first_key(stores, tenant: Tenant) -> None:
    """All have seen that it has no key and no document before one of them makes a key."""
    registry = Meeting(stores.registry.for_tenant(tenant), "list", 4)
    seen_empty: Any = SimpleNamespace(objects=stores.objects, registry=registry)
    made, refused = at_once(4, lambda: create_tenant(seen_empty, tenant))
    assert (len(made), refused) == (1, ["tenant_in_use"] * 3)
    [(key, text)] = made
    assert [known.id for known in StoredKeys(stores.objects).listed(tenant)] == [key.id]
    assert StoredKeys(stores.objects).find(taken_apart(text)) == key
    with pytest.raises(Refused, match="has keys or documents already"):
        create_tenant(stores, tenant)


def test_of_those_who_rotate_a_key_at_one_instant_one_gets_the_new_one(stores, tenant: Tenant) -> None:
    """All have seen the key in force before one of them ends it; `keys` is looked at behind that."""
    old, _ = StoredKeys(stores.objects).create(tenant, "one", Role.WRITER)
    met: Any = Meeting(stores.objects.for_tenant(tenant), "keys", 4)
    made, refused = at_once(4, lambda: StoredKeys(met).rotate(tenant, old.id, keep_s=60))
    assert (len(made), refused) == (1, ["key_ended"] * 3)
    assert {key.id for key in StoredKeys(stores.objects).listed(tenant)} == {old.id, made[0][0].id}
    with pytest.raises(Refused, match="been replaced"):
        StoredKeys(stores.objects).rotate(tenant, old.id)


def test_a_key_that_is_revoked_while_it_is_rotated_has_no_successor(stores, tenant: Tenant) -> None:
    keys = StoredKeys(stores.objects)
    old, _ = keys.create(tenant, "one", Role.WRITER)
    racing: Any = Meanwhile(stores.objects.for_tenant(tenant), lambda: keys.revoke(tenant, old.id))
    with pytest.raises(Refused, match="revoked"):
        StoredKeys(racing).rotate(tenant, old.id)
    assert [(key.id, key.ended_at is not None) for key in keys.listed(tenant)] == [(old.id, True)]


@pytest.mark.parametrize("begins", ["before", "meanwhile"])
def test_a_tenant_that_is_being_erased_gets_no_key(stores, tenant: Tenant, begins: str) -> None:
    """A server remembers an admin's key for seconds: one that it made would outlive its tenant."""
    objects = stores.objects.for_tenant(tenant)
    old, _ = StoredKeys(stores.objects).create(tenant, "one", Role.ADMIN)
    works: list[Callable[[StoredKeys], object]] = [
        lambda keys: keys.create(tenant, "again", Role.ADMIN),
        lambda keys: keys.rotate(tenant, old.id),
    ]
    for work in works:
        objects.delete(MARK)
        racing: Any = Meanwhile(objects, lambda: objects.put(MARK, b""))
        if begins == "before":
            objects.put(MARK, b"")
        with pytest.raises(Refused) as refused:
            work(StoredKeys(racing))
        assert refused.value.code == "tenant_being_erased"
        assert [(key.id, key.ended_at) for key in StoredKeys(stores.objects).listed(tenant)] == [(old.id, None)]


def test_the_last_use_is_told_and_an_ended_key_can_be_forgotten(keys: StoredKeys, tenant: Tenant, stores) -> None:
    made, _ = keys.create(tenant, "one", Role.READER)
    assert keys.listed(tenant)[0].used_at is None
    keys.used(tenant, made.id, KeyUse(1234.5, {"search": 1}))
    assert keys.listed(tenant)[0].used_at == 1234.5
    with pytest.raises(Refused, match="in force"):
        keys.forget(tenant, made.id)
    keys.revoke(tenant, made.id)
    keys.forget(tenant, made.id)
    assert keys.listed(tenant) == []
    keys.used(tenant, made.id, KeyUse(1234.5, {"search": 1}))
    assert list(stores.objects.for_tenant(tenant).keys("access/")) == [], "of a key that is gone nothing is noted"


def test_processes_that_note_one_keys_use_at_once_lose_nothing_of_each_other(stores, tenant: Tenant) -> None:
    made, _ = StoredKeys(stores.objects).create(tenant, "one", Role.READER)
    processes, notes = 4, 2 * KEPT_NOTES

    def use(number: int) -> None:
        keys = StoredKeys(stores.objects)
        for time_of_use in range(1, notes // processes * 2 + 1):
            keys.used(tenant, made.id, KeyUse(time_of_use, {"ask": 1, f"read {number}": 2}))

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(use, range(processes)))
    [key] = StoredKeys(stores.objects).listed(tenant)
    each = notes // processes * 2
    assert key.uses == {"ask": processes * each} | {f"read {number}": 2 * each for number in range(processes)}
    assert key.used_at == each
    assert len(list(stores.objects.for_tenant(tenant).keys(f"{USES}{made.id}/"))) <= KEPT_NOTES + processes


def test_a_last_use_that_an_older_version_kept_is_told_and_added_to(keys: StoredKeys, tenant: Tenant, stores) -> None:
    made, _ = keys.create(tenant, "one", Role.READER)
    stores.objects.for_tenant(tenant).put(f"access/used/{made.id}", b"1234.5")
    assert [(key.used_at, key.uses) for key in keys.listed(tenant)] == [(1234.5, {})]
    keys.used(tenant, made.id, KeyUse(1000.0, {"search": 2}))
    assert [(key.used_at, key.uses) for key in keys.listed(tenant)] == [(1234.5, {"search": 2})]


def test_a_key_of_a_role_that_a_newer_release_knows_opens_nothing_and_hides_no_other(
    keys: StoredKeys, tenant: Tenant, stores
) -> None:
    """Releases stand side by side while one replaces the other."""
    made, text = keys.create(tenant, "theirs", Role.READER)
    known, _ = keys.create(tenant, "ours", Role.READER)
    objects = stores.objects.for_tenant(tenant)
    objects.put(KEYS + made.id, objects.get(KEYS + made.id).replace(b'"reader"', b'"auditor"'))
    assert keys.find(taken_apart(text)) is None
    assert keys.listed(tenant) == [known]


def test_a_key_that_would_have_expired_is_not_made(keys: StoredKeys, tenant: Tenant, stores) -> None:
    with pytest.raises(Refused, match="expired already"):
        keys.create(tenant, "late", Role.READER, expires_at=time.time() - 1)
    assert list(stores.objects.for_tenant(tenant).keys(KEYS)) == []
