"""What every graph store promises (`trivium.ports.graph`); another adapter joins by a row in `FACTORIES`."""

from __future__ import annotations

import asyncio
import random
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.config import load_settings
from trivium.domain.chunks import Span
from trivium.domain.edits import (
    Actor,
    Change,
    CreateEntity,
    CreateRelation,
    Decisions,
    Edit,
    Evidence,
    Invalidate,
    Merge,
    RelationKey,
    Remove,
    Rename,
    Retype,
    Split,
    Undo,
    UpdateRelation,
)
from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import (
    CO_OCCURS,
    LINKS_TO,
    Alias,
    ChunkGraph,
    Edge,
    EntityType,
    Mention,
    Mentioning,
    MentionRole,
    Relation,
    Step,
    StepType,
    document_key,
)
from trivium.domain.ids import entity_id
from trivium.domain.retrieval import Places, RowFilter
from trivium.domain.scope import Scope, Tenant
from trivium.domain.times import Period, TimeOf
from trivium.edits.fold import fold
from trivium.ports.graph import GraphReader, GraphRow, Graphs
from trivium.text.names import fold_name

ACME, OTHER = Tenant("acme"), Tenant("other")
SCOPE = Scope(ACME)


class ServerGraphs(Neo4jGraphs):
    """Graphs under a prefix that nobody has used, removed when closed."""

    def __init__(self, _folder: Path) -> None:
        super().__init__(msgspec.structs.replace(load_settings(), index_prefix=f"test-{uuid.uuid4().hex}"))

    def close(self) -> None:
        for tenant in (ACME, OTHER):
            self.drop(tenant)
        super().close()


Factory = Callable[[Path], Any]
FACTORIES: dict[str, Factory] = {"embedded": SqliteGraphs}
if load_settings().backend == "distributed":
    FACTORIES["distributed"] = ServerGraphs
EXAMPLES = 8 if "distributed" in FACTORIES else 30  # one takes some fifty round trips to a server


@pytest.fixture(params=sorted(FACTORIES))
def factory(request: pytest.FixtureRequest) -> Factory:
    return FACTORIES[request.param]


@pytest.fixture
def graphs(factory: Factory, tmp_path: Path) -> Iterator[Graphs]:
    with closing(factory(tmp_path)) as opened:
        yield opened


def mention(
    surface: str,
    chunk: str,
    *,
    sentence: int = 0,
    at: int = 0,
    role: MentionRole = MentionRole.MENTION,
    kind: EntityType = EntityType.CONCEPT,
    confidence: float = 0.9,
    key: str = "",
) -> Mention:
    span = Span(0, 0) if role is not MentionRole.MENTION else Span(at, at + len(surface))
    return Mention(key or fold_name(surface), chunk, sentence, span, surface, role, kind, confidence)


def relation(source: str, kind: str, target: str, chunk: str, confidence: float = 0.8) -> Relation:
    snippet = f"{source} … {target}"
    ends = fold_name(source), fold_name(target)
    return Relation(*ends, kind, confidence, chunk, Span(0, len(snippet)), snippet, "test")


def share(
    chunk: str, *names: str, relations: tuple[Relation, ...] = (), aliases: tuple[tuple[str, str], ...] = ()
) -> ChunkGraph:
    return ChunkGraph(
        chunk,
        tuple(mention(name, chunk, at=30 * i, sentence=i) for i, name in enumerate(names)),
        relations,
        tuple(Alias(fold_name(short), fold_name(long), short, chunk) for short, long in aliases),
    )


def write(
    graphs: Graphs,
    document: str,
    *shares: ChunkGraph,
    version: str = "v1",
    tenant: Tenant = ACME,
    dataset: str = "default",
) -> None:
    graphs.writer(tenant).upsert([GraphRow(share, document, version, Scope(tenant, dataset)) for share in shares])


def of_few(named: dict[str, Mentioning], limit: int) -> dict[str, Mentioning]:
    return {key: Mentioning(one.total, one.places if one.total <= limit else ()) for key, one in named.items()}


async def everything(reader: GraphReader) -> dict[str, Any]:
    """All that a reader can be asked, by entity."""
    page = await reader.entities(limit=1000)
    keys = sorted(KEYS | {entity.key for entity in page.entities})
    edges = await reader.edges(keys, 1000)
    for key in keys:
        assert await all_edges(reader, key, 2) == edges.get(key, [])
    for entity in page.entities:  # a degree counts who stands at the other ends
        ends = {end for edge in edges.get(entity.key, []) for end in (edge.source_key, edge.target_key)}
        assert entity.degree == len(ends - {entity.key})
    about = await reader.about(keys)
    named = {role: await reader.mentioned_by(keys, 3, role) for role in MentionRole}
    for _ in range(2):  # a second time from what was kept of the first
        places = await reader.places(keys, keys, 3)
        headings, mentions = (of_few(named[role], 3) for role in (MentionRole.HEADING, MentionRole.MENTION))
        assert places == Places(about, headings, mentions)
    return {
        "entities": page.entities,
        "about": about,
        "named": named,
        "edges": await reader.edges(keys, 100),
        "evidence": {key: await reader.evidence(key, 1000) for key in keys},
        "match": await reader.match(keys),
    }


# Filter


async def test_the_places_of_a_hub_are_found_within_a_dataset_of_one_passage(graphs: Graphs) -> None:
    crowd = [share(f"a{number:03}", "Kelmore", "Stennet") for number in range(300)]
    write(graphs, "d1", *crowd, ChunkGraph("about", (mention("Kelmore", "about", role=MentionRole.TITLE),)))
    lone = share("z", "Kelmore", "KM", aliases=(("KM", "Kelmore"),))
    titled = ChunkGraph("t", (mention("Kelmore", "t", role=MentionRole.TITLE),))
    write(graphs, "d2", lone, titled, dataset="papers")
    reader = graphs.reader(ACME)
    for where in (RowFilter(dataset="papers"), RowFilter(("d2",)), RowFilter(("d2", "d1"), "papers")):
        told = await reader.mentioned_by(["kelmore", "km", "stennet"], 5, where=where)
        assert told == dict.fromkeys(("kelmore", "km"), Mentioning(1, (("z", 0),)))
        about = await reader.about(["kelmore"], where)
        assert [row.chunk_id for row in about["kelmore"]] == ["t"]
        assert await reader.places(["kelmore"], ["kelmore", "km", "stennet"], 5, where) == Places(about, {}, told)
    assert (await reader.mentioned_by(["stennet"], 5, where=RowFilter(("d1",))))["stennet"].total == 300
    for nothing in (RowFilter(()), RowFilter(("d1",), "papers")):
        assert await reader.mentioned_by(["kelmore"], 5, where=nothing) == {}
        assert await reader.about(["kelmore"], nothing) == {}
    assert (await reader.mentioned_by(["kelmore"], 5))["kelmore"].total == 301
    assert (await reader.places(["kelmore"], ["km"], 5)).mentioned == {"km": Mentioning(301)}
    everywhere = await reader.places([], ["km", "stennet"], 301)  # chunks of both names of it are counted once
    assert {key: (one.total, len(one.places)) for key, one in everywhere.mentioned.items()} == {
        "km": (301, 301),
        "stennet": (300, 300),
    }


