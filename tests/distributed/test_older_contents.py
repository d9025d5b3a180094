"""What an earlier version wrote onto the servers opens as it is: nothing is read, embedded or stored anew.

`older/` holds one of each date at which what is stored could have changed, written by `tests/peers/server_contents.py`
after FILES, in a folder `files`, had been uploaded and one question asked in a conversation. They are never made again.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import server_contents
from cluster import Cluster

from trivium.access.trail import ENTRIES
from trivium.adapters.distributed.s3.objects import FORMAT_KEY
from trivium.config import load_settings

EXAMPLES = Path(__file__).parents[2] / "examples" / "files"
OLDER = sorted((Path(__file__).parent / "older").glob("*.xz"))
FILES = ("mill-history.txt", "paths-and-bridges.zip", "annual-report-2023.pdf")
DROPPED = "s3://older-uploads/files/fish-counts.csv"
INSIDE = {"bridges/oxley-footbridge.md", "older.zip", "benches.txt"}


def assert_rewritten_once(cluster: Cluster) -> None:
    """Rows did not say when their document came, and there were no HyperNodes: each is named, mended, then right."""
    found = json.loads(cluster.cli("audit", "--json", check=False).stdout)
    assert {fault["store"] for fault in found} == {"vectors", "keywords", "graph", "hypernodes"}
    for fault in found:
        is_new = fault["store"] == "hypernodes"
        assert (fault["surplus"], fault["orphaned"]) == (0, False)
        assert (fault["missing"] > 0, fault["changed"] > 0) == (is_new, not is_new)
    cluster.cli("audit", "--repair", check=False)
    cluster.cli("audit")


def found_within(cluster: Cluster, mode: str, **filters: str) -> str:
    """What is found of the mill, restricted."""
    with cluster.http() as client:
        wanted = {"query": "When did the mill at Stennet close?", "mode": mode, "filters": filters}
        return str(client.post("/v1/search", json=wanted).json()["hits"])


def without_the_trail(buckets: dict[str, dict[str, bytes]]) -> dict[str, dict[str, bytes]]:
    """What was uploaded once more is told there, and nowhere else; the bucket says its format from now on."""
    return {
        bucket: {name: body for name, body in objects.items() if f"/{ENTRIES}" not in name and name != FORMAT_KEY}
        for bucket, objects in buckets.items()
    }


@pytest.mark.parametrize("archive", OLDER, ids=lambda path: path.name)
def test_what_an_earlier_version_wrote_opens_as_it_is(archive: Path, tmp_path: Path) -> None:
    contents = server_contents.read(archive)
    state, uploads = contents.buckets
    buckets = {"TRIVIUM_S3_BUCKET": state, "TRIVIUM_S3_UPLOADS": uploads}
    cluster = Cluster(tmp_path, TRIVIUM_INDEX_PREFIX=contents.prefix, **buckets)
    settings = load_settings(cluster.env)
    cluster.make_buckets(events=False)
    try:
        server_contents.load(settings, contents)
        cluster.start()
        sources = cluster.documents()
        assert {source["state"] for source in sources} == {"ready"}
        names = {source["name"].rpartition(" > ")[2].removeprefix("files/") for source in sources}
        assert names == {*FILES, *INSIDE, DROPPED}
        for mode in ("keyword", "vector", "bfs", "hybrid"):
            assert "1961" in str(cluster.search("When did the mill at Stennet close?", mode)[0]), mode
            assert "1961" in found_within(cluster, mode, since="2026-11-01", until="2026-11-30"), mode
            assert found_within(cluster, mode, until="2026-10-31") == "[]", mode
        with cluster.http() as client:
            wanted = {"query": "When did the mill at Stennet close?", "mode": "deep"}
            found = client.post("/v1/search", json=wanted).json()
            assert "1961" in str(found["hits"][0])
            assert ["rebuild --store hypernodes" in lost["reason"] for lost in found["degraded"]] == [True]
            (conversation,) = client.get("/v1/conversations").json()["conversations"]
        assert "1961" in str(conversation)
        for name in FILES:
            cluster.take(f"files/{name}", (EXAMPLES / name).read_bytes())
        assert cluster.documents() == sources
        cluster.stop()
        assert without_the_trail(server_contents.objects(settings)) == contents.buckets
        assert_rewritten_once(cluster)
    finally:
        cluster.remove()
