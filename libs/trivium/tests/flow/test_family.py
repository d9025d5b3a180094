"""Files inside files: documents that come, change and go with the one they were found in, whoever is late."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from folder_stores import FolderStores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.adapters.embedded.objects import LocalObjectStore
from trivium.adapters.embedded.registry import SqliteTenantRegistry
from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import Conflict, NotFound, TryLater
from trivium.domain.ids import child_id, content_version
from trivium.domain.parsed import Child
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.artifacts import original_key
from trivium.flow.chain import Entry
from trivium.flow.erase import clear_up, delete_everywhere, erase_children, erase_objects, require_membership
from trivium.flow.family import (
    MIN_COST_BYTES,
    Taken,
    accept_children,
    are_accepted,
    children_page,
    distinct_names,
    shared_out,
)
from trivium.flow.intake import StoreIntake, TenantStoreIntake
from trivium.ports.intake import Destination, NewSource
from trivium.ports.parser import Blob, ParseLimits
from trivium.tenants.erase import erase_tenant

NOTE, OFFER = Child("note.txt", b"a note"), Child("offers/offer.pdf", b"an offer", "application/pdf")


class House:
    """One tenant's stores, and what a parser would do with a document."""

    def __init__(self, folder: Path, limits: ParseLimits = ParseLimits()) -> None:  # noqa: B008 - frozen
        self.stores, self.limits = FolderStores(folder), limits
        whole = StoreIntake(self.stores, lambda: None, None, 10**9)  # type: ignore[arg-type]  # nothing is fetched
        self.intake: TenantStoreIntake = whole.for_tenant(DEFAULT_TENANT)
        self.registry = self.stores.registry.for_tenant(DEFAULT_TENANT)
        self.objects = self.stores.objects.for_tenant(DEFAULT_TENANT)

    def upload(self, name: str = "mail.eml", content: bytes = b"1") -> Document:
        return self.intake.accept(NewSource(Blob(name, content)))

    def unpack(self, parent: Document, *children: Child) -> Taken:
        return accept_children(self.stores, parent, require_membership(self.stores, parent), children, self.limits)

    def publish(self, document: Document) -> None:
        self.show(document)
        self.erase_others(document)

    def show(self, document: Document) -> None:
        require_membership(self.stores, document)
        newest = self.registry.get(document.id)
        done = msgspec.structs.replace(newest, state=DocumentState.READY, active_version=document.version)
        self.registry.save(done)

    def erase_others(self, document: Document) -> None:
        erase_children(self.stores, DEFAULT_TENANT, document.id, keep_version=document.version)

    def child(self, parent: Document, child: Child = NOTE) -> Document:
        return self.registry.get(child_id(parent.id, child.name))

    def living(self) -> set[str]:
        found = self.registry.list(limit=1000).documents
        return {document.source for document in found if document.state is not DocumentState.DELETED}

    def keys(self) -> list[str]:
        return list(self.objects.keys())


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_file_inside_a_document_becomes_a_document_that_knows_its_parent(house: House) -> None:
    mail = house.upload()
    taken = house.unpack(mail, NOTE, OFFER)
    assert [child.content for child in taken.children] == [b"", b""]
    offer = house.child(mail, OFFER)
    assert (offer.parent, offer.source) == (mail.id, "mail.eml > offers/offer.pdf")
    assert (offer.dataset, offer.lane, offer.size_bytes) == (mail.dataset, mail.lane, len(OFFER.content))
    assert house.intake.original(offer.id).content == OFFER.content


