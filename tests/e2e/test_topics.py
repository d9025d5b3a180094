"""Topics and exports through every door: command line, HTTP and gRPC."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx
import pytest
import rdflib

from trivium.v1 import topics_pb2 as pb
from trivium.v1 import topics_pb2_grpc

from .conftest import Server

SEA = (
    "# The Skerry Fleet\n\nIlse Brandt sails the Skerry Fleet from Orkney Harbour.\n"
    "The Skerry Fleet lands herring at Orkney Harbour. Ilse Brandt was born in Orkney.\n"
)
HILL = (
    "# Corrin Orchard\n\nTomas Reyl prunes the Corrin Orchard above Stennet Valley.\n"
    "Corrin Orchard sends cider to Stennet Valley. Tomas Reyl was born in Stennet.\n"
)


@pytest.fixture(scope="module")
def coast(server: Server) -> Server:
    """Two documents that have nothing in common, in a dataset each."""
    server.take("sea.md", SEA, dataset="sea")
    server.take("hill.md", HILL, dataset="hill")
    return server


def test_topics_are_listed_and_shown_on_the_command_line(coast: Server) -> None:
    listed = coast.cli("graph", "topics").stdout
    assert "Skerry Fleet" in listed
    assert "Corrin Orchard" in listed
    shown = coast.cli("graph", "topics", "skerry").stdout
    assert "sea.md, chunk 1" in shown
    assert "Ilse Brandt (person)" in shown
    only = coast.cli("graph", "topics", "--dataset", "hill", "--json").stdout
    assert ("Tomas Reyl" in only, "Ilse Brandt" in only) == (True, False)
    refused = coast.cli("graph", "topics", "unheard-of", check=False)
    assert refused.returncode == 1
    assert "Perhaps: " in refused.stderr


def test_search_and_ask_in_topics_find_a_passage_of_each(coast: Server) -> None:
    with coast.http() as client:
        found = client.post("/v1/search", json={"query": "What are the main themes?", "mode": "topics"}).json()
        assert {hit["chunk"]["source"] for hit in found["hits"]} == {"sea.md", "hill.md"}
        assert all(hit["topic"] for hit in found["hits"])
        answer = client.post("/v1/queries", json={"query": "What are these documents about?"}).json()
    assert (answer["kind"], answer["found"]) == ("themes", True)
    assert {citation["source"] for citation in answer["citations"]} == {"sea.md", "hill.md"}


def test_grpc_tells_the_same_topics_as_http(coast: Server) -> None:
    with coast.http() as client, coast.channel() as channel:
        stub = topics_pb2_grpc.TopicServiceStub(channel)
        listed = client.get("/v1/graph/topics").json()
        told = stub.ListTopics(pb.ListTopicsRequest())
        assert [topic.name for topic in told.topics] == [topic["name"] for topic in listed["topics"]]
        first = stub.GetTopic(pb.GetTopicRequest(id=told.topics[0].id))
        seen = client.get(f"/v1/graph/topics/{told.topics[0].id}").json()
        assert [one.quote for one in first.central] == [one["quote"] for one in seen["central"]]
        content = b"".join(p.content for p in stub.ExportGraph(pb.ExportGraphRequest(format="graphml")))
        assert content == client.get("/v1/graph/export", params={"format": "graphml"}).content


def test_an_export_is_read_by_other_programs_and_tells_where_each_relation_stands(
    coast: Server, tmp_path: Path
) -> None:
    target = tmp_path / "graph.graphml"
    coast.cli("graph", "export", "--format", "graphml", "-o", str(target))
    graph = networkx.read_graphml(target, edge_key_type=str, force_multigraph=True)
    names = {data["name"] for _, data in graph.nodes(data=True)}
    assert {"Ilse Brandt", "Tomas Reyl", "Skerry Fleet"} <= names
    assert {data["document"] for _, _, data in graph.edges(data=True)} == {"sea.md", "hill.md"}
    lines = [json.loads(line) for line in coast.cli("graph", "export", "--dataset", "sea").stdout.splitlines()]
    assert {line["document"] for line in lines if line["kind"] == "relation"} == {"sea.md"}
    assert "Tomas Reyl" not in {line.get("name") for line in lines}
    near = coast.cli("graph", "export", "--entity", "ilse brandt", "--depth", "1", "--format", "rdf").stdout
    assert (
        rdflib.Graph()
        .parse(io.StringIO(near), format="nt")
        .value(None, rdflib.SKOS.prefLabel, rdflib.Literal("Ilse Brandt"))
    )
    apart = coast.cli("graph", "export", "--entity", "Ilse Brandt", "--dataset", "hill").stdout
    assert apart == ""
    again = coast.cli("graph", "export", "--format", "graphml").stdout
    assert again == target.read_text()


def test_an_export_has_the_topics_where_they_are_asked_for(coast: Server, tmp_path: Path) -> None:
    with coast.http() as client, coast.channel() as channel:
        told = {topic["id"]: topic for topic in client.get("/v1/graph/topics").json()["topics"]}
        asked = pb.ExportGraphRequest(format="jsonl", topics=True)
        content = b"".join(p.content for p in topics_pb2_grpc.TopicServiceStub(channel).ExportGraph(asked))
        assert content == client.get("/v1/graph/export", params={"topics": "true"}).content
        for refused in ({"format": "rdf"}, {"format": "cypher"}, {"entity": "Ilse Brandt"}):
            answer = client.get("/v1/graph/export", params={**refused, "topics": "true"})
            assert (answer.status_code, answer.json()["code"]) == (400, "no_topics")
    lines = [json.loads(line) for line in content.splitlines()]
    names = {line["id"]: line["name"] for line in lines if line["kind"] == "entity"}
    found = {line["id"]: line for line in lines if line["kind"] == "topic"}
    assert {key: found[key]["name"] for key in told} == {key: topic["name"] for key, topic in told.items()}
    members = {names[member["id"]] for topic in found.values() for member in topic["members"]}
    assert {"Ilse Brandt", "Skerry Fleet", "Tomas Reyl"} <= members
    target = tmp_path / "graph.graphml"
    coast.cli("graph", "export", "--format", "graphml", "--topics", "-o", str(target))
    graph = networkx.read_graphml(target, edge_key_type=str, force_multigraph=True)
    [of_brandt] = [key for key, topic in told.items() if "Ilse Brandt" in str(topic["members"])]
    assert graph.nodes[of_brandt]["type"] == "topic"
    belonging = {
        graph.nodes[s]["name"] for s, t, d in graph.edges(data=True) if (t, d["relation"]) == (of_brandt, "MEMBER_OF")
    }
    assert "Ilse Brandt" in belonging
    assert "Tomas Reyl" not in belonging
    listed = tmp_path / "graph.jsonl"
    listed.write_bytes(content)
    assert "would be" in coast.cli("graph", "import", str(listed), "--dry-run").stdout


def test_a_bad_export_is_refused_before_its_first_byte(coast: Server, tmp_path: Path) -> None:
    with coast.http() as client:
        for params, status in (
            ({"entity": "Nobody"}, 404),
            ({"format": "xlsx"}, 422),
            ({"entity": "Ilse Brandt", "depth": "9"}, 422),
            ({"dataset": "a/b"}, 422),
        ):
            assert client.get("/v1/graph/export", params=params).status_code == status
        assert client.get("/v1/graph/export", params={"dataset": "nothing"}).content == b""
    target = tmp_path / "x.jsonl"
    assert coast.cli("graph", "export", "--entity", "Nobody", "-o", str(target), check=False).returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_a_deleted_document_is_in_no_topic_and_no_export(coast: Server) -> None:
    with coast.http() as client:
        source = client.get("/v1/sources", params={"dataset": "sea"}).json()["sources"][0]
        client.delete(f"/v1/sources/{source['id']}")
        told = client.get("/v1/graph/topics").text + client.get("/v1/graph/export").text
    assert "Skerry" not in told
    assert "Corrin Orchard" in told
