"""Stores without room: told with what to do, questions go on, and what waits is done once there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster
from small_minio import SmallMinio, small_minio
from waiting import wait_until

from trivium.adapters.distributed.elasticsearch.server import ElasticServer
from trivium.config import load_settings

QUESTION = "Who keeps the gate of Ness?"


@pytest.fixture
def minio(tmp_path: Path) -> Iterator[SmallMinio]:
    with small_minio(tmp_path / "minio") as server:
        yield server


@pytest.mark.slow
def test_a_full_object_store_is_told_and_loses_nothing(
    minio: SmallMinio, monkeypatch: pytest.MonkeyPatch, new_cluster: Callable[..., Cluster]
) -> None:
    for name, value in minio.env.items():
        monkeypatch.setenv(name, value)
    cluster = new_cluster(events=False)
    cluster.start()
    assert cluster.take("before.txt", "The gate of Ness is kept by Isla Corr.")["state"] == "ready"
    cluster.stop(CONTROL)
    cluster.upload("during.txt", b"The tower of Ness is kept by Bram Oda.")
    minio.fill()
    cluster.start(CONTROL)
    until_told(cluster, CONTROL, "object_store_full")
    assert "Free some space there" in cluster.log(CONTROL)
    with cluster.http() as client:
        refused = client.post("/v1/sources", files=[("file", ("posted.txt", b"x" * 200_000))])
        assert (refused.status_code, refused.json()["code"]) == (503, "object_store_full")
        assert "Free some space there" in refused.json()["action"]
    assert "Isla Corr" in cluster.ask(QUESTION)["text"]
    minio.free()
    assert cluster.document("during.txt")["state"] == "ready"
    assert {document["state"] for document in cluster.documents()} == {"ready"}


@pytest.mark.slow
def test_an_index_that_a_full_disk_has_locked_is_told_and_loses_nothing(cluster: Cluster) -> None:
    """Elasticsearch locks indexes by itself at the flood-stage watermark, by the setting that is used here."""
    assert cluster.take("before.txt", "The gate of Ness is kept by Isla Corr.")["state"] == "ready"
    lock(cluster, locked=True)
    cluster.upload("during.txt", b"The tower of Ness is kept by Bram Oda.")
    until_told(cluster, INGEST, "elasticsearch_full")
    assert "Free disk space" in cluster.log(INGEST)
    assert "Isla Corr" in cluster.ask(QUESTION)["text"]
    lock(cluster, locked=False)
    assert cluster.document("during.txt")["state"] == "ready"
    assert all(cluster.running[name].poll() is None for name in (INFERENCE, CONTROL, INGEST, GRAPH, QUERY))


def until_told(cluster: Cluster, process: str, what: str) -> None:
    wait_until(lambda: what in cluster.log(process), f"{what} is told", told=lambda: cluster.log(process))


def lock(cluster: Cluster, *, locked: bool) -> None:
    server = ElasticServer(load_settings(cluster.env))
    with server.client() as client:
        client.indices.put_settings(
            index=f"{cluster.name}-chunks-*", settings={"index.blocks.read_only_allow_delete": True if locked else None}
        )
    server.close()
