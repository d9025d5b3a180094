"""What the keys of every deployment promise; see `trivium.access.stored_keys`."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from trivium.access.key_text import KeyText, digest, read_key
from trivium.access.stored_keys import KEPT_NOTES, KEYS, USES, StoredKeys
from trivium.domain.access import KeyUse, Role
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant


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


def test_a_key_that_would_have_expired_is_not_made(keys: StoredKeys, tenant: Tenant, stores) -> None:
    with pytest.raises(Refused, match="expired already"):
        keys.create(tenant, "late", Role.READER, expires_at=time.time() - 1)
    assert list(stores.objects.for_tenant(tenant).keys(KEYS)) == []
