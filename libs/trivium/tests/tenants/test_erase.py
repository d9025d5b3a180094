"""Erasing a tenant is broken off anywhere, and finished by doing it again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from folder_stores import FolderStores
from uploads_peer import UploadsPeer

from trivium.access.stored_keys import STALE_S, StoredKeys
from trivium.domain.access import Role
from trivium.domain.errors import NotFound, Refused, TryLater
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.intake import StoreIntake
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium.tenants.erase import OwnUploads, erase_tenant
from trivium.tenants.totals import TenantState, tenants_totals

RED, BLUE = Tenant("red"), Tenant("blue")
NOTE = NewSource(Blob("note.txt", b"a note"))
STEPS = ("vectors", "visuals", "hypernodes", "keywords", "graphs", "conversations", "objects", "registry")


class Broken:
    """A store that is away whenever it should drop a tenant."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def drop(self, *_: object, **__: object) -> None:
        raise TryLater("store_down", "The store is away.")


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[FolderStores]:
    with closing(FolderStores(tmp_path)) as opened:
        for tenant in (RED, BLUE):
            intake(opened, tenant).accept(NOTE)
            opened.conversations.for_tenant(tenant).create("a talk")
            StoredKeys(opened.objects).create(tenant, "a key", Role.READER)
        yield opened


def intake(stores: FolderStores, tenant: Tenant) -> Any:
    return StoreIntake(stores, lambda: None, lambda *_: None, 10**6).for_tenant(tenant)


def erase(stores: FolderStores, own: OwnUploads | None = None) -> list[str]:
    told: list[str] = []
    erase_tenant(stores, RED, own, 0.0, told.append)
    return told


@pytest.mark.parametrize("step", STEPS)
def test_what_was_broken_off_takes_nothing_in_and_is_finished_by_doing_it_again(
    stores: FolderStores, step: str
) -> None:
    whole = getattr(stores, step)
    setattr(stores, step, Broken(whole))
    with pytest.raises(TryLater):
        erase(stores)
    setattr(stores, step, whole)
    with pytest.raises(Refused) as refusal:
        intake(stores, RED).accept(NOTE)
    assert refusal.value.code == "tenant_being_erased"
    assert StoredKeys(stores.objects).listed(RED) == [], "keys end first"
    states = {each.name: each.state for each in tenants_totals(stores)}
    assert states == {"blue": TenantState.IN_USE, "red": TenantState.ERASING}
    erase(stores)
    states = {each.name: each.state for each in tenants_totals(stores)}
    assert states == {"blue": TenantState.IN_USE, "red": TenantState.ERASED}
    [left] = stores.objects.for_tenant(RED).keys()
    assert left.startswith("trail/")
    [blue] = [each for each in tenants_totals(stores) if each.name == "blue"]
    assert (blue.documents, blue.size_bytes, blue.keys) == (1, 6, 1)


def test_it_may_be_erased_again_and_be_begun_anew(stores: FolderStores) -> None:
    erase(stores)
    erase(stores)
    assert len(list(stores.objects.for_tenant(RED).keys())) == 1
    assert intake(stores, RED).accept(NOTE).fence == 1
    [red] = [each for each in tenants_totals(stores) if each.name == "red"]
    assert (red.documents, red.state) == (1, TenantState.IN_USE)


@pytest.mark.parametrize(("lease_s", "waited"), [(0.0, []), (0.5, [STALE_S]), (45.0, [45.0])])
def test_a_key_that_others_remember_ends_before_the_mark_does(
    stores: FolderStores, monkeypatch: pytest.MonkeyPatch, lease_s: float, waited: list[float]
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("trivium.tenants.erase.time.sleep", slept.append)
    erase_tenant(stores, RED, None, lease_s, lambda _: None)
    assert slept == waited


def test_who_has_conversations_alone_is_a_tenant_and_who_has_nothing_is_none(stores: FolderStores) -> None:
    green = Tenant("green")
    with pytest.raises(NotFound):
        erase_tenant(stores, green, None, 0.0, lambda _: None)
    assert green not in stores.objects.tenants()
    stores.conversations.for_tenant(green).create("hello")
    erase_tenant(stores, green, None, 0.0, lambda _: None)
    assert green not in stores.conversations.tenants()


def test_its_uploads_go_and_the_checkpoint_of_a_backfill_that_names_one(stores: FolderStores) -> None:
    uploads = UploadsPeer({"red/a": b"1", "red": b"2", "redder/a": b"3", "blue/red/a": b"4"})
    everybodys = stores.objects.for_tenant(DEFAULT_TENANT)
    everybodys.put("backfills/1", b"\x86cursor red/a")
    everybodys.put("backfills/2", b"\x86cursor blue/a")
    erase(stores, OwnUploads(uploads, "red/"))
    assert [upload.key for upload in uploads.listing()] == ["blue/red/a", "redder/a"]
    assert list(everybodys.keys()) == ["backfills/2"]


def test_what_was_deleted_from_the_registry_earlier_is_in_no_file_either(tmp_path: Path) -> None:
    """Not every build of SQLite overwrites what it deletes."""
    with closing(FolderStores(tmp_path)) as stores:
        for number in range(50):
            intake(stores, RED).accept(NewSource(Blob(f"Periwinkle-{number}.txt", b"a note")))
        with closing(sqlite3.connect(tmp_path / "registry.sqlite")) as raw, raw:
            raw.execute("PRAGMA secure_delete = OFF")
            raw.execute("DELETE FROM documents")
        assert b"Periwinkle" in everything(tmp_path)
        stores.registry.drop(RED)
        assert b"Periwinkle" not in everything(tmp_path)


def everything(folder: Path) -> bytes:
    """Of the registry."""
    return b"".join(path.read_bytes() for path in folder.glob("registry.sqlite*"))
