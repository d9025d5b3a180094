"""`trivium backfill` on the real servers: stopped, resumed, and told what failed."""

from __future__ import annotations

import io
import json
import signal
import subprocess
from collections.abc import Iterator

import pytest
from cluster import Cluster
from doors import TRIVIUM
from waiting import wait_until

OBJECTS = 60


@pytest.fixture
def archive(cluster: Cluster) -> Iterator[str]:
    """A bucket of its own that nobody follows."""
    name = f"{cluster.name}-archive"
    cluster.s3.make_bucket(name)
    for number in range(OBJECTS):
        text = f"Ledger {number}: the barge Halvard{number} carried {number * 3} tons of slate.".encode()
        cluster.s3.put_object(name, f"in/{number:03}.txt", io.BytesIO(text), len(text))
    cluster.s3.put_object(name, "in/bad.pdf", io.BytesIO(b"%PDF-1.7"), 8)
    yield name
    for found in cluster.s3.list_objects(name, recursive=True):
        cluster.s3.remove_object(name, str(found.object_name))
    cluster.s3.remove_bucket(name)


def test_a_backfill_that_was_stopped_goes_on_and_tells_what_failed(cluster: Cluster, archive: str) -> None:
    address = f"s3://{archive}/in/"

    def trivium(*words: str) -> subprocess.CompletedProcess[str]:
        command = [TRIVIUM, *words]
        return subprocess.run(command, env=cluster.env, capture_output=True, text=True, timeout=200, check=False)

    dry = trivium("backfill", address, "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert f"{OBJECTS + 1} of them new" in dry.stderr
    assert cluster.documents() == []

    with subprocess.Popen([TRIVIUM, "backfill", address, "--rate", "10/s"], env=cluster.env) as first:
        wait_until(lambda: len(cluster.documents()) >= 10, "ten have come", limit_s=100)
        first.send_signal(signal.SIGINT)
        assert first.wait(60) == 1
    assert 10 <= len(cluster.documents()) < OBJECTS

    second = trivium("backfill", address, "--max-inflight", "20")
    assert "Going on after" in second.stderr
    assert "corrupt_file: 1" in second.stderr
    assert second.returncode == 1
    states = [document["state"] for document in cluster.documents()]
    assert (states.count("ready"), states.count("failed")) == (OBJECTS, 1)
    assert "51" in cluster.ask("How many tons of slate did the barge Halvard17 carry?")["text"]

    (failed,) = [json.loads(line) for line in trivium("dead", "list", "--json").stdout.splitlines()]
    assert failed["source"] == f"{address}bad.pdf"
    cluster.s3.put_object(archive, "in/bad.pdf", io.BytesIO(b"Now it is text about the tug Imra."), 34)
    replayed = trivium("dead", "replay", failed["id"])
    assert replayed.returncode == 0, replayed.stderr
    third = trivium("backfill", address)  # the pointer names the old value; the bucket holds a newer one
    assert third.returncode == 0, third.stderr
    assert "accepted 1, unchanged" in third.stderr
    assert {document["state"] for document in cluster.documents()} == {"ready"}
