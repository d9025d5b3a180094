"""What every object store promises; see `trivium.ports.objects`."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.adapters.distributed.stores import DistributedStores
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.objects import MAX_KEY_BYTES, MAX_PART_BYTES, Objects, ObjectStore

ODD_KEYS = [
    "a",
    "a/b",
    "a.txt",
    "a-b",
    "A",
    "a0",
    "a+",
    "a~/b",
    "a%2fb",
    ".hidden",
    "dots./x",
    "with space ",
    "con",
    "Ünïcode/文書/📄.pdf",
    "e\u0301",
    "\u00e9",
    "x" * MAX_PART_BYTES,
    "x" * 79 + "é",
    "x" * 80 + "z",
    "y/" * 200 + "end",
    "'; DROP TABLE objects; --",
    '*?[]|<>:"\\',
]
BAD_KEYS = ["", "/", "/etc/passwd", "../x", "a/../../b", "a/..", ".", "./a", "a//b", "a/", "nul\0byte", "line\nbreak"]
BAD_KEYS += [". ", "a/ ../b"]
BAD_KEYS += ["half\ud800pair", "x/" * (MAX_KEY_BYTES // 2) + "x", "é" * 128, "x" * (MAX_PART_BYTES + 1)]


@pytest.fixture
def objects(stores) -> Objects:
    return stores.objects


@pytest.fixture
def store(objects: Objects, tenant: Tenant) -> ObjectStore:
    return objects.for_tenant(tenant)


def test_dropping_a_tenant_leaves_the_one_object_that_is_kept_and_other_tenants(
    objects: Objects, store: ObjectStore, tenant: Tenant, other: Tenant
) -> None:
    for key in ("a/b/c", "a/b+", "Ünïcode/文書/📄.pdf", "kept/K", "kept/k"):
        store.put(key, b"x")
        objects.for_tenant(other).put(key, b"y")
    objects.drop(tenant, keep="kept/K")
    assert list(store.keys()) == ["kept/K"]
    objects.drop(tenant)
    objects.drop(tenant)
    assert list(store.keys()) == []
    assert tenant not in objects.tenants()
    assert len(list(objects.for_tenant(other).keys())) == 5


def test_a_tenants_store_is_kept_by_those_who_use_it_alone(objects: Objects) -> None:
    """A key that somebody makes up names a tenant: looking for it must cost no memory."""
    looked_for = weakref.ref(objects.for_tenant(Tenant("made-up")))
    gc.collect()
    assert looked_for() is None


@pytest.fixture
def nests(stores) -> bool:
    """Whether a key may be the folder of another: MinIO stores both, and lists the shorter one alone."""
    return not isinstance(stores, DistributedStores)


def _is_folder(key: str, other: str) -> bool:
    return other.startswith(f"{key}/")


def test_missing_get_raises_exists_is_false_delete_does_nothing(store: ObjectStore) -> None:
    with pytest.raises(NotFound):
        store.get("no/such")
    assert not store.exists("no/such")
    store.delete("no/such")
    store.put("folder/key", b"1")
    with pytest.raises(NotFound):
        store.get("folder")
    assert not store.exists("folder")
    assert not store.exists("folder/key/below")


@pytest.mark.parametrize("durable", [True, False])
def test_duplicate_put_replaces_and_put_if_absent_keeps_the_first(store: ObjectStore, durable: bool) -> None:
    store.put("k", b"1", durable=durable)
    store.put("k", bytearray(b"2"), durable=durable)
    assert store.get("k") == b"2"
    assert not store.put_if_absent("k", b"3")
    assert store.get("k") == b"2"
    assert store.put_if_absent("l", b"4")
    assert store.get("l") == b"4"


def test_empty_bytes_are_a_value(store: ObjectStore) -> None:
    store.put("empty", b"")
    assert store.exists("empty")
    assert store.get("empty") == b""
    assert list(store.keys()) == ["empty"]


def test_order_keys_come_sorted_after_start_and_below_prefix(store: ObjectStore, nests: bool) -> None:
    expected = sorted(ODD_KEYS if nests else [key for key in ODD_KEYS if key != "a"])
    for key in reversed(expected):
        store.put(key, key.encode(), durable=False)
    assert list(store.keys()) == expected
    for start in [*expected, "a!", "zzz", "~"]:
        assert list(store.keys(start_after=start)) == [key for key in expected if key > start]
    for prefix in ("a", "a/", "x", "x" * 80, "y/y/", "no", "Ünï"):
        assert list(store.keys(prefix)) == [key for key in expected if key.startswith(prefix)]
    assert list(store.keys("a", start_after="a.txt")) == ["a/b", "a0", "a~/b"]


def test_half_done_a_reader_sees_one_whole_value_while_it_is_replaced(store: ObjectStore) -> None:
    values = [bytes([n]) * 200_000 for n in range(8)]
    store.put("k", values[0], durable=False)
    stop = threading.Event()
    seen: list[bytes] = []

    def read() -> None:
        while not stop.is_set():
            seen.append(store.get("k"))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for value in values * 5:
        store.put("k", value, durable=False)
    stop.set()
    for reader in readers:
        reader.join()
    assert seen
    assert set(seen) <= set(values)
    assert list(store.keys()) == ["k"]


@pytest.mark.parametrize("key", ODD_KEYS)
def test_an_odd_key_is_stored_under_its_own_name(store: ObjectStore, key: str) -> None:
    store.put(key, b"v", durable=False)
    assert store.get(key) == b"v"
    assert list(store.keys()) == [key]
    store.delete(key)
    assert not store.exists(key)
    assert list(store.keys()) == []


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_bad_key_is_refused_by_every_call(store: ObjectStore, key: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: store.get(key),
        lambda: store.put(key, b""),
        lambda: store.put_if_absent(key, b""),
        lambda: store.exists(key),
        lambda: store.delete(key),
    ]
    for call in calls:
        with pytest.raises(Refused) as refusal:
            call()
        assert refusal.value.code == "bad_key"


def test_a_tenant_never_sees_anothers_objects(objects: Objects, tenant: Tenant, other: Tenant) -> None:
    objects.for_tenant(tenant).put("canary", b"secret")
    stranger = objects.for_tenant(other)
    assert not stranger.exists("canary")
    assert list(stranger.keys()) == []
    with pytest.raises(NotFound):
        stranger.get("canary")
    stranger.delete("canary")
    assert objects.for_tenant(tenant).get("canary") == b"secret"


def test_of_sixteen_threads_exactly_one_puts_if_absent(store: ObjectStore) -> None:
    for key in ("one", "deep/two"):
        won: list[int] = []
        barrier = threading.Barrier(16)

        def put(number: int, key: str = key, won: list[int] = won, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            if store.put_if_absent(key, bytes([number])):
                won.append(number)

        threads = [threading.Thread(target=put, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        assert store.get(key) == bytes(won)


def test_puts_and_deletes_in_one_folder_do_not_hinder_each_other(store: ObjectStore) -> None:
    def churn(number: int) -> None:
        for _ in range(30):
            store.put(f"shared/folder/{number}", b"v", durable=False)
            store.delete(f"shared/folder/{number}")
        store.put(f"shared/folder/{number}", b"v", durable=False)

    threads = [threading.Thread(target=churn, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(store.keys()) == [f"shared/folder/{number}" for number in range(8)]


def _good(key: str) -> bool:
    return all(part and part.strip() not in (".", "..") for part in key.split("/"))


KEYS = st.text(st.sampled_from("aAb.+~%/é文- "), min_size=1, max_size=12).filter(_good)
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "put_if_absent", "delete"]), KEYS, st.binary(max_size=3)), max_size=20
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, prefix=st.sampled_from(["", "a", "a/", "é", "A"]), start=st.one_of(st.just(""), KEYS))
def test_a_store_behaves_like_a_dictionary(
    objects: Objects,
    new_tenant: Callable[[], Tenant],
    steps: list[tuple[str, str, bytes]],
    prefix: str,
    start: str,
    nests: bool,
) -> None:
    store, model = objects.for_tenant(new_tenant()), dict[str, bytes]()
    for step, key, value in steps:
        if not nests and any(_is_folder(key, other) or _is_folder(other, key) for other in model):
            continue
        if step == "put":
            store.put(key, value, durable=False)
            model[key] = value
        elif step == "delete":
            store.delete(key)
            model.pop(key, None)
        else:
            assert store.put_if_absent(key, value) == (key not in model)
            model.setdefault(key, value)
    assert {key: store.get(key) for key in store.keys()} == model  # noqa: SIM118 - not a dictionary
    assert list(store.keys(prefix, start)) == sorted(key for key in model if key.startswith(prefix) and key > start)


def test_whoever_has_objects_is_among_the_tenants_and_no_write_is_left_unfinished(
    objects: Objects, tenant: Tenant, other: Tenant
) -> None:
    assert tenant not in objects.tenants()
    objects.for_tenant(tenant).put("a/b", b"value")
    assert tenant in objects.tenants()
    assert other not in objects.tenants()
    assert objects.unfinished(tenant) == objects.unfinished(other) == 0
    assert objects.unfinished(tenant, remove=True) == 0
