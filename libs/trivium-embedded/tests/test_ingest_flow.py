"""The chain from bytes to findable passages, in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from embedded_server import PATIENCE
from prometheus_client import REGISTRY
from waiting import wait_until

from trivium.config import Settings, load_settings
from trivium.domain.documents import DocumentState
from trivium.domain.errors import NeverWill
from trivium.domain.retrieval import Mode, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT
from trivium.ports.intake import Destination, NewSource
from trivium.ports.parser import Blob
from trivium_embedded.wiring import assembled

from .conftest import Product

ALMANAC = b"# Almanac\n\nThe lighthouse of Skerra Point was lit by Edda Kolbrun in 1911.\n"
NEWER = b"# Almanac\n\nThe lighthouse of Skerra Point was moved to Hollow Bay in 1987.\n"


async def found(product: Product, query: str) -> list[str]:
    result = await product.services.searcher.search(DEFAULT_TENANT, query, Mode.HYBRID, 10, SearchFilter())
    return [hit.chunk.text for hit in result.hits]


async def stored(product: Product, document: str, version: str) -> list[int]:
    services = product.services
    assert services.hypernodes
    stores = (services.vectors, services.keywords, services.graphs, services.hypernodes)
    return [len(store.writer(DEFAULT_TENANT).ids({document: version})[document]) for store in stores]


async def test_a_text_is_published_in_every_store_under_the_same_ids(product: Product) -> None:
    document = product.ingest("almanac.md", ALMANAC)
    assert document.state is DocumentState.READY
    assert (document.title, document.chunks, document.active_version) == ("Almanac", 1, document.version)
    assert await stored(product, document.id, document.version) == [1, 1, 1, 1]
    assert any("Edda Kolbrun" in text for text in await found(product, "Who lit the lighthouse of Skerra Point?"))


async def test_a_new_version_replaces_the_old_one_everywhere(product: Product) -> None:
    old = product.ingest("changing.md", ALMANAC.replace(b"Skerra", b"Vanta"))
    new = product.ingest("changing.md", NEWER.replace(b"Skerra", b"Vanta"))
    assert new.id == old.id
    assert new.active_version != old.active_version
    assert await stored(product, old.id, old.version) == [0, 0, 0, 0]
    texts = await found(product, "lighthouse of Vanta Point")
    assert any("moved to Hollow Bay" in text for text in texts)
    assert not any("Vanta Point was lit" in text for text in texts)


async def test_a_deleted_document_is_found_by_no_mode(product: Product) -> None:
    document = product.ingest("gone.md", ALMANAC.replace(b"Skerra", b"Querl"))
    product.intake.delete(document.id)
    for mode in Mode:
        result = await product.services.searcher.search(DEFAULT_TENANT, "Querl Point", mode, 10, SearchFilter())
        assert not any("Querl" in hit.chunk.text for hit in result.hits), mode
    assert await stored(product, document.id, document.version) == [0, 0, 0, 0]


def test_a_file_without_text_is_empty_and_not_an_error(product: Product) -> None:
    document = product.ingest("blank.txt", b"  \n\n  \n")
    assert document.state is DocumentState.EMPTY
    assert document.chunks == 0


def test_bad_files_fail_with_a_reason_and_the_next_one_goes_on(product: Product) -> None:
    empty = product.ingest("nothing.pdf", b"")
    broken = product.ingest("broken.pdf", b"%PDF-1.7\n" + b"\x00\xff" * 100)
    fine = product.ingest("fine.txt", b"All is well in Tarn Valley.")
    assert empty.failure is not None
    assert empty.failure.code == "empty_file"
    assert broken.state is DocumentState.FAILED
    assert broken.failure is not None
    assert broken.failure.action
    assert fine.state is DocumentState.READY


def test_a_failed_document_can_be_submitted_again_with_better_bytes(product: Product) -> None:
    assert product.ingest("again.pdf", b"").state is DocumentState.FAILED
    assert product.ingest("again.pdf", b"Now it is text, whatever its name says.").state is DocumentState.READY


async def test_a_version_that_fails_behind_its_rows_leaves_none_in_the_way_of_the_older_one(
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = product.ingest("failing.md", ALMANAC.replace(b"Skerra", b"Brim"))
    newer = NEWER.replace(b"Skerra", b"Brim")
    graphs: Any = product.services.graphs
    writer = graphs.writer

    class Refuses:
        def __init__(self, whole: Any) -> None:
            self._whole = whole

        def __getattr__(self, name: str) -> Any:
            return getattr(self._whole, name)

        def upsert(self, rows: Sequence[Any]) -> None:
            self._whole.upsert(rows)
            raise NeverWill("never", "It never will.")

    with monkeypatch.context() as patched:
        patched.setattr(graphs, "writer", lambda tenant: Refuses(writer(tenant)))
        new = product.ingest("failing.md", newer)
        assert (new.state, new.active_version, new.version != old.version) == (DocumentState.FAILED, old.version, True)

    def left() -> list[int]:
        return asyncio.run(stored(product, new.id, new.version))

    await asyncio.to_thread(wait_until, lambda: left() == [0, 0, 0, 0], "its rows are gone", told=left)
    assert await stored(product, old.id, old.version) == [1, 1, 1, 1]
    assert product.ingest("failing.md", newer).state is DocumentState.READY
    assert await stored(product, new.id, new.version) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("store", "told"),
    [("vectors", "vectors"), ("keywords", "keywords"), ("graphs", "graph"), ("hypernodes", "hypernodes")],
)
async def test_a_store_that_lost_a_row_is_noticed_before_queries_see_the_version(
    product: Product, monkeypatch: pytest.MonkeyPatch, store: str, told: str
) -> None:
    """The stores never drift apart: the write is done again, and an alert can be built on what was counted."""

    def count() -> float:
        labels = {"store": told, "found_by": "publish"}
        return REGISTRY.get_sample_value("trivium_store_drift_total", labels) or 0.0

    rows_of: Any = getattr(product.services, store)
    writer, losses, before = rows_of.writer, [1], count()

    class LosesARowOnce:
        def __init__(self, whole: Any) -> None:
            self._whole = whole

        def __getattr__(self, name: str) -> Any:
            return getattr(self._whole, name)

        def upsert(self, rows: Sequence[Any]) -> None:
            self._whole.upsert(rows[1:] if losses and losses.pop() else rows)

    monkeypatch.setattr(rows_of, "writer", lambda tenant: LosesARowOnce(writer(tenant)))
    document = product.ingest(f"{store}.md", ALMANAC.replace(b"Skerra", store.encode()))
    assert document.state is DocumentState.READY
    assert not losses
    assert count() == before + 1
    assert await stored(product, document.id, document.version) == [1, 1, 1, 1]


async def test_a_document_that_is_cut_otherwise_the_next_time_is_published_again(tmp_path: Path) -> None:
    """Its rows have the version's own ids, of which fewer are needed then."""
    text = "\n\n".join(f"The mill number {number} at Orrin Water grinds oats and barley. " * 3 for number in range(8))

    def settings(size: int) -> Settings:
        chosen = {"TRIVIUM_CHUNK_SIZE": str(size), "TRIVIUM_CHUNK_OVERLAP": "0", **PATIENCE}
        return msgspec.structs.replace(load_settings(chosen), data_dir=tmp_path / "data")

    with assembled(settings(400)) as services:
        before = Product(services).ingest("mill.txt", text.encode())
    with assembled(settings(4000)) as services:
        product = Product(services)
        product.intake.accept(NewSource(Blob("mill.txt", text.encode()), to=Destination("other", move=True)))
        await asyncio.to_thread(wait_until, lambda: product.registry.get(before.id).state.terminal, "it is read again")
        after = product.registry.get(before.id)
        assert (after.state, after.version, after.dataset) == (DocumentState.READY, before.version, "other")
        assert 0 < after.chunks < before.chunks
        assert (await stored(product, after.id, after.version))[:3] == [after.chunks] * 3
