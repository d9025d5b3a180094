"""Sections and documents as HyperNodes, and mode deep, through every door: command line, HTTP and gRPC."""

from __future__ import annotations

import json

import pytest

from trivium.v1 import query_pb2, query_pb2_grpc

from .conftest import Server

HANDBOOK = """# Harbour handbook

## Mooring

Two bow lines are made fast before the engine stops. Fenders hang on the side of the quay.

{of the mooring}

A stern line is led to the ring of Orla Quay, and slack is taken up as the water rises.

## Fuel

The pump of Brannock Head opens at seven. Diesel is paid for at the kiosk.

{of the fuel}

Canisters are filled on the pontoon alone, with the engine off.
"""
PADDING = {  # no sentence stands twice
    "{of the mooring}": "Rope {} is coiled on the deck of the boat once she is tied up.",
    "{of the fuel}": "Litre {} of diesel is written into the book beside the pump.",
}
for part, sentence in PADDING.items():
    HANDBOOK = HANDBOOK.replace(part, " ".join(sentence.format(number) for number in range(1, 31)))
QUESTION = "Which fuel is sold at the pump?"


@pytest.fixture(scope="module")
def harbour(server: Server) -> Server:
    server.take("handbook.md", HANDBOOK, dataset="harbour")
    server.take("ferry.txt", "The ferry to Inish Orla ties up at Orla Quay at 06:40.\n", dataset="ferries")
    return server


def test_the_command_line_shows_the_section_that_led_to_a_passage(harbour: Server) -> None:
    shown = harbour.cli("search", "--mode", "deep", QUESTION).stdout
    assert "Harbour handbook > Fuel" in shown
    assert "hypernode #1" in shown
    assert "deep" in harbour.cli("search", "--help").stdout


def test_http_and_grpc_find_the_same_and_filters_hold(harbour: Server) -> None:
    wanted = {"query": QUESTION, "mode": "deep", "filters": {"dataset": "harbour"}}
    with harbour.http() as client, harbour.channel() as channel:
        found = client.post("/v1/search", json=wanted).json()
        assert {hit["chunk"]["source"] for hit in found["hits"]} == {"handbook.md"}
        assert found["hits"][0]["hypernode"] == "Harbour handbook > Fuel"
        assert (found["mode"], found["degraded"]) == ("deep", [])
        where = query_pb2.SearchFilter(dataset="harbour")
        request = query_pb2.SearchRequest(query=QUESTION, mode="deep", filter=where)
        told = query_pb2_grpc.QueryServiceStub(channel).Search(request)
        assert [hit.chunk.id for hit in told.hits] == [hit["chunk"]["id"] for hit in found["hits"]]
        assert [hit.hypernode for hit in told.hits] == [hit.get("hypernode") or "" for hit in found["hits"]]
        answer = client.post(
            "/v1/queries", json={**wanted, "query": "When does the pump of Brannock Head open?"}
        ).json()
        assert "seven" in answer["text"]


def test_a_name_tells_the_sections_that_name_it(harbour: Server) -> None:
    shown = harbour.cli("graph", "show", "Orla Quay").stdout
    assert "Harbour handbook > Mooring (handbook.md): 1 passage" in shown
    assert "ferry.txt (ferry.txt): 1 passage" in shown
    assert "Harbour handbook > Fuel" not in shown


def test_what_is_deleted_or_replaced_leads_nowhere(harbour: Server) -> None:
    harbour.take("gone.md", HANDBOOK.replace("Harbour", "Marina"), dataset="gone")
    wanted = {"query": QUESTION, "mode": "deep", "filters": {"dataset": "gone"}}
    with harbour.http() as client:
        assert client.post("/v1/search", json=wanted).json()["hits"][0]["hypernode"] == "Marina handbook > Fuel"
        harbour.take("gone.md", HANDBOOK.replace("Harbour", "Ford").replace("Fuel", "Diesel"), dataset="gone")
        assert client.post("/v1/search", json=wanted).json()["hits"][0]["hypernode"] == "Ford handbook > Diesel"
        harbour.cli("delete", "gone.md", "--yes")
        assert client.post("/v1/search", json=wanted).json()["hits"] == []
    harbour.stop()
    assert json.loads(harbour.cli("audit", "--json").stdout) == []
