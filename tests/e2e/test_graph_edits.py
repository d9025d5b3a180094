"""The graph is corrected, asked why, and put back, through every door."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from trivium.v1 import graph_pb2, graph_pb2_grpc

from .conftest import Server

PLAN = "# The weir at Tarn Hollow\n\nThe removal is led by Odalys Prant. Odalys Prant lives in Kelmore.\n"
REPORT = (
    "# The report of 2024\n\nMirel Tosk counted salmon below Tarn Hollow. Mirel Tosk works for the Oxley Water Board.\n"
    "\nSavern Harbour, formerly known as Camp Ash, grew.\n"
)


KELMORE_IN = {"source": "Kelmore", "type": "IN"}


@pytest.fixture(scope="module")
def weir(server: Server) -> Server:
    server.take("plan.md", PLAN)
    server.take("report.md", REPORT)
    return server


def tool(server: Server, tool_name: str, /, actor: str = "anna", **arguments: Any) -> httpx2.Response:
    with server.http() as client:
        return client.post(f"/v1/graph/tools/{tool_name}", params={"actor": actor}, json=arguments)


def done(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def listed(server: Server) -> list[dict[str, Any]]:
    with server.http() as client:
        entities: list[dict[str, Any]] = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
        return entities


def undo(server: Server, edited: dict[str, Any]) -> None:
    with server.http() as client:
        done(client.post(f"/v1/graph/edits/{edited['edits'][0]['id'].partition('.')[0]}/undo"))


def why(server: Server, **asked: str) -> dict[str, Any]:
    with server.http() as client:
        return done(client.get("/v1/graph/provenance", params=asked))


def test_two_names_are_merged_explained_and_parted_again(weir: Server) -> None:
    before = listed(weir)
    merged = done(tool(weir, "merge_entity", entity="Mirel Tosk", into="Odalys Prant", why="same handwriting"))
    [prant] = [entity for entity in listed(weir) if entity["name"] == "Odalys Prant"]
    assert "Mirel Tosk" in prant["aliases"]
    assert prant["mentions"] == 2
    told = why(weir, entity="Mirel Tosk")
    assert {said["place"]["source"] for said in told["said"]} == {"plan.md", "report.md"}
    assert [(edit["by"], edit["why"]) for edit in told["edits"]] == [("person anna", "same handwriting")]
    with weir.http() as client:
        assert client.get(f"/v1/graph/entities/{prant['id']}").json()["edits"] == merged["edits"]
    undo(weir, merged)
    assert listed(weir) == before
    assert why(weir, entity="Odalys Prant")["edits"][-1]["standing"] == "undone"


def test_an_entity_that_was_removed_is_found_nowhere_and_says_how_it_comes_back(weir: Server) -> None:
    before = listed(weir)
    removed = done(tool(weir, "delete_entity", entity="Kelmore"))
    assert not [entity for entity in listed(weir) if entity["name"] == "Kelmore"]
    refused = tool(weir, "update_entity", entity="Kelmore", name="Kelmore Town")
    assert (refused.status_code, refused.json()["code"]) == (404, "removed_entity")
    assert removed["edits"][0]["id"] in refused.json()["action"]
    undo(weir, removed)
    assert listed(weir) == before


def test_a_relation_with_a_passage_is_added_declared_invalid_and_still_explained(weir: Server) -> None:
    [passage] = [
        h["chunk"] for h in weir.search("Oxley Water Board", mode="keyword") if h["chunk"]["source"] == "report.md"
    ]
    evidence = [{"chunk_id": passage["id"], "snippet": "Mirel Tosk works for the Oxley Water Board"}]
    relation = {"source": "Mirel Tosk", "type": "works for", "target": "Oxley Water Board"}
    done(tool(weir, "create_relation", **relation, evidence=evidence))
    [said] = why(weir, entity="Mirel Tosk", relation="WORKS_FOR", operation="edit:")["said"]
    assert said["snippet"] == passage["text"][said["start"] : said["end"]] == evidence[0]["snippet"]
    invalid = done(tool(weir, "delete_relation", **relation))
    assert all(
        s["invalid_by"] == invalid["edits"][0]["id"]
        for s in why(weir, entity="Mirel Tosk", relation="WORKS_FOR")["said"]
    )
    assert tool(weir, "delete_relation", **relation).json()["code"] == "unknown_relation"


def test_a_batch_counts_as_a_whole_or_not_at_all(weir: Server) -> None:
    new = {"tool": "create_entity", "arguments": {"name": "Mirela Strand", "type": "person"}}
    knows = {"source": "Mirela Strand", "type": "KNOWS", "target": "Odalys Prant"}
    missing = {"tool": "create_relation", "arguments": {**knows, "target": "Nobody Atall"}}
    refused = tool(weir, "batch_kg_operations", operations=[new, missing])
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_entity")
    assert refused.json()["detail"].startswith("Operation 2:")
    assert not [entity for entity in listed(weir) if entity["name"] == "Mirela Strand"]
    both = done(tool(weir, "batch_kg_operations", operations=[new, {"tool": "create_relation", "arguments": knows}]))
    assert len(both["edits"]) == 2
    [strand] = [entity for entity in listed(weir) if entity["name"] == "Mirela Strand"]
    assert strand["degree"] == 1
    undo(weir, both)
    assert not [entity for entity in listed(weir) if entity["name"] == "Mirela Strand"]


def test_provenance_is_asked_by_document_passage_other_end_actor_and_time(weir: Server) -> None:
    [prant] = [h["chunk"] for h in weir.search("Kelmore", mode="keyword") if h["chunk"]["source"] == "plan.md"]
    [tosk] = [h["chunk"] for h in weir.search("salmon", mode="keyword") if h["chunk"]["source"] == "report.md"]
    both = {"source": "Odalys Prant", "target": "Tarn Hollow"}
    first = done(tool(weir, "create_relation", **both, type="PLANNED", confidence=0.7))
    second = done(tool(weir, "create_relation", **both, type="SURVEYED", actor="bert"))
    at = second["edits"][0]["at"]

    def said(**asked: Any) -> set[tuple[str, str]]:
        found = why(weir, limit="200", **{name: str(value) for name, value in asked.items()})["said"]
        assert all(0 < each["confidence"] <= 1 for each in found)
        return {
            (each["type"] or each["source_key"], each["place"]["source"] if each["place"] else "") for each in found
        }

    everything = said(entity="Odalys Prant")
    assert {("LIVES_IN", "plan.md"), ("PLANNED", ""), ("SURVEYED", "")} <= everything
    assert said(document=prant["document_id"]) >= {("LIVES_IN", "plan.md"), ("kelmore", "plan.md")}
    assert {place for _, place in said(document=tosk["document_id"])} == {"report.md"}
    assert said(chunk=prant["id"]) == said(document=prant["document_id"])
    assert said(entity="Odalys Prant", document=prant["document_id"]) == {each for each in everything if each[1]}
    assert said(entity="Odalys Prant", chunk=tosk["id"]) == set()
    assert said(entity="Odalys Prant", other="Kelmore") == {("LIVES_IN", "plan.md")}
    assert {kind for kind, _ in said(entity="Odalys Prant", other="Tarn Hollow")} == {"PLANNED", "SURVEYED"}
    assert said(entity="Odalys Prant", actor="anna") == {("PLANNED", "")}
    assert said(entity="Odalys Prant", actor="Bert") == {("SURVEYED", "")}
    assert said(entity="Odalys Prant", since=at) == {("SURVEYED", "")}
    assert said(entity="Odalys Prant", until=at - 0.001) == everything - {("SURVEYED", "")}
    assert said(entity="Odalys Prant", since=at + 1) == set()
    told = why(weir, entity="Odalys Prant", relation="PLANNED")
    assert [(each["confidence"], each["operation"]) for each in told["said"]] == [
        (0.7, f"edit:{first['edits'][0]['id']}")
    ]
    assert [edit["by"] for edit in why(weir, entity="Odalys Prant", actor="bert")["edits"]] == ["person bert"]
    undo(weir, second)
    undo(weir, first)


def test_the_command_line_tells_what_a_document_and_a_passage_say_and_how_sure_that_is(weir: Server) -> None:
    [prant] = [h["chunk"] for h in weir.search("Kelmore", mode="keyword") if h["chunk"]["source"] == "plan.md"]
    by_document = weir.cli("graph", "why", "--document", prant["document_id"]).stdout
    assert "odalys prant LIVES_IN kelmore: plan.md, chunk 1, pattern:lives_in, 0.85" in by_document
    assert "“Odalys Prant lives in Kelmore”" in by_document
    assert "report.md" not in by_document
    assert weir.cli("graph", "why", "--chunk", prant["id"]).stdout == by_document
    asked = weir.cli("graph", "why", "Odalys Prant", "--chunk", prant["id"], "--json").stdout
    assert {each["confidence"] for each in json.loads(asked)["said"] if each["type"]} == {0.85}
    nothing = weir.cli("graph", "why", "--chunk", "0" * 32)
    assert (nothing.stdout, nothing.stderr) == ("", "Nothing says so.\n")
    assert weir.cli("graph", "why", check=False).returncode == 2


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("merge_entity", {"entity": "Kelmore", "into": "kelmore"}, "same_entity"),
        ("merge_entity", {"entity": "Odalis Prant", "into": "Kelmore"}, "unknown_entity"),
        ("update_entity", {"entity": "Kelmore", "name": "Odalys Prant"}, "name_taken"),
        ("update_entity", {"entity": "Kelmore", "remove_aliases": ["Kelmore"]}, "not_an_alias"),
        ("update_entity", {"entity": "Kelmore", "remove_aliases": ["Odalys Prant"]}, "not_an_alias"),
        ("update_entity", {"entity": "Kelmore", "name": "x" * 10_000}, "invalid_request"),
        ("update_entity", {"entity": "Kelmore", "name": "Kel\u0007more"}, "invalid_request"),
        ("update_entity", {"entity": "Kelmore", "name": "Kelmore Weir\n"}, "invalid_request"),
        ("create_entity", {"name": "and then it was the", "type": "concept"}, "name_refused"),
        ("create_entity", {"name": "Kelmore", "type": "location"}, "entity_exists"),
        ("create_relation", {**KELMORE_IN, "target": "Odalys Prant", "confidence": 0.5}, "low_confidence"),
        ("create_relation", {**KELMORE_IN, "target": "Kelmore"}, "self_relation"),
        ("create_relation", {**KELMORE_IN, "type": "!!", "target": "Odalys Prant"}, "bad_relation_type"),
        ("batch_kg_operations", {"operations": [{"tool": "x", "arguments": {}}] * 10_000}, "invalid_request"),
        ("batch_kg_operations", {"operations": [{"tool": "undo", "arguments": {}}]}, "unknown_tool"),
        ("read_paragraph", {"chunk_id": "0"}, "no_such_passage"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason_and_changes_nothing(
    weir: Server, name: str, arguments: dict[str, Any], code: str
) -> None:
    with weir.http() as client:
        before = client.get("/v1/graph/edits").json()
        refused = tool(weir, name, **arguments)
        assert 400 <= refused.status_code < 500
        assert refused.json()["code"] == code
        assert refused.json()["action"]
        assert client.get("/v1/graph/edits").json() == before
    if code == "unknown_entity":
        assert "Odalys Prant" in refused.json()["action"]


def test_an_edit_goes_with_the_documents_that_it_rests_on_and_comes_back_with_them(
    start_server: Callable[..., Server],
) -> None:
    server = start_server()
    server.take("plan.md", PLAN)
    report = server.take("report.md", REPORT)
    [passage] = [h["chunk"] for h in server.search("salmon", mode="keyword")]
    evidence = [{"chunk_id": passage["id"], "snippet": "Mirel Tosk counted salmon"}]
    relation = {"source": "Odalys Prant", "type": "COUNTED_FOR", "target": "Tarn Hollow"}
    done(tool(server, "create_relation", **relation, evidence=evidence))
    with server.http() as client:

        def standing() -> str:
            told: str = client.get("/v1/graph/edits").json()["edits"][0]["standing"]
            return told

        assert standing() == "counts"
        client.delete(f"/v1/sources/{report['id']}")
        assert standing() == "without_evidence"
        assert not [s for s in why(server, entity="Odalys Prant")["said"] if s["type"] == "COUNTED_FOR"]
        server.take("report.md", REPORT)
        assert standing() == "counts"
        assert [s for s in why(server, entity="Odalys Prant")["said"] if s["type"] == "COUNTED_FOR"]
    names = listed(server)
    server.kill()
    again = start_server()
    assert listed(again) == names
    again.stop()
    assert "as the artifacts say" in again.cli("audit").stderr
    (again.data_dir / "tenants" / "default" / "graph.sqlite").unlink()
    assert again.cli("audit", check=False).returncode == 1
    again.cli("rebuild", "--store", "graph")
    assert "as the artifacts say" in again.cli("audit").stderr


def test_two_persons_of_different_facts_are_joined_only_when_somebody_insists(weir: Server) -> None:
    weir.take("halden.md", "# Halden\n\nSolvei Arnt was born in Halden. She keeps the lock.\n")
    weir.take("drammen.md", "# Drammen\n\nSolveig Arntsen was born in Drammen. She keeps the sluice.\n")
    with weir.http() as client:
        before = client.get("/v1/graph/edits").json()
        merge = {"entity": "Solvei Arnt", "into": "Solveig Arntsen"}
        refused = tool(weir, "merge_entity", **merge)
        assert (refused.status_code, refused.json()["code"]) == (400, "facts_differ")
        assert "'Solvei Arnt' BORN_IN halden, and 'Solveig Arntsen' BORN_IN drammen." in refused.json()["detail"]
        assert "force" in refused.json()["action"]
        calls = [{"tool": "merge_entity", "arguments": merge}]
        batch = tool(weir, "batch_kg_operations", operations=calls)
        assert (batch.status_code, batch.json()["code"]) == (400, "facts_differ")
        assert batch.json()["detail"].startswith("Operation 1:")
        assert weir.cli("graph", "merge", *merge.values(), check=False).returncode == 1
        assert client.get("/v1/graph/edits").json() == before
    undo(weir, done(tool(weir, "merge_entity", **merge, force=True)))
    forced = [{"tool": "merge_entity", "arguments": {**merge, "force": True}}]
    undo(weir, done(tool(weir, "batch_kg_operations", operations=forced)))
    told = weir.cli("graph", "merge", *merge.values(), "--force").stdout
    assert "also called Solvei Arnt" in told
    weir.cli("graph", "undo", told.partition(" ")[0])


def test_a_batch_sees_the_facts_and_merges_that_it_made_before(weir: Server) -> None:
    def person(name: str, *born: str) -> list[dict[str, Any]]:
        new = [{"tool": "create_entity", "arguments": {"name": name, "type": "person"}}]
        told = {"source": name, "type": "BORN_IN"}
        return [*new, *({"tool": "create_relation", "arguments": {**told, "target": place}} for place in born)]

    def merge(name: str, into: str) -> dict[str, Any]:
        return {"tool": "merge_entity", "arguments": {"entity": name, "into": into}}

    made = [*person("Arvo Lund", "Kelmore"), *person("A. Lundt"), *person("Arne Lundt", "Tarn Hollow")]
    refused = tool(
        weir, "batch_kg_operations", operations=[*made, merge("Arvo Lund", "A. Lundt"), merge("A. Lundt", "Arne Lundt")]
    )
    assert refused.json()["code"] == "facts_differ"
    assert refused.json()["detail"].startswith("Operation 7:")
    moved = {"source": "Odalys Prant", "type": "LIVES_IN", "target": "Kelmore", "new_type": "BORN_IN"}
    told = [{"tool": "update_relation", "arguments": moved}, *person("Arne Lundt", "Tarn Hollow")]
    refused = tool(weir, "batch_kg_operations", operations=[*told, merge("Arne Lundt", "Odalys Prant")])
    assert refused.json()["code"] == "facts_differ"
    assert refused.json()["detail"].startswith("Operation 4:")


def test_the_same_over_grpc_and_the_command_line(weir: Server) -> None:
    with weir.channel() as channel:
        stub = graph_pb2_grpc.GraphServiceStub(channel)
        assert len(stub.ListTools(graph_pb2.ListToolsRequest()).tools) == 17  # the sixteen, and the import of a list
        asked = graph_pb2.RunToolRequest(
            name="mark_for_review", arguments=json.dumps({"entity": "Kelmore", "question": "A town?"})
        )
        edited = json.loads(stub.RunTool(asked).result)
        number = edited["edits"][0]["id"]
        assert stub.ListEdits(graph_pb2.ListEditsRequest(page_size=1)).edits[0].id == number
        said = stub.GetProvenance(graph_pb2.GetProvenanceRequest(entity="Kelmore")).said
        assert all("kelmore" in (each.source_key, each.target_key) for each in said)
        assert said[0].place.source == "plan.md"
    assert "A town?" in weir.cli("graph", "review").stdout
    weir.cli("graph", "review", "--done", number)
    assert "A town?" not in weir.cli("graph", "review").stdout
    weir.cli("graph", "undo", "--why", "It is open still.", weir.cli("graph", "log").stdout.partition(" ")[0])
    none = weir.cli("graph", "review", "--done", "9999", check=False)
    assert (none.returncode, "There is no edit '9999'." in none.stderr) == (1, True)
    weir.cli("graph", "review", "--done", number.partition(".")[0])  # as `undo` takes it
    assert "A town?" not in weir.cli("graph", "review").stdout
    told = weir.cli("graph", "merge", "Mirel Tosk", "Odalys Prant").stdout
    assert "also called Mirel Tosk" in told
    assert "Mirel Tosk" in weir.cli("graph", "show", "Odalys Prant").stdout
    assert "merge" in weir.cli("graph", "log", "--json").stdout
    assert weir.cli("graph", "merge", "Mirel Tosk", "Odalys Prant", check=False).returncode == 1
    weir.cli("graph", "undo", told.partition(" ")[0])


def test_every_correction_has_a_command_that_says_what_it_did_and_how_to_undo_it(weir: Server) -> None:
    before = listed(weir)

    def done_and_undone(*command: str) -> list[dict[str, Any]]:
        """The entities as the command leaves them; afterwards it is undone."""
        told = weir.cli("graph", *command, "--why", "as the ledger says")
        assert "because as the ledger says" in told.stdout
        number = told.stderr.rpartition("trivium graph undo ")[2].strip()
        after = listed(weir)
        weir.cli("graph", "undo", number)
        assert listed(weir) == before
        return after

    def named(after: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
        return [entity for entity in after if entity["name"] == name]

    [told] = named(done_and_undone("rename", "Kelmore", "Kelmore Town"), "Kelmore Town")
    assert "Kelmore" in told["aliases"]
    [told] = named(done_and_undone("retype", "Kelmore", "event"), "Kelmore")
    assert told["type"] == "event"
    [told] = named(done_and_undone("add", "Sella Marr", "person", "--also", "S. Marr"), "Sella Marr")
    assert (told["type"], told["aliases"]) == ("person", ["S. Marr"])
    assert not named(done_and_undone("remove", "Kelmore"), "Kelmore")
    [told] = named(after := done_and_undone("split", "Camp Ash"), "Savern Harbour")
    assert (told["aliases"], len(named(after, "Camp Ash"))) == ([], 1)
    [told] = named(done_and_undone("invalidate", "Odalys Prant", "LIVES_IN", "Kelmore"), "Odalys Prant")
    assert told["degree"] == 0
    [passage] = [h["chunk"] for h in weir.search("Kelmore", mode="keyword") if h["chunk"]["source"] == "plan.md"]
    quote = ("--chunk", passage["id"], "--quote", "Odalys Prant lives in Kelmore")
    [told] = named(done_and_undone("relate", "Odalys Prant", "guards", "Tarn Hollow", *quote), "Odalys Prant")
    assert told["degree"] == 2


def test_a_command_that_changes_nothing_fails_and_says_why(weir: Server) -> None:
    for command, told in (
        (("retype", "Nobody Atall", "person"), "There is no entity called 'Nobody Atall'."),
        (("rename", "Kelmore", "and then it was the"), "it is a piece of a sentence"),
        (("relate", "Kelmore", "IN", "Kelmore"), "A relation joins two."),
        (("relate", "Kelmore", "IN", "Odalys Prant", "--chunk", "0"), "There is no passage '0'."),
        (("invalidate", "Kelmore", "EATS", "Odalys Prant"), "Between the two there is: odalys prant LIVES_IN kelmore."),
        (("undo", "9999"), "There is no edit '9999'."),
    ):
        refused = weir.cli("graph", *command, check=False)
        assert (refused.returncode, told in refused.stderr) == (1, True), refused.stderr
