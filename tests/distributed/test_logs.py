"""With JSON logs, a document's lines in any process name it, its tenant and the request that handed it over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import INGEST, Cluster

TRACE = "from-caller-7"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path / "logs", TRIVIUM_LOG_FORMAT="json")
    try:
        cluster.make_buckets(events=False)
        yield cluster.start()
    finally:
        cluster.remove()


def test_a_failure_in_a_process_of_the_pool_tells_the_request_and_every_line_is_json(installation: Cluster) -> None:
    with installation.http() as client:
        damaged = {"file": ("plan.docx", b"PK\x03\x04 not really")}
        given = client.post("/v1/sources", files=damaged, headers={"x-request-id": TRACE}).json()["sources"][0]
        assert installation.settled(given["id"])["state"] == "failed"
    installation.stop()
    written = {log.name: log.read_text().splitlines() for log in installation.folder.iterdir()}
    lines = {name: [json.loads(line) for line in told] for name, told in written.items()}
    assert all({"time", "level", "event"} <= set(line) for told in lines.values() for line in told)
    [failed] = [line for line in lines[f"{INGEST}.log"] if line["event"] == "document_failed"]
    told = (failed["level"], failed["tenant"], failed["document"], failed["trace"])
    assert told == ("error", "default", given["id"], TRACE)
