"""What comes into the bucket that should not: told clearly, nothing lost, nobody blocked."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote_plus

import httpx2
import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster
from doors import TRIVIUM
from minio.deleteobjects import DeleteObject
from waiting import wait_until

from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import load_settings
from trivium_ingest.backfill import dry_run
from trivium_ingest.uploads.follow import Bucket

ODD_KEYS = (
    "a..b/...c.txt",
    ".hidden/.file.txt",
    "%2e%2e/%2Fetc%2fpasswd.txt",
    "100% of it.txt",
    "plus+plus & more?#x.txt",
    "Ærø/日本語/naïve 🙂.txt",
    "'quotes\" and $(touch x); DROP TABLE`.txt",
    "a" * 240 + ".txt",
    "tab\tand\nnewline.txt",
)
LIMIT_BYTES = 100_000
KEYS = 8_000
FEW = 2_000  # more than one page of a listing


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Its processes start in the wrong order: who is needed comes last."""
    running = Cluster(tmp_path_factory.mktemp("cluster"), TRIVIUM_MAX_UPLOAD_BYTES=str(LIMIT_BYTES))
    running.make_buckets()
    try:
        running.start(CONTROL, INGEST, GRAPH)
        running.upload("early.txt", b"The early bird of Skomer is Odile Farrant.")
        time.sleep(5)
        yield running.start(QUERY).start(INFERENCE)
    finally:
        running.remove()


def reads_on(cluster: Cluster) -> None:
    key = f"good-{time.monotonic_ns()}.txt"
    cluster.upload(key, b"The warden of the gate is Clover Dunmore.")
    assert cluster.document(key)["state"] == "ready"


def content(cluster: Cluster, document: str) -> bytes:
    with cluster.http() as client:
        return client.get(f"/v1/sources/{document}/content").content


def test_the_order_in_which_processes_start_does_not_matter(cluster: Cluster) -> None:
    early = cluster.document("early.txt")
    assert early["state"] == "ready", early
    assert all(cluster.running[name].poll() is None for name in (CONTROL, INGEST, GRAPH))


def test_odd_keys_are_documents_like_any_other(cluster: Cluster) -> None:
    texts = {key: f"The keeper of door {number} is Tamsin Orde.".encode() for number, key in enumerate(ODD_KEYS)}
    for key, text in texts.items():
        cluster.upload(key, text)
    found = {key: cluster.document(key) for key in ODD_KEYS}
    assert {key: document["state"] for key, document in found.items()} == dict.fromkeys(ODD_KEYS, "ready")
    assert {key: content(cluster, document["id"]) for key, document in found.items()} == texts
    for key in ODD_KEYS:
        cluster.s3.remove_object(cluster.uploads, key)
    for key in ODD_KEYS:
        cluster.until_unlisted(key)


@pytest.mark.parametrize("key", ["../../state/x.txt", "a/../../b.txt", "..", "/", "\0", "x" * 5000, "\ud7ff" * 400])
def test_an_event_of_a_key_that_cannot_be_is_harmless(cluster: Cluster, key: str) -> None:
    """No S3 client can make such a key in MinIO, but anybody who reaches the door can name it."""
    before = cluster.documents()
    record = {"s3": {"bucket": {"name": cluster.uploads}, "object": {"key": quote_plus(key)}}}
    door = f"http://127.0.0.1:{cluster.env['TRIVIUM_EVENTS_PORT']}/events"
    told = httpx2.post(door, content=json.dumps({"Records": [record]}), timeout=10, trust_env=False)
    assert told.status_code == 200
    reads_on(cluster)
    assert len(cluster.documents()) == len(before) + 1


def test_an_object_over_the_limit_is_told_and_hinders_nobody(cluster: Cluster) -> None:
    cluster.upload("large.txt", b"x" * (LIMIT_BYTES + 1))
    large = cluster.document("large.txt")
    assert (large["state"], large["reason"]["code"]) == ("failed", "too_large")
    assert f"{LIMIT_BYTES:,}" in large["reason"]["message"]
    assert "TRIVIUM_MAX_UPLOAD_BYTES" in large["reason"]["action"]
    reads_on(cluster)
    cluster.upload("large.txt", b"The small one is by Ivo Lund.")
    wait_until(lambda: cluster.document("large.txt")["state"] == "ready", "the small one is ready")


