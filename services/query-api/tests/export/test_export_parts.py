"""What a file holds is what the graph holds: also what edits state, with evidence and without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.domain.chunks import Chunk, Span
from trivium.domain.documents import Document
from trivium.domain.edits import (
    Actor,
    Change,
    CreateEntity,
    CreateRelation,
    Edit,
    Evidence,
    Invalidate,
    RelationKey,
    UpdateRelation,
)
from trivium.domain.graph import ChunkGraph, Entity, EntityType, Mention, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.edits.fold import fold
from trivium.ports.graph import GraphRow
from trivium_query.export import parts
from trivium_query.export.parts import Part, Statement

ACME = Tenant("acme")
WORKS, FOUNDED = (RelationKey("alice", "oxley", kind) for kind in ("WORKS_FOR", "FOUNDED"))
SAID = "Alice works for Oxley."
PASSAGE = f"{1:032x}"
THERE = (Evidence("d1", PASSAGE, Span(0, len(SAID)), SAID),)
GONE = (Evidence("d1", "0" * 32, Span(0, 4), "Alice led Oxley."),)


class World:
    """A passage that states a relation, others that state nothing, and edits."""

    def __init__(self, graphs: SqliteGraphs) -> None:
        self._graphs = graphs

    def hold(self, edits: Sequence[Edit], others: int = 0) -> None:
        works = Relation("alice", "oxley", "WORKS_FOR", 0.9, PASSAGE, THERE[0].span, SAID, "pattern:works_for")
        rows = [row(1, ("alice", "oxley"), works), *(row(100 + n, (f"name {n}",)) for n in range(others))]
        writer, decisions = self._graphs.writer(ACME), fold(edits).decisions
        writer.upsert(rows)
        writer.decide(decisions)
        passages: Any = Passages()
        self.stores = parts.Stores(self._graphs.reader(ACME), passages, records, decisions.hidden)

    def take(self, rows: Sequence[GraphRow]) -> None:
        self._graphs.writer(ACME).upsert(rows)

    async def whole(self, dataset: str = "") -> list[Statement]:
        return statements(await self.all_parts(dataset))

    async def near(self, dataset: str = "", name: str = "alice", depth: int = 1) -> list[Statement]:
        return statements(await self.parts_near(dataset, name, depth))

    async def all_parts(self, dataset: str = "") -> list[Part]:
        return [part async for page in parts.whole(self.stores, dataset) for part in page]

    async def parts_near(self, dataset: str = "", name: str = "alice", depth: int = 1) -> list[Part]:
        start = (await self.stores.graph.named([name]))[name]
        return [part async for page in parts.neighbourhood(self.stores, start, depth, dataset) for part in page]


class Passages:
    """Of each document one, by its number; there is no document 0."""

    async def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        there = {id_: int(id_, 16) for id_ in ids if int(id_, 16)}
        return {
            id_: Chunk(id_, f"d{number}", "v1", 0, SAID, Span(0, len(SAID)), f"d{number}.txt")
            for id_, number in there.items()
        }


async def records(ids: Sequence[str]) -> Mapping[str, Document]:
    datasets = {"d2": "sea"}
    return {
        id_: Document(id_, "acme", f"{id_}.txt", "v1", active_version="v1", dataset=datasets.get(id_, "river"))
        for id_ in ids
        if id_
    }


def row(number: int, names: Sequence[str], *stated: Relation) -> GraphRow:
    chunk = f"{number:032x}"
    mentions = tuple(Mention(name, chunk, 0, Span(0, 3), name.title()) for name in names)
    return GraphRow(ChunkGraph(chunk, mentions, stated), f"d{number}", "v1", Scope(ACME, "river"))


def edited(*changes: tuple[Change, tuple[Evidence, ...], float]) -> list[Edit]:
    actor = Actor(name="ann")
    return [
        Edit(number, 0, change, actor, 0.0, "", evidence, confidence)
        for number, (change, evidence, confidence) in enumerate(changes, start=1)
    ]


def statements(found: Sequence[Part]) -> list[Statement]:
    return [part for part in found if isinstance(part, Statement)]


def told(found: Sequence[Statement]) -> list[tuple[str, float, str, str]]:
    return sorted((one.type, one.confidence, one.document, one.operation) for one in found)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with closing(SqliteGraphs(tmp_path)) as graphs:
        yield World(graphs)


@pytest.mark.parametrize("evidence", [THERE, ()])
async def test_a_relation_is_told_as_the_edit_that_counts_states_it(
    world: World, evidence: tuple[Evidence, ...]
) -> None:
    document = "d1.txt" if evidence else ""
    world.hold(edited((UpdateRelation((WORKS,), WORKS), evidence, 0.8)))  # another confidence
    assert told(await world.whole()) == told(await world.near()) == [("WORKS_FOR", 0.8, document, "edit:1.0")]
    assert told(await world.whole("river")) == told(await world.near("river")) == told(await world.whole())
    assert await world.whole("sea") == await world.near("sea") == []
    world.hold(edited((Invalidate(WORKS), (), 1.0), (CreateRelation(WORKS), evidence, 1.0)))
    assert told(await world.whole()) == told(await world.near()) == [("WORKS_FOR", 1.0, document, "edit:2.0")]
    world.hold(edited((CreateRelation(WORKS), evidence, 1.0), (Invalidate(WORKS), (), 1.0)))
    assert await world.whole() == await world.near() == []


@pytest.mark.parametrize("others", [0, parts.PAGE + 100])
async def test_a_relation_of_an_edit_is_told_however_far_its_evidence_lies(world: World, others: int) -> None:
    world.hold(edited((CreateRelation(FOUNDED), THERE, 1.0)), others)
    by_passage = ("WORKS_FOR", 0.9, "d1.txt", "pattern:works_for")
    by_edit = ("FOUNDED", 1.0, "d1.txt", "edit:1.0")
    assert told(await world.whole()) == told(await world.near()) == [by_edit, by_passage]
    assert told(await world.whole("river")) == told(await world.near("river")) == [by_edit, by_passage]
    assert {one.chunk_id for one in await world.whole()} == {PASSAGE}


@pytest.mark.parametrize("others", [0, parts.PAGE + 100])
async def test_what_a_passage_and_an_edit_state_in_the_same_words_are_two_statements(world: World, others: int) -> None:
    world.hold(edited((CreateRelation(WORKS), THERE, 1.0)), others)
    found = await world.whole()
    assert [(one.confidence, one.snippet) for one in sorted(found, key=lambda one: one.confidence)] == [
        (0.9, SAID),
        (1.0, SAID),
    ]
    assert {one.id for one in found} == {one.id for one in await world.near()}
    assert len({one.id for one in found}) == len(found)


async def test_an_edit_whose_passage_is_not_published_any_more_states_its_relation_without_it(world: World) -> None:
    world.hold(edited((CreateRelation(FOUNDED), GONE, 1.0)))
    for dataset in ("", "river"):
        for found in (await world.whole(dataset), await world.near(dataset)):
            (one,) = (each for each in found if each.type == "FOUNDED")
            assert (one.document, one.document_id, one.snippet) == ("", "", "")
    assert await world.whole("sea") == await world.near("sea") == []


async def test_what_rests_on_a_passage_of_another_dataset_is_not_told(world: World) -> None:
    world.hold(edited((CreateRelation(FOUNDED), (Evidence("d2", f"{2:032x}", Span(0, 4), "At sea."),), 1.0)))
    assert "FOUNDED" in {one.type for one in await world.whole()}
    assert "FOUNDED" not in {one.type for one in [*await world.whole("river"), *await world.near("river")]}


@pytest.mark.parametrize("evidence", [THERE, ()])
async def test_what_an_edit_states_in_a_dataset_brings_its_ends_along(
    world: World, evidence: tuple[Evidence, ...]
) -> None:
    """Also where no passage of the dataset names one of them."""
    kelda = CreateEntity("kelda", "Kelda", EntityType.ORGANIZATION)
    founded = CreateRelation(RelationKey("alice", "kelda", "FOUNDED"))
    world.hold(edited((kelda, (), 1.0), (founded, evidence, 1.0)))
    for found in (await world.all_parts("river"), await world.parts_near("river")):
        names = {part.id: part.name for part in found if isinstance(part, Entity)}
        (one,) = (each for each in statements(found) if each.type == "FOUNDED")
        assert (names[one.source], names[one.target]) == ("Alice", "Kelda")
        assert sorted(names.values()) == ["Alice", "Kelda", "Oxley"]
    assert await world.all_parts("sea") == []


async def test_a_relation_to_something_of_which_much_is_stated_is_told_from_its_other_end(world: World) -> None:
    def works(number: int, name: str, confidence: float) -> GraphRow:
        said = Relation(name, "acme", "WORKS_FOR", confidence, f"{number:032x}", Span(0, 3), SAID, "pattern:works_for")
        return row(number, (name, "acme"), said)

    world.hold([])
    world.take([works(100 + n, f"name {n}", 0.9) for n in range(parts.STATEMENTS_PER_ENTITY + 50)])
    world.take([works(9, "zed", 0.7)])
    for depth in (1, 2):
        found = await world.parts_near(name="zed", depth=depth)
        zed = next(part.id for part in found if isinstance(part, Entity) and part.key == "zed")
        assert [one.confidence for one in statements(found) if one.source == zed] == [0.7]
        assert len({one.id for one in statements(found)}) == len(statements(found))
    people = sum(isinstance(part, Entity) for part in found) - 1
    assert len(statements(found)) == people > parts.PAGE // 10
