"""Intake: what is accepted is durable, named, versioned and can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest
from folder_stores import FolderStores, during_removal
from uploads_peer import UploadsPeer

from trivium.adapters.embedded.objects import LocalObjectStore
from trivium.adapters.embedded.registry import SqliteTenantRegistry
from trivium.domain.documents import Document, DocumentState, Stage
from trivium.domain.errors import Conflict, NotFound, Refused, TryLater
from trivium.domain.limits import TooMany
from trivium.domain.password import Password
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.artifacts import original_key
from trivium.flow.chain import Entry
from trivium.flow.erase import clear_up, erase_objects
from trivium.flow.intake import StoreIntake, TenantStoreIntake, upload_source
from trivium.flow.originals import Originals
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium.ports.web import Page, Validators

MAX_BYTES = 1000


BUCKETS = {"dropped": UploadsPeer({"note": b"left where it is"})}


class Signals:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def signals() -> Signals:
    return Signals()


class Site:
    """A page with a tag, which answers None to whoever knows it already."""

    def __init__(self) -> None:
        self.content, self.etag = b"fetched", '"1"'
        self.asked: list[tuple[str, Validators | None]] = []

    def __call__(self, url: str, known: Validators | None) -> Page | None:
        self.asked.append((url, known))
        now = Validators(f"{url}#final", self.etag)
        return None if known == now else Page(self.content, "text/plain; charset=utf-8", "A title", now)


@pytest.fixture
def web() -> Site:
    return Site()


@pytest.fixture
def whole(tmp_path: Path, signals: Signals, web: Site) -> StoreIntake:
    return StoreIntake(
        FolderStores(tmp_path),
        signals,
        web,
        MAX_BYTES,
        lambda name: BUCKETS[name],
    )


@pytest.fixture
def intake(whole: StoreIntake) -> TenantStoreIntake:
    return whole.for_tenant(DEFAULT_TENANT)


def source(name: str = "a.txt", content: bytes = b"hello", title: str = "") -> NewSource:
    return NewSource(Blob(name, content, "text/plain"), title)


def test_an_accepted_source_is_pending_its_bytes_are_kept_and_the_bell_rings(
    intake: TenantStoreIntake, signals: Signals
) -> None:
    document = intake.accept(source())
    assert document.state is DocumentState.PENDING
    assert intake.original(document.id) == Blob("a.txt", b"hello", "text/plain")
    assert signals.count == 1


def test_the_same_bytes_under_the_same_name_are_the_same_document(intake: TenantStoreIntake) -> None:
    first = intake.accept(source())
    again = intake.accept(source())
    assert (again.id, again.version, again.fence) == (first.id, first.version, first.fence)


def test_other_bytes_under_the_same_name_are_a_new_version(intake: TenantStoreIntake) -> None:
    first = intake.accept(source())
    second = intake.accept(source(content=b"hello again"))
    assert second.id == first.id
    assert second.version != first.version
    assert second.fence > first.fence


def test_a_file_that_is_too_large_is_refused_with_the_limit(intake: TenantStoreIntake) -> None:
    with pytest.raises(Refused, match=r"1,001 bytes; 1,000 are allowed.*TRIVIUM_MAX_UPLOAD_BYTES") as refusal:
        intake.accept(source(content=b"x" * (MAX_BYTES + 1)))
    assert refusal.value.code == "too_large"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00b", "x" * 1025])
def test_a_name_that_cannot_name_anything_is_refused(intake: TenantStoreIntake, name: str) -> None:
    with pytest.raises(Refused) as refusal:
        intake.accept(source(name))
    assert refusal.value.code in ("name_needed", "name_too_long", "bad_name")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs/path", "ünïcode 日本.txt", "a b+c%2e.txt"])
def test_odd_names_are_only_names(intake: TenantStoreIntake, name: str) -> None:
    assert intake.original(intake.accept(source(name)).id).name == name


def test_a_deleted_document_is_gone_with_its_original_and_can_come_back(intake: TenantStoreIntake) -> None:
    document = intake.accept(source())
    assert intake.delete(document.id).state is DocumentState.DELETED
    with pytest.raises(NotFound):
        intake.original(document.id)
    assert intake.accept(source()).state is DocumentState.PENDING
    assert intake.original(document.id).content == b"hello"


@pytest.mark.parametrize("removed", range(2))
def test_a_file_whose_deletion_broke_off_comes_back_whole(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch, removed: int
) -> None:
    document = intake.accept(source())
    delete, gone = LocalObjectStore.delete, []

    def fail(objects: LocalObjectStore, key: str) -> None:
        if len(gone) == removed:
            raise TryLater("object_store_down", "It is away.")
        gone.append(key)
        delete(objects, key)

    with monkeypatch.context() as patched:
        patched.setattr(LocalObjectStore, "delete", fail)
        with pytest.raises(TryLater):
            intake.delete(document.id)
    objects = whole.stores.objects.for_tenant(DEFAULT_TENANT)
    assert objects.exists(original_key(document.id, document.version)), "how it came goes first"
    assert intake.accept(source()).state is DocumentState.PENDING
    assert intake.original(document.id).content == b"hello"


def test_a_file_of_which_only_the_note_is_left_is_stored_again(intake: TenantStoreIntake, whole: StoreIntake) -> None:
    document = intake.accept(source())
    whole.stores.objects.for_tenant(DEFAULT_TENANT).delete(original_key(document.id, document.version))
    intake.accept(source())
    assert intake.original(document.id).content == b"hello"


def test_a_file_handed_over_again_while_a_late_worker_clears_up_its_deletion_stays(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = intake.accept(source())
    deleted = intake.delete(document.id)
    during_removal(whole.stores, monkeypatch, lambda: intake.accept(source()))
    clear_up(whole.stores, deleted, Entry(document.id, document.version, document.fence))
    assert intake.original(document.id).content == b"hello"


def test_a_version_accepted_while_a_late_worker_clears_up_behind_an_older_one_stays(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = intake.accept(source()), intake.accept(source(content=b"second"))
    registry = whole.stores.registry.for_tenant(DEFAULT_TENANT)
    shown = msgspec.structs.replace(second, state=DocumentState.READY, active_version=second.version)
    registry.save(shown)
    during_removal(whole.stores, monkeypatch, lambda: intake.accept(source(content=b"third")))
    clear_up(whole.stores, shown, Entry(first.id, first.version, first.fence))
    newest = registry.get(first.id)
    assert newest.state is DocumentState.PENDING
    read = Originals(whole.stores.objects).read
    assert read(DEFAULT_TENANT, first.id, newest.version)[1].content == b"third"
    assert read(DEFAULT_TENANT, first.id, second.version)[1].content == b"second"
    with pytest.raises(NotFound):
        read(DEFAULT_TENANT, first.id, first.version)


@pytest.mark.parametrize("ends", [DocumentState.READY, DocumentState.RUNNING])
def test_what_is_published_again_while_the_rows_of_its_failed_try_go_is_requeued(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch, ends: DocumentState
) -> None:
    """Publishing wrote its rows, or has read them back; both before they went with the failed ones."""
    document = intake.accept(source())
    registry = whole.stores.registry.for_tenant(DEFAULT_TENANT)
    claimed = registry.claim(document.id, document.version, 60, now=100)
    failed = msgspec.structs.replace(claimed, state=DocumentState.FAILED)
    registry.save(failed)
    published: list[Document] = []

    def publish() -> None:
        intake.accept(source())
        claimed = registry.claim(document.id, document.version, 60, now=100)
        shown = {"active_version": document.version} if ends is DocumentState.READY else {}
        published.append(msgspec.structs.replace(claimed, state=ends, stage=Stage.PUBLISH.value, **shown))
        registry.save(published[0])

    during_removal(whole.stores, monkeypatch, publish)
    clear_up(whole.stores, failed, Entry(document.id, document.version, document.fence))
    again = registry.get(document.id)
    assert (again.state, again.active_version) == (DocumentState.PENDING, published[0].active_version)
    with pytest.raises(Conflict):
        registry.save(published[0])


def accepting(monkeypatch: pytest.MonkeyPatch, before: Callable[[], object], after: Callable[[], object]) -> None:
    """Something happens once, right before or right behind the moment that a record is there."""
    accept = SqliteTenantRegistry.accept

    def accepted(registry: SqliteTenantRegistry, document: Document) -> Document:
        monkeypatch.undo()
        before()
        recorded = accept(registry, document)
        after()
        return recorded

    monkeypatch.setattr(SqliteTenantRegistry, "accept", accepted)


def test_what_is_erased_between_the_bytes_and_their_record_is_stored_again(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = intake.accept(source())
    intake.delete(document.id)
    erase = partial(erase_objects, whole.stores, DEFAULT_TENANT, document.id)
    accepting(monkeypatch, before=erase, after=lambda: None)
    intake.accept(NewSource(Blob("a.txt", b"hello", "text/plain", password=Password("Quillon"))))
    original = intake.original(document.id)
    assert (original.content, original.password) == (b"hello", Password("Quillon"))


def test_the_note_of_where_an_upload_lies_is_stored_again_too(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = BUCKETS["dropped"].stat("note")
    document = intake.accept_upload("dropped", upload)
    intake.delete(document.id)
    erase = partial(erase_objects, whole.stores, DEFAULT_TENANT, document.id)
    accepting(monkeypatch, before=erase, after=lambda: None)
    intake.accept_upload("dropped", upload)
    assert intake.original(document.id).content == b"left where it is"


def test_what_is_deleted_as_soon_as_it_is_recorded_leaves_nothing(
    intake: TenantStoreIntake, whole: StoreIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = intake.accept(source())
    intake.delete(document.id)
    accepting(monkeypatch, before=lambda: None, after=lambda: intake.delete(document.id))
    intake.accept(source())
    assert list(whole.stores.objects.for_tenant(DEFAULT_TENANT).keys()) == []


def test_what_another_tenant_holds_does_not_exist(whole: StoreIntake, intake: TenantStoreIntake) -> None:
    document = intake.accept(source())
    other = whole.for_tenant(Tenant("other"))
    with pytest.raises(NotFound):
        other.original(document.id)
    with pytest.raises(NotFound):
        other.delete(document.id)
    assert other.accept(source()).id != document.id


def test_a_url_is_accepted_under_its_address(intake: TenantStoreIntake) -> None:
    document = intake.accept_url("HTTPS://Example.org:443/page#part")
    assert (document.source, document.title) == ("https://example.org/page", "A title")
    original = intake.original(document.id)
    assert (original.content, original.url) == (b"fetched", "https://example.org/page#final")


def test_a_page_that_did_not_change_stays_the_document_it_is(
    intake: TenantStoreIntake, web: Site, signals: Signals
) -> None:
    first = intake.accept_url("https://example.org/page")
    assert intake.accept_url("https://example.org/page") == first
    assert [known and known.etag for _, known in web.asked] == [None, '"1"']
    assert signals.count == 1


def test_what_was_fetched_is_counted_before_it_is_kept(intake: TenantStoreIntake, whole: StoreIntake) -> None:
    counted: list[int] = []

    def refuse(size_bytes: int) -> None:
        raise TooMany("The limit of bytes is reached.", size_bytes)

    with pytest.raises(TooMany):
        intake.accept_url("https://example.org/page", count=refuse)
    assert whole.stores.registry.for_tenant(DEFAULT_TENANT).list().documents == ()
    for _ in range(2):  # the second time it is as it was
        intake.accept_url("https://example.org/page", count=counted.append)
    assert counted == [7]


def test_a_page_that_changed_is_a_new_version_and_its_tag_is_kept(intake: TenantStoreIntake, web: Site) -> None:
    first = intake.accept_url("https://example.org/page")
    web.content, web.etag = b"changed", '"2"'
    second = intake.accept_url("https://example.org/page")
    assert (second.id, second.version != first.version) == (first.id, True)
    assert intake.accept_url("https://example.org/page").version == second.version
    assert web.asked[-1][1] == Validators("https://example.org/page#final", '"2"')


def test_a_new_tag_for_the_same_bytes_changes_no_version(intake: TenantStoreIntake, web: Site) -> None:
    first = intake.accept_url("https://example.org/page")
    web.etag = '"2"'
    assert intake.accept_url("https://example.org/page").version == first.version
    intake.accept_url("https://example.org/page")
    assert web.asked[-1][1] == Validators("https://example.org/page#final", '"2"')


def test_a_page_that_failed_or_was_deleted_is_fetched_whole_again(
    intake: TenantStoreIntake, whole: StoreIntake, web: Site
) -> None:
    document = intake.accept_url("https://example.org/page")
    registry = whole.stores.registry.for_tenant(DEFAULT_TENANT)
    registry.save(msgspec.structs.replace(document, state=DocumentState.FAILED))
    assert intake.accept_url("https://example.org/page").state is DocumentState.PENDING
    intake.delete(document.id)
    assert intake.accept_url("https://example.org/page").state is DocumentState.PENDING
    assert [known for _, known in web.asked] == [None, None, None]


def test_an_upload_in_a_bucket_is_accepted_where_it_lies(intake: TenantStoreIntake, whole: StoreIntake) -> None:
    upload = BUCKETS["dropped"].stat("note")
    document = intake.accept_upload("dropped", upload)
    assert (document.source, document.state, document.size_bytes) == ("s3://dropped/note", DocumentState.PENDING, 16)
    assert intake.original(document.id).content == b"left where it is"
    kept = whole.stores.objects.for_tenant(DEFAULT_TENANT)
    assert [key for key in kept.keys() if "note" not in key and not key.endswith(".meta")] == []  # noqa: SIM118


def test_another_value_of_an_upload_is_a_new_version_of_the_same_document(intake: TenantStoreIntake) -> None:
    bucket = BUCKETS["dropped"]
    upload = bucket.stat("note")
    first = intake.accept_upload("dropped", upload)
    assert intake.accept_upload("dropped", msgspec.structs.replace(upload, modified=upload.modified + 5)) == first
    second = intake.accept_upload("dropped", msgspec.structs.replace(upload, etag="another"))
    assert second.id == first.id
    assert second.version != first.version
    with pytest.raises(NotFound):
        intake.original(second.id)  # the bucket holds the first value


def test_names_of_uploads_are_printable_and_tell_keys_apart() -> None:
    keys = ["a b/ü.txt", "a\nb", "a%0Ab", "../up", "a\u202eb"]
    names = [upload_source("x", key) for key in keys]
    assert len(set(names)) == len(keys)
    assert all(name.isprintable() for name in names)