def test_an_object_that_vanished_between_event_and_read_is_told_and_then_forgotten(cluster: Cluster) -> None:
    keys = ("vanished.txt", "changed.txt")
    cluster.stop(INGEST)
    for key in keys:
        cluster.upload(key, b"The first words are by Una Brack.")
    on_their_way = ["running", "running"]  # to a worker that is not there
    wait_until(lambda: _states(cluster, keys) == on_their_way, "both are on their way")
    cluster.stop(CONTROL)
    cluster.s3.remove_object(cluster.uploads, "vanished.txt")
    cluster.upload("changed.txt", b"The second words are by Una Brack.")
    cluster.start(INGEST)
    for key in keys:
        reason = cluster.document(key)["reason"]
        assert (reason["code"], reason["stage"]) == ("upload_gone", "parse")
        assert key in reason["message"]
    cluster.start(CONTROL)
    cluster.until_unlisted("vanished.txt")
    wait_until(lambda: _states(cluster, keys) == ["ready"], "the changed one is ready")
    assert content(cluster, cluster.document("changed.txt")["id"]) == b"The second words are by Una Brack."


@pytest.mark.parametrize(
    ("process", "variable", "code"),
    [
        (INGEST, "TRIVIUM_S3_SECRET_KEY", "object_store_credentials"),
        (INGEST, "TRIVIUM_S3_BUCKET", "no_such_bucket"),
        (INGEST, "TRIVIUM_ELASTICSEARCH_PASSWORD", "elasticsearch_credentials"),
        (GRAPH, "TRIVIUM_NEO4J_PASSWORD", "neo4j_credentials"),
    ],
)
def test_a_wrong_setting_is_told_and_documents_wait_until_it_is_right(
    cluster: Cluster, process: str, variable: str, code: str
) -> None:
    cluster.stop(process)
    cluster.start(process, **{variable: "wrong"})
    key = f"{code}.txt"
    cluster.upload(key, b"The patient one is Orla Vance.")
    wait_until(lambda: code in cluster.log(process), f"{code} is told", limit_s=120, told=lambda: cluster.log(process))
    assert variable in cluster.log(process)
    assert _states(cluster, [key]) == ["running"]
    cluster.stop(process)
    cluster.start(process)
    assert cluster.document(key)["state"] == "ready"


@pytest.fixture
def archive(cluster: Cluster) -> Iterator[str]:
    """A bucket of very many keys, a few of them below `0/`."""
    name = f"{cluster.name}-archive"
    cluster.s3.make_bucket(name)
    keys = [f"{0 if number < FEW else 1}/{number}.txt" for number in range(KEYS)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: cluster.s3.put_object(name, key, io.BytesIO(key.encode()), len(key)), keys))
    yield name
    assert not list(cluster.s3.remove_objects(name, map(DeleteObject, keys)))
    cluster.s3.remove_bucket(name)


@pytest.mark.timeout(600)  # most of it to fill and to empty the bucket
def test_a_bucket_of_very_many_keys_takes_little_memory_and_blocks_nobody(cluster: Cluster, archive: str) -> None:
    peaks = [_peak_of_a_look(cluster, archive, *part) for part in (("0/", FEW), ("", KEYS))]
    assert peaks[1] < 1.5 * peaks[0], peaks
    dry = cluster.cli("backfill", f"s3://{archive}/", "--dry-run")
    assert f"{KEYS:,} of them new" in dry.stderr
    with subprocess.Popen([TRIVIUM, "backfill", f"s3://{archive}/"], env=cluster.env) as filling:
        wait_until(lambda: _waiting(cluster), "something waits")
        reads_on(cluster)
        assert cluster.take("posted.txt", "The posted one is by Ada Brill.")["state"] == "ready"
        assert _waiting(cluster), "nothing was waiting any more"
        assert filling.poll() is None
        filling.send_signal(signal.SIGINT)
        assert filling.wait(60) == 1


def _peak_of_a_look(cluster: Cluster, bucket: str, prefix: str, keys: int) -> int:
    """Bytes that Python holds at most while all uploads are compared with the registry."""
    settings = load_settings(cluster.env)
    with DistributedStores(settings) as stores:
        followed = Bucket(bucket, stores.uploads(bucket), "default")
        next(stores.uploads(bucket).listing())  # what the first request loads stays
        tracemalloc.start()
        try:
            assert dry_run(followed, prefix, stores.registry).uploads == keys
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def _states(cluster: Cluster, keys: Sequence[str]) -> list[str]:
    return [found["state"] for found in cluster.documents() if found["name"].endswith(tuple(keys))]


def _waiting(cluster: Cluster) -> int:
    with cluster.http() as client:
        return int(client.get("/v1/status").json()["by_state"].get("pending", 0))
