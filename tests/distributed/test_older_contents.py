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

from trivium.config import load_settings

EXAMPLES = Path(__file__).parents[2] / "examples" / "files"
OLDER = sorted((Path(__file__).parent / "older").glob("*.xz"))
FILES = ("mill-history.txt", "paths-and-bridges.zip", "annual-report-2023.pdf")
DROPPED = "s3://older-uploads/files/fish-counts.csv"
INSIDE = {"bridges/oxley-footbridge.md", "older.zip", "benches.txt"}


def assert_rewritten_once(cluster: Cluster) -> None:
    """Vectors kept one kind a passage: the one that has text and a table is named, rewritten, and then right."""
    found = cluster.cli("audit", "--json", check=False)
    assert [(fault["source"], fault["store"], fault["changed"]) for fault in json.loads(found.stdout)] == [
        ("files/annual-report-2023.pdf", "vectors", 1)
    ]
    cluster.cli("audit", "--repair", check=False)
    cluster.cli("audit")


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
        with cluster.http() as client:
            (conversation,) = client.get("/v1/conversations").json()["conversations"]
        assert "1961" in str(conversation)
        for name in FILES:
            cluster.take(f"files/{name}", (EXAMPLES / name).read_bytes())
        assert cluster.documents() == sources
        cluster.stop()
        assert server_contents.objects(settings) == contents.buckets
        assert_rewritten_once(cluster)
    finally:
        cluster.remove()
