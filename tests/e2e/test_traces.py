"""One trace from an upload through every stage and store, and one from a question through every source."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import closing

import grpc
import pytest
from openai_peer import OpenAiPeer, Reply
from otlp_receiver import Received, otlp_receiver
from waiting import wait_until

from trivium.v1 import query_pb2, query_pb2_grpc

STAGES = ("parse", "chunk", "enrich", "embed", "index", "extract", "link", "publish")
WRITES = ("keywords write", "vectors write", "hypernodes write", "graph write", "objects write", "registry write")
SOURCES = ("vector", "keyword", "graph")
TEXT = "Ilse Brandt built the fish ladder at Corrin Gorge in 2016. The ladder has twelve steps."


@pytest.fixture
def receiver() -> Iterator[Received]:
    with otlp_receiver() as received:
        yield received


def _callers() -> tuple[str, str, str]:
    """A trace, the span in it, and the header that names both."""
    trace, span = secrets.token_hex(16), secrets.token_hex(8)
    return trace, span, f"00-{trace}-{span}-01"


def _names(received: Received, trace: str, wanted: set[str]) -> set[str]:
    def found() -> set[str]:
        names = set(received.of(trace))
        return names if wanted <= names else set()

    return wait_until(found, f"spans {wanted} of {trace}", told=lambda: wanted - set(received.of(trace)))


def test_an_upload_is_one_trace_through_every_stage_and_store(start_server, receiver):
    server = start_server(TRIVIUM_TRACES_URL=receiver.url, TRIVIUM_LOG_FORMAT="json", TRIVIUM_LOG_LEVEL="debug")
    trace, span, traceparent = _callers()
    with server.http() as client:
        answer = client.post("/v1/sources", files={"file": ("people.txt", TEXT)}, headers={"traceparent": traceparent})
        assert answer.headers["x-request-id"] == trace  # what a person reports leads to the trace
        assert answer.headers["traceresponse"].startswith(f"00-{trace}-")
        server.settled(answer.json()["id"])
    stages = {f"stage {stage}" for stage in STAGES}
    _names(receiver, trace, {"POST /v1/sources", *stages, *WRITES})
    wait_until(lambda: receiver.under_one_root(trace, span), "every span leads up to the caller's")
    told = b"".join(each.SerializeToString() for _, each in receiver.spans)
    assert b"people.txt" not in told
    assert b"Brandt" not in told


def test_a_question_is_one_trace_through_every_source_and_step(start_server, receiver):
    server = start_server(TRIVIUM_TRACES_URL=receiver.url)
    server.take("people.txt", TEXT)
    trace, span, traceparent = _callers()
    with server.http() as client:
        asked = {"query": "Who built the fish ladder at Corrin Gorge?"}
        assert client.post("/v1/queries", json=asked, headers={"traceparent": traceparent}).status_code == 200
    sources = {f"search {source}" for source in SOURCES}
    _names(receiver, trace, {"POST /v1/queries", "answer retrieve", "embed question", *sources})
    wait_until(lambda: receiver.under_one_root(trace, span), "every span leads up to the caller's")


def test_over_grpc_too_and_an_error_says_its_trace(start_server, receiver):
    server = start_server(TRIVIUM_TRACES_URL=receiver.url)
    trace, span, traceparent = _callers()
    with server.channel() as channel, pytest.raises(grpc.RpcError):
        query_pb2_grpc.QueryServiceStub(channel).Search(
            query_pb2.SearchRequest(query=""), metadata=[("traceparent", traceparent)], timeout=30
        )
    wait_until(lambda: receiver.of(trace), "the call's span came")
    wait_until(lambda: receiver.under_one_root(trace, span), "every span leads up to the caller's")
    with server.http() as client:
        answer = client.get("/v1/sources/none", headers={"traceparent": traceparent})
        assert answer.json()["request_id"] == trace


def test_a_language_model_that_fails_is_a_failed_call_and_a_fallback(start_server, receiver):
    with OpenAiPeer(lambda _: Reply(status=500)) as peer:
        server = start_server(
            TRIVIUM_TRACES_URL=receiver.url, TRIVIUM_LLM="openai", TRIVIUM_LLM_MODEL="m", TRIVIUM_LLM_URL=peer.url
        )
        server.take("people.txt", TEXT)
        trace, span, traceparent = _callers()
        with server.http() as client:
            asked = {"query": "Who built the fish ladder at Corrin Gorge?"}
            client.post("/v1/queries", json=asked, headers={"traceparent": traceparent})
    _names(receiver, trace, {"POST /v1/queries", "chat"})
    assert receiver.of(trace)["chat"].status.code == 2
    assert "fallback" in {event.name for each in receiver.of(trace).values() for event in each.events}
    wait_until(lambda: receiver.under_one_root(trace, span), "every span leads up to the caller's")


def test_what_is_no_traceparent_begins_a_trace_of_its_own(start_server, receiver):
    server = start_server(TRIVIUM_TRACES_URL=receiver.url)
    with server.http() as client:
        for given in ("", "00-0-0-01", "zz" * 40, "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "x" * 9000):
            answer = client.get("/v1/status", headers={"traceparent": given})
            assert answer.status_code == 200
            assert len(answer.headers["x-request-id"]) == 32


def test_a_collector_that_hangs_loses_spans_and_nothing_else(start_server):
    with closing(socket.create_server(("127.0.0.1", 0))) as deaf:  # connections are taken by the kernel, never answered
        server = start_server(TRIVIUM_TRACES_URL=f"http://127.0.0.1:{deaf.getsockname()[1]}")
        assert server.take("people.txt", TEXT)["state"] == "ready"
        with server.http() as client:
            for _ in range(50):
                assert client.post("/v1/search", json={"query": "the fish ladder"}).status_code == 200
            wait_until(lambda: "trivium_spans_lost_total 0" not in client.get("/metrics").text, "spans were lost")
        server.stop()  # within what a stop may take, or it raises
        assert server.process.returncode == 0


def test_without_the_setting_there_is_no_trace(start_server):
    server = start_server(TRIVIUM_LOG_FORMAT="json")
    server.take("people.txt", TEXT)
    with server.http() as client:
        answer = client.get("/v1/status", headers={"traceparent": _callers()[2]})
        assert "traceresponse" not in answer.headers
        assert len(answer.headers["x-request-id"]) == 16


def test_an_address_that_is_none_is_refused_at_the_start(start_server):
    with pytest.raises(AssertionError, match="TRIVIUM_TRACES_URL"):
        start_server(TRIVIUM_TRACES_URL="collector:4318")