async def test_the_places_of_a_hub_are_found_within_a_run_a_time_and_a_kind(graphs: Graphs) -> None:
    def row(chunk: str, kinds: tuple[str, ...], scope: Scope) -> GraphRow:
        spoken = (mention("Kelmore", chunk), mention("Kelmore", chunk, role=MentionRole.TITLE))
        return GraphRow(ChunkGraph(chunk, spoken), "d", "v1", scope, kinds)

    crowd = [row(f"a{n:03}", ("text",), Scope(ACME, run="crowd", uploaded=1000 + n)) for n in range(300)]
    lone = row("z", ("text", "table"), Scope(ACME, run="lone", uploaded=500, dated=-5))
    graphs.writer(ACME).upsert([*crowd, lone])
    reader = graphs.reader(ACME)
    for where in (
        RowFilter(run="lone"),
        RowFilter(kinds=("image", "table")),
        RowFilter(period=Period(TimeOf.UPLOADED, 500, 501)),
        RowFilter(period=Period(TimeOf.UPLOADED, None, 1000)),
        RowFilter(period=Period(TimeOf.DATED, None, 0)),
        RowFilter(("d",), "default", ("text",), "lone", Period(TimeOf.DATED, -5, -4)),
    ):
        assert await reader.mentioned_by(["kelmore"], 5, where=where) == {"kelmore": Mentioning(1, (("z", 0),))}, where
        assert [found.chunk_id for found in (await reader.about(["kelmore"], where))["kelmore"]] == ["z"]
    assert (await reader.mentioned_by(["kelmore"], 5, where=RowFilter(kinds=("text",))))["kelmore"].total == 301
    for nothing in (RowFilter(run="lon"), RowFilter(kinds=("tab",)), RowFilter(period=Period(TimeOf.DATED, 0, None))):
        assert await reader.mentioned_by(["kelmore"], 5, where=nothing) == {}


# Missing


async def test_what_was_read_once_is_not_told_after_a_change(graphs: Graphs) -> None:
    def named(chunk: str, name: str) -> ChunkGraph:
        return ChunkGraph(chunk, (mention(name, chunk), mention(name, chunk, role=MentionRole.TITLE)))

    reader = graphs.reader(ACME)
    write(graphs, "d1", named("c1", "Ada"))

    async def told() -> tuple[list[str], set[str], int, int]:
        about, inside = await reader.about(["ada", "bob"]), await reader.mentions_in(["c1", "c2"])
        by = await reader.mentioned_by(["ada", "bob"], 10)
        return sorted(about), set(inside), len(by), by["ada"].total if "ada" in by else 0

    assert await told() == (["ada"], {"c1"}, 1, 1)
    write(graphs, "d2", named("c2", "Ada"))
    assert await told() == (["ada"], {"c1", "c2"}, 1, 2)
    write(graphs, "d1", named("c1", "Bob"))
    assert await told() == (["ada", "bob"], {"c1", "c2"}, 2, 1)
    graphs.writer(ACME).delete("d2")
    assert await told() == (["bob"], {"c1"}, 1, 0)


