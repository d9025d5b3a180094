"""Chaos needs the real servers: `make services`, `make test-servers`. What a test did is printed (`pytest -s`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest
from storm import Holdings, Storm
from tiny_embedder import write_tiny_embedder

from trivium.config import load_settings


@pytest.fixture(scope="session")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storm]:
    """After all that the tests did, every store holds what the artifacts say: an audit looks at all documents."""
    assert load_settings().backend == "distributed", "no servers are named: `make services`, then `make test-servers`"
    with _running(Storm(tmp_path_factory.mktemp("storm") / "storm", TRIVIUM_RECONCILE_S="20")) as suffering:
        yield suffering
        suffering.calm()
        suffering.cli("audit")


@pytest.fixture(scope="session")
def _quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storm]:
    """With a model that costs little: what a vector is like is not compared."""
    folder = tmp_path_factory.mktemp("quiet")
    write_tiny_embedder(folder / "model")
    with _running(Storm(folder / "quiet", TRIVIUM_EMBED_MODEL=str(folder / "model"))) as installation:
        yield installation


@contextmanager
def _running(installation: Storm) -> Iterator[Storm]:
    try:
        installation.make_buckets(events=False)
        installation.start()
        yield installation
    finally:
        installation.remove()


@pytest.fixture
def storm(_whole: Storm) -> Storm:
    """The installation that suffers; whole again before each test."""
    _whole.calm()
    return _whole


@pytest.fixture
def undisturbed(_quiet: Storm) -> Callable[[Mapping[str, str]], dict[str, Holdings]]:
    """What an installation that nobody disturbs makes of the same files."""

    def take(texts: Mapping[str, str]) -> dict[str, Holdings]:
        ids = _quiet.submit(texts)
        _quiet.settled_all(ids)
        return _quiet.holdings(ids)

    return take
