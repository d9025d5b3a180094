"""The embedded product in this process, over a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from embedded_server import PATIENCE
from waiting import wait_until

from trivium.config import load_settings
from trivium.domain.documents import Document
from trivium.domain.scope import DEFAULT_TENANT
from trivium.ports.intake import NewSource
from trivium.ports.parser import Blob
from trivium_embedded.wiring import assembled
from trivium_query.requests import Services


class Product:
    """Everything behind the API, for tests that look at what ingest leaves."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.intake = services.intake.for_tenant(DEFAULT_TENANT)
        self.registry = services.registry.for_tenant(DEFAULT_TENANT)

    def ingest(self, name: str, content: bytes, timeout_s: float = 60.0) -> Document:
        """Accept and wait for the terminal state of exactly this version."""
        accepted = self.intake.accept(NewSource(Blob(name, content)))

        def now() -> Document:
            return self.registry.get(accepted.id)

        wait_until(lambda: now().state.terminal, f"{name} has ended", limit_s=timeout_s, told=now)
        return now()


@pytest.fixture(scope="session")
def product_over() -> Callable[[Services], Product]:
    """For tests that assemble the product themselves."""
    return Product


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    settings = msgspec.structs.replace(load_settings(PATIENCE), data_dir=tmp_path_factory.mktemp("data") / "data")
    with assembled(settings) as services:
        yield Product(services)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
