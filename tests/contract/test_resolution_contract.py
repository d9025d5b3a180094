"""What every graph store promises of names that are one thing (`GraphWriter.resolve`, `GraphReader.asked`)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.domain.chunks import Span
from trivium.domain.edits import Actor, Change, Edit, KeepApart, Merge, Retype, Split, Undo
from trivium.domain.errors import Refused
from trivium.domain.graph import CO_OCCURS, Alias, ChunkGraph, EntityType, Mention, Relation
from trivium.domain.ids import entity_id
from trivium.domain.scope import Scope, Tenant
from trivium.edits.fold import fold
from trivium.ports.graph import GraphReader, GraphRow, Graphs
from trivium.resolution.record import MAX_NEIGHBOURS
from trivium.text.names import fold_name

PERSON = EntityType.PERSON


@pytest.fixture
def graphs(stores: Any) -> Graphs:
    found: Graphs = stores.graphs
    return found


def share(
    chunk: str,
    *names: str,
    facts: Sequence[tuple[str, str, str]] = (),
    aliases: Sequence[tuple[str, str]] = (),
    kind: EntityType = PERSON,
) -> ChunkGraph:
    """Names that stand together, and (source, type, target)."""
    keys = [fold_name(name) for name in names]
    together = [(one, other, CO_OCCURS) for one in keys for other in keys if one < other]
    stated = [*together, *((fold_name(source), fold_name(target), type_) for source, type_, target in facts)]
    return ChunkGraph(
        chunk,
        tuple(
            Mention(key, chunk, 0, Span(0, len(name)), name, type=kind) for key, name in zip(keys, names, strict=True)
        ),
        tuple(Relation(*edge, 0.9, chunk, Span(0, 1), "x", "test") for edge in stated),
        tuple(Alias(fold_name(short), fold_name(long), short, chunk) for short, long in aliases),
    )


def put(graphs: Graphs, tenant: Tenant, document: str, *shares: ChunkGraph) -> None:
    graphs.writer(tenant).upsert([GraphRow(share, document, "v1", Scope(tenant, "default")) for share in shares])


def settle(graphs: Graphs, tenant: Tenant) -> None:
    while graphs.writer(tenant).resolve():
        pass


def settle_some(graphs: Graphs, tenant: Tenant, chance: random.Random) -> None:
    graphs.writer(tenant).resolve(chance.randint(1, 4))


def edits(*changes: Change) -> list[Edit]:
    return [Edit(number, 0, change, Actor(), 0.0) for number, change in enumerate(changes, start=1)]


async def stands_for(reader: GraphReader, *keys: str) -> list[str]:
    named = await reader.named(keys)
    return [named[key].key if key in named else "" for key in keys]


async def test_a_last_name_in_one_document_is_the_person_of_another_who_is_near(graphs: Graphs, tenant: Tenant) -> None:
    reader = graphs.reader(tenant)
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"))
    put(graphs, tenant, "b", share("b1", "Brandt", "Harrow Weir"))
    assert await stands_for(reader, "brandt") == ["brandt"]
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["ilse brandt"]
    entity = await reader.entity(entity_id(tenant, "brandt"))
    assert (entity.name, entity.aliases, entity.mentions) == ("Ilse Brandt", ("Brandt",), 2)
    assert (await reader.match(["Brandt"]))["Brandt"][0][0].key == "ilse brandt"
    assert set((await reader.mentioned_by(["brandt"], 5))["brandt"].places) == {("a1", 0), ("b1", 0)}
    [verdict] = (await reader.verdicts(["brandt"]))["brandt"]
    assert (verdict.other, verdict.merges, verdict.reasons[0]) == ("ilse brandt", True, "+0.40 the last name alone")


async def test_what_is_missing_or_empty_has_nothing_to_resolve(graphs: Graphs, tenant: Tenant) -> None:
    reader = graphs.reader(tenant)
    assert graphs.writer(tenant).resolve() == 0
    assert (await reader.verdicts(["nobody"]), await reader.verdicts([])) == ({}, {})
    assert (await reader.asked()).verdicts == ()
    with pytest.raises(Refused, match="cursor"):
        await reader.asked(cursor="no cursor")
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"))
    assert graphs.writer(tenant).resolve() == 2
    assert graphs.writer(tenant).resolve() == 0


async def test_deleting_the_document_that_names_a_rival_or_the_person_recomputes(
    graphs: Graphs, tenant: Tenant
) -> None:
    reader = graphs.reader(tenant)
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"))
    put(graphs, tenant, "b", share("b1", "Brandt", "Harrow Weir"))
    put(graphs, tenant, "c", share("c1", "Carl Brandt", "Harrow Weir"))
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["brandt"]
    graphs.writer(tenant).delete("c")
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["ilse brandt"]
    graphs.writer(tenant).delete("a")
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt", "ilse brandt") == ["brandt", ""]
    assert (await reader.entity(entity_id(tenant, "brandt"))).aliases == ()


async def test_what_bears_on_a_decision_is_looked_at_whatever_else_came_before_it_was(
    graphs: Graphs, tenant: Tenant
) -> None:
    """A name of which something else was known for a while may have been told so to whoever was settled then."""
    reader, writer = graphs.reader(tenant), graphs.writer(tenant)
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"))
    put(graphs, tenant, "b", share("b1", "Brandt", "Savern"))
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["brandt"]
    for document in ("c", "d", "e"):
        put(graphs, tenant, document, share(f"{document}1", "Ilse Brandt", "Savern"))
        writer.resolve(1)
        if document != "e":
            writer.delete(document)
            writer.resolve(1)
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["ilse brandt"]
    put(graphs, tenant, "f", share("f1", "Ilse Brandt", "Leeds"), share("f2", "Brandt", "York"))
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["ilse brandt"]
    writer.delete("e")
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["brandt"]


async def test_a_name_with_more_neighbours_than_are_looked_at_is_decided_by_the_first_of_them(
    graphs: Graphs, tenant: Tenant
) -> None:
    reader = graphs.reader(tenant)
    others = [f"Quarry {number:03}" for number in range(MAX_NEIGHBOURS)]
    put(graphs, tenant, "a", *(share(f"a{n}", "Ilse Brandt", other) for n, other in enumerate(others)))
    put(graphs, tenant, "b", share("b1", "Ilse Brandt", "Zell"), share("b2", "Brandt", "Zell"))
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["brandt"]
    graphs.writer(tenant).upsert([GraphRow(share("a7", "Quarry 007"), "a", "v1", Scope(tenant, "default"))])
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["ilse brandt"]


async def test_edits_come_before_what_rules_find_whether_they_join_or_keep_apart(
    graphs: Graphs, tenant: Tenant
) -> None:
    reader, writer = graphs.reader(tenant), graphs.writer(tenant)
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"), share("a2", "Carl Lund", "Savern"))
    put(graphs, tenant, "b", share("b1", "Brandt", "Harrow Weir"))
    settle(graphs, tenant)
    apart, joined = Split("brandt", "Brandt"), Merge("brandt", "carl lund", "Brandt")
    for log, expected in (
        (edits(apart), "brandt"),
        (edits(KeepApart("ilse brandt", "brandt")), "brandt"),
        (edits(joined), "carl lund"),
        (edits(joined, Undo("1.0")), "ilse brandt"),
        (edits(Retype("brandt", EntityType.LOCATION)), "brandt"),
        (edits(), "ilse brandt"),
    ):
        writer.decide(fold(log).decisions)
        settle(graphs, tenant)
        assert await stands_for(reader, "brandt") == [expected]


async def test_what_a_chunk_claims_comes_before_what_rules_find(graphs: Graphs, tenant: Tenant) -> None:
    reader = graphs.reader(tenant)
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"), share("a2", "Brandt", "Harrow Weir"))
    put(graphs, tenant, "b", share("b1", "Otto Lund", "Brandt", aliases=[("Brandt", "Otto Lund")]))
    settle(graphs, tenant)
    assert await stands_for(reader, "brandt") == ["otto lund"]
    graphs.writer(tenant).delete("b")
    put(graphs, tenant, "c", share("c1", "Ilse Brandt", aliases=[("Ilse Brandt", "Brandt")]))
    settle(graphs, tenant)  # rules say the one of the other, a chunk the other of the one
    assert await stands_for(reader, "brandt", "ilse brandt") == ["brandt", "brandt"]


async def test_people_with_other_facts_stay_two(graphs: Graphs, tenant: Tenant) -> None:
    born = [("John A Smith", "BORN_IN", "Leeds")], [("John Smith", "BORN_IN", "York")]
    put(graphs, tenant, "a", share("a1", "John A Smith", "Leeds", "Acme", facts=born[0]))
    put(graphs, tenant, "b", share("b1", "John Smith", "York", "Acme", facts=born[1]))
    settle(graphs, tenant)
    assert await stands_for(graphs.reader(tenant), "john smith") == ["john smith"]
    assert not any(v.merges for v in (await graphs.reader(tenant).verdicts(["john smith"])).get("john smith", ()))


async def test_what_may_be_one_thing_is_asked_page_by_page_the_likeliest_first(graphs: Graphs, tenant: Tenant) -> None:
    reader = graphs.reader(tenant)
    put(graphs, tenant, "a", *(share(f"a{n}", name) for n, name in enumerate(("John A Smith", "John Smith"))))
    put(graphs, tenant, "b", *(share(f"b{n}", name) for n, name in enumerate(("Anna B Lund", "Anna Lund", "A Lund"))))
    settle(graphs, tenant)
    asked = (await reader.asked()).verdicts
    assert {(one.key, one.other) for one in asked} >= {("john smith", "john a smith"), ("anna lund", "anna b lund")}
    assert not any(one.merges for one in asked)
    assert [one.score for one in asked] == sorted((one.score for one in asked), reverse=True)
    paged, cursor = [], ""
    for _ in asked:
        page = await reader.asked(1, cursor)
        paged += page.verdicts
        cursor = page.cursor
    assert (tuple(paged), cursor) == (asked, "")
    graphs.writer(tenant).delete("a")
    settle(graphs, tenant)
    assert "john smith" not in {one.key for one in (await reader.asked()).verdicts}


async def test_tenants_are_resolved_apart(graphs: Graphs, tenant: Tenant, other: Tenant) -> None:
    put(graphs, tenant, "a", share("a1", "Ilse Brandt", "Harrow Weir"))
    put(graphs, other, "b", share("b1", "Brandt", "Harrow Weir"))
    for one in (tenant, other):
        settle(graphs, one)
    assert await stands_for(graphs.reader(other), "brandt") == ["brandt"]


NAMES = (
    "Ilse Brandt",
    "I Brandt",
    "Brandt",
    "Carl Brandt",
    "Ilse Brant",
    "Acme",
    "Acme Inc",
    "Acme Bank",
    "AB",
    "Oslo",
)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, list[ChunkGraph]]:
    made: dict[str, list[ChunkGraph]] = {}
    for document in "abcd":
        made[document] = [
            share(
                f"{document}{number}",
                *draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)),
                facts=draw(st.lists(st.just(("Brandt", "BORN_IN", "Oslo")), max_size=1)),
                aliases=draw(st.lists(st.sampled_from([("AB", "Acme Bank"), ("Ilse Brandt", "Brandt")]), max_size=1)),
                kind=draw(st.sampled_from([PERSON, EntityType.ORGANIZATION, EntityType.CONCEPT])),
            )
            for number in range(draw(st.integers(1, 2)))
        ]
    return made


CHANGES = st.lists(
    st.sampled_from(
        [
            Split("brandt", "Brandt"),
            KeepApart("i brandt", "ilse brandt"),
            Merge("i brandt", "carl brandt", "I Brandt"),
            Merge("ilse brandt", "brandt", "Ilse Brandt"),
            Retype("acme", PERSON),
        ]
    ),
    max_size=3,
)


@given(held=documents(), passing=documents(), changes=CHANGES, seed=st.integers(0, 1000))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_documents_and_edits_in_any_order_twice_and_between_deletions_have_one_resolution(
    graphs: Graphs,
    new_tenant: Callable[[], Tenant],
    held: dict[str, list[ChunkGraph]],
    passing: dict[str, list[ChunkGraph]],
    changes: list[Change],
    seed: int,
) -> None:
    decisions = fold(edits(*changes)).decisions
    chance = random.Random(seed)

    async def seen(tenant: Tenant) -> Any:
        reader = graphs.reader(tenant)
        entities = (await reader.entities(limit=1000)).entities
        keys = sorted(map(fold_name, NAMES))
        told = [(e.key, e.name, e.type, e.aliases, e.mentions, e.degree) for e in entities]
        return told, await reader.verdicts(keys), (await reader.asked(1000)).verdicts, await reader.edges(keys, 1000)

    at_once = new_tenant()
    for document, shares in held.items():
        put(graphs, at_once, document, *shares)
    graphs.writer(at_once).decide(decisions)
    settle(graphs, at_once)

    mixed = new_tenant()
    for document, shares in passing.items():
        put(graphs, mixed, f"passing {document}", *(_renamed(one) for one in shares))
    settle(graphs, mixed)
    steps: list[Callable[[], None]] = [
        *(
            lambda document=document, one=one: put(graphs, mixed, document, one)
            for document in held
            for one in held[document]
        ),  # type: ignore[misc]
        *(lambda document=document: graphs.writer(mixed).delete(f"passing {document}") for document in passing),  # type: ignore[misc]
        *[lambda: graphs.writer(mixed).decide(decisions)] * 2,
        *[lambda: settle(graphs, mixed)] * 3,
        *[lambda: settle_some(graphs, mixed, chance)] * 5,
    ]
    chance.shuffle(steps)
    for step in steps:
        step()
    for document, shares in held.items():
        put(graphs, mixed, document, *shares)
    settle(graphs, mixed)
    assert asyncio.run(seen(mixed)) == asyncio.run(seen(at_once))


def _renamed(one: ChunkGraph) -> ChunkGraph:
    """The same said by a chunk of another document."""
    chunk = f"passing {one.chunk_id}"
    return share(chunk, *(mention.surface for mention in one.mentions), kind=one.mentions[0].type)
