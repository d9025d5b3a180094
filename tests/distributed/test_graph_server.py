"""The graph on a real Neo4j: what only a server can get wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit

import msgspec
import neo4j
import pytest
from cut_line import CutLine
from waiting import wait_until

from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.distributed.neo4j.schema import VERSION
from trivium.adapters.distributed.neo4j.server import Neo4jServer, Rows
from trivium.adapters.distributed.neo4j.shelf import Neo4jShelf
from trivium.adapters.distributed.neo4j.write import _GraphTransaction, create_schema
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.config import Settings, load_settings
from trivium.domain.chunks import Chunk, Span
from trivium.domain.edits import Decisions, RelationKey
from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.domain.graph import Alias, ChunkGraph, Entity, EntityType, Mention, MentionRole, Relation
from trivium.domain.ids import chunk_id, entity_id
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphReader, GraphRow, Graphs
from trivium.text.sentences import split_sentences
from trivium_graph.build import extract

ACME = Tenant("acme")
WAITS_FOR_A_LOCK: LiteralString = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
CORPORA = Path(os.environ.get("DATA", Path(__file__).parents[2] / "../shared/data"))


@pytest.fixture
def settings() -> Settings:
    """The server's, under a prefix that nobody has used."""
    return msgspec.structs.replace(load_settings(), index_prefix=f"test-{uuid.uuid4().hex}")


@pytest.fixture
def graphs(settings: Settings) -> Iterator[Neo4jGraphs]:
    with closing(Neo4jGraphs(settings)) as opened:
        yield opened
        opened.drop(ACME)


def row(document: str, ordinal: int, *names: str, alias: tuple[str, str] | None = None) -> GraphRow:
    """A chunk that names the first of `names` in its title, and relates it to each other one."""
    chunk = f"{document}-{ordinal:03}"
    mentions = [Mention(name, chunk, 0, Span(9 * at, 9 * at + 8), name.title()) for at, name in enumerate(names)]
    mentions.append(Mention(names[0], chunk, 0, Span(0, 0), names[0].title(), MentionRole.TITLE))
    relations = [Relation(names[0], far, "NEAR", 0.8, chunk, Span(0, 9), "…", "test") for far in names[1:]]
    aliases = [Alias(*alias, alias[0].upper(), chunk)] if alias else []
    share = ChunkGraph(chunk, tuple(mentions), tuple(relations), tuple(aliases))
    return GraphRow(share, document, "v1", Scope(ACME))


@pytest.mark.usefixtures("own_schema_node")
async def test_the_order_of_edges_is_there_after_an_upgrade_also_where_a_first_one_was_killed(
    graphs: Neo4jGraphs, settings: Settings
) -> None:
    rows = [row("d", 0, "ada keller", "harbour", "bridge"), row("d", 1, "ak", "mill", alias=("ak", "ada keller"))]
    graphs.writer(ACME).upsert(rows)
    told = await graphs.reader(ACME).edges(["ada keller", "mill"])
    assert [edge.target_key for edge in told["ada keller"]] == ["bridge", "harbour", "mill"]
    space = f"{settings.index_prefix}:{ACME.name}"
    for version in (VERSION - 1, VERSION):
        with closing(Neo4jServer(settings)) as server:
            server.run("MATCH ()-[r:TIE]->() WHERE r.tenant = $tenant DELETE r", tenant=space)
            server.run("MATCH (s:Schema {name: 'trivium'}) SET s.version = $version REMOVE s.ties", version=version)
        assert await graphs.reader(ACME).edges(["mill"]) == {}
        with closing(Neo4jGraphs(settings)) as upgraded:
            upgraded.prepare()
            assert await upgraded.reader(ACME).edges(["ada keller", "mill"]) == told


@pytest.mark.usefixtures("own_schema_node")
async def test_names_of_before_an_upgrade_are_found_by_their_words_after_it(
    graphs: Neo4jGraphs, settings: Settings
) -> None:
    graphs.writer(ACME).upsert([row("d", 0, "ada keller", "harbour"), row("d", 1, "ak", alias=("ak", "ada keller"))])
    told = await graphs.reader(ACME).match(["ada kellar", "ak", "harbur"])
    assert told.keys() == {"ada kellar", "ak", "harbur"}
    space = f"{settings.index_prefix}:{ACME.name}"
    for version in (VERSION - 1, VERSION):
        with closing(Neo4jServer(settings)) as server:
            server.run("MATCH (n:Name) WHERE n.tenant = $tenant REMOVE n.words", tenant=space)
            server.run("MATCH (s:Schema {name: 'trivium'}) SET s.version = $version REMOVE s.words", version=version)
        assert await graphs.reader(ACME).match(["ak"]) == {}
        with closing(Neo4jGraphs(settings)) as upgraded:
            upgraded.prepare()
            assert await upgraded.reader(ACME).match(["ada kellar", "ak", "harbur"]) == told


