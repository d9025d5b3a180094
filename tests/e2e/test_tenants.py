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
