"""These tests need the real servers: `make services`, then `make test-servers`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import Cluster

from trivium.config import load_settings


@pytest.fixture(scope="session", autouse=True)
def _servers_are_named() -> None:
    assert load_settings().backend == "distributed", "no servers are named: `make services`, then `make test-servers`"


@pytest.fixture
def new_cluster(tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    """Makes installations of the test's own; nothing is started."""
    made: list[Cluster] = []

    def make(*, events: bool = True, **settings: str) -> Cluster:
        made.append(Cluster(tmp_path / f"cluster{len(made)}", **settings))
        made[-1].make_buckets(events=events)
        return made[-1]

    yield make
    for cluster in made:
        cluster.remove()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One whole installation for the tests of a module that do not disturb each other."""
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    running.make_buckets()
    try:
        running.start()
        yield running
    finally:
        running.remove()
