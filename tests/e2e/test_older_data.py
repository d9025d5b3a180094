"""A data directory that an earlier version wrote opens as it is: nothing is read, embedded or stored anew.

`older/` holds one of each date at which what is stored could have changed: `trivium ingest` of the files of examples/
that FILES names, in a folder `files`, then a stop; packed without server.lock. They are never made again.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.domain.retrieval import Mode

from .conftest import EXAMPLES, Server

OLDER = sorted((Path(__file__).parent / "older").glob("*.tar.xz"))
FILES = ("mill-history.txt", "paths-and-bridges.zip", "fish-counts.csv")
INSIDE = {"bridges/oxley-footbridge.md", "older.zip", "benches.txt"}


def stored(data_dir: Path) -> dict[str, int]:
    """Every artifact and when it was written."""
    artifacts = (path for path in data_dir.glob("tenants/*/objects/artifacts+/**/*") if path.is_file())
    return {str(path.relative_to(data_dir)): path.stat().st_mtime_ns for path in artifacts}


@pytest.mark.parametrize("archive", OLDER, ids=lambda path: path.name)
def test_what_an_earlier_version_wrote_opens_as_it_is(
    archive: Path, tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "data", filter="data")
    before = stored(tmp_path / "data")
    server = start_server()
    with server.http() as client:
        sources = client.get("/v1/sources").json()["sources"]
        assert {source["state"] for source in sources} == {"ready"}
        assert {source["name"].rpartition(" > ")[2].removeprefix("files/") for source in sources} == {*FILES, *INSIDE}
        assert "1961" in str(server.search("When did the mill at Stennet close?", "keyword")[0])
        for mode in Mode:
            when = {"since": "2026-11-01", "until": "2026-11-30"}
            assert "1961" in str(server.search("When did the mill at Stennet close?", mode, filters=when)), mode
            assert not server.search("When did the mill at Stennet close?", mode, filters={"until": "2026-10-31"})
        for name in FILES:
            server.take(f"files/{name}", (EXAMPLES / "files" / name).read_bytes())
        again = client.get("/v1/sources").json()["sources"]
    assert again == sources
    server.stop()
    assert stored(tmp_path / "data") == before
    server.cli("audit")
