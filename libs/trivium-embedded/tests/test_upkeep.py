"""Rows changed behind the product's back are found, told and put right from the artifacts."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import docx
import httpx2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result
from folder_stores import FolderStores, during_removal
from PIL import Image
from prometheus_client import REGISTRY

from trivium.adapters.embedded.hypernodes import SqliteHyperNodes
from trivium.adapters.models import connect_models
from trivium.cli.main import cli
from trivium.config import Settings, load_settings
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.documents import STAGES, Document, DocumentState, Stage
from trivium.domain.drift import Drift, Store
from trivium.domain.edits import Actor, Draft, Edit, Rename, Undo
from trivium.domain.errors import TryLater
from trivium.domain.graph import ChunkGraph
from trivium.domain.ids import entity_id
from trivium.domain.scope import DEFAULT_TENANT, Scope, Tenant
from trivium.edits.log import RECORDS, EditLog
from trivium.flow import artifacts
from trivium.flow.intake import StoreIntake
from trivium.ports.graph import GraphRow
from trivium.ports.inference import Passage, PassageVectors
from trivium.ports.intake import Destination, NewSource
from trivium.ports.keywords import keyword_rows
from trivium.ports.parser import Blob
from trivium.ports.stores import Stores
from trivium.ports.vectors import Vector, VectorRow
from trivium_embedded.data_dir import owned
from trivium_embedded.upkeep import scratch_graph
from trivium_embedded.wiring import assembled, open_stores
from trivium_ingest.upkeep import retried
from trivium_ingest.upkeep.audit import audit
from trivium_ingest.upkeep.rebuild import rebuild, reembed
from trivium_ingest.upkeep.rows import store_of, writer_of
from trivium_query.answering import PassageModels
from trivium_query.assembly import query_services
from trivium_query.http.app import create_app
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import Services

TEXTS = {
    "quay.txt": "Ada Quill built the lighthouse of Brannock Head. It was lit first in 1873.",
    "ferry.txt": "The ferry to Inish Orla leaves at 06:40. Marten Oosterhuis is its captain.",
    "empty.txt": " \n",
}
VISUAL_DIMENSION = 2


def report() -> bytes:
    """A Word file of two passages, the second of them with a picture."""
    document = docx.Document()
    document.add_paragraph("The mill at Orrin Water grinds oats. " * 30)
    pixels = io.BytesIO()
    Image.new("RGB", (120, 80), (120, 60, 20)).save(pixels, "PNG")
    document.add_picture(io.BytesIO(pixels.getvalue()))
    document.inline_shapes[0]._inline.docPr.set("descr", "An overshot wheel of oak. " * 30)
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


class Blank:
    """A visual encoder to which all pictures are alike."""

    fingerprint = "blank:1"
    dimension = VISUAL_DIMENSION

    def embed_images(self, images: Sequence[bytes]) -> Vector:
        return np.tile(np.array([1, 0], np.float32), (len(images), 1))

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        raise AssertionError


class Kept(msgspec.Struct):
    """A data directory with documents in it, and nothing running."""

    settings: Settings
    documents: dict[str, Document]

    @contextmanager
    def stores(self) -> Iterator[Stores]:
        with open_stores(self.settings) as stores:
            yield stores

    def ids(self, name: str) -> dict[Store, set[str]]:
        document = self.documents[name]
        with self.stores() as stores:
            asked = {document.id: document.active_version}
            return {store: writer_of(stores, store, DEFAULT_TENANT).ids(asked)[document.id] for store in Store}

    def audit(self, *, repair: bool = False) -> list[Drift]:
        with self.stores() as stores:
            return list(audit(stores, repair=repair, scratch=scratch_graph))

    def run(self, *arguments: str) -> Result:
        return CliRunner(env={"TRIVIUM_DATA_DIR": str(self.settings.data_dir)}).invoke(cli, arguments)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, product_over: Callable[[Services], Any]) -> Iterator[Kept]:
    settings = msgspec.structs.replace(load_settings({}), data_dir=tmp_path_factory.mktemp("upkeep") / "data")
    with assembled(settings) as services:
        product = product_over(services)
        contents = {**{name: text.encode() for name, text in TEXTS.items()}, "mill.docx": report()}
        documents = {name: product.ingest(name, content) for name, content in contents.items()}
    with open_stores(settings) as stores, connect_models(settings) as models:
        assert reembed(stores, models.embedder, lambda _: None, Blank()) == []
    yield Kept(settings, documents)
    assert Kept(settings, documents).audit() == []  # every test put right what it broke


def test_what_ingest_leaves_is_in_step(kept: Kept) -> None:
    assert kept.documents["empty.txt"].state in (DocumentState.EMPTY, DocumentState.FAILED)
    assert kept.audit() == []
    told = kept.run("audit")
    assert (told.exit_code, told.stderr) == (0, "Every store is as the artifacts say.\n")


# What msgspec works out in one thread while another decodes into the same type kills the process.
WORKED_OUT = """
import sys, threading
from msgspec import _utils
from trivium.cli.main import main

worked_out = _utils._get_class_annotations

