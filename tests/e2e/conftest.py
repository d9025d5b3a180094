"""Servers for tests, started and stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from embedded_server import PATIENCE, Server
from openai_peer import OpenAiPeer
from scripted_model import Model

__all__ = ["EXAMPLES", "PATIENCE", "Server"]

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers over folders of the test's own, and stops what still runs."""
    started: list[Server] = []

    def start(name: str = "data", **settings: str) -> Server:
        started.append(Server(tmp_path / name, **settings))
        return started[-1].start()

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="module")
def model() -> Model:
    """What the language model at `peer` says."""
    return Model()


@pytest.fixture(scope="module")
def peer(model: Model) -> Iterator[OpenAiPeer]:
    """A language model's server."""
    with OpenAiPeer(model) as serving:
        yield serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a module that do not disturb each other."""
    running = Server(tmp_path_factory.mktemp("trivium") / "data").start()
    yield running
    running.stop()
