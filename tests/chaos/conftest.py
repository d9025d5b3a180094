"""Chaos needs the real servers: `make services`, `make test-servers`. What a test did is printed (`pytest -s`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from storm import Holdings, Storm

from trivium.config import load_settings


@pytest.fixture(scope="session")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storm]:
    assert load_settings().backend == "distributed", "no servers are named: `make services`, then `make test-servers`"
    yield from _running(Storm(tmp_path_factory.mktemp("storm") / "storm", TRIVIUM_RECONCILE_S="20"))


@pytest.fixture(scope="session")
def _quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storm]:
    yield from _running(Storm(tmp_path_factory.mktemp("quiet") / "quiet"))


def _running(installation: Storm) -> Iterator[Storm]:
    try:
        installation.make_buckets(events=False)
        installation.start()
        yield installation
    finally:
        installation.remove()


@pytest.fixture(scope="module", autouse=True)
def _in_step(_whole: Storm) -> Iterator[None]:
    """After what a module's tests did, every store holds what the artifacts say: an audit looks at all documents."""
    yield
    _whole.calm()
    _whole.cli("audit")


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