def alone(kind):
    if threading.current_thread() is not threading.main_thread():
        sys.stderr.write(f"a thread works out {kind}\\n")
    return worked_out(kind)

_utils._get_class_annotations = alone
main()
"""


@pytest.mark.parametrize("command", [("audit",), ("rebuild", "--store", "graph"), ("reembed",)])
def test_no_thread_of_a_command_is_the_first_to_decode_into_a_type(
    kept: Kept, tmp_path: Path, command: tuple[str, ...]
) -> None:
    own = shutil.copytree(kept.settings.data_dir, tmp_path / "data")  # without an encoder, pictures go
    environment = {**os.environ, "TRIVIUM_DATA_DIR": str(own)}
    ran = subprocess.run(
        [sys.executable, "-c", WORKED_OUT, *command], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "a thread works out" not in ran.stderr


@pytest.mark.parametrize("store", Store)
def test_rows_that_are_missing_are_found_and_written_again(kept: Kept, store: Store) -> None:
    document, before = kept.documents["mill.docx"], kept.ids("mill.docx")
    assert len(before[store]) == (1 if store in (Store.PICTURES, Store.HYPERNODES) else 2)
    with kept.stores() as stores:
        writer_of(stores, store, DEFAULT_TENANT).delete(document.id)
    [drift] = kept.audit()
    assert (drift.source, drift.store, drift.missing, drift.surplus) == ("mill.docx", store, len(before[store]), 0)
    assert not drift.orphaned
    [repaired] = kept.audit(repair=True)
    assert repaired == msgspec.structs.replace(drift, repaired=True)
    assert kept.ids("mill.docx") == before
    assert kept.audit() == []


def put_row(stores: Stores, store: Store, document: str, version: str, ordinal: int) -> None:
    chunk = Chunk(f"stray-{ordinal}", document, version, ordinal, "Stray words.", Span(0, 12), "stray.txt")
    scope = Scope(DEFAULT_TENANT)
    if store is Store.KEYWORDS:
        stores.keywords.writer(DEFAULT_TENANT).upsert(keyword_rows([chunk], scope))
    elif store is Store.GRAPH:
        stores.graphs.writer(DEFAULT_TENANT).upsert([GraphRow(ChunkGraph(chunk.id), document, version, scope)])
    else:
        size = VISUAL_DIMENSION if store is Store.PICTURES else 384
        vector = np.full(size, size**-0.5, np.float32).tobytes()
        row = VectorRow(ChunkVectors(chunk.id, vector, b""), document, version, scope)
        space: Any = store_of(stores, store)
        space.writer(DEFAULT_TENANT).upsert([row])


@pytest.mark.parametrize("store", Store)
def test_rows_that_are_too_many_are_found_and_removed(kept: Kept, store: Store) -> None:
    document, before = kept.documents["ferry.txt"], kept.ids("ferry.txt")
    with kept.stores() as stores:
        put_row(stores, store, document.id, document.version, 99)
        put_row(stores, store, document.id, "older version", 100)
        put_row(stores, store, "nobody", "v1", 101)
    found = kept.audit()
    assert [(d.store, d.source, d.surplus, d.orphaned) for d in found if not d.orphaned] == [
        (store, "ferry.txt", 1, False)
    ]
    assert {(d.store, d.document_id, d.version, d.source) for d in found if d.orphaned} == {
        (store, document.id, "older version", "ferry.txt"),
        (store, "nobody", "v1", ""),
    }
    assert all(drift.repaired for drift in kept.audit(repair=True))
    assert kept.ids("ferry.txt") == before
    assert kept.audit() == []


def test_what_is_published_while_an_audit_removes_rows_that_nobody_saw_is_published_again(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = kept.documents["ferry.txt"]
    with kept.stores() as stores:
        registry = stores.registry.for_tenant(DEFAULT_TENANT)
        failed = msgspec.structs.replace(registry.get(document.id), state=DocumentState.FAILED, active_version="")
        registry.save(failed)
        during_removal(stores, monkeypatch, lambda: registry.save(document))
        found = list(audit(stores, repair=True, scratch=scratch_graph))
        assert any(drift.orphaned for drift in found)
        again = registry.get(document.id)
        registry.save(msgspec.structs.replace(document, fence=again.fence))
    assert (again.state, again.active_version) == (DocumentState.PENDING, document.version)
    assert all(drift.repaired for drift in kept.audit(repair=True))


def test_a_version_that_is_published_while_an_audit_writes_the_rows_of_the_one_before_is_published_again(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read its rows back when they go."""
    document = kept.documents["ferry.txt"]
    with kept.stores() as stores:
        registry = stores.registry.for_tenant(DEFAULT_TENANT)
        put_row(stores, Store.GRAPH, document.id, document.version, 99)
        registry.accept(msgspec.structs.replace(document, version="newer"))
        claimed = registry.claim(document.id, "newer", 60, now=time.time())
        registry.save(msgspec.structs.replace(claimed, stage=Stage.PUBLISH.value))
        during_removal(stores, monkeypatch, lambda: None)
        assert any(drift.surplus for drift in audit(stores, repair=True, scratch=scratch_graph))
        again = registry.get(document.id)
        registry.accept(document)
        registry.save(msgspec.structs.replace(document, fence=registry.get(document.id).fence))
    assert (again.state, again.version, again.active_version) == (DocumentState.PENDING, "newer", document.version)


