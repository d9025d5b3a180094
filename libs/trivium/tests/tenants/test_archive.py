"""An archive that is not whole, not ours or made by somebody else is refused before anything is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from folder_stores import FolderStores

from trivium.domain.answers import Turn
from trivium.domain.chunks import Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.edits import Actor, CreateEntity, Dismiss, Draft, Evidence, Rename
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import EntityType
from trivium.domain.ids import child_id, chunk_id, content_version, document_id
from trivium.domain.scope import Tenant
from trivium.edits.curation import curation_of
from trivium.edits.log import has_evidence_in
from trivium.flow.artifacts import Origin, original_key
from trivium.flow.erase import erase
from trivium.flow.family import INSIDE as INSIDE_MARK
from trivium.flow.intake import StoreIntake
from trivium.flow.originals import Originals
from trivium.ports.conversations import Conversation, Conversations
from trivium.ports.intake import Destination, NewSource
from trivium.ports.parser import Blob
from trivium.tenants.erase import erase_tenant
from trivium.tenants.export_tenant import export_tenant
from trivium.tenants.import_archive import import_archive

RED = Tenant("red")
Parts = dict[str, bytes]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The archive of a tenant with a document and a conversation."""
    with closing(FolderStores(tmp_path / "old")) as stores:
        intake = StoreIntake(stores, lambda: None, lambda *_: None, 10**6).for_tenant(RED)
        intake.accept(NewSource(Blob("a/ü.txt", b"a note"), "A title", Destination("notes", "run-1")))
        talks = stores.conversations.for_tenant(RED)
        talks.append(talks.create("a talk").id, Turn("q", "a"))
        stores.objects.for_tenant(RED).put("schemas/notes/999", b"{}")
        assert export_tenant(stores, Originals(stores.objects), RED, tmp_path / "red.zip") == []
        with pytest.raises(NotFound):
            export_tenant(stores, Originals(stores.objects), Tenant("nobody"), tmp_path / "nobody.zip")
    return tmp_path / "red.zip"


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[FolderStores]:
    with closing(FolderStores(tmp_path / "new")) as opened:
        yield opened


def test_a_record_is_as_it_was_but_has_to_be_ingested(stores: FolderStores, file: Path, tmp_path: Path) -> None:
    assert import_archive(stores, file, 10**6) == (RED, 1)
    [document] = stores.registry.for_tenant(RED).list().documents
    with closing(FolderStores(tmp_path / "old")) as old:
        [before] = old.registry.for_tenant(RED).list().documents
    for field in ("id", "version", "source", "title", "dataset", "run", "size_bytes", "created_at", "uploaded_at"):
        assert getattr(document, field) == getattr(before, field), field
    _, blob = Originals(stores.objects).read(RED, document.id, document.version)
    assert blob.content == b"a note"
    [talk] = stores.conversations.for_tenant(RED).list()[0]
    assert (talk.title, talk.turns) == ("a talk", (Turn("q", "a"),))
    assert stores.objects.for_tenant(RED).get("schemas/notes/999") == b"{}"
    with pytest.raises(Refused, match="has documents"):
        import_archive(stores, file, 10**6)


def test_under_another_name_it_has_other_ids(stores: FolderStores, file: Path) -> None:
    blue = Tenant("blue")
    assert import_archive(stores, file, 10**6, "blue") == (blue, 1)
    [document] = stores.registry.for_tenant(blue).list().documents
    _, blob = Originals(stores.objects).read(blue, document.id, document.version)
    assert (document.id, blob.content) == (document_id(blue, "a/ü.txt"), b"a note")
    assert stores.conversations.for_tenant(blue).list()[0][0].title == "a talk"
    assert stores.registry.for_tenant(RED).list().documents == ()


ACTOR = Actor(name="anna")
DOCUMENT = document_id(RED, "a/ü.txt")
VERSION = content_version(b"a note")
STALE = chunk_id(DOCUMENT, content_version(b"an older note"), 0)


def edited(tmp_path: Path, *drafts: Draft) -> Path:
    """The archive with edits, each in a record of its own."""
    with closing(FolderStores(tmp_path / "old")) as old:
        for draft in drafts:
            curation_of(old).append(RED, lambda _, draft=draft: [draft])
        assert export_tenant(old, Originals(old.objects), RED, tmp_path / "edited.zip") == []
    return tmp_path / "edited.zip"


