"""Celery's own tools look at the workers, and can do nothing to them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cluster import GRAPH, INGEST

CELERY = Path(sys.executable).with_name("celery")


def _celery(broker: str, *arguments: str) -> str:
    command = [str(CELERY), "-b", broker, *arguments, "--timeout", "10", "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout


def test_celery_inspect_sees_every_worker_and_control_changes_nothing(cluster):
    cluster.take("people.txt", "Ilse Brandt built the fish ladder at Corrin Gorge in 2016.")
    broker = cluster.env["TRIVIUM_BROKER_URL"]
    there = json.loads(_celery(broker, "inspect", "ping"))
    assert [answer["ok"] for answer in there.values()] == ["pong", "pong"]
    queues = json.loads(_celery(broker, "inspect", "active_queues"))
    assert {queue["name"] for worker in queues.values() for queue in worker} >= {"parse", "embed", "index", "graph"}
    assert set(json.loads(_celery(broker, "inspect", "active"))) == set(there)
    done = json.loads(_celery(broker, "inspect", "stats"))
    assert sum(count for worker in done.values() for count in worker["total"].values()) > 0
    _celery(broker, "control", "shutdown")
    assert set(json.loads(_celery(broker, "inspect", "ping"))) == set(there)
    assert {cluster.running[name].poll() for name in (INGEST, GRAPH)} == {None}
    assert cluster.take("more.txt", "The ladder has twelve steps.")["state"] == "ready"
