"""The sixteen tools, each through HTTP and gRPC: what it changes or tells, and that both doors answer alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status
from waiting import wait_until

from trivium.v1 import graph_pb2 as pb
from trivium.v1 import graph_pb2_grpc

from .conftest import Server

PLAN = "# The weir at Tarn Hollow\n\nThe removal is led by Odalys Prant. Odalys Prant lives in Kelmore.\n"
REPORT = (
    "# The report of 2024\n\nMirel Tosk counted salmon below Tarn Hollow. Mirel Tosk works for the Oxley Water Board.\n"
)
MORNINGS = " ".join(f"The water stood {inches} inches above the mark." for inches in range(60))
BOOK = f"# The book\n\n## Spring\n\nDell Orrin mended the sluice. {MORNINGS}\n\n## Summer\n\nAn otter. {MORNINGS}\n"
KIN = """# Kin

Odalys Pranter met Odalys Prance and Odalys Prane at Kelmore.

Savern Harbour, formerly known as Camp Ash, grew. The ferry leaves Camp Ash at dawn.
"""

ARGUMENTS = {
    "read_paragraph": {"chunk_id"},
    "browse_context": {"chunk_id", "before", "after"},
    "search_kg": {"name", "limit"},
    "explore_fusion": {"query", "mode", "limit"},
    "create_entity": {"name", "type", "aliases", "why", "evidence"},
    "create_relation": {"source", "type", "target", "confidence", "why", "evidence"},
    "update_entity": {"entity", "name", "type", "aliases", "remove_aliases", "why", "evidence"},
    "update_relation": {"source", "type", "target", "new_type", "turned", "confidence", "why", "evidence"},
    "merge_entity": {"entity", "into", "why", "evidence", "force"},
    "merge_relation": {"source", "target", "types", "into", "why"},
    "delete_entity": {"entity", "why", "evidence"},
    "delete_relation": {"source", "type", "target", "why", "evidence"},
    "mark_for_review": {"entity", "question", "evidence"},
    "create_todo": {"task", "run"},
    "batch_kg_operations": {"operations"},
    "get_progress": {"run"},
}
NO_MODELS_TOOL = {"import_list": {"entities", "relations", "why", "dry_run"}}
LIVES_IN = {"source": "Odalys Prant", "type": "LIVES_IN", "target": "Kelmore"}

Tool = Callable[..., dict[str, Any]]


class Refusal(Exception):
    """What a door says instead of an answer."""

    def __init__(self, status: object, code: str, told: str) -> None:
        super().__init__(f"{status} {code} {told}")
        self.status = status
        self.code = code
        self.told = told


@pytest.fixture(scope="module")
def weir(server: Server) -> Server:
    for name, text in (("plan.md", PLAN), ("report.md", REPORT), ("book.md", BOOK), ("kin.md", KIN)):
        assert server.take(name, text)["state"] == "ready"
    wait_until(lambda: "Odalys Prane" not in entities(server), "Prane and Prance one: names are resolved behind ingest")
    return server


def over_http(server: Server) -> Tool:
    def run(name: str, /, **arguments: Any) -> dict[str, Any]:
        with server.http() as client:
            answer = client.post(f"/v1/graph/tools/{name}", params={"actor": "anna"}, json=arguments)
        told: dict[str, Any] = answer.json()
        if answer.status_code != 200:
            raise Refusal(answer.status_code, told["code"], f"{told['detail']} {told['action']}")
        return told

    return run


def over_grpc(server: Server) -> Tool:
    def run(name: str, /, **arguments: Any) -> dict[str, Any]:
        asked = pb.RunToolRequest(name=name, arguments=json.dumps(arguments), actor={"name": "anna"})
        with server.channel() as channel:
            try:
                told: dict[str, Any] = json.loads(graph_pb2_grpc.GraphServiceStub(channel).RunTool(asked).result)
            except grpc.RpcError as error:
                status, info = rpc_status.from_call(error), ErrorInfo()
                assert next(each for each in status.details if each.Is(ErrorInfo.DESCRIPTOR)).Unpack(info)
                raise Refusal(error.code(), info.reason, f"{error.details()} {info.metadata['action']}") from error
        return told

    return run


def by_command(server: Server) -> Tool:
    def run(name: str, /, **arguments: Any) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(server.cli("graph", "tool", name, json.dumps(arguments)).stdout)
        return told

    return run


DOORS = {"http": over_http, "grpc": over_grpc}


@pytest.fixture(params=DOORS)
def tool(request: pytest.FixtureRequest, weir: Server) -> Tool:
    """The tools through one door."""
    return DOORS[request.param](weir)


def entities(server: Server) -> dict[str, dict[str, Any]]:
    """By name."""
    with server.http() as client:
        found = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
    return {each["name"]: each for each in found}


def edges(server: Server, name: str) -> set[tuple[str, str, bool]]:
    """Type, the other end and whether it points there, of an entity's relations."""
    with server.http() as client:
        seen = client.get(f"/v1/graph/entities/{entities(server)[name]['id']}").json()
    return {(each["relation"], each["entity"]["name"], each["outgoing"]) for each in seen["neighbours"]}