def test_unpacking_again_changes_nothing(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    before = house.keys(), house.child(mail), house.child(mail, OFFER)
    house.unpack(mail, NOTE, OFFER)
    assert before == (house.keys(), house.child(mail), house.child(mail, OFFER))


def test_an_upload_of_the_same_name_is_another_document(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE)
    own = house.upload("mail.eml > note.txt", b"somebody's own")
    assert own.id != house.child(mail).id
    assert own.parent == ""


def test_deleting_a_document_deletes_what_was_found_in_it_at_every_depth_and_leaves_no_object(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.unpack(house.child(mail, OFFER), NOTE)
    house.intake.delete(mail.id)
    assert house.living() == set()
    assert house.keys() == []


def test_a_deletion_that_would_take_long_says_what_is_left_and_goes_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = house.upload()
    house.unpack(mail, *(Child(f"{number}.txt", b"a note") for number in range(3)))
    with monkeypatch.context() as patched:
        patched.setattr("trivium.flow.intake.DELETES_S", -1.0)
        with pytest.raises(TryLater) as later:
            house.intake.delete(mail.id)
    assert (later.value.code, later.value.message.startswith("3 of")) == ("deletion_goes_on", True)
    assert len(house.living()) == 4
    house.intake.delete(mail.id)
    assert house.living() == set()


def test_a_moved_document_takes_what_is_inside_it_along(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.unpack(house.child(mail, OFFER), NOTE)
    house.intake.accept(NewSource(Blob("mail.eml", b"1"), to=Destination("papers", move=True)))
    inner = house.child(house.child(mail, OFFER))
    moved = [house.registry.get(mail.id), house.child(mail), house.child(mail, OFFER), inner]
    assert [(each.dataset, each.state) for each in moved] == [("papers", DocumentState.PENDING)] * 4
    assert [each.run for each in moved] == [mail.run] * 4


def test_a_deletion_that_broke_off_is_finished_by_the_next(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.registry.delete(house.child(mail).id)  # as far as it came
    assert house.registry.get(mail.id).state is not DocumentState.DELETED
    house.intake.delete(mail.id)
    assert house.living() == set()
    assert house.keys() == []


def test_a_parser_that_has_not_heard_of_the_deletion_leaves_nothing(house: House) -> None:
    mail = house.upload()
    house.intake.delete(mail.id)
    house.unpack(mail, NOTE)
    clear_up(house.stores, house.registry.get(mail.id), Entry(mail.id, mail.version, mail.fence))
    assert house.living() == set()
    assert house.keys() == []


def test_a_parser_whose_tenant_was_erased_meanwhile_brings_nothing_back(house: House) -> None:
    mail = house.upload()
    erase_tenant(house.stores, DEFAULT_TENANT, None, 0.0, lambda _: None)
    with pytest.raises(NotFound):
        house.unpack(mail, NOTE)
    house.objects.put(f"artifacts/{mail.id}/{mail.version}/late", b"late")
    gone = msgspec.structs.replace(mail, state=DocumentState.DELETED)
    clear_up(house.stores, gone, Entry(mail.id, mail.version, mail.fence))
    assert house.registry.list().documents == ()
    [left] = house.keys()
    assert left.startswith("trail/")


def test_what_a_late_parser_that_died_left_removes_itself(house: House) -> None:
    mail = house.upload()
    house.intake.delete(mail.id)
    house.unpack(mail, NOTE)
    with pytest.raises(Conflict) as refusal:
        require_membership(house.stores, house.child(mail))
    assert refusal.value.code == "parent_gone"
    assert house.living() == set()


def test_a_new_version_without_a_file_deletes_it_when_it_is_published_and_not_before(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.publish(mail)
    newer = house.upload(content=b"2")
    house.unpack(newer, OFFER)
    assert house.living() == {"mail.eml", "mail.eml > note.txt", "mail.eml > offers/offer.pdf"}
    house.publish(newer)
    assert house.living() == {"mail.eml", "mail.eml > offers/offer.pdf"}
    assert house.intake.original(house.child(mail, OFFER).id).content == OFFER.content


def test_a_file_that_the_version_behind_it_holds_again_stays_when_one_without_it_is_published(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.publish(mail)
    newer = house.upload(content=b"2")
    house.unpack(newer, OFFER)
    house.show(newer)
    newest = house.upload(content=b"3")
    house.unpack(newest, NOTE, Child("third.txt", b"only in the third"))
    before = house.child(mail)
    house.erase_others(newer)
    assert house.living() == {
        "mail.eml",
        "mail.eml > note.txt",
        "mail.eml > third.txt",
        "mail.eml > offers/offer.pdf",
    }
    assert are_accepted(house.stores, newest, [NOTE])
    assert house.child(mail) == before
    assert house.intake.original(before.id).content == NOTE.content
    house.publish(newest)
    assert house.living() == {"mail.eml", "mail.eml > note.txt", "mail.eml > third.txt"}


def test_a_document_that_is_read_again_while_its_deletion_is_cleared_up_keeps_what_is_inside(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE)
    behind_deletion(monkeypatch, mail, lambda: house.unpack(house.upload(), NOTE))
    house.intake.delete(mail.id)
    assert house.living() == {"mail.eml", "mail.eml > note.txt"}
    assert house.intake.original(house.child(mail).id).content == NOTE.content
    assert are_accepted(house.stores, house.registry.get(mail.id), [NOTE])


@pytest.mark.parametrize("changed", [False, True])
def test_a_file_inside_that_is_taken_in_again_as_it_is_deleted_is_read_again_with_what_it_holds(
    house: House, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    """The third version is read while what was inside the first one's offer is being deleted for the second."""
    mail = house.upload()
    house.unpack(mail, OFFER)
    house.unpack(house.child(mail, OFFER), NOTE)
    house.publish(mail)
    offer = house.child(mail, OFFER)
    house.show(offer)
    newer = house.upload(content=b"2")
    house.show(newer)
    again = msgspec.structs.replace(OFFER, content=b"a better offer") if changed else OFFER
    inner = house.child(offer)
    behind_deletion(monkeypatch, inner, lambda: house.unpack(house.upload(content=b"3"), again))
    house.erase_others(newer)
    taken = house.child(mail, OFFER)
    assert (taken.state, taken.version) == (DocumentState.PENDING, content_version(again.content))
    assert house.intake.original(taken.id).content == again.content
    assert require_membership(house.stores, taken) is not None
    house.unpack(taken, NOTE)
    assert "mail.eml > offers/offer.pdf > note.txt" in house.living()
    assert house.intake.original(inner.id).content == NOTE.content


def test_a_late_child_that_its_parent_takes_in_as_it_deletes_itself_stays(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE)
    newer = house.upload(content=b"2")
    house.publish(newer)
    house.unpack(mail, NOTE)  # late
    late = house.child(mail)
    delete = SqliteTenantRegistry.delete

    def deleted(registry: SqliteTenantRegistry, document_id: str) -> Document:
        monkeypatch.undo()
        house.unpack(house.upload(content=b"3"), NOTE)
        return delete(registry, document_id)

    monkeypatch.setattr(SqliteTenantRegistry, "delete", deleted)
    with pytest.raises(Conflict):
        require_membership(house.stores, late)
    assert house.child(mail).state is DocumentState.PENDING
    assert house.intake.original(late.id).content == NOTE.content


def behind_deletion(monkeypatch: pytest.MonkeyPatch, document: Document, happens: Callable[[], object]) -> None:
    """Something happens once, right behind the deletion of the document's record."""
    delete = SqliteTenantRegistry.delete

    def deleted(registry: SqliteTenantRegistry, document_id: str) -> Document:
        gone = delete(registry, document_id)
        if document_id == document.id:
            monkeypatch.undo()
            happens()
        return gone

    monkeypatch.setattr(SqliteTenantRegistry, "delete", deleted)


def test_a_file_inside_of_which_only_the_note_is_left_is_stored_again(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE)
    note = house.child(mail)
    house.objects.delete(original_key(note.id, note.version))
    house.unpack(mail, NOTE)
    assert house.intake.original(note.id).content == NOTE.content


def test_a_file_inside_that_is_erased_between_its_bytes_and_its_record_is_stored_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = house.upload()
    accept = SqliteTenantRegistry.accept

    def accepted(registry: SqliteTenantRegistry, document: Document) -> Document:
        erase_objects(house.stores, DEFAULT_TENANT, document.id)
        return accept(registry, document)

    monkeypatch.setattr(SqliteTenantRegistry, "accept", accepted)
    house.unpack(mail, NOTE)
    assert house.intake.original(house.child(mail).id).content == NOTE.content


def test_a_late_parser_of_an_old_version_does_not_bring_back_an_old_file(house: House) -> None:
    old = house.upload()
    newer = house.upload(content=b"2")
    changed = msgspec.structs.replace(NOTE, content=b"a better note")
    house.unpack(newer, changed)
    house.publish(newer)
    house.unpack(old, NOTE)
    with pytest.raises(Conflict) as refusal:
        require_membership(house.stores, house.child(old))
    assert refusal.value.code == "superseded"
    assert house.child(newer).version == content_version(changed.content)


def test_a_child_that_was_deleted_alone_stays_away_until_a_new_version_brings_it(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.intake.delete(house.child(mail).id)
    house.unpack(mail, NOTE, OFFER)
    assert house.living() == {"mail.eml", "mail.eml > offers/offer.pdf"}
    house.unpack(house.upload(content=b"2"), NOTE, OFFER)
    assert "mail.eml > note.txt" in house.living()


def test_a_document_that_comes_back_brings_its_children_back(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE)
    house.intake.delete(mail.id)
    back = house.upload()
    taken = house.unpack(back, NOTE)
    assert house.living() == {"mail.eml", "mail.eml > note.txt"}
    assert are_accepted(house.stores, back, taken.children)


def test_parsing_is_not_done_while_a_child_is_missing_unless_somebody_deleted_it(house: House, tmp_path: Path) -> None:
    mail = house.upload()
    children = house.unpack(mail, NOTE, OFFER).children
    assert are_accepted(house.stores, mail, children)
    house.registry.delete(house.child(mail).id)
    assert not are_accepted(house.stores, mail, children)
    house.intake.delete(house.child(mail).id)
    assert are_accepted(house.stores, mail, children)


def test_what_lies_too_deep_is_left_out_and_the_bound_is_named(tmp_path: Path) -> None:
    house = House(tmp_path, ParseLimits(max_nesting=1))
    mail = house.upload()
    house.unpack(mail, NOTE)
    taken = house.unpack(house.child(mail), OFFER)
    assert taken.children == ()
    assert "max_nesting" in taken.warnings[0]
    assert house.living() == {"mail.eml", "mail.eml > note.txt"}


def test_what_is_too_much_in_all_is_left_out_and_the_bound_is_named(tmp_path: Path) -> None:
    house = House(tmp_path, ParseLimits(max_family_bytes=MIN_COST_BYTES))
    taken = house.unpack(house.upload(), NOTE, OFFER)
    assert [child.name for child in taken.children] == ["note.txt"]
    assert "max_family_bytes" in taken.warnings[0]


def test_what_comes_out_of_one_upload_is_counted_over_all_levels(tmp_path: Path) -> None:
    house = House(tmp_path, ParseLimits(max_family_documents=100))
    bomb = house.upload("bomb.zip")
    level, warnings = [bomb], []
    while level:
        below = []
        for holder in level:
            files = [Child(f"{number}.zip", f"{holder.id} {number}".encode()) for number in range(7)]
            taken = house.unpack(holder, *files)
            assert taken == house.unpack(holder, *files)
            below += [house.child(holder, child) for child in taken.children]
            warnings += taken.warnings
        level = below
    assert len(house.living()) == 1 + 100
    assert sum("max_family_documents" in warning for warning in warnings) > 1
    house.intake.delete(bomb.id)
    assert (house.living(), house.keys()) == (set(), [])


def test_a_new_version_is_counted_anew(tmp_path: Path) -> None:
    house = House(tmp_path, ParseLimits(max_family_documents=2))
    house.unpack(house.upload(), NOTE, OFFER)
    newer = house.upload(content=b"2")
    taken = house.unpack(newer, OFFER, Child("other.txt", b"another"))
    assert len(taken.children) == 2
    house.publish(newer)
    assert house.living() == {"mail.eml", "mail.eml > offers/offer.pdf", "mail.eml > other.txt"}


def test_children_are_listed_page_by_page(house: House) -> None:
    mail = house.upload()
    house.unpack(mail, *(Child(f"{number}.txt", b"x") for number in range(5)))
    seen, cursor = [], ""
    while True:
        page = children_page(house.registry, house.objects, mail, 2, cursor)
        seen += [document.source for document in page.documents]
        cursor = page.cursor
        if not cursor:
            break
    assert sorted(seen) == [f"mail.eml > {number}.txt" for number in range(5)]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a.png", "a.png", "a.png"], ["a.png", "a (2).png", "a (3).png"]),
        (["../../etc/passwd", "/abs", "c:\\dir\\f.txt"], ["etc/passwd", "abs", "c:/dir/f.txt"]),
        (["", "..", "a\nb\x00\ud800"], ["unnamed", "unnamed (2)", "a\ufffdb\ufffd\ufffd"]),
        (["a.png", "a (2).png", "a.png"], ["a.png", "a (2).png", "a (3).png"]),
    ],
)
def test_names_are_printable_paths_that_cannot_climb_each_once(names: list[str], shown: list[str]) -> None:
    assert [child.name for child in distinct_names([Child(name, b"") for name in names])] == shown


@given(st.lists(st.integers(0, 10**9), max_size=50), st.integers(0, 10**10))
def test_what_may_come_out_of_a_file_is_never_more_than_its_allowance(sizes: list[int], allowance: int) -> None:
    shares = shared_out(sizes, allowance)
    spent = sum(max(size, MIN_COST_BYTES) for size, share in zip(sizes, shares, strict=True) if share is not None)
    assert spent + sum(share for share in shares if share is not None) <= allowance


class Killed(BaseException):
    """What a process that is killed does not catch."""


@contextmanager
def killed_at(house: House, step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The process dies instead of its `step`th change of a store; the changes that were made are in the list."""
    made: list[str] = []
    # One thread: which change comes when is then the same every time.
    monkeypatch.setattr("trivium.flow.family.map_concurrent", lambda call, batch: [call(item) for item in batch])
    monkeypatch.setattr("trivium.flow.erase.map_concurrent", lambda call, batch: [call(item) for item in batch])
    changing = [(LocalObjectStore, "put"), (LocalObjectStore, "delete")]
    changing += [(SqliteTenantRegistry, "accept"), (SqliteTenantRegistry, "delete")]
    for kind, name in changing:
        whole = getattr(kind, name)

        def change(*args: Any, _whole: Any = whole, _name: str = name, **kwargs: Any) -> Any:
            if len(made) == step:
                raise Killed
            made.append(_name)
            return _whole(*args, **kwargs)

        monkeypatch.setattr(kind, name, change)
    with suppress(Killed):
        yield made
    monkeypatch.undo()


@pytest.mark.parametrize("step", range(8))
def test_a_worker_killed_while_it_unpacks_leaves_what_the_next_one_completes(
    house: House, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = house.upload()
    with killed_at(house, step, monkeypatch) as made:
        house.unpack(mail, NOTE, OFFER)
    assert len(made) == step
    found = house.registry.list(limit=100).documents
    assert all(house.intake.original(document.id).content for document in found), "a record without its bytes"
    taken = house.unpack(mail, NOTE, OFFER)
    assert are_accepted(house.stores, mail, taken.children)
    house.intake.delete(mail.id)
    assert (house.living(), house.keys()) == (set(), [])


@pytest.mark.parametrize("step", range(18))
def test_a_deletion_killed_at_any_point_is_completed_by_the_next(
    house: House, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = house.upload()
    house.unpack(mail, NOTE, OFFER)
    house.unpack(house.child(mail, OFFER), NOTE)
    with killed_at(house, step, monkeypatch) as made:
        house.intake.delete(mail.id)
    assert len(made) == step
    if mail.source not in house.living():
        assert house.living() == set(), "the parent is gone and a child is seen"
    house.intake.delete(mail.id)
    assert (house.living(), house.keys()) == (set(), [])


files = st.lists(st.tuples(st.sampled_from(["a", "b/c", "d"]), st.binary(max_size=3)), max_size=4)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=st.lists(files, min_size=1, max_size=3), deleted=st.booleans())
def test_a_family_ingested_and_deleted_leaves_nothing(
    tmp_path_factory: pytest.TempPathFactory, versions: list[list[tuple[str, bytes]]], deleted: bool
) -> None:
    house = House(tmp_path_factory.mktemp("house"))
    for number, held in enumerate(versions):
        mail = house.upload(content=bytes([number]))
        taken = house.unpack(mail, *(Child(*file) for file in held))
        for child in taken.children:
            house.unpack(house.child(mail, child), NOTE)
        if deleted and taken.children:
            delete_everywhere(house.stores, DEFAULT_TENANT, house.child(mail, taken.children[0]).id)
        house.publish(mail)
    house.intake.delete(mail.id)
    assert house.living() == set()
    assert house.keys() == []
