from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.edits import MAX_EDITS_AT_ONCE, Actor, Draft, Edit, Merge, Undo
from trivium.domain.errors import Refused, TryLater
from trivium.domain.scope import Tenant
from trivium.edits import log as logs
from trivium.edits.log import AnotherLog, EditLog, begin_log
from trivium.ports.objects import ObjectStore

ANNA = Actor(name="anna")


class OnceAway:
    """A store that is away the first time one object is read."""

    def __init__(self, objects: ObjectStore, key: str) -> None:
        self._objects = objects
        self._away = {key}

    def get(self, key: str) -> bytes:
        if key in self._away:
            self._away.remove(key)
            raise TryLater("away", "The store is away.")
        return self._objects.get(key)

    def __getattr__(self, name: str) -> object:
        return getattr(self._objects, name)


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return LocalObjects(tmp_path).for_tenant(Tenant("acme"))


def merge(name: str) -> Draft:
    return Draft(Merge(name, "x", name), ANNA)


def names(edits: Sequence[Edit]) -> list[str]:
    return [edit.change.key for edit in edits if isinstance(edit.change, Merge)]


def test_what_one_call_appends_is_one_record_and_others_read_it(objects: ObjectStore) -> None:
    appended = EditLog(objects).append(lambda _: [merge("a"), merge("b")])
    assert [edit.id for edit in appended] == ["1.0", "1.1"]
    assert list(objects.keys("edits/")) == ["edits/000000000001"]
    assert EditLog(objects).read() == appended


def test_two_that_append_at_once_take_different_numbers_and_the_later_sees_the_earlier(objects: ObjectStore) -> None:
    seen: list[int] = []

    def append(name: str) -> None:
        log = EditLog(objects)
        for _ in range(10):
            log.append(lambda edits: seen.append(len(edits)) or [merge(name)])

    threads = [threading.Thread(target=append, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    edits = EditLog(objects).read()
    assert [edit.sequence for edit in edits] == list(range(1, 41))
    assert sorted(names(edits)) == sorted("abcd" * 10)
    assert set(range(40)) <= set(seen)


def test_nothing_is_written_of_what_is_refused(objects: ObjectStore) -> None:
    def refuse(_: Sequence[Edit]) -> Sequence[Draft]:
        raise Refused("no", "No.")

    with pytest.raises(Refused):
        EditLog(objects).append(refuse)
    with pytest.raises(Refused) as refused:
        EditLog(objects).append(lambda _: [merge("a")] * (MAX_EDITS_AT_ONCE + 1))
    assert refused.value.code == "too_many_edits"
    assert EditLog(objects).append(lambda _: []) == ()
    assert list(objects.keys()) == []


def test_a_record_that_cannot_be_read_counts_for_nothing_and_is_named(objects: ObjectStore) -> None:
    log = EditLog(objects)
    for name in "abc":
        log.append(lambda _, name=name: [merge(name)])  # type: ignore[misc]
    objects.put("edits/000000000002", b'[{"kind": "of tomorrow"}]')
    read = EditLog(objects)
    assert names(read.read()) == ["a", "c"]
    assert read.unreadable == (2,)
    assert [edit.id for edit in read.append(lambda _: [Draft(Undo("1.0"), ANNA)])] == ["4.0"]


def test_a_start_reads_packs_and_ignores_a_damaged_one(objects: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "PACKED", 5)
    log = EditLog(objects)
    for number in range(12):
        log.append(lambda _, number=number: [merge(f"n{number}")])  # type: ignore[misc]
    whole = log.read()
    packs = list(objects.keys("edits-packed/"))
    assert len(packs) == 2
    assert EditLog(objects).read() == whole
    objects.put(packs[0], objects.get(packs[0])[:-3] + b"xyz")
    assert EditLog(objects).read() == whole
    assert list(objects.keys("edits-packed/")) == packs
    for key in list(objects.keys("edits/"))[:10]:  # what is packed is read from there
        objects.delete(key)
    assert EditLog(objects).read() == whole
    for key in (*objects.keys("edits/"), "edits-identity"):
        objects.delete(key)
    packed = EditLog(objects)
    assert packed.read() == packed.read() == whole[:10]


def test_a_start_that_a_store_breaks_off_between_two_packs_begins_again(
    objects: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "PACKED", 5)
    log = EditLog(objects)
    for number in range(12):
        log.append(lambda _, number=number: [merge(f"n{number}")])  # type: ignore[misc]
    away: Any = OnceAway(objects, "edits-packed/000000001")
    fresh = EditLog(away)
    with pytest.raises(TryLater):
        fresh.read()
    assert fresh.read() == fresh.read() == log.read()


def test_a_log_that_another_has_taken_the_place_of_is_not_gone_on_with(tmp_path: Path) -> None:
    stores, tenant = LocalObjects(tmp_path), Tenant("acme")
    objects = stores.for_tenant(tenant)
    log = EditLog(objects)
    log.append(lambda _: [merge("a")])
    stores.drop(tenant)
    for work in (log.read, lambda: log.append(lambda _: [merge("b")])):
        with pytest.raises(AnotherLog):
            work()
    assert list(objects.keys()) == []
    another = EditLog(objects)
    assert [edit.id for edit in another.append(lambda _: [merge("c")])] == ["1.0"]
    for work in (log.read, lambda: log.append(lambda _: [merge("b")])):
        with pytest.raises(AnotherLog):
            work()
    assert names(another.read()) == names(EditLog(objects).read()) == ["c"]


def test_a_log_that_an_earlier_version_wrote_goes_on_and_has_an_identity_from_the_next_edit_on(tmp_path: Path) -> None:
    stores, tenant = LocalObjects(tmp_path), Tenant("acme")
    objects = stores.for_tenant(tenant)
    EditLog(objects).append(lambda _: [merge("a")])
    objects.delete("edits-identity")
    log, other = EditLog(objects), EditLog(objects)
    assert names(log.read()) == names(log.read()) == names(other.read()) == ["a"]
    assert not objects.exists("edits-identity")
    assert [edit.id for edit in log.append(lambda _: [merge("b")])] == ["2.0"]
    assert names(log.read()) == ["a", "b"]
    with pytest.raises(AnotherLog):  # whether it is the same one nobody knows
        other.read()
    objects.delete("edits-identity")
    unnamed = EditLog(objects)
    assert names(unnamed.read()) == ["a", "b"]
    stores.drop(tenant)
    with pytest.raises(AnotherLog):
        unnamed.read()


def test_a_log_that_was_begun_and_has_no_record_yet_is_appended_to(objects: ObjectStore) -> None:
    log = EditLog(objects)
    assert log.read() == ()
    begin_log(objects)
    for each in (log, EditLog(objects)):
        each.append(lambda _: [merge("a")])
        assert each.read()[-1].change == Merge("a", "x", "a")
    assert names(log.read()) == ["a", "a"]
