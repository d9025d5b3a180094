"""Two tenants on one server that is all of Trivium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tenancy import API_KEYS, BLUE, TwoTenants
from waiting import wait_until

from .conftest import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("tenants") / "data", TRIVIUM_API_KEYS=API_KEYS).start()
    running.key = BLUE
    yield running
    running.stop()


class TestTwoTenants(TwoTenants):
    pass


def test_a_colleagues_key_is_given_used_seen_and_taken_back(server: Server) -> None:
    created = server.cli("keys", "create", "Mira's laptop", "--role", "writer", "--expires", "90d")
    secret = created.stdout.strip()
    assert server.take("miras.md", "Mira writes.", secret)["state"] == "ready"
    listed = server.cli("keys", "list").stdout
    assert "Mira's laptop" in listed
    assert secret not in listed
    key_id = secret.split(".")[2]
    trail = server.cli("trail", "--since", "2026").stdout
    assert f"{key_id} (Mira's laptop)  source.add" in trail
    server.cli("keys", "revoke", key_id)

    def refused() -> bool:
        with server.http(secret) as client:
            return client.get("/v1/sources").status_code == 401

    wait_until(refused, "the key opens nothing", limit_s=5.0)
    assert "miras" not in server.cli("trail").stdout


def test_a_tenant_is_created_beside_a_running_server_and_its_first_key_opens_it(server: Server) -> None:
    made = server.cli("tenants", "create", "green")
    secret = made.stdout.strip()
    assert secret.startswith("trv.green.")
    assert secret not in made.stderr
    with server.http(secret) as client:
        wait_until(lambda: client.get("/v1/keys").status_code == 200, "the key opens it as an admin", limit_s=5.0)
        assert [key["role"] for key in client.get("/v1/keys").json()["keys"]] == ["admin"]
        [entry] = client.get("/v1/trail").json()["entries"]
        key_id = secret.split(".")[2]
        assert (entry["key_id"], entry["action"]) == ("operator", "tenant.create")
        assert entry["targets"] == ["green", key_id]
    assert server.take("green.md", "The green ledger is kept by Mira.", secret)["state"] == "ready"

    def refused(name: str) -> str:
        done = server.cli("tenants", "create", name, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr

    assert "green has keys or documents already" in refused("green")
    server.cli("keys", "create", "Anna", "--role", "writer")
    assert "TRIVIUM_API_KEYS has a key of blue" in refused("blue")
    everyone, server.env["TRIVIUM_API_KEYS"] = server.env["TRIVIUM_API_KEYS"], ""
    try:
        assert "blue has keys or documents already" in refused("blue")
    finally:
        server.env["TRIVIUM_API_KEYS"] = everyone
    assert "not a tenant name" in refused("../green")


def test_what_a_readers_key_was_used_for_is_seen_also_after_a_restart(server: Server) -> None:
    assert server.take("heron.md", "The heron is kept by Bertil Strand.")["state"] == "ready"
    secret = server.cli("keys", "create", "Mira reads", "--role", "reader").stdout.strip()
    key_id = secret.split(".")[2]
    server.search("heron", key=secret)
    server.search("heron", mode="keyword", key=secret)
    server.ask("Who keeps the heron?", key=secret)
    with server.http(secret) as client:
        assert client.post("/v1/sources", files={"file": ("no.md", b"no")}).status_code == 403

    def row() -> str:
        return next(line for line in server.cli("keys", "list").stdout.splitlines() if line.startswith(key_id))

    assert "never" not in row()
    assert row().endswith("\tsearch 2, ask 1, refused 1")
    server.ask("Who keeps the heron?", key=secret)
    server.stop()
    server.start()
    assert row().endswith("\task 2, search 2, refused 1"), "a server that stops notes what it counted"
    server.cli("keys", "revoke", key_id)
    assert "\tended " in row()
    with server.http(secret) as client:
        wait_until(lambda: client.get("/v1/sources").status_code == 401, "the key opens nothing", limit_s=5.0)