class Upgrading(Neo4jServer):
    """Has a writer of the version before commit once it is waited for: when open transactions are listed again."""

    def __init__(self, settings: Settings, earlier: neo4j.Transaction) -> None:
        super().__init__(settings)
        self._earlier, self._looks = earlier, 0

    def run(self, statement: LiteralString, **parameters: Any) -> Rows:
        self._looks += statement.startswith("SHOW TRANSACTIONS")
        if self._looks == 2 and not self._earlier.closed():
            self._earlier.commit()
        return super().run(statement, **parameters)


@pytest.mark.usefixtures("own_schema_node")
async def test_a_name_that_an_earlier_version_commits_during_an_upgrade_is_found_after_it(
    graphs: Neo4jGraphs, settings: Settings
) -> None:
    graphs.writer(ACME).upsert([row("d", 0, "ada keller")])
    kelmore = {"tenant": f"{settings.index_prefix}:{ACME.name}", "id": entity_id(ACME, "kelmore"), "key": "kelmore"}
    told = {"name": "Kelmore", "type": "location", "mentions": 1, "start": "kelmore", "spellings": []}
    with closing(Neo4jServer(settings)) as server:
        before = VERSION - 1
        server.run("MATCH (s:Schema {name: 'trivium'}) SET s.version = $version REMOVE s.words", version=before)
    with (
        neo4j.GraphDatabase.driver(settings.neo4j_url, auth=(settings.neo4j_user, settings.neo4j_password)) as driver,
        driver.session() as session,
        session.begin_transaction() as earlier,
    ):
        earlier.run("CREATE (n:Name:Entity) SET n = $name", name=kelmore | told).consume()
        with closing(Upgrading(settings, earlier)) as upgrading:
            create_schema(upgrading)
    assert (await graphs.reader(ACME).match(["kelmor"])).keys() == {"kelmor"}


def run_together(count: int, work: Callable[[int], None]) -> list[BaseException]:
    """Do `work` in `count` threads; returns what they raised."""
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  the caller reports it
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


async def everything(reader: GraphReader) -> dict[str, object]:
    """All that the graph says of its entities and their names."""
    entities: list[Entity] = []
    cursor = ""
    while True:
        page = await reader.entities(limit=500, cursor=cursor)
        entities += page.entities
        cursor = page.cursor
        if not cursor:
            break
    keys = [entity.key for entity in entities]
    return {
        "entities": entities,
        "about": await reader.about(keys),
        "places": [await reader.mentioned_by(keys, 5, role) for role in MentionRole],
        "edges": await reader.edges(keys, 20),
    }


# Many writers: they write, rewrite and delete documents that share two hubs, and whose aliases move names about.


def hub_rows(writer: int, turn: int) -> list[GraphRow]:
    document = f"d{writer:02}"
    alias = ("ec", "European Council" if turn % 2 else "eastern canal")
    spokes = [f"spoke {(writer + n) % 7}" for n in range(4)]
    return [
        row(document, 0, "hub", "second hub", *spokes),
        row(document, 1, "second hub", "ec", *spokes[:turn], alias=(alias[0], alias[1].lower())),
    ]


@pytest.mark.slow
def test_sixteen_writers_on_shared_hubs_leave_what_one_writer_leaves(graphs: Neo4jGraphs, tmp_path: Path) -> None:
    def work(writer: int) -> None:
        mine = graphs.writer(ACME)
        for turn in range(3):
            mine.upsert(hub_rows(writer, turn))
        if writer % 4 == 3:
            mine.delete(f"d{writer:02}")

    assert run_together(16, work) == []
    with closing(SqliteGraphs(tmp_path)) as alone:
        alone.writer(ACME).upsert([row for writer in range(16) if writer % 4 != 3 for row in hub_rows(writer, 2)])
        assert asyncio.run(everything(graphs.reader(ACME))) == asyncio.run(everything(alone.reader(ACME)))