@pytest.mark.usefixtures("file")
def test_edits_come_along_under_another_name_and_rest_on_its_passages(stores: FolderStores, tmp_path: Path) -> None:
    blue = Tenant("blue")
    passages = [chunk_id(DOCUMENT, VERSION, ordinal) for ordinal in (7, 0)]
    evidence = tuple(Evidence(DOCUMENT, passage, Span(0, 6), "a note") for passage in (*passages, STALE))
    weir = Draft(CreateEntity("old weir", "Old Weir", EntityType.LOCATION), ACTOR, "it stands", evidence)
    renaming = Draft(Rename("old weir", "The Weir"), ACTOR)
    archive = edited(tmp_path, weir, renaming, Draft(Dismiss("2.0"), ACTOR))
    import_archive(stores, archive, 10**6, "blue")
    curated = curation_of(stores).now(blue)
    with closing(FolderStores(tmp_path / "old")) as old:
        before = curation_of(old).now(RED).edits
    assert [(edit.id, edit.change, edit.at, edit.why) for edit in curated.edits] == [
        (edit.id, edit.change, edit.at, edit.why) for edit in before
    ]
    new = document_id(blue, "a/ü.txt")
    assert curated.edits[0].evidence == tuple(
        Evidence(new, passage, Span(0, 6), "a note")
        for passage in (chunk_id(new, VERSION, 7), chunk_id(new, VERSION, 0), STALE)
    )
    assert not curated.gone, "its documents are there"
    assert has_evidence_in(stores.objects.for_tenant(blue), new)
    assert not has_evidence_in(stores.objects.for_tenant(blue), DOCUMENT)


@pytest.mark.usefixtures("file")
def test_who_knew_the_edits_before_an_import_reads_those_of_the_archive(stores: FolderStores, tmp_path: Path) -> None:
    weir, bridge, pier = (
        Draft(CreateEntity(name.lower(), name, EntityType.LOCATION), ACTOR) for name in ("Weir", "Bridge", "Pier")
    )
    archive = edited(tmp_path, weir)
    for identified in (True, False):
        running = curation_of(stores)
        for draft in (bridge, pier):
            running.append(RED, lambda _, draft=draft: [draft])  # type: ignore[misc]
        if not identified:  # as an earlier version wrote it
            stores.objects.for_tenant(RED).delete("edits-identity")
            running.now(RED)
        erase_tenant(stores, RED, None, 0.0, lambda _: None)
        import_archive(stores, archive, 10**6)
        assert [edit.change for edit in running.now(RED).edits] == [weir.change]
        assert [edit.id for edit in running.append(RED, lambda _: [pier])] == ["2.0"]
        erase_tenant(stores, RED, None, 0.0, lambda _: None)


INSIDE = child_id(DOCUMENT, "inner.zip")
DEEPER = child_id(INSIDE, "b/inner.txt")
GONE = document_id(RED, "gone.txt")


@pytest.mark.usefixtures("file")
def test_edits_that_rest_on_documents_inside_others_or_on_deleted_ones_come_along(
    stores: FolderStores, tmp_path: Path
) -> None:
    with closing(FolderStores(tmp_path / "old")) as old:
        intake = StoreIntake(old, lambda: None, lambda *_: None, 10**6).for_tenant(RED)
        intake.accept(NewSource(Blob("gone.txt", b"a note"), "", Destination()))
        registry, inside = old.registry.for_tenant(RED), "a/\u00fc.txt" + INSIDE_MARK + "inner.zip"
        for identifier, parent, source in (
            (INSIDE, DOCUMENT, inside),
            (DEEPER, INSIDE, f"{inside}{INSIDE_MARK}b/inner.txt"),
        ):
            registry.accept(Document(identifier, "red", source, VERSION, parent=parent))
    evidence = tuple(Evidence(each, chunk_id(each, VERSION, 2), Span(0, 6)) for each in (DEEPER, GONE))
    edited(tmp_path, Draft(Rename("old weir", "The Weir"), ACTOR, "", evidence)).unlink()
    with closing(FolderStores(tmp_path / "old")) as old:
        StoreIntake(old, lambda: None, lambda *_: None, 10**6).for_tenant(RED).delete(GONE)
        archive = tmp_path / "deleted.zip"
        export_tenant(old, Originals(old.objects), RED, archive)

    blue = Tenant("blue")
    assert import_archive(stores, archive, 10**6, "blue") == (blue, 1)
    inner = child_id(child_id(document_id(blue, "a/\u00fc.txt"), "inner.zip"), "b/inner.txt")
    gone = document_id(blue, "gone.txt")
    curated = curation_of(stores).now(blue)
    [edit] = curated.edits
    assert edit.evidence == tuple(Evidence(each, chunk_id(each, VERSION, 2), Span(0, 6)) for each in (inner, gone))
    assert all(has_evidence_in(stores.objects.for_tenant(blue), each) for each in (inner, gone))