def passage(server: Server, words: str, source: str) -> dict[str, Any]:
    [found] = [
        hit["chunk"]
        for hit in server.search(words, mode="keyword")
        if hit["chunk"]["source"] == source and words in hit["chunk"]["text"]
    ]
    return dict(found)


@contextmanager
def undone(server: Server, edited: dict[str, Any]) -> Iterator[None]:
    """The block sees the edit; afterwards it is undone."""
    try:
        yield
    finally:
        with server.http() as client:
            number = edited["edits"][0]["id"].partition(".")[0]
            assert client.post(f"/v1/graph/edits/{number}/undo").status_code == 200


def test_the_sixteen_are_listed_by_name_with_the_json_schema_of_what_they_take(weir: Server) -> None:
    with weir.http() as client:
        told = {each["name"]: each for each in client.get("/v1/graph/tools").json()["tools"]}
    assert len(ARGUMENTS) == 16
    assert {name: set(properties(each["arguments"])) for name, each in told.items()} == ARGUMENTS | NO_MODELS_TOOL
    assert all(each["description"] for each in told.values())
    with weir.channel() as channel:
        listed = graph_pb2_grpc.GraphServiceStub(channel).ListTools(pb.ListToolsRequest()).tools
    assert {each.name: json.loads(each.arguments) for each in listed} == {
        name: each["arguments"] for name, each in told.items()
    }
    assert {each["name"]: each for each in json.loads(weir.cli("graph", "tool", "--json").stdout)} == told
    lines = weir.cli("graph", "tool").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith(" ")] == list(told)
    assert "    types (array of string, needed): Those that go." in lines
    assert "    evidence (array of {chunk_id, snippet}): What it rests on." in lines


def properties(schema: dict[str, Any]) -> dict[str, Any]:
    assert schema["$ref"].startswith("#/$defs/")
    kind = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    assert (kind["type"], kind["additionalProperties"]) == ("object", False)
    found: dict[str, Any] = kind["properties"]
    assert set(kind.get("required", ())) <= set(found)
    return found


def test_a_hubs_neighbours_come_page_by_page_through_every_door(weir: Server) -> None:
    names = [f"Sluice {letter}" for letter in "ABCDEFG"]
    made = [{"tool": "create_entity", "arguments": {"name": name, "type": "location"}} for name in names]
    feeds = [{"source": name, "type": "FEEDS", "target": "Kelmore"} for name in names]
    related = [{"tool": "create_relation", "arguments": relation} for relation in feeds]
    with undone(weir, over_http(weir)("batch_kg_operations", operations=[*made, *related])):
        kelmore = entities(weir)["Kelmore"]["id"]
        pages: list[list[str]] = []
        cursor, more = "", True
        with weir.http() as client:
            asked = f"/v1/graph/entities/{kelmore}"
            whole = [
                each["entity"]["name"] for each in client.get(asked, params={"neighbours": 100}).json()["neighbours"]
            ]
            while more:
                page = client.get(asked, params={"neighbours": 3, "cursor": cursor}).json()
                pages.append([each["entity"]["name"] for each in page["neighbours"]])
                cursor = page["cursor"]
                more = bool(cursor)
            assert client.get(asked, params={"cursor": "x"}).json()["code"] == "bad_cursor"
        assert [name for page in pages for name in page] == whole
        assert set(names) <= set(whole)
        assert [len(page) for page in pages[:-1]] == [3] * (len(pages) - 1)
        with weir.channel() as channel:
            stub, token, told = graph_pb2_grpc.GraphServiceStub(channel), "", list[str]()
            for _ in pages:
                answer = stub.GetEntity(pb.GetEntityRequest(id=kelmore, neighbours=3, page_token=token))
                token = answer.next_page_token
                told += [each.entity.name for each in answer.neighbours]
        assert (told, token) == (whole, "")
        short = weir.cli("graph", "show", "Kelmore", "--limit", "3")
        assert ("It has more neighbours" in short.stderr, short.stdout.count("--FEEDS--")) == (True, 3)
        assert "It has more neighbours" not in weir.cli("graph", "show", "Kelmore", "--limit", "200").stderr


