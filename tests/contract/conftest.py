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

import msgspec
import pytest
from buckets import bucket_of, drop_bucket, make_bucket

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
def distributed(folder: Path) -> Iterator[DistributedStores]:
    """The servers that the environment names; each is connected to when a test first uses it.

    A folder has a bucket of its own, and with it a part of Redis of its own: a registry looks at all its tenants.
    """
    settings = msgspec.structs.replace(load_settings(), s3_bucket=bucket_of(folder))
    make_bucket(settings)
    with DistributedStores(settings) as stores:
        yield stores


Deployment = Callable[[Path], AbstractContextManager[Any]]
DEPLOYMENTS: dict[str, Deployment] = {"embedded": embedded}
if load_settings().backend == "distributed":
    DEPLOYMENTS["distributed"] = distributed


@pytest.fixture(params=DEPLOYMENTS.values(), ids=DEPLOYMENTS.keys())
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    """For tests that open the same data more than once."""
    opened: Deployment = request.param
    yield opened
    if opened is distributed:
        drop_bucket(msgspec.structs.replace(load_settings(), s3_bucket=bucket_of(tmp_path)))


@pytest.fixture
def stores(deployment: Deployment, tmp_path: Path) -> Iterator[Any]:
    with deployment(tmp_path) as opened:
        yield opened


_NUMBERS = itertools.count()
_RUN = uuid.uuid4().hex[:8]  # servers remember the tenants of earlier runs


@pytest.fixture
def tenants() -> list[Tenant]:
    """The tenants of this test, for stores that have to be cleared of them."""
    return []


@pytest.fixture
def new_tenant(tenants: list[Tenant]) -> Callable[[], Tenant]:
    """A tenant that nobody has used; also within one example of a property test."""

    def new() -> Tenant:
        tenants.append(Tenant(f"t{_RUN}-{next(_NUMBERS)}"))
        return tenants[-1]

    return new


@pytest.fixture
def tenant(new_tenant: Callable[[], Tenant]) -> Tenant:
    return new_tenant()


@pytest.fixture
def other(new_tenant: Callable[[], Tenant]) -> Tenant:
    return new_tenant()