def sqlite(kept: Kept, store: str, *statements: str) -> None:
    """Change a file of rows behind the product's back."""
    with closing(sqlite3.connect(kept.settings.data_dir / "tenants" / "default" / f"{store}.sqlite")) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement
        connection.commit()


CHANGED = {
    "text": ("keywords", "UPDATE bodies SET chunk = replace(chunk, 'lighthouse', 'windowless')"),
    "unreadable text": ("keywords", "UPDATE bodies SET chunk = x'00' WHERE seq = (SELECT min(seq) FROM bodies)"),
    "words": ("keywords", "UPDATE chunks SET counts = zeroblob(9) WHERE seq = (SELECT min(seq) FROM chunks)"),
    "vector": ("vectors", "UPDATE passages SET vector = zeroblob(length(vector))"),
    "sentences": ("vectors", "UPDATE sentences SET vectors = zeroblob(length(vectors)) WHERE length(vectors) > 0"),
    "data set": ("vectors", "UPDATE passages SET dataset = 'another'"),
    "picture": ("pictures", "UPDATE passages SET vector = zeroblob(length(vector))"),
    "hypernode": ("hypernodes", "UPDATE passages SET vector = zeroblob(length(vector))"),
    "evidence": ("graph", "DELETE FROM evidence"),
    "evidence of another": ("graph", "UPDATE evidence SET node = 'x' WHERE chunk = (SELECT min(chunk) FROM share)"),
    "place": ("graph", "UPDATE share SET within = ''"),
    "share": ("graph", "UPDATE share SET body = x'00' WHERE chunk = (SELECT min(chunk) FROM share)"),
    "relations": ("graph", "DELETE FROM edge"),
    "a relation's weight": ("graph", "UPDATE edge SET evidence = evidence + 7"),
    "the order of relations": ("graph", "UPDATE tie SET few = few - 7"),
    "a relation out of its order": ("graph", "DELETE FROM tie WHERE type = (SELECT min(type) FROM tie)"),
    "mentions": ("graph", "DELETE FROM named"),
    "a mention's place": ("graph", "UPDATE named SET sentence = sentence + 1"),
    "names": ("graph", "DELETE FROM name"),
    "a name's count": ("graph", "UPDATE name SET chunks = chunks + 5"),
    "a name's spelling": ("graph", "UPDATE name SET surface = 'Somebody Else'"),
    "degrees": ("graph", "UPDATE degree SET n = n + 1"),
    "steps": ("graph", "DELETE FROM step"),
}


@pytest.mark.parametrize(("store", "statement"), CHANGED.values(), ids=CHANGED.keys())
def test_contents_changed_in_one_store_are_found_told_and_put_right(kept: Kept, store: str, statement: str) -> None:
    assert (before := kept.run("audit", "--quick")).exit_code == 0, before.stderr
    sqlite(kept, store, statement)
    assert {drift.store for drift in kept.audit()} == {store}
    told = kept.run("audit")
    assert (told.exit_code, "changed" in told.stdout or "not what the passages and the edits say" in told.stdout) == (
        1,
        True,
    )
    assert all(drift.repaired for drift in kept.audit(repair=True))
    assert kept.audit() == []


class Hiccups:
    """The first call of every method that a store's writer has is refused."""

    def __init__(self, writer: Any, called: set[str]) -> None:
        self._writer = writer
        self._called = called

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            if name not in self._called:
                self._called.add(name)
                raise TryLater("store_unready", "The store is not ready.")
            return getattr(self._writer, name)(*arguments, **options)

        return call


@pytest.mark.parametrize("store", Store)
def test_a_store_that_is_away_for_a_moment_does_not_end_an_audit(
    kept: Kept, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retried, "PAUSES_S", (0.0,) * 5)
    called: set[str] = set()
    with kept.stores() as stores:
        writer_of(stores, store, DEFAULT_TENANT).delete(kept.documents["mill.docx"].id)
        put_row(stores, store, "nobody", "v1", 101)
        all_of_one = type(store_of(stores, store))
        writer = all_of_one.writer
        monkeypatch.setattr(all_of_one, "writer", lambda self, tenant: Hiccups(writer(self, tenant), called))
        found = list(audit(stores, repair=True, scratch=scratch_graph))
    assert {drift.store for drift in found if drift.repaired} == {store}
    assert {drift.source for drift in found} == {"mill.docx", ""}
    assert called >= {"ids", "unlike", "versions", "upsert", "delete_others"}
    monkeypatch.undo()
    assert kept.audit() == []


def test_a_store_that_stays_away_ends_an_audit(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retried, "PAUSES_S", (0.0,) * 5)
    asked: list[str] = []

    def away(*_: Any) -> None:
        asked.append("vectors")
        raise TryLater("store_down", "The store does not answer.")

    with kept.stores() as stores:
        monkeypatch.setattr(type(stores.vectors), "writer", away)
        with pytest.raises(TryLater, match="does not answer"):
            list(audit(stores))
    assert len(asked) == 1 + len(retried.PAUSES_S)