def write_while_deleted(settings: Settings, document: str, write: Callable[[], None]) -> None:
    """Have `write` find what another transaction deletes, and wait for its lock until it is gone."""
    failed: list[BaseException] = []
    writing = threading.Thread(target=lambda: failed.extend(run_together(1, lambda _: write())))
    with (
        neo4j.GraphDatabase.driver(settings.neo4j_url, auth=(settings.neo4j_user, settings.neo4j_password)) as driver,
        driver.session() as session,
        session.begin_transaction() as deleting,
        driver.session() as looking,
    ):
        _GraphTransaction(deleting, ACME, f"{settings.index_prefix}:{ACME.name}").take({document: ""})  # type: ignore[arg-type]
        writing.start()
        wait_until(lambda: bool(looking.run(WAITS_FOR_A_LOCK).values()), "the writer waits")
        deleting.commit()
    writing.join()
    assert failed == []


@pytest.mark.parametrize("document", ["x", "another"])
def test_what_is_written_while_it_is_deleted_is_there_whole(
    graphs: Neo4jGraphs, settings: Settings, tmp_path: Path, document: str
) -> None:
    """The same passage, and one that has a name which nothing else had."""
    written = [row(document, 0, "kelmore", "orvin")]
    graphs.writer(ACME).upsert([row("x", 0, "kelmore", "harbour", "orvin")])
    write_while_deleted(settings, "x", lambda: graphs.writer(ACME).upsert(written))
    with closing(SqliteGraphs(tmp_path)) as alone:
        alone.writer(ACME).upsert(written)
        assert asyncio.run(everything(graphs.reader(ACME))) == asyncio.run(everything(alone.reader(ACME)))
    assert graphs.writer(ACME).ids({document: "v1"}) == {document: {f"{document}-000"}}


@pytest.mark.parametrize("step", [_GraphTransaction.fill_ties, _GraphTransaction.mark_words])
def test_an_upgrade_goes_on_behind_the_last_name_also_where_that_is_deleted_meanwhile(
    graphs: Neo4jGraphs, settings: Settings, step: Callable[[_GraphTransaction, str], str | None]
) -> None:
    stays, goes = sorted(("harbour", "kelmore"), key=lambda name: entity_id(ACME, name))
    graphs.writer(ACME).upsert([row("d", 0, stays), row("x", 0, goes)])
    space = f"{settings.index_prefix}:{ACME.name}"
    last: list[str | None] = []
    with closing(Neo4jServer(settings)) as server:
        write_while_deleted(
            settings, "x", lambda: last.append(server.write(lambda it: step(_GraphTransaction(it, ACME, space), "")))
        )
    assert last == [entity_id(ACME, stays)]


def test_a_transaction_that_failed_leaves_the_one_alone_that_has_its_connection_next(settings: Settings) -> None:
    with closing(Neo4jServer(settings)) as server, ExitStack() as opened:
        others: list[neo4j.Transaction] = []

        def work(transaction: neo4j.ManagedTransaction) -> None:
            try:
                transaction.run("RETURN 1 / 0").consume()
            except neo4j.exceptions.ClientError:  # the connection is free, and somebody takes it
                session = opened.enter_context(server._writer().session())
                others.append(session.begin_transaction())
                others[0].run("RETURN 1").consume()
                raise

        with pytest.raises(NeverWill):
            server.write(work)
        assert others[0].run("RETURN 2").values() == [[2]]
        others[0].commit()


def test_a_removal_that_meets_a_deadlock_is_done_again(graphs: Neo4jGraphs, settings: Settings) -> None:
    """As beside a writer whose process has just been killed: the server goes on with what it had begun."""
    graphs.writer(ACME).upsert([row("d", 0, "ada keller", "bridge", "harbour", "mill")])
    take: LiteralString = (
        "UNWIND $keys AS key CALL (key) {"
        " MATCH (n:Name) WHERE n.tenant = $tenant AND n.key = key SET n.held = true RETURN n } RETURN key"
    )
    space = f"{settings.index_prefix}:{ACME.name}"
    removed: list[Rows] = []
    with (
        closing(Neo4jServer(settings)) as server,
        server._writer().session() as session,
        session.begin_transaction() as writer,
    ):
        # Of two that wait for each other, the server ends the one that holds less.
        writer.run(take, tenant=space, keys=["bridge", "harbour", "mill"]).consume()
        keys = ["ada keller", "bridge"]
        removing = threading.Thread(target=lambda: removed.append(server.run(take, tenant=space, keys=keys)))
        removing.start()
        wait_until(lambda: server.run(WAITS_FOR_A_LOCK), "the removal waits")
        writer.run(take, tenant=space, keys=["ada keller"]).consume()
        writer.commit()
        removing.join()
    assert removed == [[["ada keller"], ["bridge"]]]


