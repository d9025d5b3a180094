"""A data directory that an earlier version wrote opens as it is: nothing is read, embedded or stored anew.

`older/` holds one of each date at which what is stored could have changed, written by `older/make.py` of its day; the
first has documents alone. They are never made again.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from trivium.domain.retrieval import Mode

from .conftest import EXAMPLES, Server

OLDER = sorted((Path(__file__).parent / "older").glob("*.tar.xz"))
WITH_KEYS = [archive for archive in OLDER if archive.with_name(archive.name.replace("tar.xz", "json")).exists()]
FIRST_ADMIN = "first-admin"
FILES = ("mill-history.txt", "paths-and-bridges.zip", "fish-counts.csv")
INSIDE = {"bridges/oxley-footbridge.md", "older.zip", "benches.txt"}
FOLLOWED = "harbour://people.html"


def stored(data_dir: Path) -> dict[str, int]:
    """Every artifact and when it was written."""
    artifacts = (path for path in data_dir.glob("tenants/*/objects/artifacts+/**/*") if path.is_file())
    return {str(path.relative_to(data_dir)): path.stat().st_mtime_ns for path in artifacts}


def opened(archive: Path, folder: Path, start_server: Callable[..., Server]) -> Server:
    """A server over what is in the archive, asked as its first admin."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "data", filter="data")
    keys = {"TRIVIUM_API_KEYS": f"default:{FIRST_ADMIN}", "TRIVIUM_API_KEY": FIRST_ADMIN}
    server = start_server(**keys, TRIVIUM_CONNECT_FOLDERS="*")
    server.key = FIRST_ADMIN
    return server


def around(archive: Path) -> tuple[str, str, str]:
    """The day before the one on which it was written, the day after, and the day before both."""
    written = date.fromisoformat(archive.name.removeprefix("data-").removesuffix(".tar.xz"))
    return str(written - timedelta(1)), str(written + timedelta(1)), str(written - timedelta(2))


@pytest.mark.parametrize("archive", OLDER, ids=lambda path: path.name)
def test_what_an_earlier_version_wrote_opens_as_it_is(
    archive: Path, tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    server = opened(archive, tmp_path, start_server)
    before = stored(tmp_path / "data")
    since, until, earlier = around(archive)
    with server.http() as client:
        sources = client.get("/v1/sources").json()["sources"]
        assert {source["state"] for source in sources} == {"ready"}
        names = {source["name"].rpartition(" > ")[2].removeprefix("files/") for source in sources}
        assert names - {FOLLOWED} == {*FILES, *INSIDE}
        assert "1961" in str(server.search("When did the mill at Stennet close?", "keyword")[0])
        for mode in Mode:
            when = {"since": since, "until": until}
            assert "1961" in str(server.search("When did the mill at Stennet close?", mode, filters=when)), mode
            assert not server.search("When did the mill at Stennet close?", mode, filters={"until": earlier})
        for name in FILES:
            server.take(f"files/{name}", (EXAMPLES / "files" / name).read_bytes())
        again = client.get("/v1/sources").json()["sources"]
    assert again == sources
    server.stop()
    assert stored(tmp_path / "data") == before
    server.cli("audit")


@pytest.mark.parametrize("archive", WITH_KEYS, ids=lambda path: path.name)
def test_keys_edits_connections_conversations_and_the_trail_of_an_earlier_version_hold(
    archive: Path, tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    server = opened(archive, tmp_path, start_server)
    key = json.loads(archive.with_name(archive.name.replace("tar.xz", "json")).read_text())["key"]
    with server.http("another") as stranger:
        assert stranger.get("/v1/sources").status_code == 401
    with server.http(key) as mira:
        assert {source["name"] for source in mira.get("/v1/sources").json()["sources"]} > {FOLLOWED}
        assert mira.get("/v1/keys").status_code == 403
        (conversation,) = mira.get("/v1/conversations").json()["conversations"]
        edits = mira.get("/v1/graph/edits").json()["edits"]
        renamed = mira.get("/v1/graph/entities", params={"prefix": "The Old Dam"}).json()["entities"]
    assert "1961" in str(conversation)
    assert [(entity["name"], "Stennet Dam" in entity["aliases"]) for entity in renamed] == [("The Old Dam", True)]
    assert [(edit["why"], edit["standing"]) for edit in edits] == [("as it is called now", "counts")]
    with server.http() as admin:
        (told,) = admin.get("/v1/keys").json()["keys"]
        actions = [entry["action"] for entry in admin.get("/v1/trail").json()["entries"]]
        (connection,) = admin.get("/v1/connections").json()["connections"]
    assert (told["name"], told["role"]) == ("Mira's laptop", "reader")
    assert {"source.add", "connection.add", "graph.update_entity", "key.create"} <= set(actions), actions
    assert (connection["id"], connection["kind"], connection["every_s"]) == ("harbour", "folder", 86400)
    missing = server.cli("connect", "run", "harbour", check=False)
    assert "There is no folder" in missing.stderr, "a place that cannot be reached loses nothing"
    assert FOLLOWED in server.cli("documents").stdout
