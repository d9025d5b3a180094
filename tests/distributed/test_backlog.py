"""The backlog of a whole installation: through the control process's pages and the command line."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import httpx2
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster
from doors import TRIVIUM
from waiting import wait_until

FILES = 40


def test_what_waits_is_told_in_documents_and_in_measured_seconds(cluster: Cluster) -> None:
    pages = f"http://127.0.0.1:{cluster.env['TRIVIUM_EVENTS_PORT']}"

    def asked(queues: str = "") -> dict[str, Any]:
        total: dict[str, Any] = httpx2.get(f"{pages}/backlog", params={"queues": queues} if queues else {}).json()
        return total

    cluster.upload("first.txt", b"The barge Halvard carried slate to Corrin Gorge.")
    assert cluster.document("first.txt")["state"] == "ready"
    wait_until(lambda: {"parse:interactive", "link:interactive"} <= set(asked()["costs"]), "stages are measured")
    wait_until(lambda: asked("parse")["total"]["workers"] == 1, "the worker has told that it is there")
    each_s = asked()["costs"]["parse:interactive"]
    assert 0 < each_s < 10

    cluster.stop(INGEST)
    for number in range(FILES):
        cluster.upload(f"{number}.txt", f"Ledger {number}: the barge Halvard{number} carried slate.".encode())
    wait_until(lambda: asked("parse")["total"]["documents"] == FILES, "all of them wait", limit_s=60)
    parse, graph = asked("parse")["total"], asked("graph")["total"]
    assert abs(parse["work_s"] - FILES * asked()["costs"]["parse:interactive"]) < 1e-6
    assert graph["documents"] == 0
    assert graph["work_s"] > 0, "what is not parsed yet is work for the graph worker, too"
    wait_until(lambda: asked("parse")["total"]["workers"] == 0, "nobody looks into the queue")
    assert asked("parse")["total"]["seconds"] is None
    assert (
        f'trivium_backlog_documents{{lane="interactive",queue="parse"}} {FILES}.0'
        in httpx2.get(f"{pages}/metrics").text
    )

    def trivium(*words: str) -> str:
        return subprocess.run([TRIVIUM, *words], env=cluster.env, capture_output=True, text=True, check=True).stdout

    assert f"parse\tinteractive\t{FILES}" in trivium("backlog")
    told = json.loads(trivium("backlog", "--json"))
    assert sum(queue["documents"] for queue in told["queues"]) == FILES

    cluster.start(INFERENCE, CONTROL, INGEST, GRAPH, QUERY)
    wait_until(lambda: asked()["total"]["active_documents"] == 0, "all is done", limit_s=120)