def test_a_name_that_is_deleted_while_names_are_resolved_stops_no_other(
    graphs: Neo4jGraphs, settings: Settings
) -> None:
    """To whoever found it before, such a node has no properties any more."""
    graphs.writer(ACME).upsert([row("d", 0, "ada keller", "harbour")])
    space = f"{settings.index_prefix}:{ACME.name}"
    with closing(Neo4jServer(settings)) as server:
        server.run("CREATE (:Unresolved {tenant: $tenant})", tenant=space)
        resolved = graphs.writer(ACME).resolve()
        server.run("MATCH (n:Unresolved {tenant: $tenant}) WHERE n.id IS NULL DELETE n", tenant=space)
    assert (resolved, graphs.unresolved()) == (2, set())


def people(document: str, *names: str) -> GraphRow:
    """Persons that stand together."""
    made = row(document, 0, *names)
    mentions = tuple(msgspec.structs.replace(one, type=EntityType.PERSON) for one in made.share.mentions)
    return msgspec.structs.replace(made, share=msgspec.structs.replace(made.share, mentions=mentions))


def settle(graphs: Neo4jGraphs) -> None:
    while graphs.writer(ACME).resolve():
        pass


async def stands_for(graphs: Neo4jGraphs, key: str) -> str:
    return (await graphs.reader(ACME).named([key]))[key].key


async def test_names_marked_by_an_earlier_version_are_decided_anew_whoever_marks_them_after_it(
    graphs: Neo4jGraphs, settings: Settings
) -> None:
    writer = graphs.writer(ACME)
    writer.upsert([people("a", "ilse brandt", "harbour"), people("b", "brandt", "mill")])
    settle(graphs)
    writer.upsert([people("c", "ilse brandt", "mill")])
    space = f"{settings.index_prefix}:{ACME.name}"
    with closing(Neo4jServer(settings)) as server:
        server.run(
            "MATCH (n:Unresolved {tenant: $tenant}) SET n.touched = 'ab12' REMOVE n.changed RETURN n.id", tenant=space
        )
    writer.upsert([people("d", "ilse brandt", "bridge")])
    assert await stands_for(graphs, "brandt") == "brandt"
    settle(graphs)
    assert await stands_for(graphs, "brandt") == "ilse brandt"


