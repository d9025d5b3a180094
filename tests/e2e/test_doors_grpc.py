"""Every gRPC method of a running server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from grpc_doors import why
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from waiting import wait_until

from trivium.v1 import graph_pb2, graph_pb2_grpc, ingest_pb2, ingest_pb2_grpc, query_pb2, query_pb2_grpc

from .conftest import Server

TEXT = b"# The ferry of Aldmoor\n\nThe ferry of Aldmoor was built by Signe Halloran in 1888.\n"
QUESTION = "Who built the ferry of Aldmoor?"


@pytest.fixture(scope="module")
def channel(server: Server) -> Iterator[grpc.Channel]:
    with server.channel() as opened:
        yield opened


@pytest.fixture(scope="module")
def ingest(channel: grpc.Channel) -> ingest_pb2_grpc.IngestServiceStub:
    return ingest_pb2_grpc.IngestServiceStub(channel)


@pytest.fixture(scope="module")
def query(channel: grpc.Channel, ready: ingest_pb2.Source) -> query_pb2_grpc.QueryServiceStub:
    return query_pb2_grpc.QueryServiceStub(channel)


@pytest.fixture(scope="module")
def ready(ingest: ingest_pb2_grpc.IngestServiceStub) -> ingest_pb2.Source:
    """The ferry, handed over in pieces, once it can be asked about."""
    header = ingest_pb2.SubmitSourceRequest(header=ingest_pb2.SourceHeader(name="ferry.md"))
    pieces = [ingest_pb2.SubmitSourceRequest(content=TEXT[i : i + 20]) for i in range(0, len(TEXT), 20)]
    taken = ingest.SubmitSource(iter([header, *pieces])).source
    assert taken.size_bytes == len(TEXT)

    def now() -> ingest_pb2.Source:
        source: ingest_pb2.Source = ingest.GetSource(ingest_pb2.GetSourceRequest(id=taken.id)).source
        return source

    wait_until(lambda: now().state not in ("pending", "running"), "settled", told=now)
    assert now().state == "ready", now()
    return now()


def test_reflection_lists_the_services_and_their_messages(channel: grpc.Channel) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)

    def asked(**what: str) -> reflection_pb2.ServerReflectionResponse:
        return next(stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(**what)])))

    names = {service.name for service in asked(list_services="").list_services_response.service}
    assert {"trivium.v1.IngestService", "trivium.v1.QueryService", "grpc.health.v1.Health"} <= names
    described = asked(file_containing_symbol="trivium.v1.QueryService").file_descriptor_response
    assert any(b"AskStream" in file for file in described.file_descriptor_proto)


@pytest.mark.parametrize("service", ["", "trivium.v1.IngestService", "trivium.v1.QueryService"])
def test_health_says_serving(channel: grpc.Channel, service: str) -> None:
    answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=service))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_a_source_handed_over_in_pieces_is_listed(
    ingest: ingest_pb2_grpc.IngestServiceStub, ready: ingest_pb2.Source
) -> None:
    assert (ready.name, ready.chunks, ready.progress) == ("ferry.md", 1, 1.0)
    listed = ingest.ListSources(ingest_pb2.ListSourcesRequest(state="ready", page_size=200))
    assert ready in listed.sources
    assert listed.next_page_token == ""


def test_search_and_answers_are_those_of_http(server: Server, query: query_pb2_grpc.QueryServiceStub) -> None:
    found = query.Search(query_pb2.SearchRequest(query=QUESTION, mode="hybrid", top_k=3))
    assert found.mode == "hybrid"
    over_http = server.search(QUESTION, top_k=3)
    assert [hit.chunk.id for hit in found.hits] == [hit["chunk"]["id"] for hit in over_http]
    assert [hit.score for hit in found.hits] == pytest.approx([hit["score"] for hit in over_http])
    assert found.hits[0].sources
    answer = query.Ask(query_pb2.AskRequest(question=QUESTION)).answer
    assert "Signe Halloran" in answer.text
    assert answer.text == server.ask(QUESTION)["text"]
    assert answer.citations[0].source == "ferry.md"
    assert answer.citations[0].positions


def test_an_answer_streams_and_ends_with_the_whole(query: query_pb2_grpc.QueryServiceStub) -> None:
    request = query_pb2.AskStreamRequest(request=query_pb2.AskRequest(question=QUESTION))
    events = list(query.AskStream(request))
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds[0] == "hits"
    assert kinds[-1] == "answer"
    assert kinds.index("text") < kinds.index("citation") < kinds.index("verdict")
    assert "Signe Halloran" in events[-1].answer.text


def test_a_mistake_is_told_with_its_reason_and_what_to_do(
    ingest: ingest_pb2_grpc.IngestServiceStub, query: query_pb2_grpc.QueryServiceStub
) -> None:
    with pytest.raises(grpc.RpcError) as unknown:
        ingest.GetSource(ingest_pb2.GetSourceRequest(id="0" * 32))
    assert unknown.value.code() == grpc.StatusCode.NOT_FOUND
    assert why(unknown.value).reason == "NO_SUCH_DOCUMENT"
    for bad in (query_pb2.SearchRequest(query="x" * 100_000), query_pb2.SearchRequest(query="x", mode="magic")):
        with pytest.raises(grpc.RpcError) as refused:
            query.Search(bad)
        assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        info = why(refused.value)
        assert (info.reason, info.domain) == ("INVALID_REQUEST", "trivium")
        assert info.metadata["action"]
        assert info.metadata["request_id"]
    inward = ingest_pb2.SubmitSourceRequest(header=ingest_pb2.SourceHeader(url="http://127.0.0.1:1/"))
    with pytest.raises(grpc.RpcError) as inside:
        ingest.SubmitSource(iter([inward]))
    assert why(inside.value).reason == "FORBIDDEN_ADDRESS"


def test_entities_are_those_of_http(server: Server, channel: grpc.Channel, ready: ingest_pb2.Source) -> None:
    server.take("harbour.md", "# Harbour\n\nSigne Halloran drew the harbour of Aldmoor.\n")
    graph = graph_pb2_grpc.GraphServiceStub(channel)
    pages = [graph.ListEntities(graph_pb2.ListEntitiesRequest(page_size=1))]
    while token := pages[-1].next_page_token:
        pages.append(graph.ListEntities(graph_pb2.ListEntitiesRequest(page_size=1, page_token=token)))
    listed = graph.ListEntities(graph_pb2.ListEntitiesRequest(page_size=200))
    assert [entity for page in pages for entity in page.entities] == list(listed.entities)
    (signe,) = graph.ListEntities(graph_pb2.ListEntitiesRequest(prefix="signe h", type="person")).entities
    seen = graph.GetEntity(graph_pb2.GetEntityRequest(id=signe.id))
    with server.http() as client:
        entities = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
        picture = client.get(f"/v1/graph/entities/{signe.id}").json()
    assert _written(listed)["entities"] == _same(entities)
    told = _written(seen)
    assert (told.pop("next_page_token"), told) == (picture.pop("cursor"), _same(picture))
    assert seen.neighbours
    assert {mention.place.source for mention in seen.mentions} == {ready.name, "harbour.md"}
    few = graph.GetEntity(graph_pb2.GetEntityRequest(id=signe.id, neighbours=1, evidence=1))
    assert (len(few.neighbours), len(few.mentions)) == (1, 1)


def _written(message: Any) -> Any:
    return _same(
        json_format.MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    )


def _same(value: Any) -> Any:
    """Protobuf's JSON writes whole numbers of 64 bits as strings."""
    if isinstance(value, dict):
        return {name: _same(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_same(inner) for inner in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    ("call", "request_", "reason"),
    [
        ("ListEntities", graph_pb2.ListEntitiesRequest(type="wizard"), "INVALID_REQUEST"),
        ("ListEntities", graph_pb2.ListEntitiesRequest(prefix="x" * 100_000), "INVALID_REQUEST"),
        ("ListEntities", graph_pb2.ListEntitiesRequest(prefix="x\0y"), "INVALID_REQUEST"),
        ("ListEntities", graph_pb2.ListEntitiesRequest(page_token="x\0y"), "BAD_CURSOR"),
        ("GetEntity", graph_pb2.GetEntityRequest(id="../" * 50_000), "NO_SUCH_ENTITY"),
        ("GetEntity", graph_pb2.GetEntityRequest(id="0" * 32, neighbours=2**32 - 1), "NO_SUCH_ENTITY"),
        ("GetLinks", graph_pb2.GetLinksRequest(), "NO_SUCH_DOCUMENT"),
        ("GetLinks", graph_pb2.GetLinksRequest(id="0\0" * 16), "INVALID_REQUEST"),
    ],
)
def test_what_is_no_entity_and_no_source_is_told(channel: grpc.Channel, call: str, request_: Any, reason: str) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        getattr(graph_pb2_grpc.GraphServiceStub(channel), call)(request_)
    info = why(refused.value)
    assert info.reason == reason
    assert info.metadata["action"]


def test_a_deadline_that_has_passed_ends_the_call(query: query_pb2_grpc.QueryServiceStub) -> None:
    with pytest.raises(grpc.RpcError) as late:
        query.Ask(query_pb2.AskRequest(question=QUESTION), timeout=0.0005)
    assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert "Signe Halloran" in query.Ask(query_pb2.AskRequest(question=QUESTION), timeout=30).answer.text


def test_a_deleted_source_is_gone(ingest: ingest_pb2_grpc.IngestServiceStub) -> None:
    header = ingest_pb2.SubmitSourceRequest(header=ingest_pb2.SourceHeader(name="passing.txt"))
    taken = ingest.SubmitSource(iter([header, ingest_pb2.SubmitSourceRequest(content=b"Here and gone.")])).source
    assert ingest.DeleteSource(ingest_pb2.DeleteSourceRequest(id=taken.id)).source.state == "deleted"
    with pytest.raises(grpc.RpcError) as gone:
        ingest.GetSource(ingest_pb2.GetSourceRequest(id=taken.id))
    assert gone.value.code() == grpc.StatusCode.NOT_FOUND
