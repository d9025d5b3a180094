"""Two tenants on one server that is all of Trivium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tenancy import API_KEYS, BLUE, TwoTenants

from .conftest import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("tenants") / "data", TRIVIUM_API_KEYS=API_KEYS).start()
    running.key = BLUE
    yield running
    running.stop()


class TestTwoTenants(TwoTenants):
    pass