def test_of_a_name_that_waits_no_more_neighbours_are_kept_than_are_told_apart(
    graphs: Neo4jGraphs, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.adapters.distributed.neo4j.write.MAX_NEIGHBOURS", 3)
    space = f"{settings.index_prefix}:{ACME.name}"

    def kept() -> list[list[Any]]:
        with closing(Neo4jServer(settings)) as server:
            return server.run(
                "MATCH (n:Unresolved {tenant: $tenant, key: 'brandt'}) RETURN n.touched STARTS WITH '+', n.changed",
                tenant=space,
            )

    writer = graphs.writer(ACME)
    writer.upsert([people("a", "brandt", "harbour")])
    settle(graphs)
    for other in ("mill", "bridge", "quarry"):
        writer.upsert([people(other, "brandt", other)])
    assert kept() == [[True, ["mill", "bridge", "quarry"]]]
    writer.upsert([people("b", "brandt", "weir")])
    assert kept() == [[False, None]]
    settle(graphs)
    writer.upsert([people("c", "brandt", "ford", "inn", "lock", "moor")])
    assert kept() == [[False, None]]


@pytest.mark.parametrize("step", ["alive", "near", "changed", "records", "decide"])
@pytest.mark.parametrize("is_deleted", [True, False])
async def test_what_is_written_while_names_are_resolved_is_decided_after_it(
    graphs: Neo4jGraphs, monkeypatch: pytest.MonkeyPatch, step: str, is_deleted: bool
) -> None:
    """Both names of a pair lose, or get, the neighbour that makes them one: one before, one during it."""
    writer = graphs.writer(ACME)
    writer.upsert(
        [people("a", "ilse brandt", "harbour"), people("b", "brandt", "mill"), people("x", "bridge", "orvin")]
    )
    both = [people("c", "ilse brandt", "bridge"), people("d", "brandt", "bridge")]

    def change(one: GraphRow) -> None:
        if is_deleted:
            writer.delete(one.document_id)
        else:
            writer.upsert([one])

    if is_deleted:
        writer.upsert(both)
    settle(graphs)
    assert await stands_for(graphs, "brandt") == ("ilse brandt" if is_deleted else "brandt")
    change(both[0])
    done = getattr(Neo4jShelf, step)
    waiting = [both[1]]

    def beside_a_writer(shelf: Neo4jShelf, *given: Any) -> Any:
        if waiting:
            threading.Thread(target=change, args=(waiting.pop(),)).start()
            wait_until(lambda: len(writer.ids({"d": "v1"})["d"]) == (not is_deleted), "the other writer is done")
        return done(shelf, *given)

    monkeypatch.setattr(Neo4jShelf, step, beside_a_writer)
    settle(graphs)
    assert waiting == []
    assert await stands_for(graphs, "brandt") == ("brandt" if is_deleted else "ilse brandt")


def test_a_hub_with_an_invalid_relation_is_not_counted_anew_at_every_write(
    graphs: Neo4jGraphs, settings: Settings
) -> None:
    """What is wrong behind the product's back stays so where a write does not look."""
    invalid = Decisions(hidden={RelationKey("hub", "harbour", "NEAR"): "000000000001.000000"})
    graphs.writer(ACME).upsert([row("d", 0, "hub", "harbour", "bridge", "mill")])
    graphs.writer(ACME).decide(invalid)
    space = f"{settings.index_prefix}:{ACME.name}"
    with closing(Neo4jServer(settings)) as server:
        server.run("MATCH ()-[r:TIE]->(t) WHERE r.tenant = $tenant SET r.evidence = 7", tenant=space)
        graphs.writer(ACME).upsert([row("e", 0, "hub", "harbour", "bridge")])
        ties = server.run("MATCH ()-[r:TIE]->(t) WHERE r.tenant = $tenant RETURN t.key, r.evidence", tenant=space)
    assert sorted(ties) == [["bridge", 2], ["mill", 7]]


def test_the_schema_is_created_once_by_many_at_the_same_time(settings: Settings) -> None:
    def work(number: int) -> None:
        with closing(Neo4jGraphs(settings)) as graphs:
            graphs.writer(ACME).upsert([row(f"d{number}", 0, "kelmore")])

    with closing(Neo4jGraphs(settings)) as graphs:
        assert run_together(8, work) == []
        [entity] = asyncio.run(graphs.reader(ACME).entities()).entities
        assert entity.mentions == 8
        graphs.drop(ACME)


async def test_a_hub_is_read_in_parts_and_counted_whole(graphs: Neo4jGraphs) -> None:
    graphs.writer(ACME).upsert([row(f"d{n:03}", 0, "hub", f"spoke {n}") for n in range(300)])
    hub = (await graphs.reader(ACME).mentioned_by(["hub"], 3))["hub"]
    assert (hub.total, [chunk for chunk, _ in hub.places]) == (300, ["d000-000", "d001-000", "d002-000"])
    assert len((await graphs.reader(ACME).edges(["hub"], 7))["hub"]) == 7
    [entity] = (await graphs.reader(ACME).entities(limit=1)).entities
    assert (entity.key, entity.mentions, entity.degree) == ("hub", 300, 300)


# The server goes away


def through(settings: Settings, line: CutLine) -> Settings:
    return msgspec.structs.replace(settings, neo4j_url=f"bolt://127.0.0.1:{line.port}")


@pytest.fixture
def line(settings: Settings) -> Iterator[CutLine]:
    address = urlsplit(settings.neo4j_url)
    with CutLine(address.hostname or "127.0.0.1", address.port or 7687) as line:
        yield line


@pytest.mark.slow
async def test_writers_outlast_a_restart_and_readers_are_told(
    settings: Settings, graphs: Neo4jGraphs, line: CutLine
) -> None:
    with closing(Neo4jGraphs(through(settings, line))) as cut:
        reader = cut.reader(ACME)
        cut.writer(ACME).upsert([row("d", 0, "kelmore")])
        assert (await reader.about(["kelmore"]))["kelmore"]

        def work(writer: int) -> None:
            for ordinal in range(20):
                cut.writer(ACME).upsert([row(f"d{writer}", ordinal, "kelmore", "orvin")])

        writing = threading.Thread(target=lambda: failed.extend(run_together(4, work)))
        failed: list[BaseException] = []
        writing.start()
        await asyncio.sleep(0.3)
        line.cut()
        with pytest.raises(TryLater) as told:
            await reader.about(["kelmore"])
        assert (told.value.code, "TRIVIUM_NEO4J_URL" in told.value.action) == ("neo4j_down", True)
        line.mend()
        await asyncio.to_thread(writing.join)
        assert failed == []
        [kelmore, orvin] = (await reader.entities()).entities
        assert (kelmore.mentions, orvin.mentions) == (81, 80)


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"neo4j_password": "no"}, "neo4j_credentials"), ({"neo4j_url": "bolt://127.0.0.1:9"}, "neo4j_down")],
)
async def test_wrong_credentials_and_a_wrong_address_are_told(
    settings: Settings, changed: dict[str, str], code: str
) -> None:
    with closing(Neo4jGraphs(msgspec.structs.replace(settings, **changed))) as graphs:
        with pytest.raises(TryLater) as told:
            await graphs.reader(ACME).about(["kelmore"])
        assert told.value.code == code
        assert "TRIVIUM_NEO4J" in told.value.action
        assert settings.neo4j_password not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:7474",
        "bolt://",
        "127.0.0.1:7687",
        "bolt://127.0.0.1:port",
        "bolt://me:hunter/2@127.0.0.1:7687",
    ],
)
def test_an_address_that_is_none_is_refused_at_once(settings: Settings, url: str) -> None:
    with pytest.raises(Refused, match="TRIVIUM_NEO4J_URL") as told:
        Neo4jGraphs(msgspec.structs.replace(settings, neo4j_url=url))
    assert "hunter" not in str(told.value)


