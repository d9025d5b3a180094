"""Passwords: kept beside what they open, found by what is inside that, given again, and gone with it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from folder_stores import FolderStores
from uploads_peer import UploadsPeer

from trivium.domain.documents import Document, DocumentState, Failure
from trivium.domain.errors import NotFound, Refused
from trivium.domain.ids import child_id
from trivium.domain.parsed import Child
from trivium.domain.password import NEEDED, WRONG, Password, given_password
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow import passwords
from trivium.flow.artifacts import password_key
from trivium.flow.family import accept_children
from trivium.flow.intake import StoreIntake, TenantStoreIntake
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob, ParseLimits

FIRST, SECOND = Password("Quillon"), Password("Hollin")


class House:
    """One tenant's intake, and what becomes of its documents."""

    def __init__(self, stores: FolderStores, tenant: Tenant = DEFAULT_TENANT) -> None:
        self.stores, self.signals = stores, 0
        whole = StoreIntake(stores, self.notify, None, 10**9)  # type: ignore[arg-type]  # nothing is fetched
        self.intake: TenantStoreIntake = whole.for_tenant(tenant)
        self.registry = stores.registry.for_tenant(tenant)
        self.objects = stores.objects.for_tenant(tenant)

    def notify(self) -> None:
        self.signals += 1

    def upload(self, content: bytes = b"locked", password: Password | None = None) -> Document:
        return self.intake.accept(NewSource(Blob("offer.pdf", content, password=password)))

    def publish(self, document: Document) -> Document:
        done = msgspec.structs.replace(document, state=DocumentState.READY, active_version=document.version)
        self.registry.save(done)
        return done

    def fail(self, document: Document, code: str) -> Document:
        failed = msgspec.structs.replace(document, state=DocumentState.FAILED, failure=Failure(code, "It failed."))
        self.registry.save(failed)
        return failed

    def inside(self, parent: Document, name: str, content: bytes = b"inner") -> Document:
        accept_children(self.stores, parent, None, [Child(name, content)], ParseLimits())
        return self.registry.get(child_id(parent.id, name))

    def kept(self) -> list[str]:
        return [key for key in self.objects.keys("originals/") if key.endswith(".password")]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(FolderStores(tmp_path))


def test_a_password_comes_with_its_original_and_goes_with_it(house: House) -> None:
    document = house.upload(password=FIRST)
    assert house.intake.original(document.id).password == FIRST
    assert house.kept() == [password_key(document.id, document.version)]
    house.intake.delete(document.id)
    assert house.kept() == []


def test_another_tenant_with_the_same_file_has_not_its_password(house: House) -> None:
    document = house.upload(password=FIRST)
    other = House(house.stores, Tenant("other"))
    assert other.intake.original(other.upload().id).password is None
    with pytest.raises(NotFound):
        other.intake.unlock(document.id, FIRST)


def test_what_failed_for_want_of_a_password_is_worked_on_again_with_the_newest(house: House) -> None:
    document = house.fail(house.upload(password=FIRST), WRONG)
    assert house.upload(password=SECOND).state is DocumentState.PENDING
    document = house.fail(house.registry.get(document.id), NEEDED)
    signals = house.signals
    assert house.intake.unlock(document.id, FIRST).state is DocumentState.PENDING
    assert (house.intake.original(document.id).password, house.signals) == (FIRST, signals + 1)


def test_what_is_read_keeps_the_password_that_opened_it(house: House) -> None:
    document = house.publish(house.upload(password=FIRST))
    assert house.upload(password=SECOND) == document
    with pytest.raises(Refused) as refusal:
        house.intake.unlock(document.id, SECOND)
    assert refusal.value.code == "no_password_needed"
    assert house.intake.original(document.id).password == FIRST


def test_a_file_that_stays_in_its_bucket_gets_its_password_afterwards(house: House) -> None:
    bucket = UploadsPeer({"offer.pdf": b"locked"})
    shared = msgspec.structs.replace(house.intake.shared, uploads=lambda _: bucket)
    intake = shared.for_tenant(DEFAULT_TENANT)
    document = house.fail(intake.accept_upload("dropped", bucket.stat("offer.pdf")), NEEDED)
    intake.unlock(document.id, FIRST)
    assert intake.accept_upload("dropped", bucket.stat("offer.pdf")).state is DocumentState.PENDING
    original = intake.original(document.id)
    assert (original.content, original.password) == (b"locked", FIRST)


@pytest.mark.parametrize("code", ["corrupt_file", "encryption_unsupported"])
def test_what_failed_for_another_reason_wants_no_password(house: House, code: str) -> None:
    document = house.fail(house.upload(), code)
    with pytest.raises(Refused):
        house.intake.unlock(document.id, FIRST)
    assert house.kept() == []


def test_what_is_inside_is_opened_by_the_password_of_the_nearest_file_around_it(house: House) -> None:
    outer = house.upload(password=FIRST)
    middle = house.inside(outer, "middle.zip")
    inner = house.inside(middle, "inner.pdf")
    assert passwords.find(house.stores, inner) == FIRST
    passwords.keep(house.objects, middle.id, middle.version, SECOND)
    assert passwords.find(house.stores, inner) == SECOND
    house.publish(outer)
    newer = house.upload(b"another version")
    assert (newer.id, passwords.find(house.stores, middle)) == (outer.id, SECOND)
    assert passwords.find(house.stores, house.inside(newer, "new.pdf")) == FIRST  # of the version that queries see


def test_a_password_for_a_mail_goes_to_what_failed_in_it_at_every_depth_and_to_nothing_else(house: House) -> None:
    mail = house.publish(house.upload())
    archive = house.publish(house.inside(mail, "drawings.zip"))
    locked = house.fail(house.inside(archive, "plan.pdf"), NEEDED)
    torn = house.fail(house.inside(mail, "torn.pdf"), "corrupt_file")
    assert house.upload(password=FIRST).state is DocumentState.READY
    assert house.registry.get(locked.id).state is DocumentState.PENDING
    assert house.registry.get(torn.id).state is DocumentState.FAILED
    assert house.kept() == [password_key(locked.id, locked.version)]


@pytest.mark.parametrize("text", ["a\0b", "line\nbreak", "\ud800", "x" * 257])
def test_what_cannot_be_a_password_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        given_password(text)
    assert refusal.value.code == "bad_password"
    assert text not in str(refusal.value)


def test_nothing_that_prints_a_password_shows_it() -> None:
    blob = Blob("a", b"", password=FIRST)
    shown = f"{FIRST} {FIRST!r} {blob} {list(FIRST.__rich_repr__())} {[blob]}"
    assert FIRST.text not in shown