async def test_missing_names_chunks_and_entities_are_absent_and_an_unknown_id_is_not_found(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Kelmore"))
    reader = graphs.reader(ACME)
    assert await reader.about(["nothing"]) == {}
    assert await reader.mentions_in(["c9"]) == {}
    assert await reader.mentioned_by(["nothing"], 5) == {}
    assert await reader.match(["zzqx"]) == {}
    assert await reader.edges(["nothing"]) == {}
    assert await reader.evidence("nothing") == ([], [])
    with pytest.raises(NotFound):
        await reader.entity("0" * 32)


def test_deleting_what_is_missing_does_nothing(graphs: Graphs) -> None:
    graphs.writer(ACME).delete("never")
    assert graphs.writer(ACME).ids({"never": "v1"}) == {"never": set()}


# Duplicate


async def test_a_duplicate_share_replaces_the_one_stored_before(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Kelmore", "Orvin", relations=(relation("Kelmore", "NEAR", "Orvin", "c1"),)))
    before = await everything(graphs.reader(ACME))
    write(graphs, "d", share("c1", "Kelmore", "Orvin", relations=(relation("Kelmore", "NEAR", "Orvin", "c1"),)))
    assert await everything(graphs.reader(ACME)) == before
    write(graphs, "d", share("c1", "Tamber"))
    page = await graphs.reader(ACME).entities()
    assert [entity.key for entity in page.entities] == ["tamber"]
    assert await graphs.reader(ACME).edges(["kelmore", "orvin"]) == {}


async def test_an_alias_answers_with_its_canonical_entity(graphs: Graphs) -> None:
    write(
        graphs,
        "d",
        share("c1", "Tidal Gate Control", "TGC", aliases=(("TGC", "Tidal Gate Control"),)),
        share("c2", "TGC", "Orvin", relations=(relation("TGC", "PART_OF", "Orvin", "c2"),)),
        ChunkGraph("c3", (mention("Tidal Gate Control", "c3", role=MentionRole.TITLE, confidence=0.9),)),
    )
    reader = graphs.reader(ACME)
    [entity] = [e for e in (await reader.entities()).entities if e.key != "orvin"]
    assert (entity.key, entity.name, entity.aliases) == ("tidal gate control", "Tidal Gate Control", ("TGC",))
    assert (entity.mentions, entity.degree) == (3, 1)
    assert await reader.entity(entity_id(ACME, "tgc")) == await reader.entity(entity.id) == entity
    assert [scored.chunk_id for scored in (await reader.about(["tgc"]))["tgc"]] == ["c3"]
    assert (await reader.mentioned_by(["tgc"], 9))["tgc"] == Mentioning(2, (("c1", 0), ("c2", 0)))
    assert (await reader.match(["TGC"]))["TGC"][0] == (entity, 1.0)
    assert (await reader.edges(["tgc"]))["tgc"] == [Edge("tidal gate control", "orvin", "PART_OF", 0.8, 1)]
    assert (await reader.evidence("tgc"))[1][0].source_key == "tgc"


async def test_what_is_stated_between_two_is_told_of_a_hub_too(graphs: Graphs) -> None:
    crowd = [relation("Kelmore", "NEAR", f"Place {n}", f"a{n:03}", 0.9) for n in range(150)]
    write(graphs, "d1", *(share(each.chunk_id, "Kelmore", relations=(each,)) for each in crowd))
    there, back = relation("KM", "OWNS", "Orvin", "c1", 0.6), relation("Orvin", "NEAR", "Kelmore", "c2", 0.7)
    beside = relation("Orvin", "OWNS", "Tamber", "c1", 0.95)
    surest = relation("Kelmore", "OWNS", "Orvin", "c3", 0.8)
    write(
        graphs,
        "d2",
        share("c1", "KM", "Orvin", relations=(there, beside), aliases=(("KM", "Kelmore"),)),
        share("c2", "Kelmore", "Orvin", relations=(back, relation("Kelmore", "LEFT", "Orvin", "c2", 0.9))),
        share("c3", "Kelmore", "Orvin", relations=(surest,)),
    )
    reader = graphs.reader(ACME)
    for ends in (("kelmore", "orvin"), ("orvin", "km")):
        assert await reader.stated_between(*ends, ["OWNS", "NEAR"]) == [surest, back, there]
        assert await reader.stated_between(*ends, ["OWNS"], 1) == [surest]
        for types in (["ELSE"], []):
            assert await reader.stated_between(*ends, types) == []
    assert await reader.stated_between("kelmore", "nobody", ["OWNS"]) == []
    assert await reader.stated_between("nobody", "orvin", ["OWNS"]) == []
    assert await graphs.reader(OTHER).stated_between("kelmore", "orvin", ["OWNS"]) == []
    graphs.writer(ACME).decide(Decisions(1, hidden={RelationKey("kelmore", "orvin", "OWNS"): "000000000001.000000"}))
    assert await reader.stated_between("kelmore", "orvin", ["OWNS"]) == [surest, there]
    graphs.writer(ACME).decide(Decisions(2, removed=frozenset({"orvin"})))
    assert await reader.stated_between("kelmore", "orvin", ["OWNS"]) == []


async def test_an_acronym_with_two_meanings_has_the_one_that_more_chunks_give_it(graphs: Graphs) -> None:
    write(graphs, "a", share("c1", "Rapid", aliases=(("MRL", "Marine Research Lab"),)))
    write(graphs, "b", share("c2", aliases=(("MRL", "Metal Rolling Line"),)))
    write(graphs, "c", share("c3", aliases=(("MRL", "Metal Rolling Line"),)))
    reader = graphs.reader(ACME)
    write(graphs, "d", share("c4", "MRL", "Metal Rolling Line", "Marine Research Lab"))
    assert (await reader.match(["MRL"], 1))["MRL"][0][0].key == "metal rolling line"
    graphs.writer(ACME).delete("b")
    graphs.writer(ACME).delete("c")
    assert (await reader.match(["MRL"], 1))["MRL"][0][0].key == "marine research lab"
    graphs.writer(ACME).delete("a")
    assert (await reader.match(["MRL"], 1))["MRL"][0][0].key == "mrl"


async def test_names_that_claim_each_other_in_a_circle_are_one_entity(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Arden", "Brell", aliases=(("Arden", "Brell"), ("Brell", "Arden"))))
    page = await graphs.reader(ACME).entities()
    assert [(e.key, e.aliases, e.mentions) for e in page.entities] == [("arden", ("Brell",), 1)]


# Empty


async def test_empty_input_and_an_empty_graph_answer_empty(graphs: Graphs) -> None:
    reader = graphs.reader(ACME)
    write(graphs, "d")
    assert await reader.places([], [], 5) == Places({}, {}, {})
    answers: list[object] = [await reader.about([]), await reader.mentions_in([]), await reader.mentioned_by([], 5)]
    answers += [await reader.match([]), await reader.edges([]), await reader.beside([])]
    assert answers == [{}] * 6
    assert await reader.match(["", "…"]) == {}
    page = await reader.entities()
    assert (page.entities, page.cursor) == ((), "")


def test_an_empty_share_counts_in_ids(graphs: Graphs) -> None:
    write(graphs, "d", ChunkGraph("c1"), share("c2", "Kelmore"))
    assert graphs.writer(ACME).ids({"d": "v1"}) == {"d": {"c1", "c2"}}
    assert graphs.writer(ACME).ids({"d": "v2"}) == {"d": set()}


def test_a_share_that_was_not_stored_exactly_so_is_told(graphs: Graphs) -> None:
    said = relation("Kelmore", "NEAR", "Orvin", "c1")
    write(graphs, "d", share("c1", "Kelmore", relations=(said,)), ChunkGraph("c2"))
    row = GraphRow(share("c1", "Kelmore", relations=(said,)), "d", "v1", SCOPE)
    others = [
        msgspec.structs.replace(row, share=share("c1", "Kelmore")),
        msgspec.structs.replace(row, document_id="e"),
        msgspec.structs.replace(row, version="v2"),
        msgspec.structs.replace(row, scope=Scope(ACME, "another")),
        msgspec.structs.replace(row, scope=Scope(ACME, run="another")),
        msgspec.structs.replace(row, scope=Scope(ACME, uploaded=1)),
        msgspec.structs.replace(row, scope=Scope(ACME, dated=0)),
        msgspec.structs.replace(row, kinds=("table",)),
        msgspec.structs.replace(row, within=("n1", "n2")),
    ]
    writer = graphs.writer(ACME)
    assert writer.unlike([row, GraphRow(ChunkGraph("c2"), "d", "v1", SCOPE)]) == set()
    assert [writer.unlike([other]) for other in others] == [{"c1"}] * 9
    for other in others[3:]:
        before = writer.unlike([row, other])
        writer.relabel([other, GraphRow(ChunkGraph("c3"), "d", "v1", SCOPE)])
        assert (before, writer.unlike([other])) == ({"c1"}, set())
    writer.relabel([row])
    assert writer.unlike([row, GraphRow(ChunkGraph("c2"), "d", "v1", SCOPE)]) == set()
    assert writer.unlike([GraphRow(ChunkGraph("c3"), "d", "v1", SCOPE)]) == {"c3"}
    assert graphs.writer(OTHER).unlike([row]) == {"c1"}
    assert graphs.tenants() == {ACME}


async def test_a_batch_holds_the_shares_of_many_documents(graphs: Graphs) -> None:
    rows = [("d", "v1", share("c1", "Kelmore")), ("e", "v2", share("c2", "Kelmore")), ("f", "v1", ChunkGraph("c3"))]
    graphs.writer(ACME).upsert([GraphRow(what, document, version, SCOPE) for document, version, what in rows])
    stored = graphs.writer(ACME).ids({"d": "v1", "e": "v2", "f": "v2", "g": "v1"})
    assert stored == {"d": {"c1"}, "e": {"c2"}, "f": set(), "g": set()}
    assert set(graphs.writer(ACME).versions()) == {("d", "v1"), ("e", "v2"), ("f", "v1")}
    assert set(graphs.writer(OTHER).versions()) == set()
    graphs.writer(ACME).delete("d")
    assert (await graphs.reader(ACME).mentioned_by(["kelmore"], 9))["kelmore"].places == (("c2", 0),)


# Order


async def test_order_of_answers_is_by_weight_then_key(graphs: Graphs) -> None:
    names = ("Kelmore", "Orvin", "Tamber", "Zell")
    edges = (
        relation("Kelmore", CO_OCCURS, "Zell", "c1", 0.5),
        relation("Tamber", "NEAR", "Kelmore", "c1", 0.9),
        relation("Kelmore", "NEAR", "Orvin", "c1", 0.9),
    )
    write(graphs, "d", share("c2", "Kelmore"), share("c1", *names, relations=edges))
    write(graphs, "e", share("c0", "Kelmore", "Orvin", relations=(relation("Kelmore", "NEAR", "Orvin", "c0", 0.7),)))
    reader = graphs.reader(ACME)
    assert (await reader.edges(["kelmore"], 2))["kelmore"] == [
        Edge("kelmore", "orvin", "NEAR", 0.9, 2),
        Edge("tamber", "kelmore", "NEAR", 0.9, 1),
    ]
    assert [(e.key, e.mentions) for e in (await reader.entities()).entities] == [
        ("kelmore", 3),
        ("orvin", 2),
        ("tamber", 1),
        ("zell", 1),
    ]
    assert (await reader.mentioned_by(["kelmore"], 2))["kelmore"] == Mentioning(3, (("c0", 0), ("c1", 0)))
    assert [m.surface for m in (await reader.mentions_in(["c1"]))["c1"]] == list(names)


def beside(chunk: str, *steps: tuple[StepType, str]) -> ChunkGraph:
    return ChunkGraph(chunk, steps=tuple(Step(*step) for step in steps))


async def test_what_stands_beside_a_chunk_is_told_at_both_ends_whatever_came_first(graphs: Graphs) -> None:
    reader = graphs.reader(ACME)
    text = beside("text", (StepType.HAS_TABLE, "table"), (StepType.HAS_IMAGE, "image"), (StepType.NEXT_TEXT, "more"))
    write(graphs, "d", text)
    assert await reader.beside(["text"]) == {}  # nothing is there yet
    assert graphs.writer(ACME).ids({"d": "v1"}) == {"d": {"text"}}
    write(graphs, "d", beside("table"), beside("image"), beside("more"))
    assert await reader.beside(["text", "table", "more"]) == {
        "text": [Step(StepType.HAS_IMAGE, "image"), Step(StepType.HAS_TABLE, "table")],
        "table": [Step(StepType.HAS_TABLE, "text")],
    }
    write(graphs, "d", beside("text", (StepType.HAS_TABLE, "table")))
    assert await reader.beside(["text", "image"]) == {"text": [Step(StepType.HAS_TABLE, "table")]}
    graphs.writer(ACME).delete("d")
    assert await reader.beside(["text", "table"]) == {}


async def test_a_document_whose_shares_came_in_part_leaves_nothing(graphs: Graphs) -> None:
    write(graphs, "d", beside("text", (StepType.HAS_TABLE, "never")))
    graphs.writer(ACME).delete_others({"d": "v2"})
    write(graphs, "d", beside("never"), version="v2")
    assert await graphs.reader(ACME).beside(["never"]) == {}
    assert graphs.writer(ACME).ids({"d": "v2"}) == {"d": {"never"}}


async def test_about_tells_how_surely_and_roles_are_told_apart(graphs: Graphs) -> None:
    topics = [("c1", MentionRole.TITLE, 0.8), ("c2", MentionRole.TITLE, 1.0), ("c3", MentionRole.HEADING, 0.45)]
    write(graphs, "d", *(ChunkGraph(c, (mention("Kelmore", c, role=r, confidence=f),)) for c, r, f in topics))
    reader = graphs.reader(ACME)
    assert [(s.chunk_id, s.score) for s in (await reader.about(["kelmore"]))["kelmore"]] == [("c2", 1.0), ("c1", 0.8)]
    assert (await reader.mentioned_by(["kelmore"], 5, MentionRole.HEADING))["kelmore"].places == (("c3", 0),)
    assert await reader.mentioned_by(["kelmore"], 5) == {}


async def test_an_entity_has_its_most_frequent_spelling_and_type(graphs: Graphs) -> None:
    spellings = [("KELMORE", EntityType.CONCEPT), ("Kelmore", EntityType.LOCATION), ("Kelmore", EntityType.LOCATION)]
    for i, (surface, kind) in enumerate(spellings):
        write(graphs, f"d{i}", ChunkGraph(f"c{i}", (mention(surface, f"c{i}", kind=kind),)))
    [entity] = (await graphs.reader(ACME).entities(kind="location")).entities
    assert (entity.name, entity.type, entity.mentions) == ("Kelmore", EntityType.LOCATION, 3)
    assert (await graphs.reader(ACME).entities(kind="person")).entities == ()


async def test_an_uncertain_reading_is_found_by_name_and_is_no_entity(graphs: Graphs) -> None:
    write(graphs, "d", ChunkGraph("c1", (mention("Kelmore, Orvin", "c1", confidence=0.4),)))
    assert (await graphs.reader(ACME).mentioned_by(["kelmore orvin"], 5))["kelmore orvin"].total == 1
    assert (await graphs.reader(ACME).entities()).entities == ()


async def test_a_cursor_visits_every_entity_once(graphs: Graphs) -> None:
    names = [f"Place {letter}" for letter in "abcdefghijk"]
    write(graphs, "d", share("c1", *names), share("c2", *names[4:7]))
    seen: list[str] = []
    cursor = ""
    while True:
        page = await graphs.reader(ACME).entities(limit=3, cursor=cursor)
        seen += [entity.name for entity in page.entities]
        cursor = page.cursor
        if not cursor:
            break
    assert seen == names[4:7] + names[:4] + names[7:]
    with pytest.raises(Refused):
        await graphs.reader(ACME).entities(cursor="no cursor")


async def test_a_prefix_finds_names_and_aliases(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Tidal Gate Control", "Orvin", aliases=(("TGC", "Tidal Gate Control"),)))
    reader = graphs.reader(ACME)
    for prefix in ("tid", "TGC", "Tidal g"):
        assert [entity.key for entity in (await reader.entities(prefix=prefix)).entities] == ["tidal gate control"]


async def test_match_finds_misspelt_and_partial_names_the_most_alike_first(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Harrow Observatory", "Marten Oosterhuis", "Oost", "Ilse Brandt"))
    reader = graphs.reader(ACME)
    found = await reader.match(["Marten Osterhuis", "Brandt", "harrow observatory", "Observatory at Harrow"])
    assert found["Marten Osterhuis"][0][0].key == "marten oosterhuis"
    assert found["Brandt"][0][0].key == "ilse brandt"
    assert found["harrow observatory"][0][1] == 1.0
    assert found["Observatory at Harrow"][0][0].key == "harrow observatory"
    assert all(0 < score <= 1 for matches in found.values() for _, score in matches)


NAMES = ("Arden", "Brell", "Corvo", "Dunmoor", "Eskil")
KEYS = {fold_name(name) for name in NAMES}


@st.composite
def shares_of(draw: st.DrawFn, document: str) -> list[ChunkGraph]:
    made = []
    for ordinal in range(draw(st.integers(0, 3))):
        chunk = f"{document}-{ordinal}"
        names = draw(st.lists(st.sampled_from(NAMES), max_size=4))
        roles = st.sampled_from([*MentionRole, MentionRole.MENTION])
        mentions = tuple(
            mention(
                n, chunk, at=30 * i, sentence=i, role=draw(roles), confidence=draw(st.sampled_from([0.4, 0.7, 0.9]))
            )
            for i, n in enumerate(names)
        )
        pairs = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=3))
        relations = tuple(
            relation(a, draw(st.sampled_from(["NEAR", CO_OCCURS])), b, chunk, draw(st.sampled_from([0.6, 0.8])))
            for a, b in pairs
            if a != b
        )
        aliases = tuple(
            Alias(fold_name(a), fold_name(b), a, chunk)
            for a, b in draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=2))
            if a != b
        )
        made.append(ChunkGraph(chunk, mentions, relations, aliases))
    return made


async def test_what_an_edit_removed_is_nowhere_until_it_is_undone_and_its_aliases_go_with_it(graphs: Graphs) -> None:
    named = share(
        "c1",
        "Kelmore",
        "KM",
        "Orvin",
        relations=(relation("Kelmore", "NEAR", "Orvin", "c1"),),
        aliases=(("KM", "Kelmore"),),
    )
    write(graphs, "d", named)
    reader = graphs.reader(ACME)
    before = await everything(reader)
    graphs.writer(ACME).decide(fold(log_of(Remove("kelmore"))).decisions)
    names = ["kelmore", "km"]
    assert [entity.key for entity in (await reader.entities()).entities] == ["orvin"]
    assert await reader.match([*names, "Kelmoor"]) == {}
    assert (await reader.edges([*names, "orvin"]), await reader.about(names)) == ({}, {})
    assert await reader.mentioned_by(names, 5) == {}
    assert [mention.key for mention in (await reader.mentions_in(["c1"]))["c1"]] == ["orvin"]
    assert (await reader.entity(entity_id(ACME, "orvin"))).degree == 0
    for key in names:
        with pytest.raises(NotFound):
            await reader.entity(entity_id(ACME, key))
    graphs.writer(ACME).decide(fold(log_of(Remove("kelmore"), Undo("1.0"))).decisions)
    assert await everything(reader) == before


SOMEBODY = Actor()


def log_of(*changes: Change) -> list[Edit]:
    return [Edit(number, 0, change, SOMEBODY, 0.0) for number, change in enumerate(changes, start=1)]


DOCUMENTS = ("a", "b", "c")


@st.composite
def logs(draw: st.DrawFn) -> list[Edit]:
    """Edits as nobody would let them through the door: of anything, in any order, some resting on documents."""
    names, kinds = st.sampled_from([*NAMES, "Fenn"]), st.sampled_from(EntityType)
    keys = names.map(fold_name)
    relations = st.builds(RelationKey, keys, keys, st.sampled_from(["NEAR", CO_OCCURS, "MADE"]))
    change = st.one_of(
        st.builds(Merge, keys, keys, names),
        st.builds(Split, keys, names),
        st.builds(Rename, keys, st.sampled_from([*NAMES, "Arden the Elder"])),
        st.builds(Retype, keys, kinds),
        names.flatmap(lambda name: st.builds(CreateEntity, st.just(fold_name(name)), st.just(name), kinds)),
        st.builds(CreateRelation, relations),
        st.builds(UpdateRelation, st.tuples(relations), relations),
        st.builds(Invalidate, relations),
        st.builds(Remove, keys),
        st.builds(Undo, st.integers(1, 8).map(lambda number: f"{number}.0")),
    )
    rests_on = st.lists(st.sampled_from(DOCUMENTS), max_size=2)
    return [
        msgspec.structs.replace(
            edit, evidence=tuple(Evidence(document, f"{document}-0") for document in draw(rests_on))
        )
        for edit in log_of(*draw(st.lists(change, max_size=8)))
    ]


Happening = Callable[[Graphs, list["Decider"]], None]


class Decider:
    """A process that brings the graph to as much of the log as it has read, and remembers what it brought it to."""

    def __init__(self) -> None:
        self._brought: Decisions | None = None

    def decide(self, graphs: Graphs, decisions: Decisions) -> None:
        graphs.writer(ACME).decide(decisions, self._brought)
        self._brought = decisions


def written(document: str, one: ChunkGraph) -> Happening:
    return lambda graphs, _: write(graphs, document, one)


def deleted(document: str) -> Happening:
    return lambda graphs, _: graphs.writer(ACME).delete(document)


def decided(process: int, decisions: Decisions) -> Happening:
    return lambda graphs, deciders: deciders[process].decide(graphs, decisions)


def settled(most: int) -> Happening:
    return lambda graphs, _: void(graphs.writer(ACME).resolve(most))


def void(_: object) -> None:
    """What is answered is of no interest."""


class History(msgspec.Struct):
    """What arrives, in this order, and what it comes to: the shares of the documents that live, and the decisions."""

    happenings: list[Happening]
    living: dict[str, list[ChunkGraph]]
    decisions: Decisions


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Each document is written, deleted and written anew; the log is brought along by two processes meanwhile.

    A share may come twice, and so may a deletion and each state of the log, which an earlier one may come behind; what
    a document says last comes after its last deletion, and the whole log at the very end.
    """
    log = draw(logs())
    living: dict[str, list[ChunkGraph]] = {}
    per_document: list[list[Happening]] = []
    for document in DOCUMENTS:
        lives: list[Happening] = []
        for _ in range(draw(st.integers(0, 2))):  # which end
            before = draw(shares_of(document))
            lives += draw(st.permutations([written(document, one) for one in before] * draw(st.integers(1, 2))))
            lives += [deleted(document)] * draw(st.integers(1, 2))
        if draw(st.booleans()):
            living[document] = draw(shares_of(document))
            lives += draw(st.permutations([written(document, one) for one in living[document]] * 2))
        per_document.append(lives)
    deleted_now = st.frozensets(st.sampled_from(DOCUMENTS))  # of which the process that decides has heard
    lengths = draw(st.lists(st.integers(0, len(log)), max_size=6))
    arrivals = [decided(draw(st.integers(0, 1)), fold(log[:n], draw(deleted_now)).decisions) for n in lengths]
    arrivals += [settled(draw(st.integers(1, 5))) for _ in range(draw(st.integers(0, 2)))]
    order = draw(st.permutations([n for n, lives in enumerate([*per_document, arrivals]) for _ in lives]))
    waiting = [iter(lives) for lives in [*per_document, arrivals]]
    decisions = fold(log, set(DOCUMENTS) - living.keys()).decisions
    last = decided(draw(st.integers(0, 1)), decisions)
    return History([*(next(waiting[n]) for n in order), last], living, decisions)


async def comes_to(factory: Factory, *happenings: Happening) -> dict[str, Any]:
    """All that a graph tells after these, with every name settled."""
    with tempfile.TemporaryDirectory() as folder, closing(factory(Path(folder))) as graphs:
        deciders = [Decider(), Decider()]
        for happening in happenings:
            happening(graphs, deciders)
        while graphs.writer(ACME).resolve():
            pass
        reader = graphs.reader(ACME)
        return {**await everything(reader), "verdicts": await reader.verdicts(sorted(KEYS))}


@given(history=histories(), seed=st.integers(0, 1000))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shares_and_edits_in_any_order_twice_and_between_deletions_make_one_graph(
    factory: Factory, history: History, seed: int
) -> None:
    mixed = asyncio.run(comes_to(factory, *history.happenings))
    shares = [written(document, one) for document, each in history.living.items() for one in each]
    decide = decided(0, history.decisions)
    in_order = [*shares, decide]
    shuffled = random.Random(seed).sample(in_order, len(in_order))
    assert mixed == asyncio.run(comes_to(factory, *in_order))
    assert mixed == asyncio.run(comes_to(factory, *shuffled, decide))
    assert mixed == asyncio.run(comes_to(SqliteGraphs, decide, *reversed(shares)))  # either store tells the same


@given(data=st.data(), seed=st.integers(0, 1000))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shares_in_any_order_make_the_same_graph_and_a_deleted_document_leaves_no_trace(
    factory: Factory, data: st.DataObject, seed: int
) -> None:
    first, second = data.draw(shares_of("a")), data.draw(shares_of("b"))

    async def graph_of(*steps: Callable[[Graphs], None]) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder, closing(factory(Path(folder))) as graphs:
            for step in steps:
                step(graphs)
            return await everything(graphs.reader(ACME))

    def put(document: str, *shares: ChunkGraph) -> Callable[[Graphs], None]:
        return lambda graphs: write(graphs, document, *shares)

    singly = [put("a", s) for s in first] + [put("b", s) for s in second]
    random.Random(seed).shuffle(singly)
    both = asyncio.run(graph_of(put("a", *first), put("b", *second)))
    assert asyncio.run(graph_of(*singly)) == both
    only_second = asyncio.run(graph_of(put("b", *second)))
    assert asyncio.run(graph_of(*singly, lambda graphs: graphs.writer(ACME).delete("a"))) == only_second


# Half-done


async def test_a_batch_that_fails_half_way_leaves_nothing(graphs: Graphs) -> None:
    broken = ChunkGraph("c2", (mention("Orvin", "c2"), "no mention"))  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        write(graphs, "d", share("c1", "Kelmore"), broken)
    assert graphs.writer(ACME).ids({"d": "v1"}) == {"d": set()}
    assert (await graphs.reader(ACME).entities()).entities == ()
    write(graphs, "d", share("c1", "Kelmore"), share("c2", "Orvin"))
    assert graphs.writer(ACME).ids({"d": "v1"}) == {"d": {"c1", "c2"}}


async def test_an_old_version_goes_and_the_kept_one_stays(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Kelmore", "Orvin"), version="v1")
    write(graphs, "d", share("c2", "Kelmore"), version="v2")
    graphs.writer(ACME).delete_others({"d": "v2"})
    assert [(e.key, e.mentions) for e in (await graphs.reader(ACME).entities()).entities] == [("kelmore", 1)]
    assert graphs.writer(ACME).ids({"d": "v1"}) == {"d": set()}


# Tenants, hostile text, many writers


async def test_tenants_never_see_each_other(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Kelmore", "Orvin", relations=(relation("Kelmore", "NEAR", "Orvin", "c1"),)))
    [entity, _] = (await graphs.reader(ACME).entities()).entities
    other = graphs.reader(OTHER)
    assert (await other.entities()).entities == ()
    answers: list[object] = [await other.mentions_in(["c1"]), await other.edges(["kelmore"])]
    assert [*answers, await other.match(["Kelmore"])] == [{}] * 3
    with pytest.raises(NotFound):
        await other.entity(entity.id)
    graphs.writer(OTHER).delete("d")
    graphs.drop(OTHER)
    assert graphs.writer(ACME).ids({"d": "v1"}) == {"d": {"c1"}}
    graphs.drop(ACME)
    assert (await graphs.reader(ACME).entities()).entities == ()


async def test_names_of_another_tenant_push_none_out_of_a_lookup(graphs: Graphs) -> None:
    write(graphs, "d", share("c1", "Wainwright"))
    nearer = [f"Wainrght{one}{two}" for one in "abcdef" for two in "abcdefghij"]
    write(graphs, "e", share("c2", *nearer), tenant=OTHER)
    [(found, _)] = (await graphs.reader(ACME).match(["Wainrght"]))["Wainrght"]
    assert found.key == "wainwright"


HOSTILE = (
    "Robert'); DROP TABLE share;--",
    '" OR 1=1 --',
    "NEAR(a b) AND * NOT key:x",
    "}) MATCH (n) DETACH DELETE n //",
    "%_\\",
    "[1, 2",
    "naïve “quotes” \u202e end",
    "x" * 5000,
)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_only_text(graphs: Graphs, text: str) -> None:
    write(graphs, "d", share("c1", "Kelmore"))
    key = text.casefold()
    hostile = ChunkGraph(
        text,
        (mention(f"{text}\x00", text, key=key),),
        (Relation(key, "kelmore", text, 0.9, text, Span(0, len(text)), text, text),),
        (Alias(f"{key} too", key, text, text),),
    )
    write(graphs, text, hostile)
    reader = graphs.reader(ACME)
    assert (await reader.mentions_in([text]))[text][0].surface == f"{text}\x00"
    assert (await reader.mentioned_by([key], 5))[key].places == ((text, 0),)
    assert (await reader.edges(["kelmore"]))["kelmore"][0].type == text
    await reader.match([text])
    await reader.entities(prefix=text, kind=text)
    graphs.writer(ACME).delete(text)
    assert [e.key for e in (await reader.entities()).entities] == ["kelmore"]


async def test_sixteen_writers_on_one_hub_lose_and_double_nothing(graphs: Graphs) -> None:
    errors: list[BaseException] = []

    def ingest(writer: int) -> None:
        try:
            for n in range(5):
                chunk = f"c{writer:02}-{n}"
                spoke = relation("Hub", "LINKS_TO", f"Spoke {n}", chunk)
                write(graphs, f"d{writer}", share(chunk, "Hub", f"Spoke {n}", relations=(spoke,)))
        except BaseException as error:  # noqa: BLE001  the main thread reports it
            errors.append(error)

    threads = [threading.Thread(target=ingest, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    reader = graphs.reader(ACME)
    page = await reader.entities()
    assert [(e.key, e.mentions, e.degree) for e in page.entities] == [
        ("hub", 80, 5),
        *((f"spoke {n}", 16, 1) for n in range(5)),
    ]
    assert [edge.evidence for edge in (await reader.edges(["hub"]))["hub"]] == [16] * 5


async def all_edges(reader: GraphReader, key: str, size: int) -> list[Edge]:
    """Page by page."""
    read: list[Edge] = []
    while page := (await reader.edges([key], size, read[-1] if read else None)).get(key):
        read += page
    return read


async def test_the_edges_of_a_hub_are_read_page_by_page_each_once_in_one_order(graphs: Graphs) -> None:
    spokes = [f"Spoke {number}" for number in range(23)]
    stated = [relation("Hub", "NEAR", spoke, "c0", 0.6 + number % 3 / 10) for number, spoke in enumerate(spokes)]
    turned = [relation(spoke, "FEEDS", "Hub", "c0", 0.8) for spoke in spokes[:5]]
    write(graphs, "d", share("c0", "Hub", *spokes, relations=(*stated, *turned)))
    write(graphs, "e", share("c1", "Hub", "Spoke 4", relations=(relation("Hub", "NEAR", "Spoke 4", "c1", 0.6),)))
    reader = graphs.reader(ACME)
    whole = (await reader.edges(["hub"], 100))["hub"]
    assert len(whole) == 28
    assert await all_edges(reader, "hub", 4) == whole
    gone = Edge("hub", "no spoke", "NEAR", 0.7, 1)  # deleted between two pages
    behind = (await reader.edges(["hub"], 100, gone))["hub"]
    assert behind == whole[-len(behind) :]
    assert {edge.confidence for edge in behind} == {0.6, 0.7}
    assert await reader.edges(["hub"], 4, whole[-1]) == {}


async def test_what_is_written_between_two_pages_neither_repeats_nor_hides_the_edges_that_stayed(
    graphs: Graphs,
) -> None:
    spokes = [f"Spoke {number:02}" for number in range(20)]
    for number, spoke in enumerate(spokes):
        near = relation("Hub", "NEAR", spoke, f"c{number}", 0.9 if number % 2 else 0.7)
        write(graphs, f"d{number}", share(f"c{number}", "Hub", spoke, relations=(near,)))
    reader, writer = graphs.reader(ACME), graphs.writer(ACME)
    stays = (await reader.edges(["hub"], 100))["hub"]
    read = (await reader.edges(["hub"], 5))["hub"]
    writer.delete("d1")  # was told
    writer.delete("d4")  # was not told yet
    write(graphs, "e", share("c90", "Hub", "New", relations=(relation("Hub", "NEAR", "New", "c90", 0.8),)))
    writer.decide(fold(log_of(Invalidate(RelationKey("hub", "spoke 06", "NEAR")))).decisions)
    read += (await reader.edges(["hub"], 5, read[-1]))["hub"]
    both = log_of(Invalidate(RelationKey("hub", "spoke 06", "NEAR")), Merge("wheel", "hub", "Wheel"))
    writer.decide(fold(both).decisions)
    spoken = relation("Wheel", "TURNS", "Spoke 08", "c91", 0.6)
    write(graphs, "f", share("c91", "Wheel", "Spoke 08", relations=(spoken,)))
    while page := (await reader.edges(["hub"], 5, read[-1])).get("hub"):
        read += page
    assert len(read) == len(set(read))
    changed = {"spoke 01", "spoke 04", "spoke 06"}
    assert [edge for edge in read if edge in stays and edge.target_key not in changed] == [
        edge for edge in stays if edge.target_key not in changed
    ]
    came = [Edge("hub", "new", "NEAR", 0.8, 1), Edge("hub", "spoke 08", "TURNS", 0.6, 1)]
    assert [edge for edge in read if edge not in stays] == came
    assert not {"spoke 04", "spoke 06"} & {edge.target_key for edge in read}


async def test_an_edge_between_documents_is_told_at_both_ends_makes_no_entity_and_goes_with_its_chunk(
    graphs: Graphs,
) -> None:
    ends = document_key("d1"), document_key("d2")
    link = Relation(*ends, LINKS_TO, 1.0, "c1", Span(0, 0), "", "link")
    write(graphs, "d1", share("c1", "Ada Lovelace", relations=(link,)))
    reader = graphs.reader(ACME)
    edge = Edge(*ends, LINKS_TO, 1.0, 1)
    assert await reader.edges(ends) == {ends[0]: [edge], ends[1]: [edge]}
    assert [entity.name for entity in (await reader.entities()).entities] == ["Ada Lovelace"]
    assert await reader.match(["d1", "document d2"]) == {}
    graphs.writer(ACME).delete("d1")
    assert await reader.edges(ends) == {}


async def all_shares(reader: GraphReader, limit: int, dataset: str = "") -> list[GraphRow]:
    """Page by page."""
    found: list[GraphRow] = []
    while page := await reader.shares(found[-1].share.chunk_id if found else "", limit, dataset):
        assert len(page) <= limit
        found += page
        if len(page) < limit:
            break
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
async def test_the_whole_graph_comes_page_by_page_in_the_order_of_chunk_ids(graphs: Graphs, limit: int) -> None:
    rows = [
        GraphRow(
            share("c3", "Ada Lovelace", "London"),
            "d1",
            "v1",
            Scope(ACME, "letters", "run-1", 5, 7),
            ("table", "text"),
            ("n1", "n2"),
        ),
        GraphRow(share("c1"), "d2", "v2", SCOPE),
        GraphRow(share("c2", "Ada Lovelace"), "d2", "v2", SCOPE),
    ]
    graphs.writer(ACME).upsert(rows)
    write(graphs, "d", share("c0", "Secret"), tenant=OTHER)
    reader = graphs.reader(ACME)
    assert await all_shares(reader, limit) == [rows[1], rows[2], rows[0]]
    assert await all_shares(reader, limit, "letters") == rows[:1]
    assert await all_shares(reader, limit, "nothing") == []
    graphs.writer(ACME).delete("d2")
    assert await all_shares(reader, limit) == rows[:1]


async def test_a_chunk_that_a_step_leads_to_is_no_share_before_its_own_comes(graphs: Graphs) -> None:
    write(graphs, "d", ChunkGraph("c1", steps=(Step(StepType.HAS_TABLE, "c2"),)))
    assert [row.share.chunk_id for row in await graphs.reader(ACME).shares()] == ["c1"]


async def test_every_name_of_an_entity_leads_to_it(graphs: Graphs) -> None:
    write(
        graphs,
        "d",
        share("c1", "CNN", "Convolutional Neural Network", "Paris", aliases=(("CNN", "Convolutional Neural Network"),)),
    )
    reader = graphs.reader(ACME)
    entities = {entity.key: entity for entity in (await reader.entities()).entities}
    network, paris = entities["convolutional neural network"], entities["paris"]
    asked = ["cnn", "convolutional neural network", "paris", "nobody"]
    assert await reader.named(asked) == dict(zip(asked, [network, network, paris], strict=False))
    assert await reader.named([]) == {}
    assert await graphs.reader(OTHER).named(asked) == {}


async def test_the_stamp_tells_every_change_and_nothing_else(graphs: Graphs) -> None:
    reader = graphs.reader(ACME)
    seen = [await reader.stamp()]

    async def changed() -> bool:
        seen.append(await reader.stamp())
        return seen[-1] not in seen[:-1]

    assert not await changed()
    write(graphs, "d", share("c1", "Ada"))
    assert await changed()
    assert not await changed()
    write(graphs, "d", share("c1", "Ada", "London"))
    assert await changed()
    await reader.entities()
    write(graphs, "d", share("c1", "Secret"), tenant=OTHER)
    graphs.writer(ACME).delete("nothing")
    assert not await changed()
    graphs.writer(ACME).delete("d")
    assert await changed()
    write(graphs, "d", share("c1", "Ada"))
    assert await changed()
    graphs.writer(ACME).decide(Decisions(1, names={"ada": "Ada Lovelace"}))
    assert await changed()
    graphs.drop(ACME)
    write(graphs, "d", share("c1", "Ada"))
    assert await changed()


async def test_the_stamp_tells_what_changed_beside_a_share_that_stayed(graphs: Graphs) -> None:
    writer, reader = graphs.writer(ACME), graphs.reader(ACME)
    row = GraphRow(share("c1", "Ada"), "d", "v1", SCOPE)
    scopes = (Scope(ACME, "moved"), Scope(ACME, run="r"), Scope(ACME, uploaded=7), Scope(ACME, dated=0))
    others = [msgspec.structs.replace(row, scope=scope) for scope in scopes]
    others += [
        msgspec.structs.replace(row, version="v2"),
        msgspec.structs.replace(row, kinds=("table",)),
        msgspec.structs.replace(row, within=("n1",)),
    ]
    writer.upsert([row])
    seen = [await reader.stamp()]
    for write_row in (writer.upsert, writer.relabel):
        for other in (*others, row):
            write_row([other])
            stamp = await reader.stamp()
            assert stamp not in seen, (write_row, other)
            seen.append(stamp)
    writer.relabel([row, msgspec.structs.replace(others[0], share=ChunkGraph("c2"))])  # as it is, and not there
    assert await reader.stamp() == seen[-1]


# HyperNodes


def placed(chunk: str, document: str, *within: str, version: str = "v1", dataset: str = "default") -> GraphRow:
    return GraphRow(share(chunk, "Kelmore"), document, version, Scope(ACME, dataset), ("text",), within)


async def test_a_hypernode_has_its_chunks_as_evidence_and_they_know_it(graphs: Graphs) -> None:
    rows = [placed("c1", "d", "d:all", "d:one"), placed("c2", "d", "d:all", "d:two"), placed("c3", "d", "d:all")]
    graphs.writer(ACME).upsert([*rows, placed("c4", "e", "e:all"), placed("c5", "f")])
    reader = graphs.reader(ACME)
    nodes = ["d:all", "d:one", "e:all", "nobody"]
    assert await reader.evidence_of(nodes, 9) == {"d:all": ["c1", "c2", "c3"], "d:one": ["c1"], "e:all": ["c4"]}
    assert await reader.evidence_of(nodes, 2) == {"d:all": ["c1", "c2"], "d:one": ["c1"], "e:all": ["c4"]}
    assert await reader.hypernodes_of(["c1", "c3", "c5", "nobody"]) == {"c1": ("d:all", "d:one"), "c3": ("d:all",)}
    assert await reader.evidence_of([], 9) == {} == await reader.hypernodes_of([])
    stranger = graphs.reader(OTHER)
    assert await stranger.evidence_of(nodes, 9) == {} == await stranger.hypernodes_of(["c1"])


async def test_evidence_follows_its_chunks(graphs: Graphs) -> None:
    writer, reader = graphs.writer(ACME), graphs.reader(ACME)
    writer.upsert([placed("c1", "d", "one", "two"), placed("c2", "d", "one")])
    writer.upsert([placed("c1", "d", "one", "three")] * 2)
    assert await reader.evidence_of(["one", "two", "three"], 9) == {"one": ["c1", "c2"], "three": ["c1"]}
    before = await everything(reader)
    writer.relabel([placed("c2", "d", "two"), placed("c9", "d", "two")])
    assert await reader.evidence_of(["one", "two", "three"], 9) == {"one": ["c1"], "two": ["c2"], "three": ["c1"]}
    assert await everything(reader) == before
    writer.upsert([placed("n1", "d", "newer", version="v2")])
    writer.delete_others({"d": "v2"})
    assert await reader.evidence_of(["one", "two", "three", "newer"], 9) == {"newer": ["n1"]}
    writer.delete("d")
    assert await reader.evidence_of(["newer"], 9) == {}
    writer.upsert([placed("c1", "d", "one")])
    graphs.drop(ACME)
    assert await reader.evidence_of(["one"], 9) == {} == await reader.hypernodes_of(["c1"])


async def test_a_filter_holds_among_the_evidence_of_a_hypernode(graphs: Graphs) -> None:
    crowd = [placed(f"a{n:03}", "d", "all") for n in range(300)]
    graphs.writer(ACME).upsert([*crowd, placed("z", "d", "all", dataset="papers")])
    reader = graphs.reader(ACME)
    assert await reader.evidence_of(["all"], 5, RowFilter(dataset="papers")) == {"all": ["z"]}
    assert await reader.evidence_of(["all"], 2, RowFilter(("d",))) == {"all": ["a000", "a001"]}
    for nothing in (RowFilter(()), RowFilter(("e",)), RowFilter(kinds=("table",)), RowFilter(run="another")):
        assert await reader.evidence_of(["all"], 5, nothing) == {}