def test_read_paragraph_tells_the_passage_its_names_and_its_neighbours(weir: Server, tool: Tool) -> None:
    first = passage(weir, "mended the sluice", "book.md")
    read = tool("read_paragraph", chunk_id=first["id"])
    assert (read["source"], read["number"], read["text"]) == ("book.md", first["number"], first["text"])
    [name] = [each for each in read["names"] if each["key"] == "dell orrin"]
    assert read["text"][name["start"] : name["end"]] == name["surface"] == "Dell Orrin"
    following = tool("read_paragraph", chunk_id=read["next"])
    assert (following["number"], following["previous"]) == (read["number"] + 1, read["chunk_id"])


def test_browse_context_tells_the_passages_around_one(weir: Server, tool: Tool) -> None:
    first = passage(weir, "mended the sluice", "book.md")
    seen = tool("browse_context", chunk_id=first["id"], before=0, after=1)
    assert seen["source"] == "book.md"
    assert [each["number"] for each in seen["passages"]] == [first["number"], first["number"] + 1]
    assert seen["passages"][0]["text"] == first["text"]


def test_search_kg_finds_a_name_that_is_nearly_spelt_so_with_its_relations(tool: Tool) -> None:
    [best] = tool("search_kg", name="Odalys Prant", limit=1)["found"]
    assert (best["entity"]["name"], best["similarity"]) == ("Odalys Prant", 1.0)
    assert ("LIVES_IN", "kelmore") in {(each["type"], each["target"]) for each in best["relations"]}
    near = tool("search_kg", name="Mirel Tosck")["found"]
    assert near[0]["entity"]["name"] == "Mirel Tosk"
    assert 0 < near[0]["similarity"] < 1


def test_explore_fusion_finds_passages_and_says_by_what(tool: Tool) -> None:
    found = tool("explore_fusion", query="Who counted salmon below Tarn Hollow?", limit=2)
    best = found["passages"][0]
    assert (best["rank"], best["source"]) == (1, "report.md")
    assert "counted salmon" in best["text"]
    assert {"vector", "keyword"} <= set(best["by"])
    assert len(found["passages"]) == 2


def test_create_entity_adds_one_with_its_other_names(weir: Server, tool: Tool) -> None:
    made = tool("create_entity", name="Sella Marr", type="person", aliases=["S. Marr"], why="the ledger")
    with undone(weir, made):
        told = entities(weir)["Sella Marr"]
        assert (told["type"], told["aliases"]) == ("person", ["S. Marr"])
        assert [(each["by"], each["why"]) for each in made["edits"]] == [("person anna", "the ledger")]
        assert [each["id"] for each in made["entities"]] == [told["id"]]
    assert "Sella Marr" not in entities(weir)