def test_files_that_were_begun_and_never_finished_are_found_and_removed(kept: Kept) -> None:
    incoming = kept.settings.data_dir / "tenants" / "default" / "objects-incoming"
    for number in range(69):
        (incoming / f"{number}").touch()
    told = kept.run("audit")
    assert (told.exit_code, "69 files were begun and never finished" in told.stdout) == (1, True)
    assert kept.run("audit", "--repair").exit_code == 0
    assert list(incoming.iterdir()) == []


def test_a_start_removes_what_a_killed_process_had_begun(kept: Kept) -> None:
    incoming = kept.settings.data_dir / "tenants" / "default" / "objects-incoming"
    (incoming / "begun").write_bytes(b"half a")
    with assembled(kept.settings):
        assert list(incoming.iterdir()) == []


def test_a_write_that_fails_on_a_full_disk_leaves_no_file(kept: Kept) -> None:
    with kept.stores() as stores:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            with pytest.raises(TryLater):
                stores.objects.for_tenant(DEFAULT_TENANT).put("large", b"x" * 8192)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert stores.objects.unfinished(DEFAULT_TENANT) == 0


def test_rows_of_a_tenant_that_nobody_knows_are_found_and_removed(kept: Kept) -> None:
    stranger = Tenant("stranger")
    chunk = Chunk("c", "d", "v", 0, "Words.", Span(0, 6), "a.txt")
    with kept.stores() as stores:
        stores.keywords.writer(stranger).upsert(keyword_rows([chunk], Scope(stranger)))
        stores.graphs.writer(stranger).upsert([GraphRow(ChunkGraph("c"), "d", "v", Scope(stranger))])
    found = kept.audit()
    assert {(drift.tenant, drift.store) for drift in found} == {("stranger", "keywords"), ("stranger", "graph")}
    assert all(drift.repaired for drift in kept.audit(repair=True))
    with kept.stores() as stores:
        assert stranger not in stores.keywords.tenants() | stores.graphs.tenants()


def test_a_record_that_counts_wrong_or_is_gone_is_made_again_from_what_is_kept(kept: Kept) -> None:
    document = kept.documents["quay.txt"]
    with kept.stores() as stores:
        registry = stores.registry.for_tenant(DEFAULT_TENANT)
        now = registry.get(document.id)
        registry.save(msgspec.structs.replace(now, chunks=7))
        [drift] = audit(stores, repair=True)
        assert (drift.store, drift.repaired, registry.get(document.id).chunks) == ("registry", True, 1)
    path = kept.settings.data_dir / "registry.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT * FROM documents WHERE id = ?", (document.id,)).fetchone()
        connection.execute("DELETE FROM documents WHERE id = ?", (document.id,))
        connection.commit()
    [found] = [drift for drift in kept.audit() if drift.store == "registry"]
    assert (found.source, "no record" in found.found) == ("quay.txt", True)
    with kept.stores() as stores:
        assert found in [msgspec.structs.replace(drift, repaired=False) for drift in audit(stores, repair=True)]
        assert stores.registry.for_tenant(DEFAULT_TENANT).get(document.id).state is DocumentState.PENDING
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"INSERT OR REPLACE INTO documents VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()


def test_a_registry_that_was_moved_away_costs_no_stage_and_a_newer_version_still_replaces_the_old_one(
    tmp_path: Path, product_over: Callable[[Services], Any]
) -> None:
    """As the error about a damaged one says to do."""
    settings = msgspec.structs.replace(load_settings({}), data_dir=tmp_path / "data")

    def ingested(text: str) -> Document:
        with assembled(settings) as services:
            document: Document = product_over(services).ingest("quay.txt", text.encode())
        assert document.state is DocumentState.READY
        (settings.data_dir / "registry.sqlite").rename(tmp_path / "damaged.sqlite")
        return document

    def read_from_artifacts() -> dict[Stage, float]:
        name = "trivium_stage_skipped_total"
        stages = (Stage.PARSE, Stage.EMBED)
        return {stage: REGISTRY.get_sample_value(name, {"stage": stage.value}) or 0.0 for stage in stages}

    old, before = ingested(TEXTS["quay.txt"]), read_from_artifacts()
    again = ingested(TEXTS["quay.txt"])
    assert (again.id, again.version) == (old.id, old.version)
    assert read_from_artifacts() == {stage: count + 1 for stage, count in before.items()}
    new = ingested("Marten Oosterhuis built the lighthouse of Inish Orla.")
    (tmp_path / "damaged.sqlite").rename(settings.data_dir / "registry.sqlite")
    with open_stores(settings) as stores:
        for store in Store:
            assert writer_of(stores, store, DEFAULT_TENANT).ids({old.id: old.version}) == {old.id: set()}, store
        names = {
            entity.name for entity in asyncio.run(stores.graphs.reader(DEFAULT_TENANT).entities(limit=50)).entities
        }
        assert "Marten Oosterhuis" in names
        assert "Ada Quill" not in names
        keys = list(stores.objects.for_tenant(DEFAULT_TENANT).keys())
        assert [key for key in keys if old.version in key] == []
        assert [key for key in keys if new.version in key] != []
        assert list(audit(stores)) == []


