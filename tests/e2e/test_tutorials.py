"""The tutorials in docs/: a reader who types what is shown gets what is said."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from tutorials import Reader, block
from waiting import wait_until

from .conftest import EXAMPLES, PATIENCE

SECURITY, CONNECTORS = "docs/security.md", "docs/connectors.md"
NOTE = "The harbour pilot of Vellan is Petra Anselm."
A_MINUTE_AGO_S = 60  # a file that was changed just now is taken later


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("TRIVIUM_")}
    ports = {"TRIVIUM_HTTP_PORT": "0", "TRIVIUM_GRPC_PORT": "0"}
    return Reader(tmp_path, ours | ports | PATIENCE | {"TRIVIUM_DATA_DIR": str(tmp_path / "data")})


def test_keys_are_given_and_taken_back_and_a_tenant_is_carried_away_erased_and_brought_back(reader: Reader) -> None:
    serve, *lines = block(SECURITY, "Keys", "TRIVIUM_API_KEYS")
    creating, listing, *others = block(SECURITY, "Tenants", "trivium tenants create")
    (reader.folder / "note.txt").write_text(NOTE)
    said: dict[str, str] = {}
    with reader.serving(serve):
        for line in lines:
            said[line] = reader.run(line.replace("ID", said["id"]) if "ID" in line else line)
            if line.startswith("trivium keys create"):
                assert said[line].startswith("trv.acme.")
                said["id"] = said[line].split(".")[2]
        reader.run("trivium ingest note.txt")
        assert reader.run(creating).startswith("trv.green.")
        assert {"acme", "green"} <= set(reader.run(listing).split())
    assert f"{said['id']}\tMira's laptop\treader\t" in said["trivium keys list"]
    [trail] = [output for line, output in said.items() if line.startswith("trivium trail")]
    assert [json.loads(line)["action"] for line in trail.splitlines()] == ["key.create", "key.rotate", "key.revoke"]
    for line in others:
        reader.run(line)
        if "erase" in line:
            assert "erased" in reader.run(listing)
    with reader.serving(serve):
        find = 'trivium search "harbour pilot"'
        wait_until(lambda: NOTE in reader.run(find), "what was imported is read again", pause_s=0.2)


def test_a_folder_is_followed_until_it_is_let_go(reader: Reader) -> None:
    add, *others = block(CONNECTORS, "", "trivium connect add")
    papers = reader.folder / "papers"
    papers.mkdir()
    shutil.copy(EXAMPLES / "files/people.html", papers)
    os.utime(papers / "people.html", (time.time() - A_MINUTE_AGO_S,) * 2)
    with reader.serving("trivium serve"):
        assert "Connected: papers" in reader.run(add.replace("/srv/papers", str(papers)))
        listing, run, remove = others
        assert "papers\tfolder\t" in reader.run(listing)
        reader.run(run)
        assert "papers://people.html" in reader.run("trivium documents")
        reader.run(remove)
        assert "papers://" not in reader.run("trivium documents"), "they went with the connection"