def test_create_relation_joins_two_and_keeps_its_passage(weir: Server, tool: Tool) -> None:
    said = passage(weir, "works for", "report.md")
    snippet = "Mirel Tosk works for the Oxley Water Board"
    relation = {"source": "Mirel Tosk", "type": "serves at", "target": "Oxley Water Board"}
    made = tool("create_relation", **relation, confidence=0.7, evidence=[{"chunk_id": said["id"], "snippet": snippet}])
    with undone(weir, made):
        assert ("SERVES_AT", "Oxley Water Board", True) in edges(weir, "Mirel Tosk")
        [quote] = made["edits"][0]["evidence"]
        assert said["text"][quote["start"] : quote["end"]] == snippet
        assert made["edits"][0]["confidence"] == 0.7
    assert ("SERVES_AT", "Oxley Water Board", True) not in edges(weir, "Mirel Tosk")


def test_update_entity_renames_retypes_and_names(weir: Server, tool: Tool) -> None:
    changed = tool("update_entity", entity="Kelmore", name="Kelmore Town", type="location", aliases=["Old Kelmore"])
    with undone(weir, changed):
        told = entities(weir)["Kelmore Town"]
        assert told["type"] == "location"
        assert {"Kelmore", "Old Kelmore"} <= set(told["aliases"])
        assert len(changed["edits"]) == 3
        refusal = weir.cli("graph", "split", "Kelmore", check=False).stderr
        assert "by which 'Kelmore Town' is known" in refusal
        assert "Names that can: Old Kelmore." in refusal
    assert entities(weir)["Kelmore"]["type"] != "location"


def test_update_entity_parts_a_name_that_a_passage_claims(weir: Server, tool: Tool) -> None:
    assert "Camp Ash" in entities(weir)["Savern Harbour"]["aliases"]
    parted = tool("update_entity", entity="Savern Harbour", remove_aliases=["Camp Ash"], why="two places")
    with undone(weir, parted):
        told = entities(weir)
        assert "Camp Ash" not in told["Savern Harbour"]["aliases"]
        assert told["Camp Ash"]["mentions"]
        with weir.http() as client:
            [edit] = client.get("/v1/graph/provenance", params={"entity": "Camp Ash"}).json()["edits"][:1]
        assert (edit["kind"], edit["what"], edit["why"]) == (
            "split",
            '"Camp Ash" is an entity of its own',
            "two places",
        )
    assert "Camp Ash" in entities(weir)["Savern Harbour"]["aliases"]
    part = {"tool": "update_entity", "arguments": {"entity": "Camp Ash", "remove_aliases": ["Camp Ash"]}}
    near = {"tool": "create_relation", "arguments": {"source": "Camp Ash", "type": "NEAR", "target": "Savern Harbour"}}
    with undone(weir, tool("batch_kg_operations", operations=[part, near])):
        assert ("NEAR", "Savern Harbour", True) in edges(weir, "Camp Ash")


def test_update_relation_gives_it_another_type_and_keeps_its_passages(weir: Server, tool: Tool) -> None:
    changed = tool("update_relation", **LIVES_IN, new_type="HOUSED_IN", confidence=0.9)
    with undone(weir, changed):
        told = edges(weir, "Odalys Prant")
        assert ("HOUSED_IN", "Kelmore", True) in told
        assert ("LIVES_IN", "Kelmore", True) not in told
        assert [each["snippet"] for each in changed["edits"][0]["evidence"]] == ["Odalys Prant lives in Kelmore"]
    turned = tool("update_relation", **LIVES_IN, turned=True)
    with undone(weir, turned):
        assert ("LIVES_IN", "Kelmore", False) in edges(weir, "Odalys Prant")
    assert ("LIVES_IN", "Kelmore", True) in edges(weir, "Odalys Prant")


def test_merge_entity_makes_two_one(weir: Server, tool: Tool) -> None:
    merged = tool("merge_entity", entity="Mirel Tosk", into="Odalys Prant")
    with undone(weir, merged):
        told = entities(weir)
        assert "Mirel Tosk" not in told
        assert "Mirel Tosk" in told["Odalys Prant"]["aliases"]
        assert ("LIVES_IN", "Kelmore", True) in edges(weir, "Odalys Prant")
    assert {"Mirel Tosk", "Odalys Prant"} <= set(entities(weir))