class Lost:
    """Documents whose records went, and what an audit makes of them."""

    def __init__(self, folder: Path) -> None:
        self.stores = FolderStores(folder)
        self.registry = self.stores.registry.for_tenant(DEFAULT_TENANT)
        self.objects = self.stores.objects.for_tenant(DEFAULT_TENANT)

    def upload(self, content: bytes, name: str = "plan.txt") -> Document:
        whole = StoreIntake(self.stores, lambda: None, None, 10**6)  # type: ignore[arg-type]  # nothing is fetched
        source = NewSource(Blob(name, content), to=Destination("papers", run="spring"))
        return whole.for_tenant(DEFAULT_TENANT).accept(source)

    def publish(self, document: Document, at: float) -> None:
        told = msgspec.structs.replace(artifacts.Published.now(document, {}), at=at)
        artifacts.save(self.objects, f"{artifacts.artifact_prefix(document.id, document.version)}publish-0", told)

    def audit(self) -> Drift:
        self.stores.registry.drop(DEFAULT_TENANT)
        [drift] = audit(self.stores, repair=True)
        return drift


@pytest.fixture
def lost(tmp_path: Path) -> Iterator[Lost]:
    lost = Lost(tmp_path)
    yield lost
    lost.stores.close()


def test_a_lost_document_comes_back_as_it_was_published(lost: Lost) -> None:
    before = lost.upload(b"one")
    lost.publish(before, at=5.0)
    assert lost.audit().repaired
    now = lost.registry.get(before.id)
    assert (now.dataset, now.run, now.uploaded_at) == ("papers", "spring", before.uploaded_at)
    assert (now.version, now.created_at, now.state) == (before.version, before.uploaded_at, DocumentState.PENDING)


def test_a_lost_document_that_was_never_published_is_told_with_the_dataset_it_comes_into(lost: Lost) -> None:
    before = lost.upload(b"one")
    drift = lost.audit()
    assert (drift.repaired, "it comes into 'default'" in drift.found) == (True, True)
    assert lost.registry.get(before.id).dataset == "default"


