"""Connections on servers: several query services share one schedule, and what one leaves another takes up."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cluster import QUERY, Cluster
from waiting import wait_until

SECOND = f"{QUERY}#2"
FILES = 40


def write(folder: Path) -> None:
    """Files as they were written a minute ago."""
    folder.mkdir()
    for number in range(FILES):
        path = folder / f"{number}.txt"
        path.write_text(f"Note {number}")
        os.utime(path, (time.time() - 60,) * 2)


def started(new_cluster: Callable[..., Cluster], tmp_path: Path) -> Cluster:
    """Two query services, with models of their own and no ingest behind."""
    cluster = new_cluster(events=False, TRIVIUM_CONNECT_FOLDERS=str(tmp_path), TRIVIUM_INFERENCE_URL="")
    cluster.start(QUERY)
    cluster.start_beside(SECOND)
    return cluster


def shown(cluster: Cluster, name: str) -> dict[str, Any]:
    with cluster.http() as client:
        found: dict[str, Any] = client.get(f"/v1/connections/{name}").json()
        return found


def _began(cluster: Cluster, name: str) -> bool:
    return "connection_look_begun" in (cluster.folder / f"{name}.log").read_text()


def test_one_of_several_looks_and_what_it_leaves_when_it_is_killed_another_takes_up(
    new_cluster: Callable[..., Cluster], tmp_path: Path
) -> None:
    write(tmp_path / "many")
    cluster = started(new_cluster, tmp_path)

    def logs() -> str:
        return "".join((cluster.folder / f"{name}.log").read_text() for name in (QUERY, SECOND))

    with cluster.http() as client:
        many = {"id": "many", "kind": "folder", "location": str(tmp_path / "many"), "max_per_s": 1, "every_s": 3600}
        assert client.post("/v1/connections", json=many).status_code == 201
    wait_until(lambda: shown(cluster, "many")["stored"] > 3, "some are stored", told=logs)
    [taker] = [name for name in (QUERY, SECOND) if _began(cluster, name)]
    cluster.signal(taker, signal.SIGKILL)
    cluster.running.pop(taker).wait(30)
    if taker == QUERY:
        cluster.start(QUERY)  # the address that is asked; it is as good as the other
    wait_until(lambda: shown(cluster, "many").get("ended_at"), "the other one has finished it", told=logs, limit_s=180)
    assert shown(cluster, "many")["stored"] < FILES - 3, "what was stored is not fetched again"
    assert {found["name"] for found in cluster.documents()} == {f"many://{n}.txt" for n in range(FILES)}

    with cluster.http() as client:
        client.delete("/v1/connections/many", params={"documents": "true"})
        wait_until(lambda: client.get("/v1/connections/many").status_code == 404, "it is removed", told=logs)
    assert cluster.documents() == []