@pytest.mark.parametrize(
    "names",
    [
        [{"id": GONE, "version": VERSION, "name": "another.txt"}],
        [{"id": DEEPER, "version": VERSION, "name": "b/inner.txt", "parent": INSIDE}],
        [
            {"id": one, "version": VERSION, "name": "x", "parent": other}
            for one, other in ((GONE, INSIDE), (INSIDE, GONE))
        ],
    ],
)
@pytest.mark.usefixtures("file")
def test_names_that_do_not_lead_to_their_ids_are_not_believed(
    stores: FolderStores, tmp_path: Path, names: list[dict[str, str]]
) -> None:
    identifier = names[0]["id"]
    evidence = (Evidence(identifier, chunk_id(identifier, VERSION, 0)),)
    whole = edited(tmp_path, Draft(Rename("a", "A"), ACTOR, "", evidence))
    with ZipFile(whole) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(tmp_path / "forged.zip", "w") as archive:
        for name, content in (parts | {"named.json": json.dumps(names).encode()}).items():
            archive.writestr(name, content)
    with pytest.raises(Refused, match="does not name"):
        import_archive(stores, tmp_path / "forged.zip", 10**6, "blue")


@pytest.mark.usefixtures("file")
def test_edits_that_cannot_come_along_are_told_before_anything_is_written(stores: FolderStores, tmp_path: Path) -> None:
    archive = edited(tmp_path, Draft(Rename("a", "A"), ACTOR, "", (Evidence(INSIDE, chunk_id(INSIDE, VERSION, 0)),)))
    with pytest.raises(Refused, match="does not name") as refused:
        import_archive(stores, archive, 10**6, "green")
    assert refused.value.code == "edits_of_another_name"
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]
    assert import_archive(stores, archive, 10**6) == (RED, 1)


def test_a_record_that_cannot_be_read_is_not_carried_under_another_name(stores: FolderStores, file: Path) -> None:
    with ZipFile(file, "a") as archive:
        archive.writestr("objects/edits/000000000001", b"{}")
    with pytest.raises(Refused, match="cannot be read"):
        import_archive(stores, file, 10**6, "green")


def without(name: str) -> Callable[[Parts], Parts]:
    return lambda parts: {key: value for key, value in parts.items() if key != name}


@pytest.mark.parametrize(
    "forged",
    [
        without("tenant.json"),
        without("left-out.json"),
        without("documents/0"),
        lambda parts: parts | {"tenant.json": b'{"format":99,"tenant":"red","made_at":0}'},
        lambda parts: parts | {"tenant.json": b'{"format":1,"tenant":"../red","made_at":0}'},
        lambda parts: parts | {"documents/0.json": b"[]"},
        lambda parts: (
            parts | {"documents/0.json": parts["documents/0.json"].replace(b'"version":"', b'"version":"../')}
        ),
        lambda parts: parts | {"objects/access/keys/0123456789ab": b"{}"},
        lambda parts: parts | {"objects/edits/../access/keys/0123456789ab": b"{}"},
        lambda parts: parts | {"documents/0": b"x" * 1_000_001},
        lambda parts: parts | {"conversations/1.json": b"\xff"},
    ],
)
def test_a_forged_archive_writes_nothing(
    stores: FolderStores, file: Path, forged: Callable[[Parts], Parts], tmp_path: Path
) -> None:
    with ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(tmp_path / "forged.zip", "w") as archive:
        for name, content in forged(parts).items():
            archive.writestr(name, content)
    with pytest.raises(Refused):
        import_archive(stores, tmp_path / "forged.zip", 10**6)
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.95])
def test_a_cut_archive_writes_nothing(stores: FolderStores, file: Path, share: float, tmp_path: Path) -> None:
    content = file.read_bytes()
    (tmp_path / "cut.zip").write_bytes(content[: int(len(content) * share)])
    with pytest.raises(Refused, match="cannot be imported"):
        import_archive(stores, tmp_path / "cut.zip", 10**6)
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


