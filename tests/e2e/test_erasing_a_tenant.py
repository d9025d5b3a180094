"""A tenant is erased from a data directory: its words are in no file, and the other tenant's files are as they were."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from erasure import BESIDE, LEDGER, settle_everywhere, words_in
from tenancy import API_KEYS, BLUE, RED
from waiting import wait_until

from .conftest import Server

PINK = "key-of-pink"


def test_a_tenants_words_are_in_no_file_afterwards_and_another_tenants_files_are_as_they_were(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(TRIVIUM_API_KEYS=API_KEYS)
    server.key = BLUE
    server.take("mill.md", BESIDE)
    left = settle_everywhere(server, RED)
    server.stop()
    server.env["TRIVIUM_API_KEYS"] = f"blue:{BLUE}"
    found = {word for path in _files(server.data_dir) for word in words_in(path.read_bytes())}
    assert len(found) >= 6, found
    blue = _digests(server.data_dir / "tenants" / "blue")
    before = _listed(server)
    assert (before["red"]["documents"], before["red"]["keys"], before["red"]["state"]) == (4, 1, "in use")
    assert (before["blue"]["documents"], before["blue"]["size_bytes"]) == (1, len(BESIDE))
    server.cli("tenants", "erase", "red", "--yes")

    for path in _files(server.data_dir):
        assert not words_in(path.read_bytes()), path
        assert not words_in(str(path).encode()), path
    [entry] = [path for path in _files(server.data_dir) if "red" in path.relative_to(server.data_dir).parts]
    assert entry.parent.name == "trail+"
    assert json.loads(entry.read_bytes()) | {"at": 0} == {
        "at": 0,
        "key_id": "",
        "by": "",
        "action": "tenant.erase",
        "targets": [],
        "outcome": "done",
    }
    assert _digests(server.data_dir / "tenants" / "blue") == blue
    assert {name: row["state"] for name, row in _listed(server).items()} == {"blue": "in use", "red": "erased"}
    assert server.cli("audit", "--json").stdout == "[]\n"

    server.env["TRIVIUM_API_KEYS"] = API_KEYS
    server.start()
    with server.http(left["secret"]) as client:
        assert client.get("/v1/sources").status_code == 401
    with server.http(RED) as client:
        assert client.get("/v1/sources").json()["sources"] == []
        assert client.get(f"/v1/sources/{left['ledger']}").status_code == 404
        assert client.get(f"/v1/conversations/{left['talk']}").status_code == 404
        assert [entry["action"] for entry in client.get("/v1/trail").json()["entries"]] == ["tenant.erase"]
    assert "Bertil Strand" in server.search("ledger of the mill")[0]["chunk"]["text"]
    assert server.take("orchid-ledger.md", LEDGER, RED)["state"] == "ready", "it may be begun anew"


def test_what_must_not_be_erased_is_refused_and_left_as_it_is(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS=API_KEYS)
    server.take("mill.md", BESIDE, RED)
    before = _listed(server)
    assert before["red"]["documents"] == 1, "it is listed while a server runs"

    def refused(*arguments: str, keys: str = f"blue:{BLUE}") -> str:
        server.env["TRIVIUM_API_KEYS"] = keys
        done = server.cli("tenants", "erase", *arguments, check=False)
        assert done.returncode == 1, done.stdout
        return done.stderr

    assert "Another Trivium is running" in refused("red", "--yes")
    server.stop()
    assert "no tenant 'purple'" in refused("purple", "--yes")
    assert "not a tenant name" in refused("../red", "--yes")
    assert "Erase red for ever?" in refused("red"), "nobody said yes"
    assert "TRIVIUM_API_KEYS has a key of red" in refused("red", "--yes", keys=API_KEYS)
    assert _listed(server) == before


def test_a_tenant_is_exported_erased_and_is_itself_again_once_imported(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS=API_KEYS)
    server.key = RED
    server.take("mill.md", BESIDE, BLUE)
    left = settle_everywhere(server, RED)
    before = _seen(server)
    file = server.data_dir.parent / "red.zip"
    server.cli("tenants", "export", "red", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with ZipFile(file) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert left["secret"].encode() not in content
    assert b"laptop" not in content, "keys stay behind"
    assert b"Periwinkle is moored" not in content, "what was deleted is not exported"
    assert "exists" in server.cli("tenants", "export", "red", str(file), check=False).stderr
    exported = [json.loads(line) for line in server.cli("trail", "--json").stdout.splitlines()]
    assert [one["targets"] for one in exported if one["action"] == "tenant.export"] == [["red"]]
    server.stop()
    assert "Tenant red has" in server.cli("tenants", "import", str(file), check=False).stderr
    server.env["TRIVIUM_API_KEYS"] = f"blue:{BLUE}"
    server.cli("tenants", "erase", "red", "--yes")
    cut = file.with_name("cut.zip")
    cut.write_bytes(file.read_bytes()[:-300])
    assert "cannot be imported" in server.cli("tenants", "import", str(cut), check=False).stderr
    assert "red was erased" in server.cli("tenants", "export", "red", f"{file}.again", check=False).stderr
    assert _listed(server)["red"]["state"] == "erased"
    _import_both(server, str(file))
    server.env["TRIVIUM_API_KEYS"] = f"{API_KEYS},pink:{PINK}"
    server.start()
    server.wait_idle()
    wait_until(lambda: _seen(server) == before, "all is as it was", told=lambda: (before, _seen(server)))
    assert "Kvint" in server.ask("Who keeps the Zephyrine ledger?")["text"]
    with server.http() as client:
        told = [(one["key_id"], one["action"], one["targets"]) for one in client.get("/v1/trail").json()["entries"]]
    assert [(by, action) for by, action, _ in told] == [
        ("", "tenant.erase"),
        ("operator", "tenant.create"),
        ("operator", "tenant.import"),
    ]

    def pink() -> dict[str, Any]:
        return _seen(server, PINK)

    wait_until(lambda: pink()["entities"] == before["entities"], "so it is under another name", told=pink)
    assert [edit["why"] for edit in pink()["edits"]["edits"]] == ["Tamsin says so"]


def _import_both(server: Server, file: str) -> None:
    """As pink, which nobody has a key of, and as red, which is created before."""
    told = server.cli("tenants", "import", file, "--as", "pink").stderr
    assert "Nobody has a key of pink" in told
    assert "TRIVIUM_API_KEYS=pink:KEY" in told
    assert "TRIVIUM_API_KEYS=pink:KEY" in server.cli("tenants", "create", "pink", check=False).stderr
    server.cli("tenants", "create", "red")
    assert "Nobody has a key" not in server.cli("tenants", "import", file).stderr


def _seen(server: Server, key: str = "") -> dict[str, Any]:
    """Documents by name, entities, edits, the schema and what was said."""
    with server.http(key) as client:
        sources = client.get("/v1/sources").json()["sources"]
        entities = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
        talks = client.get("/v1/conversations").json()["conversations"]
        return {
            "documents": sorted((one["name"], one["id"], one["state"], one["dataset"]) for one in sources),
            "uploaded": sorted(one["uploaded_at"] for one in sources if not one.get("parent")),
            "entities": sorted((one["name"], one["mentions"]) for one in entities),
            "edits": client.get("/v1/graph/edits").json(),
            "schema": client.get("/v1/graph/schema").json(),
            "talks": [(one["title"], [turn["question"] for turn in one["turns"]]) for one in talks],
        }


def _listed(server: Server) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(server.cli("tenants", "list", "--json").stdout)}


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _digests(folder: Path) -> dict[str, str]:
    """Of each file; a database's journal may come and go with who reads it."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _files(folder)
        if not path.name.endswith(("-wal", "-shm"))
    }
