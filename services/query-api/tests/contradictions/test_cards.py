"""A tenant's cards: those of each dataset, of every place that says the same, and whatever a document holds."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.domain.chunks import Chunk, Span
from trivium.domain.citations import Citation
from trivium.domain.contradictions import Contradiction, contradiction_id
from trivium.domain.documents import Document, DocumentState, Stage
from trivium.domain.edits import Actor
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.edits.curation import Curation
from trivium.flow import artifacts
from trivium.text.sentences import split_sentences
from trivium_query.contradictions.find import Asked, Contradictions

OPENED, OPENED_LATER = "Mallow Bridge opened in 1931.", "Mallow Bridge opened in 1934."


class Passages:
    """The chunks of all documents."""

    def __init__(self) -> None:
        self.kept: dict[str, Chunk] = {}

    def reader(self, _: Tenant) -> Passages:
        return self

    async def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        return {each: self.kept[each] for each in ids if each in self.kept}


class World:
    """One tenant whose documents are published as they are taken in, one passage each."""

    def __init__(self, data: Path) -> None:
        objects, registry, self.passages = LocalObjects(data), SqliteRegistry(data), Passages()
        self.objects, self.registry = objects.for_tenant(DEFAULT_TENANT), registry.for_tenant(DEFAULT_TENANT)
        self._made = (objects, registry, self.passages, Curation(objects, registry, SqliteGraphs(data)))
        self.begin()

    def begin(self) -> None:
        """As a new process does."""
        self.contradictions = Contradictions(*self._made)  # type: ignore[arg-type]  # of the keywords a part

    def take(
        self, text: str, dataset: str = "default", title: str = "Mallow Bridge", number: int | None = None
    ) -> Chunk:
        number = len(self.passages.kept) if number is None else number
        key, source = f"{number:032x}", f"{dataset}/{number}.txt"
        spans = split_sentences(text)
        chunk = Chunk(f"c{number:031x}", key, "v1", 0, text, Span(0, len(text)), source, spans, title=title)
        self.publish(chunk, dataset)
        self.passages.kept[chunk.id] = chunk
        return chunk

    def publish(self, chunk: Chunk, dataset: str = "default") -> None:
        document = Document(chunk.document_id, DEFAULT_TENANT.name, chunk.source, "v1", dataset=dataset)
        prefix = artifacts.artifact_prefix(chunk.document_id, "v1")
        made = {Stage.ENRICH: [chunk], Stage.EXTRACT: [ChunkGraph(chunk.id)]}
        for stage, value in made.items():
            artifacts.save(self.objects, f"{prefix}{stage.value}-1", value)
        told = artifacts.Published.now(document, {stage.value: f"{prefix}{stage.value}-1" for stage in made})
        artifacts.save(self.objects, f"{prefix}{Stage.PUBLISH.value}-1", told)
        accepted = self.registry.accept(document)
        ready = msgspec.structs.replace(accepted, active_version="v1", state=DocumentState.READY, chunks=1)
        self.registry.save(ready)

    def delete(self, chunk: Chunk) -> None:
        self.registry.delete(chunk.document_id)
        for key in list(self.objects.keys(artifacts.artifact_prefix(chunk.document_id))):
            self.objects.delete(key)

    async def cards(self, **asked: str | bool) -> tuple[Contradiction, ...]:
        page = await self.contradictions.page(DEFAULT_TENANT, Asked(**asked), 10, "")  # type: ignore[arg-type]
        return page.contradictions

    async def told_of(self, chunk: Chunk, dataset: str = "") -> tuple[Contradiction, ...]:
        """By an answer that cites the passage; of what was looked at before."""
        cited = Citation("[1]", chunk.id, chunk.document_id, chunk.source, chunk.number, chunk.text)
        return await self.contradictions.touching(DEFAULT_TENANT, [cited], dataset)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def documents(card: Contradiction) -> set[str]:
    return {side.citation.document_id for side in card.sides}


async def test_the_same_two_sentences_are_a_card_in_each_dataset(world: World) -> None:
    places = {name: [world.take(text, name) for text in (OPENED, OPENED_LATER)] for name in ("alpha", "beta")}
    assert sorted(card.dataset for card in await world.cards()) == ["alpha", "beta"]
    for name, chunks in places.items():
        (card,) = await world.cards(dataset=name)
        assert documents(card) == {chunk.document_id for chunk in chunks}
        of_sides = [(chunk.document_id, chunk.text) for chunk in chunks]
        assert card.id == contradiction_id(card.kind.value, of_sides[0], of_sides[1])
        for chunk in chunks:
            assert await world.cards(document_id=chunk.document_id) == (card,)
            assert await world.told_of(chunk) == await world.told_of(chunk, name) == (card,)
    (put_aside,) = await world.cards(dataset="beta")
    await world.contradictions.dismiss(DEFAULT_TENANT, put_aside.id, "Two bridges.", Actor())
    assert await world.cards() == await world.cards(dataset="alpha")
    assert len(await world.told_of(places["alpha"][0])) == 1
    assert await world.told_of(places["beta"][0]) == ()


async def test_a_passage_that_repeats_a_sentence_of_a_card_leads_to_it(world: World) -> None:
    chunks = [world.take(text) for text in (OPENED, OPENED_LATER, f"{OPENED} It is listed.", OPENED_LATER)]
    elsewhere = world.take("Mallow Bridge is a listed building.")
    (card,) = await world.cards()
    one, other = ((side.citation.document_id, side.citation.quote) for side in card.sides)
    assert card.id == contradiction_id(card.kind.value, one, other)  # of one pair, as dismissals know it
    for chunk in chunks:
        assert await world.cards(document_id=chunk.document_id) == (card,)
        assert await world.told_of(chunk) == (card,)
    assert await world.cards(document_id=elsewhere.document_id) == ()
    assert await world.told_of(elsewhere) == ()


async def test_a_card_stays_put_aside_when_further_documents_repeat_its_sentences(world: World) -> None:
    aside = [world.take(text, number=number) for number, text in ((8, OPENED), (9, OPENED_LATER))]
    (card,) = await world.cards()
    await world.contradictions.dismiss(DEFAULT_TENANT, card.id, "Two bridges.", Actor())
    for number, text in enumerate((OPENED, OPENED_LATER)):  # their ids sort first
        repeating = world.take(text, number=number)
        assert await world.cards() == ()
        assert await world.told_of(repeating) == ()
    (shown,) = await world.cards(dismissed=True)
    assert shown.dismissed is not None
    for id_ in (card.id, shown.id):  # by whatever pair somebody has it
        assert await world.contradictions.dismiss(DEFAULT_TENANT, id_, "Once more.", Actor()) == shown
    world.delete(aside[0])  # what it was decided by
    (open_again,) = await world.cards()
    assert open_again.dismissed is None


async def test_a_sentence_with_a_number_of_nothing_stops_no_list_and_no_answer(world: World) -> None:
    cited, _ = world.take(OPENED), world.take(OPENED_LATER)
    world.take("The pump is checked 0 times a day.", title="Pump log")
    (card,) = await world.cards()
    assert await world.told_of(cited) == (card,)


async def test_a_document_that_cannot_be_read_says_nothing_until_the_next_process(world: World) -> None:
    cited, _ = world.take(OPENED), world.take(OPENED_LATER)
    bad = world.take("Mallow Bridge opened in 1950.")
    passages = f"{artifacts.artifact_prefix(bad.document_id, 'v1')}{Stage.ENRICH.value}-1"
    good, no_msgpack = world.objects.get(passages), b"\xc1"
    world.objects.put(passages, zlib.crc32(no_msgpack).to_bytes(4, "big") + no_msgpack)
    with capture_logs() as logged:
        (card,) = await world.cards()
        assert await world.cards() == await world.told_of(cited) == (card,)
    assert [(line["log_level"], line["document"]) for line in logged] == [("error", bad.document_id)]
    world.objects.put(passages, good)
    assert await world.cards() == (card,)
    world.begin()
    assert len(await world.cards()) == 3
    assert len(await world.cards(document_id=bad.document_id)) == 2


async def test_a_document_that_was_deleted_and_handed_over_again_is_read_again(world: World) -> None:
    gone, other = world.take(OPENED), world.take(OPENED_LATER)
    (card,) = await world.cards()
    world.delete(gone)
    world.publish(gone)  # the same bytes, before anybody looked
    world.take("The pump is checked each day.", title="Pump log")
    (again,) = await world.cards()
    assert (again.id, documents(again)) == (card.id, {gone.document_id, other.document_id})
    world.take("Mallow Bridge opened in 1950.")
    assert len(await world.cards()) == 3
    world.begin()
    assert len(await world.cards()) == 3
