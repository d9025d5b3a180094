"""Connections on servers: several query services share one schedule, and what one leaves another takes up."""

from __future__ import annotations

import io
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
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


@pytest.fixture
def shelf(cluster_of_one: Cluster) -> Iterator[str]:
    """A bucket of the real MinIO."""
    bucket = f"{cluster_of_one.name}-shelf"
    cluster_of_one.s3.make_bucket(bucket)
    yield bucket
    for found in cluster_of_one.s3.list_objects(bucket, recursive=True):
        cluster_of_one.s3.remove_object(bucket, str(found.object_name))
    cluster_of_one.s3.remove_bucket(bucket)


@pytest.fixture
def cluster_of_one(new_cluster: Callable[..., Cluster], tmp_path: Path) -> Cluster:
    """A query service whose tenant has the keys of the real MinIO, and wrong ones."""
    secrets = tmp_path / "secrets"
    (secrets / "default").mkdir(parents=True)
    names = ("TRIVIUM_S3_ACCESS_KEY", "TRIVIUM_S3_SECRET_KEY")
    (secrets / "default/minio").write_text(":".join(os.environ[name] for name in names))
    (secrets / "default/wrong").write_text(f"{os.environ[names[0]]}:hunter2hunter2")
    cluster = new_cluster(
        events=False, TRIVIUM_CONNECT_SECRETS=str(secrets), TRIVIUM_URL_ALLOW="127.0.0.1", TRIVIUM_INFERENCE_URL=""
    )
    return cluster.start(QUERY)


def put(cluster: Cluster, bucket: str, name: str, content: bytes) -> None:
    cluster.s3.put_object(bucket, name, io.BytesIO(content), len(content))


def looked_at(cluster: Cluster, name: str) -> dict[str, Any]:
    """What a look came to that was asked for."""
    with cluster.http() as client:
        before = client.post(f"/v1/connections/{name}/run").json().get("started_at")

    def ended() -> dict[str, Any] | None:
        found = shown(cluster, name)
        return found if found.get("started_at") != before and found["activity"] != "running" else None

    found = wait_until(ended, f"{name} was looked at", told=lambda: shown(cluster, name))
    assert found
    return found


def test_a_bucket_of_a_real_server_is_followed(cluster_of_one: Cluster, shelf: str) -> None:
    cluster = cluster_of_one
    contents = {"report.txt": b"The report.", "deep/notes.md": b"# Notes", "odd %41 é+&?#.txt": b"Odd.", "empty/": b""}
    for name, content in contents.items():
        put(cluster, shelf, f"2023/{name}", content)
    put(cluster, shelf, "2024/other.txt", b"Another year.")
    where = {"kind": "s3", "location": f"{os.environ['TRIVIUM_S3_URL']}/{shelf}/2023/"}
    with cluster.http() as client:
        for name in ("minio", "wrong"):
            added = client.post("/v1/connections", json={"id": name, "credential": name, **where})
            assert added.status_code == 201, added.text
    first = looked_at(cluster, "minio")
    assert (first["stored"], first["deleted"], first["failed"]) == (3, 0, 0), first
    names = ["report.txt", "deep/notes.md", "odd %2541 %C3%A9%2B%26%3F%23.txt"]
    assert {document["name"] for document in cluster.documents()} == {f"minio://{name}" for name in names}

    put(cluster, shelf, "2023/report.txt", b"The report, again.")
    cluster.s3.remove_object(shelf, "2023/deep/notes.md")
    again = looked_at(cluster, "minio")
    assert (again["stored"], again["deleted"], again["failed"]) == (1, 1, 0), again
    unchanged = looked_at(cluster, "minio")
    assert (unchanged["stored"], unchanged["deleted"], unchanged["failed"]) == (0, 0, 0), unchanged
    refused = looked_at(cluster, "wrong")
    assert refused["error"]["code"] == "login_refused"
    assert "hunter2" not in str(refused)
