"""These tests build images (`make test-images`): with root, mmdebstrap, Debian's mirrors and Python's registry."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from chroot_images import Builder

ROOT = Path(__file__).parents[2]
STORE = ROOT / ".images"
CHOSEN = os.environ.get("IMAGES", "query-api ingest-worker graph-worker control inference trivium").split()


@pytest.fixture(scope="session")
def builder() -> Iterator[Builder]:
    yield (made := Builder(ROOT / "docker/Dockerfile", ROOT, STORE))
    if set(made.targets()) - {"inference-cuda"} <= set(CHOSEN):
        made.forget_unused()


@pytest.fixture(params=CHOSEN)
def target(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name
