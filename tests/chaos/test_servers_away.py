"""Each server goes away or stops answering, in the middle of ingest and while questions are asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest
from storm import Holdings, Storm, documents
from wire import Wire

from trivium.domain.documents import DocumentState

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Undisturbed = Callable[[Mapping[str, str]], dict[str, Holdings]]

COSTS = {  # server: what a search without it does without
    "milvus": {"vector"},
    "elasticsearch": {"keyword"},
    "neo4j": {"graph"},
    "inference": {"vector"},
    "minio": set[str](),
    "redis": set[str](),
}


DOWN = (Wire.cut, Wire.mend)
SILENT = (Wire.stall, Wire.flow)  # connections stay open, and nothing is answered
SEARCHES = {DOWN: 8, SILENT: 3}  # each waits as long as a source may take for one that is silent


@pytest.mark.parametrize(
    ("server", "fault"),
    [
        *((server, DOWN) for server in COSTS),
        ("milvus", SILENT),
        ("neo4j", SILENT),
    ],
)
def test_a_server_that_is_away_costs_questions_its_part_and_documents_a_delay(
    storm: Storm, undisturbed: Undisturbed, server: str, fault: tuple[Callable[[Wire], None], Callable[[Wire], None]]
) -> None:
    begin, end = fault
    kind = f"{server}-{begin.__name__}"
    known = storm.take(f"known-{kind}.txt", f"The heron of Lough {server.capitalize()} stands on one leg.")
    assert known["state"] == "ready"
    texts = documents(f"away-{kind}", 16)
    ids = storm.submit(texts)
    storm.until(lambda: any(document.stage for document in storm.records.get_many(ids).values()), "begun")
    begin(storm.wires[server])
    try:
        degraded = set()
        for _ in range(SEARCHES[fault]):
            answer = storm.found(f"heron of Lough {server.capitalize()}")
            assert "one leg" in answer["hits"][0]["chunk"]["text"]
            degraded = {lost["source"] for lost in answer["degraded"]}
            time.sleep(0.5)
        print(f"{kind}: {answer['degraded'] or 'nothing degraded'}")
        assert degraded == COSTS[server]
    finally:
        end(storm.wires[server])
    ended = storm.settled_all(ids)
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    assert storm.holdings(ids) == undisturbed(texts)
    storm.until(lambda: not storm.found("heron")["degraded"], "whole again")