class ReadMeanwhile(Originals, frozen=True, kw_only=True):
    """Before an original is read, something happens."""

    happening: list[Callable[[], object]]

    def read(self, tenant: Tenant, document_id: str, version: str) -> tuple[Origin, Blob]:
        while self.happening:
            self.happening.pop()()
        return Originals.read(self, tenant, document_id, version)


def archived(archive: Path, prefix: str) -> list[Any]:
    with ZipFile(archive) as opened:
        names = [name for name in opened.namelist() if name.startswith(prefix)]
        return [json.loads(opened.read(name)) for name in names if name.endswith(".json")]


def test_what_gets_a_new_version_while_it_is_written_comes_along_and_what_is_deleted_does_not(
    stores: FolderStores, tmp_path: Path
) -> None:
    intake = StoreIntake(stores, lambda: None, lambda *_: None, 10**6).for_tenant(RED)
    registry = stores.registry.for_tenant(RED)
    for name in ("gone.txt", "a.txt", "b.txt"):
        intake.accept(NewSource(Blob(name, b"first")))

    def publish() -> None:
        made = intake.accept(NewSource(Blob("a.txt", b"second")))
        registry.save(msgspec.structs.replace(made, state=DocumentState.READY, active_version=made.version))
        erase(stores, RED, {made.id: made.version})

    happening = [publish, lambda: intake.delete(document_id(RED, "gone.txt"))]
    assert export_tenant(stores, ReadMeanwhile(stores.objects, happening=happening), RED, tmp_path / "red.zip") == []
    told = {each["origin"]["name"]: each["version"] for each in archived(tmp_path / "red.zip", "documents/")}
    assert told == {"a.txt": content_version(b"second"), "b.txt": content_version(b"first")}
    with ZipFile(tmp_path / "red.zip") as archive:
        assert sorted(archive.read(name) for name in archive.namelist() if name[-1].isdigit()) == [b"first", b"second"]


def test_an_original_that_is_gone_is_told(stores: FolderStores, tmp_path: Path) -> None:
    made = (
        StoreIntake(stores, lambda: None, lambda *_: None, 10**6)
        .for_tenant(RED)
        .accept(NewSource(Blob("a.txt", b"first")))
    )
    stores.objects.for_tenant(RED).delete(original_key(made.id, made.version))
    assert export_tenant(stores, Originals(stores.objects), RED, tmp_path / "red.zip") == ["a.txt"]


def test_a_link_to_where_the_archive_is_to_lie_stays_one(stores: FolderStores, tmp_path: Path) -> None:
    StoreIntake(stores, lambda: None, lambda *_: None, 10**6).for_tenant(RED).accept(NewSource(Blob("a.txt", b"first")))
    link, disk = tmp_path / "red.zip", tmp_path / "disk"
    disk.mkdir()
    link.symlink_to("disk/red.zip")
    assert export_tenant(stores, Originals(stores.objects), RED, link) == []
    assert link.is_symlink()
    assert [path.name for path in disk.iterdir()] == ["red.zip"]
    with pytest.raises(Refused):
        export_tenant(stores, Originals(stores.objects), RED, link)


class BusyTalks:
    """A tenant's conversations: one goes on between two pages of a listing, one is deleted before the first is read."""

    def __init__(self, all_talks: Conversations, goes_on: str, deleted: str) -> None:
        self._all, self._talks = all_talks, all_talks.for_tenant(RED)
        self._goes_on, self._deleted = goes_on, deleted

    def for_tenant(self, tenant: Tenant) -> BusyTalks:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._all, name)

    def list(self, limit: int, cursor: str) -> tuple[list[Conversation], str]:
        if cursor and self._goes_on:
            self._talks.append(self._goes_on, Turn("one more", "answer"))
            self._goes_on = ""
        return self._talks.list(limit, cursor)

    def get(self, conversation_id: str) -> Conversation:
        self._talks.delete(self._deleted)
        return self._talks.get(conversation_id)


def test_conversations_that_go_on_or_are_deleted_while_it_is_written_hinder_no_other(
    stores: FolderStores, tmp_path: Path
) -> None:
    talks = stores.conversations.for_tenant(RED)
    made = [talks.create(f"talk {number}").id for number in range(120)]
    stores.conversations = BusyTalks(stores.conversations, made[0], made[119])  # type: ignore[assignment]
    assert export_tenant(stores, Originals(stores.objects), RED, tmp_path / "red.zip") == []
    told = [each["title"] for each in archived(tmp_path / "red.zip", "conversations/")]
    assert sorted(told) == sorted(f"talk {number}" for number in range(119))
