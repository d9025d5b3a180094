"""Topics of the whole product: made once for each state of the graph, and without anything that was deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from embedded_server import PATIENCE
from prometheus_client import REGISTRY
from structlog.testing import CapturingLogger

from trivium.api import QueryRequest
from trivium.config import load_settings
from trivium.domain.edits import Actor
from trivium.domain.errors import TryLater
from trivium.domain.exports import ExportFormat
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.domain.topics import Topics
from trivium.flow import artifacts
from trivium.flow.topic_keys import topics_key
from trivium.graph_tools.create_relation import CreateRelation, create_relation
from trivium.graph_tools.delete_relation import DeleteRelation, delete_relation
from trivium_embedded.wiring import assembled
from trivium_ingest.upkeep.topics import topics_of as audited
from trivium_query.handlers import curation, queries
from trivium_query.handlers.export import export
from trivium_query.requests import Services
from trivium_query.topics import kept

from .conftest import Product

SEA = (
    "# The Skerry Fleet\n\nIlse Brandt sails the Skerry Fleet from Orkney Harbour.\n"
    "The Skerry Fleet lands herring at Orkney Harbour.\n"
)
HILL = (
    "# Corrin Orchard\n\nTomas Reyl prunes the Corrin Orchard above Stennet Valley.\n"
    "Corrin Orchard sends cider to Stennet Valley.\n"
)
MOOR = "# Dunmore Peat\n\nHanna Osei cuts the Dunmore Peat near Kelso Moor. The Dunmore Peat warms Kelso Moor.\n"


@pytest.fixture
def product(tmp_path: Path, product_over: Callable[[Services], Product]) -> Iterator[Product]:
    with assembled(msgspec.structs.replace(load_settings(PATIENCE), data_dir=tmp_path / "data")) as services:
        yield product_over(services)


async def topics_of(product: Product, tenant: Tenant = DEFAULT_TENANT, dataset: str = "") -> Topics:
    current = await product.services.topics.of(tenant, dataset, 60)
    assert not current.stale
    return current.topics


def named(topics: Topics) -> set[str]:
    return {member.name for topic in topics.topics for member in topic.members}


def said(topics: Topics) -> str:
    return str(msgspec.to_builtins(topics.topics))


async def test_topics_follow_what_comes_and_goes_and_are_made_once_for_each_state(product: Product) -> None:
    assert (await topics_of(product)).topics == ()
    sea = product.ingest("sea.md", SEA.encode())
    product.ingest("hill.md", HILL.encode())
    first = await topics_of(product)
    assert {"Ilse Brandt", "Tomas Reyl"} <= named(first)
    assert await topics_of(product) is await topics_of(product)  # nothing changed, so nothing was made
    assert (await topics_of(product)).made_at == first.made_at
    product.ingest("moor.md", MOOR.encode())
    assert "Hanna Osei" in named(await topics_of(product))
    product.intake.delete(sea.id)
    after = await topics_of(product)
    assert "Ilse Brandt" not in named(after)
    assert "herring" not in said(after)
    assert sea.id not in after.documents
    assert named(await topics_of(product, Tenant("stranger"))) == set()
    assert (await topics_of(product, dataset="other")).topics == ()


async def test_a_new_version_replaces_what_the_old_one_said(product: Product) -> None:
    product.ingest("sea.md", SEA.encode())
    assert "Ilse Brandt" in named(await topics_of(product))
    product.ingest("sea.md", SEA.replace("Ilse Brandt", "Petra Lund").encode())
    assert {"Ilse Brandt", "Petra Lund"} & named(await topics_of(product)) == {"Petra Lund"}


async def test_the_same_documents_give_the_same_topics_in_another_order(
    tmp_path: Path, product_over: Callable[[Services], Product]
) -> None:
    told = []
    for name, documents in (("one", (SEA, HILL, MOOR)), ("other", (MOOR, SEA, HILL))):
        settings = msgspec.structs.replace(load_settings(PATIENCE), data_dir=tmp_path / name)
        with assembled(settings) as services:
            product = product_over(services)
            for text in documents:
                product.ingest(f"{text[2:7].strip()}.md", text.encode())
            told.append((await topics_of(product)).topics)
    assert told[0] == told[1] != ()


async def test_what_was_withdrawn_is_never_told_and_what_only_grew_is_told_as_stale(product: Product) -> None:
    sea = product.ingest("sea.md", SEA.encode())
    await topics_of(product)
    product.ingest("hill.md", HILL.encode())
    old = await product.services.topics.of(DEFAULT_TENANT, "", 0)
    assert old.stale or "Tomas Reyl" in named(old.topics)  # a quick machine has made them already
    await topics_of(product)
    product.intake.delete(sea.id)
    with suppress(TryLater):  # they are being made
        assert "Ilse Brandt" not in named((await product.services.topics.of(DEFAULT_TENANT, "", 0)).topics)
    assert "Ilse Brandt" not in named(await topics_of(product))


async def test_topics_that_cannot_be_kept_are_told_all_the_same_counted_and_logged(
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count() -> float:
        labels = {"store": "objects", "found_by": "topics"}
        return REGISTRY.get_sample_value("trivium_store_drift_total", labels) or 0.0

    product.ingest("sea.md", SEA.encode())
    objects = product.services.objects.for_tenant(DEFAULT_TENANT)
    put, before = type(objects).put, count()

    def full(self: Any, key: str, content: bytes, **options: bool) -> None:
        if key == topics_key(""):
            raise TryLater("disk_full", "The disk is full.")
        put(self, key, content, **options)

    monkeypatch.setattr(type(objects), "put", full)
    log = CapturingLogger()
    monkeypatch.setattr(kept, "_log", log)
    assert "Ilse Brandt" in named(await topics_of(product))
    assert count() == before + 1
    told = [call.kwargs["reason"] for call in log.calls if call.args == ("topics_not_kept",)]
    assert told == ["The disk is full."]
    assert not objects.exists(topics_key(""))


async def test_kept_topics_that_are_damaged_or_name_what_is_gone_are_audited_away(product: Product) -> None:
    sea = product.ingest("sea.md", SEA.encode())
    product.ingest("hill.md", HILL.encode())
    for dataset in ("", "default"):
        await topics_of(product, dataset=dataset)
    stores: Any = product.services
    objects = stores.objects.for_tenant(DEFAULT_TENANT)
    assert list(audited(stores, DEFAULT_TENANT, repair=False)) == []
    whole = artifacts.load(objects, topics_key(""), Topics)
    product.intake.delete(sea.id)
    artifacts.save(objects, topics_key(""), whole)  # as a process would that died before it looked again
    objects.put(topics_key("default"), b"damaged")
    for repair in (False, True):
        found = list(audited(stores, DEFAULT_TENANT, repair=repair))
        assert [(drift.found, drift.repaired) for drift in found] == [
            ("the kept topics of everything name 1 documents that were withdrawn", repair),
            ("the kept topics of dataset default cannot be read", repair),
        ]
    assert list(audited(stores, DEFAULT_TENANT, repair=False)) == []
    assert "Tomas Reyl" in named(await topics_of(product, dataset="default"))


async def test_a_question_about_the_whole_collection_is_answered_by_topics_with_their_sources(product: Product) -> None:
    for name, text in (("sea.md", SEA), ("hill.md", HILL), ("moor.md", MOOR)):
        product.ingest(name, text.encode())
    for question in ("What are these documents about?", "What are the main themes?"):
        answer = await queries.ask(product.services, DEFAULT_TENANT, QueryRequest(query=question))
        assert (answer.found, answer.kind.value, answer.verdict.value) == (True, "themes", "SUPPORTED")
        assert {citation.source for citation in answer.citations} == {"sea.md", "hill.md", "moor.md"}
        assert all(citation.marker in answer.text for citation in answer.citations)


async def test_a_collection_of_one_document_is_told_by_that(product: Product) -> None:
    product.ingest("sea.md", SEA.encode())
    answer = await queries.ask(product.services, DEFAULT_TENANT, QueryRequest(query="What is this collection about?"))
    assert "Skerry Fleet" in answer.text
    assert {citation.source for citation in answer.citations} == {"sea.md"}


async def test_an_export_says_what_edits_say_and_not_what_they_declared_invalid(product: Product) -> None:
    product.ingest("sea.md", SEA.encode())

    async def told() -> dict[tuple[str, str, str], str]:
        pieces = [p async for p in await export(product.services, DEFAULT_TENANT, ExportFormat.JSONL, "", 1, "")]
        lines = [msgspec.json.decode(line) for line in b"".join(pieces).splitlines()]
        names = {line["id"]: line["name"] for line in lines if line["kind"] == "entity"}
        return {
            (names[line["source"]], line["type"], names[line["target"]]): line["document"]
            for line in lines
            if line["kind"] == "relation"
        }

    before = await told()
    source, kind, target = next(iter(before))

    desk = curation.desk(product.services, DEFAULT_TENANT, Actor(name="ann"))
    await delete_relation(desk, DeleteRelation(source, kind, target))
    await desk.append()
    assert (source, kind, target) not in await told()
    desk = curation.desk(product.services, DEFAULT_TENANT, Actor(name="ann"))
    await create_relation(desk, CreateRelation(source, "ADMIRES", target))
    await desk.append()
    assert (await told())[source, "ADMIRES", target] == ""
