"""These tests need Helm and a control plane: `make test-chart` installs and starts both."""

from __future__ import annotations

from pathlib import Path

import pytest
from helm import Helm

from trivium.config import SERVICES_DIR


@pytest.fixture(scope="session")
def services() -> Path:
    """Where the servers are kept."""
    import os

    return Path(os.environ.get(SERVICES_DIR) or ".services").resolve()


@pytest.fixture(scope="session")
def helm(services: Path) -> Helm:
    assert (services / "kubernetes/bin/helm").exists(), "no Helm is installed: make test-chart"
    return Helm(services)