def test_merge_relation_makes_several_types_one(weir: Server, tool: Tool) -> None:
    both = tool("create_relation", **{**LIVES_IN, "type": "DWELLS_IN"})
    with undone(weir, both):
        merged = tool(
            "merge_relation",
            source="Odalys Prant",
            target="Kelmore",
            types=["LIVES_IN", "DWELLS_IN"],
            into="RESIDES_IN",
        )
        with undone(weir, merged):
            told = {kind for kind, other, _ in edges(weir, "Odalys Prant") if other == "Kelmore"}
            assert "RESIDES_IN" in told
            assert not {"LIVES_IN", "DWELLS_IN"} & told
        assert {"LIVES_IN", "DWELLS_IN"} <= {kind for kind, *_ in edges(weir, "Odalys Prant")}


def test_delete_entity_takes_it_out_whatever_passages_say(weir: Server, tool: Tool) -> None:
    removed = tool("delete_entity", entity="Kelmore")
    with undone(weir, removed):
        assert "Kelmore" not in entities(weir)
        assert "Kelmore" not in {other for _, other, _ in edges(weir, "Odalys Prant")}
        with pytest.raises(Refusal, match=f"trivium graph undo {removed['edits'][0]['id']}"):
            tool("update_entity", entity="Kelmore", type="location")
    assert ("LIVES_IN", "Kelmore", True) in edges(weir, "Odalys Prant")


def test_delete_relation_leaves_it_to_be_looked_at_as_invalid(weir: Server, tool: Tool) -> None:
    gone = tool("delete_relation", **LIVES_IN, why="she moved")
    with undone(weir, gone):
        assert "LIVES_IN" not in {kind for kind, *_ in edges(weir, "Odalys Prant")}
        with weir.http() as client:
            asked = {"entity": "Odalys Prant", "relation": "LIVES_IN"}
            told = client.get("/v1/graph/provenance", params=asked).json()["said"]
        assert [each["invalid_by"] for each in told] == [gone["edits"][0]["id"]]
    assert ("LIVES_IN", "Kelmore", True) in edges(weir, "Odalys Prant")


def test_reviews_and_tasks_are_open_until_they_are_settled(weir: Server, tool: Tool) -> None:
    before = tool("get_progress")
    marked = tool("mark_for_review", entity="Tarn Hollow", question="A place, or a person?")
    task = tool("create_todo", task="Read the second ledger.", run="ledgers")
    with undone(weir, marked), undone(weir, task):
        progress = tool("get_progress", run="ledgers")
        assert [each["id"] for each in progress["todos"]] == [task["edits"][0]["id"]]
        assert marked["edits"][0]["id"] in {each["id"] for each in progress["reviews"]}
        assert progress["documents"]["ready"] == 4
        assert progress["edits"]["todo"] == before["edits"].get("todo", 0) + 1
        assert not tool("get_progress", run="others")["todos"]
        with weir.http() as client:
            settled = client.post(f"/v1/graph/edits/{task['edits'][0]['id']}/dismiss", json={"why": "Read."}).json()
        with undone(weir, settled):
            assert not tool("get_progress", run="ledgers")["todos"]
            assert tool("get_progress", run="ledgers")["done"] == progress["done"] + 1
    assert tool("get_progress")["reviews"] == before["reviews"]


def test_batch_kg_operations_counts_as_a_whole_or_not_at_all(weir: Server, tool: Tool) -> None:
    new = {"tool": "create_entity", "arguments": {"name": "Sella Marr", "type": "person"}}
    knows = {"source": "Sella Marr", "type": "KNOWS", "target": "Odalys Prant"}
    with pytest.raises(Refusal, match=r"Operation 2: There is no entity called 'Nobody Atall'"):
        tool(
            "batch_kg_operations",
            operations=[new, {"tool": "create_relation", "arguments": {**knows, "target": "Nobody Atall"}}],
        )
    assert "Sella Marr" not in entities(weir)
    done = tool("batch_kg_operations", operations=[new, {"tool": "create_relation", "arguments": knows}])
    with undone(weir, done):
        assert edges(weir, "Sella Marr") == {("KNOWS", "Odalys Prant", True)}
    assert "Sella Marr" not in entities(weir)