def test_every_one_of_more_lost_documents_than_are_looked_at_at_once_comes_back(
    lost: Lost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium_ingest.upkeep.strays.PAGE", 2)
    before = {lost.upload(b"one", f"{number}.txt").id for number in range(7)}
    lost.stores.registry.drop(DEFAULT_TENANT)
    assert {drift.document_id for drift in audit(lost.stores, repair=True) if drift.repaired} == before
    assert set(lost.registry.get_many(list(before))) == before


@pytest.mark.parametrize("last", range(2))
def test_of_several_versions_of_a_lost_document_the_one_that_was_published_last_comes_back(
    lost: Lost, last: int
) -> None:
    versions = [lost.upload(content) for content in (b"one", b"two")]
    for number, version in enumerate(versions):
        lost.publish(version, at=9.0 if number == last else 5.0)
    drift = lost.audit()
    assert (drift.repaired, drift.version) == (True, versions[last].version)
    assert lost.registry.get(versions[0].id).version == versions[last].version


def test_the_rows_of_a_tenant_whose_first_document_comes_during_an_audit_stay(
    lost: Lost, monkeypatch: pytest.MonkeyPatch
) -> None:
    newcomer = Tenant("newcomer")
    told = lost.stores.graphs.tenants

    def first_document() -> set[Tenant]:
        monkeypatch.undo()
        whole = StoreIntake(lost.stores, lambda: None, None, 10**6)  # type: ignore[arg-type]  # nothing is fetched
        document = whole.for_tenant(newcomer).accept(NewSource(Blob("plan.txt", b"one")))
        row = GraphRow(ChunkGraph("c"), document.id, document.version, Scope(newcomer))
        lost.stores.graphs.writer(newcomer).upsert([row])
        return told()

    monkeypatch.setattr(lost.stores.graphs, "tenants", first_document)
    assert list(audit(lost.stores, repair=True)) == []
    assert told() == {newcomer}


@pytest.mark.parametrize("published", range(2))
def test_a_lost_document_of_which_the_newest_version_is_not_known_is_left_and_told(lost: Lost, published: int) -> None:
    versions = [lost.upload(content) for content in (b"one", b"two")]
    lost.publish(versions[published], at=5.0)
    drift = lost.audit()
    assert (drift.repaired, drift.source, drift.found[:10]) == (False, "plan.txt", "2 versions")
    assert "hand that over again" in drift.action
    assert lost.registry.list().documents == ()
    lost.upload(b"two")
    assert list(audit(lost.stores)) == []


def test_a_version_of_which_only_the_note_is_left_is_none_of_a_lost_documents(lost: Lost) -> None:
    gone, kept = lost.upload(b"one"), lost.upload(b"two")
    lost.objects.delete(artifacts.original_key(gone.id, gone.version))
    lost.publish(kept, at=5.0)
    drift = lost.audit()
    assert (drift.repaired, drift.version) == (True, kept.version)


def test_an_original_that_is_gone_is_told_with_what_to_do(kept: Kept) -> None:
    document = kept.documents["quay.txt"]
    with kept.stores() as stores:
        objects, key = stores.objects.for_tenant(DEFAULT_TENANT), artifacts.original_key(document.id, document.version)
        content = objects.get(key)
        objects.delete(key)
        told = kept.run("audit", "--repair")
        objects.put(key, content)
    assert (told.exit_code, "its original is gone" in told.stdout) == (1, True)
    assert "quay.txt: Hand it over again." in told.stderr


def test_the_rows_of_a_document_in_progress_are_left_alone(kept: Kept) -> None:
    document = kept.documents["ferry.txt"]
    with kept.stores() as stores:
        registry = stores.registry.for_tenant(DEFAULT_TENANT)
        newer = msgspec.structs.replace(document, version="newer", state=DocumentState.PENDING)
        registry.accept(newer)
        put_row(stores, Store.KEYWORDS, document.id, "newer", 7)
        assert list(audit(stores, repair=True)) == []
        assert stores.keywords.writer(DEFAULT_TENANT).ids({document.id: "newer"}) == {document.id: {"stray-7"}}
        stores.keywords.writer(DEFAULT_TENANT).delete_others({document.id: document.version})
        accepted = registry.accept(document)
        ready = msgspec.structs.replace(document, fence=accepted.fence, updated_at=time.time())
        registry.save(ready)


QUILL = "ada quill"


def appended(kept: Kept, change: Rename | Undo) -> Edit:
    """An edit in the log that the graph was not brought to, as a process leaves it that dies behind its append."""
    with kept.stores() as stores:
        [edit] = EditLog(stores.objects.for_tenant(DEFAULT_TENANT)).append(
            lambda _: [Draft(change, Actor(name="anna"))]
        )
    return edit


def name_of_quill(stores: Stores) -> str:
    return asyncio.run(stores.graphs.reader(DEFAULT_TENANT).entity(entity_id(DEFAULT_TENANT, QUILL))).name


def test_an_edit_of_a_process_that_died_behind_its_append_is_in_the_graph_once_the_next_one_started(
    kept: Kept,
) -> None:
    edit = appended(kept, Rename(QUILL, "Ada Quill of Brannock"))
    with kept.stores() as stores:
        assert name_of_quill(stores) == "Ada Quill"
    with assembled(kept.settings):
        pass
    with kept.stores() as stores:
        assert name_of_quill(stores) == "Ada Quill of Brannock"
    appended(kept, Undo(edit.id))
    with assembled(kept.settings):
        pass
    with kept.stores() as stores:
        assert name_of_quill(stores) == "Ada Quill"


def test_what_edits_decided_and_the_graph_holds_otherwise_is_told_and_mended(kept: Kept) -> None:
    edit = appended(kept, Rename(QUILL, "Ada Quill of Brannock"))
    told = kept.run("audit")
    assert (told.exit_code, "are not those of the log of edits" in told.stdout) == (1, True)
    assert kept.run("audit", "--repair").exit_code == 0
    sqlite(kept, "graph", "DELETE FROM decided WHERE kind = 'name'")
    [drift] = [each for each in kept.audit() if "decisions" in each.found]
    assert (drift.store, drift.changed) == (Store.GRAPH, 1)
    assert drift.found == "1 decisions are not those of the log of edits"
    assert all(each.repaired for each in kept.audit(repair=True))
    with kept.stores() as stores:
        assert name_of_quill(stores) == "Ada Quill of Brannock"
    appended(kept, Undo(edit.id))
    assert kept.run("audit", "--repair").exit_code == 0
    assert kept.audit() == []


def test_a_record_of_edits_that_cannot_be_read_is_named_and_no_repair_hides_it(kept: Kept) -> None:
    with kept.stores() as stores:
        objects = stores.objects.for_tenant(DEFAULT_TENANT)
        last = max((int(key.removeprefix(RECORDS)) for key in objects.keys(RECORDS)), default=0)
        objects.put(f"{RECORDS}{last + 1:012}", b"damaged")
    for arguments in (("audit",), ("audit", "--repair")):
        told = kept.run(*arguments)
        assert told.exit_code == 1
        assert f"1 records of edits cannot be read and count for nothing: {last + 1}" in told.stdout
    assert "default: Put the objects edits/NUMBER back from a copy" in told.stderr
    with kept.stores() as stores:
        stores.objects.for_tenant(DEFAULT_TENANT).delete(f"{RECORDS}{last + 1:012}")
    assert kept.audit() == []


def test_the_command_tells_what_differs_and_its_exit_code_says_so(kept: Kept) -> None:
    with kept.stores() as stores:
        stores.graphs.writer(DEFAULT_TENANT).delete(kept.documents["quay.txt"].id)
    told = kept.run("audit")
    assert told.exit_code == 1
    assert "quay.txt\tgraph\t1 missing, 0 too many\tdiffers" in told.stdout
    assert "trivium audit --repair" in told.stderr
    healed = kept.run("audit", "--repair", "--json")
    assert healed.exit_code == 0
    [drift] = json.loads(healed.stdout)
    assert (drift["store"], drift["missing"], drift["repaired"]) == ("graph", 1, True)


def test_a_running_server_is_not_audited_behind_its_back(kept: Kept) -> None:
    with owned(kept.settings.data_dir):
        told = kept.run("audit")
    assert told.exit_code == 1
    assert "Another Trivium is running" in told.stderr


def test_a_data_directory_without_hypernodes_has_them_once_it_is_opened(kept: Kept) -> None:
    before = kept.ids("mill.docx")
    folder = kept.settings.data_dir / "tenants" / "default"
    for file in folder.glob("hypernodes.sqlite*"):
        file.unlink()
    sqlite(kept, "graph", "UPDATE share SET within = ''", "DELETE FROM evidence")
    with closing(sqlite3.connect(folder / "graph.sqlite")) as connection:
        for table in ("tie", "evidence", "unresolved", "block", "near", "verdict"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("CREATE TABLE neighbours (left TEXT, right TEXT, n INTEGER)")
        connection.execute("ALTER TABLE share DROP COLUMN within")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version - 5}")
    assert kept.audit() == []
    assert kept.ids("mill.docx") == before


@pytest.mark.parametrize("tables", [True, False], ids=["with tables", "without any"])
def test_a_data_directory_whose_hypernodes_were_broken_off_before_the_first_has_them(
    kept: Kept, *, tables: bool
) -> None:
    before = kept.ids("mill.docx")
    folder = kept.settings.data_dir / "tenants" / "default"
    for file in folder.glob("hypernodes.sqlite*"):
        file.unlink()
    if tables:
        with closing(SqliteHyperNodes(kept.settings.data_dir)) as begun, begun.database(DEFAULT_TENANT).write():
            pass
    else:
        (folder / "hypernodes.sqlite").touch()
    assert kept.audit() == []
    assert kept.ids("mill.docx") == before


def test_hypernodes_are_rebuilt_from_artifacts(kept: Kept) -> None:
    sqlite(kept, "hypernodes", "UPDATE passages SET vector = zeroblob(length(vector)), version = 'another'")
    sqlite(kept, "graph", "UPDATE share SET within = ''")
    assert {drift.store for drift in kept.audit()} == {Store.HYPERNODES, Store.GRAPH}
    assert kept.run("rebuild", "--store", "hypernodes").exit_code == 0
    assert kept.audit() == []


@pytest.mark.parametrize(
    ("name", "emptied", "documents"),
    [
        ("vectors", Store.VECTORS, 3),
        ("milvus", Store.PICTURES, 1),
        ("pictures", Store.PICTURES, 1),
        ("elasticsearch", Store.KEYWORDS, 3),
        ("neo4j", Store.GRAPH, 3),
    ],
)
def test_an_emptied_store_is_rebuilt_from_artifacts(kept: Kept, name: str, emptied: Store, documents: int) -> None:
    before = kept.ids("mill.docx")
    with kept.stores() as stores:
        store_of(stores, emptied).drop(DEFAULT_TENANT)
    assert len(kept.audit()) == documents
    told = kept.run("rebuild", "--store", name)
    assert (told.exit_code, "written" in told.stderr) == (0, True), told.stderr
    assert kept.ids("mill.docx") == before


def damage(file: Path) -> None:
    """Every page but the first is overwritten, as a bad disk does it."""
    with file.open("r+b") as opened:
        size = opened.seek(0, 2)
        opened.seek(4096)
        opened.write(b"Z" * (size - 4096))


async def found_over_http(kept: Kept, mode: str) -> dict[str, Any]:
    """What a search for a passage of `ferry.txt` answers, without a model."""
    with kept.stores() as stores, closing(QuestionVectors(Alike())) as questions:
        app = create_app(query_services(kept.settings, stores, questions, PassageModels(), lambda: None))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
            return (await client.post("/v1/search", json={"query": "Inish Orla", "mode": mode})).json()


class Alike:
    """An embedder to which all questions are alike."""

    fingerprint = "alike:1"
    dimension = 384

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        return np.full((len(texts), 384), 384**-0.5, np.float32)


@pytest.mark.parametrize(("store", "source"), [("keywords", "keyword"), ("vectors", "vector"), ("graph", "graph")])
async def test_a_damaged_index_is_told_with_the_command_that_makes_it_whole(
    kept: Kept, store: str, source: str
) -> None:
    before = await found_over_http(kept, "hybrid")
    damage(kept.settings.data_dir / "tenants" / "default" / f"{store}.sqlite")
    without = await found_over_http(kept, "hybrid")
    assert without["hits"]
    [lost] = without["degraded"]
    assert lost["source"] == source
    alone = await found_over_http(kept, source)
    # Paths of the graph fall back to the other sources (RAGA R11); the others' own modes have none.
    refused = alone["degraded"][0]["reason"] if source == "graph" else alone["detail"]
    for told in (lost["reason"], refused):
        assert "sqlite" not in told.lower()
        assert str(kept.settings.data_dir) not in told
        assert "ingest" not in told
    advised = re.findall(r"`trivium ([^`]+)`", lost["reason"])
    assert [advice in refused for advice in advised] == [True]
    rebuilt = kept.run(*advised[0].split())
    assert (rebuilt.exit_code, rebuilt.stderr) == (0, "4 documents written.\n")
    after = await found_over_http(kept, "hybrid")
    assert (after["degraded"], after["hits"]) == ([], before["hits"])


def test_what_came_too_much_into_the_store_of_pictures_goes_with_its_rebuild_and_no_vector_does(kept: Kept) -> None:
    before = kept.ids("mill.docx")
    with kept.stores() as stores:
        put_row(stores, Store.PICTURES, "nobody", "v1", 7)
        put_row(stores, Store.VECTORS, "nobody", "v1", 8)
        assert rebuild(stores, Store.PICTURES, lambda _: None) == []
        [left] = audit(stores, repair=True)
    assert (left.store, left.document_id) == (Store.VECTORS, "nobody")
    assert kept.ids("mill.docx") == before


def test_the_vectors_artifact_is_needed_only_where_there_are_pictures(kept: Kept) -> None:
    with kept.stores() as stores:
        objects = stores.objects.for_tenant(DEFAULT_TENANT)
        documents = [kept.documents[name] for name in ("quay.txt", "mill.docx")]
        prefixes = [artifacts.artifact_prefix(each.id, each.version) + "embed-" for each in documents]
        removed = {key: objects.get(key) for prefix in prefixes for key in list(objects.keys(prefix))}
        assert len(removed) == 2
        for key in removed:
            objects.delete(key)
        assert [(drift.source, drift.store) for drift in audit(stores)] == [("mill.docx", "artifacts")]
        compared = {(drift.source, drift.store) for drift in audit(stores, scratch=scratch_graph)}
        assert compared == {("mill.docx", "artifacts"), ("quay.txt", "artifacts")}
        assert rebuild(stores, Store.PICTURES, lambda _: None) == ["mill.docx"]
        for key, content in removed.items():
            objects.put(key, content)
        [drift] = audit(stores, repair=True)
        assert (drift.store, drift.missing, drift.repaired) == (Store.PICTURES, 1, True)


def test_a_document_whose_artifacts_are_gone_is_named(kept: Kept) -> None:
    document = kept.documents["quay.txt"]
    prefix = artifacts.artifact_prefix(document.id, document.version)
    with kept.stores() as stores:
        objects = stores.objects.for_tenant(DEFAULT_TENANT)
        before_graph = STAGES[: STAGES.index(Stage.EXTRACT)]  # a busy machine begins a task, and so an object, at any
        held = {key: objects.get(key) for stage in before_graph for key in objects.keys(prefix + stage.value)}
        for key in held:
            objects.delete(key)
        [drift] = audit(stores, repair=True)
        assert (drift.store, drift.source, drift.repaired) == ("artifacts", "quay.txt", False)
        assert rebuild(stores, Store.VECTORS, lambda _: None) == ["quay.txt"]
        for key, content in held.items():
            objects.put(key, content)
        found = {(drift.store, drift.missing, drift.repaired) for drift in audit(stores, repair=True)}
        assert found == {(Store.VECTORS, 1, True), (Store.HYPERNODES, 1, True)}


class TinyEmbedder:
    """Another model, of another dimension."""

    fingerprint = "tiny"
    dimension = 8

    def __init__(self) -> None:
        self.asked = 0

    def embed_passages(self, passages: list[Passage]) -> list[PassageVectors]:
        self.asked += len(passages)
        one: Vector = np.full(8, 8**-0.5, np.float32)
        return [PassageVectors(one, np.tile(one, (len(passage.sentences), 1))) for passage in passages]


async def test_another_model_replaces_every_vector_and_embeds_nothing_twice(kept: Kept) -> None:
    document, before = kept.documents["quay.txt"], kept.ids("quay.txt")
    tiny = TinyEmbedder()
    with kept.stores() as stores:
        assert reembed(stores, tiny, lambda _: None, Blank()) == []  # type: ignore[arg-type]
        assert list(audit(stores)) == []
        [chunk] = before[Store.VECTORS]
        assert (await stores.vectors.reader(DEFAULT_TENANT).passage_vectors([chunk]))[chunk].shape == (8,)
        asked = tiny.asked
        assert reembed(stores, tiny, lambda _: None, Blank()) == []  # type: ignore[arg-type]
        assert tiny.asked == asked == 4
    assert len(kept.ids("mill.docx")[Store.PICTURES]) == 1
    told = kept.run("reembed")  # back to the configured model, which sees nothing
    assert (told.exit_code, told.stderr) == (0, "4 documents embedded.\n"), told.stderr
    assert kept.ids("mill.docx")[Store.PICTURES] == set()
    with kept.stores() as stores:
        assert (await stores.vectors.reader(DEFAULT_TENANT).passage_vectors([chunk]))[chunk].shape == (384,)
        publication = artifacts.published(stores.objects.for_tenant(DEFAULT_TENANT), document.id, document.version)
        assert publication is not None
    assert kept.ids("quay.txt") == before