# Names that look like Cypher, Lucene or nothing

HOSTILE = (
    "`}) DETACH DELETE n //",
    "kelmore'}) MATCH (n) DETACH DELETE n RETURN ('",
    '" OR *:* AND (title:x)~9^2',
    "$tenant",
    "a\\u0027 b",
    "\u202eright to left",
    "12 location forged",
)


@pytest.mark.parametrize("text", HOSTILE)
async def test_names_that_look_like_a_statement_are_names(graphs: Neo4jGraphs, text: str) -> None:
    graphs.writer(ACME).upsert([row("d", 0, "kelmore"), row("e", 0, text, "kelmore", alias=(f"{text} too", text))])
    reader = graphs.reader(ACME)
    found = {entity.key: entity for entity in (await reader.entities()).entities}
    assert found[text].name == text.title()
    assert found[text].aliases == (f"{text} too".upper(),)
    assert (await reader.about([f"{text} too"]))[f"{text} too"][0].chunk_id == "e-000"
    await reader.match([text, text.upper()])
    await reader.entities(prefix=text)
    graphs.writer(ACME).delete("e")
    assert [entity.key for entity in (await reader.entities()).entities] == ["kelmore"]


# The same answers as the embedded graph, over real text


def corpus_shares(limit: int) -> list[GraphRow]:
    file = CORPORA / "2wiki_dev" / "corpus.jsonl.gz"
    if not file.exists():
        pytest.skip(f"needs the evaluation corpora: set DATA to their folder (looked in {CORPORA})")
    rows = []
    with gzip.open(file, "rt") as lines:
        for _, line in zip(range(limit), lines, strict=False):
            passage = json.loads(line)
            document, text = passage["id"], passage["text"]
            chunk = Chunk(
                chunk_id(document, "v1", 0),
                document,
                "v1",
                0,
                text,
                Span(0, len(text)),
                document,
                split_sentences(text),
                title=passage["title"],
            )
            rows += [GraphRow(share, document, "v1", Scope(ACME)) for share in extract([chunk])]
    return rows


@pytest.mark.slow
async def test_server_and_embedded_graph_answer_the_same_over_a_corpus(graphs: Neo4jGraphs, tmp_path: Path) -> None:
    rows = corpus_shares(400)
    with closing(SqliteGraphs(tmp_path)) as embedded:
        stores: tuple[Graphs, ...] = (graphs, embedded)
        for store in stores:
            store.writer(ACME).upsert(rows)
        for document in [row.document_id for row in rows][::7]:
            for store in stores:
                store.writer(ACME).delete(document)
        server, twin = graphs.reader(ACME), embedded.reader(ACME)
        told = await everything(server)
        assert told == await everything(twin)
        chunks = [row.share.chunk_id for row in rows]
        assert await server.mentions_in(chunks) == await twin.mentions_in(chunks)
        keys = sorted({mention.key for row in rows for mention in row.share.mentions})  # readings are no entities
        for role in MentionRole:
            assert await server.mentioned_by(keys, 3, role) == await twin.mentioned_by(keys, 3, role)
        for key in keys[::50]:
            assert await server.evidence(key) == await twin.evidence(key)