def test_an_unknown_entity_is_refused_with_the_three_nearest(tool: Tool) -> None:
    with pytest.raises(Refusal) as refused:
        tool("delete_entity", entity="Odalys Pran")
    told = refused.value.told
    assert "There is no entity called 'Odalys Pran'." in told
    nearest = told.partition("Perhaps: ")[2].rstrip(".").split(", ")
    assert len(nearest) == 3
    assert set(nearest) <= {"Odalys Prant", "Odalys Pranter", "Odalys Prance", "Odalys Prane"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("and then it was the", "it is a piece of a sentence"),
        ("x" * 150, "it has more than 60 characters"),
        ("def main(self):", "it is a word or a shape of a programming language"),
        ("E = mc^2 + 4", "it is a formula"),
        ("Hm, (…) [?] !", "nearly a third of it is punctuation"),
        ("Introduction", "it is a heading that every document has"),
    ],
)
def test_the_gate_says_why_a_name_is_none(tool: Tool, name: str, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        tool("create_entity", name=name, type="concept")
    assert f"cannot be the name of an entity: {reason}." in refused.value.told


def test_two_persons_who_were_born_at_different_places_are_not_joined_unless_forced(weir: Server, tool: Tool) -> None:
    births = [
        {"tool": "create_relation", "arguments": {"source": who, "type": "BORN_IN", "target": where}}
        for who, where in (("Mirel Tosk", "Kelmore"), ("Odalys Prant", "Tarn Hollow"))
    ]
    with undone(weir, tool("batch_kg_operations", operations=births)):
        with pytest.raises(Refusal, match="'Mirel Tosk' BORN_IN kelmore, and 'Odalys Prant' BORN_IN tarn hollow"):
            tool("merge_entity", entity="Mirel Tosk", into="Odalys Prant")
        with undone(weir, tool("merge_entity", entity="Mirel Tosk", into="Odalys Prant", force=True)):
            assert "Mirel Tosk" not in entities(weir)


WITHOUT_A_COMMAND = {
    "read_paragraph",
    "browse_context",
    "explore_fusion",
    "update_relation",
    "merge_relation",
    "batch_kg_operations",
    "create_todo",
}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_paragraph", {}),
        ("browse_context", {"before": 1}),
        ("search_kg", {"name": "Odalys"}),
        ("explore_fusion", {"query": "Who counted salmon?"}),
        ("create_entity", {"name": "Sella Marr", "type": "person"}),
        ("create_relation", {**LIVES_IN, "type": "RULES"}),
        ("update_entity", {"entity": "Kelmore", "type": "location"}),
        ("update_relation", {**LIVES_IN, "confidence": 0.95}),
        ("merge_entity", {"entity": "Mirel Tosk", "into": "Dell Orrin"}),
        ("merge_relation", {"source": "Odalys Prant", "target": "Kelmore", "types": ["LIVES_IN"], "into": "STAYS_IN"}),
        ("delete_entity", {"entity": "Dell Orrin"}),
        ("delete_relation", LIVES_IN),
        ("mark_for_review", {"entity": "Kelmore", "question": "A town?"}),
        ("create_todo", {"task": "Look again."}),
        ("batch_kg_operations", {"operations": [{"tool": "create_todo", "arguments": {"task": "Once more."}}]}),
        ("get_progress", {}),
    ],
)
def test_every_door_answers_alike(weir: Server, name: str, arguments: dict[str, Any]) -> None:
    if "chunk_id" in ARGUMENTS[name]:
        arguments = {**arguments, "chunk_id": passage(weir, "mended the sluice", "book.md")["id"]}
    doors = [*DOORS.values(), *([by_command] if name in WITHOUT_A_COMMAND else [])]
    answers = []
    for door in doors:
        answer = door(weir)(name, **arguments)
        if "edits" in answer and name != "get_progress":
            with undone(weir, answer):
                assert answer["edits"]
        answers.append(without_numbers(answer))
    assert answers == [answers[0]] * len(answers)


def without_numbers(answer: dict[str, Any]) -> dict[str, Any]:
    """Without what is another edit's: its number, its time and its author."""
    edits = answer.get("edits")
    if not isinstance(edits, list):
        return answer
    told = [{key: value for key, value in edit.items() if key not in ("id", "at", "by")} for edit in edits]
    return {**answer, "edits": told}
