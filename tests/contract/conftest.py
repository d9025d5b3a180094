"""Every contract test runs against every deployment named here; a new one is a new line in `DEPLOYMENTS`.

The real servers join when the environment names them (`TRIVIUM_BACKEND=distributed`, as `.services/env` sets it for
`make test-servers`); a server that is named and does not answer fails its tests.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trivium.adapters.distributed.stores import DistributedStores
from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.config import load_settings
from trivium.domain.scope import Tenant
from trivium.ports.conversations import Conversations
from trivium.ports.keywords import Keywords
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry
from trivium.ports.vectors import Vectors


class Stores(NamedTuple):
    """One deployment's adapters, over the same data."""

    objects: Objects
    registry: Registry
    vectors: Vectors
    keywords: Keywords
    conversations: Conversations


@contextmanager
def embedded(folder: Path) -> Iterator[Stores]:
    """Everything in one folder."""
    registry, conversations = SqliteRegistry(folder), SqliteConversations(folder)
    vectors, keywords = SqliteVectors(folder), SqliteKeywords(folder)
    try:
        yield Stores(LocalObjects(folder), registry, vectors, keywords, conversations)
    finally:
        for store in (registry, conversations, vectors, keywords):
            store.close()


@contextmanager
def distributed(_folder: Path) -> Iterator[DistributedStores]:
    """The servers that the environment names; each is connected to when a test first uses it."""
    with DistributedStores(load_settings()) as stores:
        yield stores


Deployment = Callable[[Path], AbstractContextManager[Any]]
DEPLOYMENTS: dict[str, Deployment] = {"embedded": embedded}
if load_settings().backend == "distributed":
    DEPLOYMENTS["distributed"] = distributed


@pytest.fixture(params=DEPLOYMENTS.values(), ids=DEPLOYMENTS.keys())
def deployment(request: pytest.FixtureRequest) -> Deployment:
    """For tests that open the same data more than once."""
    opened: Deployment = request.param
    return opened


@pytest.fixture
def stores(deployment: Deployment, tmp_path: Path) -> Iterator[Any]:
    with deployment(tmp_path) as opened:
        yield opened


_NUMBERS = itertools.count()
_RUN = uuid.uuid4().hex[:8]  # servers remember the tenants of earlier runs


@pytest.fixture
def new_tenant() -> Callable[[], Tenant]:
    """A tenant that nobody has used; also within one example of a property test."""
    return lambda: Tenant(f"t{_RUN}-{next(_NUMBERS)}")


@pytest.fixture
def tenant(new_tenant: Callable[[], Tenant]) -> Tenant:
    return new_tenant()


@pytest.fixture
def other(new_tenant: Callable[[], Tenant]) -> Tenant:
    return new_tenant()
