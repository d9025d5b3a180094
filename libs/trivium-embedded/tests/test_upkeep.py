"""Rows changed behind the product's back are found, told and put right from the artifacts."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import docx
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from trivium.adapters.models import connect_models
from trivium.cli.main import cli
from trivium.config import Settings, load_settings
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.drift import Drift, Store
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.flow import artifacts
from trivium.ports.graph import GraphRow
from trivium.ports.inference import Passage, PassageVectors
from trivium.ports.stores import Stores
from trivium.ports.vectors import Vector, VectorRow
from trivium_embedded.data_dir import owned
from trivium_embedded.wiring import assembled, open_stores
from trivium_ingest.upkeep.audit import audit
from trivium_ingest.upkeep.rebuild import rebuild, reembed
from trivium_ingest.upkeep.rows import store_of, writer_of
from trivium_query.doors import Services

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
            return list(audit(stores, repair=repair))

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


@pytest.mark.parametrize("store", Store)
def test_rows_that_are_missing_are_found_and_written_again(kept: Kept, store: Store) -> None:
    document, before = kept.documents["mill.docx"], kept.ids("mill.docx")
    assert len(before[store]) == (1 if store is Store.PICTURES else 2)
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
        stores.keywords.writer(DEFAULT_TENANT).upsert([chunk], scope)
    elif store is Store.GRAPH:
        stores.graphs.writer(DEFAULT_TENANT).upsert([GraphRow(ChunkGraph(chunk.id), document, version, scope)])
    else:
        space, size = (stores.visuals, VISUAL_DIMENSION) if store is Store.PICTURES else (stores.vectors, 384)
        vector = np.full(size, size**-0.5, np.float32).tobytes()
        row = VectorRow(ChunkVectors(chunk.id, vector, b""), document, version, scope)
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


def test_the_rows_of_a_document_in_progress_are_left_alone(kept: Kept) -> None:
    document = kept.documents["ferry.txt"]
    with kept.stores() as stores:
        registry = stores.registry.for_tenant(DEFAULT_TENANT)
        newer = msgspec.structs.replace(document, version="newer", state=DocumentState.PENDING)
        registry.accept(newer)
        put_row(stores, Store.KEYWORDS, document.id, "newer", 7)
        assert list(audit(stores, repair=True)) == []
        assert stores.keywords.writer(DEFAULT_TENANT).ids({document.id: "newer"}) == {document.id: {"stray-7"}}
        stores.keywords.writer(DEFAULT_TENANT).delete(document.id, keep_version=document.version)
        accepted = registry.accept(document)
        ready = msgspec.structs.replace(document, fence=accepted.fence, updated_at=time.time())
        registry.save(ready)


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
        assert rebuild(stores, Store.PICTURES, lambda _: None) == ["mill.docx"]
        for key, content in removed.items():
            objects.put(key, content)
        [drift] = audit(stores, repair=True)
        assert (drift.store, drift.missing, drift.repaired) == (Store.PICTURES, 1, True)


def test_a_document_whose_artifacts_are_gone_is_named(kept: Kept) -> None:
    document = kept.documents["quay.txt"]
    prefix = artifacts.artifact_prefix(document.id, document.version) + "parse-"
    with kept.stores() as stores:
        objects = stores.objects.for_tenant(DEFAULT_TENANT)
        [key] = objects.keys(prefix)
        content = objects.get(key)
        objects.delete(key)
        [drift] = audit(stores, repair=True)
        assert (drift.store, drift.source, drift.repaired) == ("artifacts", "quay.txt", False)
        assert rebuild(stores, Store.VECTORS, lambda _: None) == ["quay.txt"]
        objects.put(key, content)
        [drift] = audit(stores, repair=True)
        assert (drift.store, drift.missing, drift.repaired) == (Store.VECTORS, 1, True)


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
