"""One trace through all processes and stores, taken by OpenTelemetry's own collector; their logs name it too."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator

import pytest
from cluster import INGEST, QUERY, Cluster
from otlp_receiver import Received
from real_collector import ABSENT, INSTALLED, real_collector
from waiting import wait_until

pytestmark = pytest.mark.skipif(not INSTALLED, reason=ABSENT)

TEXT = "Ilse Brandt built the fish ladder at Corrin Gorge in 2016. The ladder has twelve steps."
REQUEST = "from-caller-7"
SERVICES = {
    "upload": {
        "trivium-query-api",
        "trivium-ingest-control",
        "trivium-ingest-worker",
        "trivium-graph-worker",
        "trivium-gpu-inference",
    },
    "question": {"trivium-query-api", "trivium-gpu-inference"},
}
STORES = {  # Milvus, Elasticsearch, Neo4j, and MinIO with Redis
    "upload": {
        "vectors write",
        "hypernodes write",
        "keywords write",
        "graph write",
        "objects write",
        "registry write",
    },
    "question": {"search vector", "search keyword", "search graph", "objects read"},
}


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Received]:
    """What the collector took of the processes and sent on."""
    with real_collector(tmp_path_factory.mktemp("collector")) as received:
        yield received


@pytest.fixture(scope="module")
def installation(receiver: Received, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    told = {"TRIVIUM_TRACES_URL": receiver.url, "TRIVIUM_LOG_FORMAT": "json"}
    cluster = Cluster(tmp_path_factory.mktemp("traces") / "logs", **told)
    try:
        cluster.make_buckets(events=False)
        yield cluster.start()
    finally:
        cluster.remove()


def caller() -> tuple[str, str, dict[str, str]]:
    """A trace, the span in it, and the header that names both."""
    trace, span = secrets.token_hex(16), secrets.token_hex(8)
    return trace, span, {"traceparent": f"00-{trace}-{span}-01"}


def lines_of(installation: Cluster, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (installation.folder / f"{name}.log").read_text().splitlines()]


def test_an_upload_and_a_question_are_one_trace_each_through_all_processes_and_stores(
    installation: Cluster, receiver: Received
) -> None:
    traces = {}
    with installation.http() as client:
        for name in ("upload", "question"):
            trace, span, headers = caller()
            traces[name] = (trace, span)
            if name == "upload":
                answer = client.post("/v1/sources", files={"file": ("people.txt", TEXT)}, headers=headers)
                assert installation.settled(answer.json()["id"])["state"] == "ready"
            else:
                conversation = client.post("/v1/conversations", json={}).json()["id"]
                asked = {"query": "Who built the fish ladder?", "conversation_id": conversation}
                answer = client.post("/v1/queries", json=asked, headers=headers)
                assert answer.json()["degraded"] == []
    for name, (trace, span) in traces.items():
        wait_until(
            lambda name=name, trace=trace: (
                SERVICES[name] <= receiver.services(trace) and STORES[name] <= set(receiver.of(trace))
            ),
            f"every process and store told its part of the {name}",
            told=lambda trace=trace: (receiver.services(trace), sorted(receiver.of(trace))),
        )
        wait_until(lambda trace=trace, span=span: receiver.under_one_root(trace, span), "all leads to the caller")
        failed = {told.name for told in receiver.of(trace).values() if told.status.code == 2}
        assert not failed


def test_lines_about_a_document_and_a_question_name_their_trace_and_every_line_is_json(installation: Cluster) -> None:
    """The last test of the installation: its query service loses Redis, and then all is stopped."""
    (uploaded, _, upload), (asked, _, question) = caller(), caller()
    with installation.http() as client:
        damaged = {"file": ("plan.docx", b"PK\x03\x04 not really")}
        headers = {"x-request-id": REQUEST, **upload}
        given = client.post("/v1/sources", files=damaged, headers=headers).json()["sources"][0]
        assert installation.settled(given["id"])["state"] == "failed"
    installation.stop(QUERY)
    installation.start(QUERY, TRIVIUM_REDIS_URL="redis://127.0.0.1:9/0", TRIVIUM_LIMITS="key.requests=9/s")
    with installation.http() as client:
        client.post("/v1/queries", json={"query": "Who built the fish ladder?"}, headers=question).raise_for_status()
    names = tuple(installation.running)
    installation.stop()
    lines = {name: lines_of(installation, name) for name in names}
    assert all({"time", "level", "event"} <= set(line) for told in lines.values() for line in told)
    [failed] = [line for line in lines[INGEST] if line["event"] == "document_failed"]
    told = (failed["level"], failed["tenant"], failed["document"], failed["trace"], failed["trace_id"])
    assert told == ("error", "default", given["id"], REQUEST, uploaded)
    unlimited = {(line["level"], line["trace"]) for line in lines[QUERY] if line["event"] == "limits_not_held"}
    assert unlimited == {("warning", asked)}, "a request without an id has its trace's"
