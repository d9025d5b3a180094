"""These tests need the real servers: `make services`, then `make test-servers`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import neo4j
import pytest
from buckets import bucket_of, drop_bucket, make_bucket
from cluster import Cluster
from private_redis import PrivateRedis

from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.distributed.neo4j.tie_statements import SPACES
from trivium.config import Settings, load_settings


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


@pytest.fixture(scope="session")
def private_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    """A Redis that only these tests use."""
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def own_schema_node(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a schema node that the test's own process alone reads and writes in the shared Neo4j.

    The real one is the whole server's: who changed it would stop the tests beside this one. For the same reason it sees
    no graphs but those whose prefix begins with "test-".
    """
    name = f"test-{uuid.uuid4().hex}"

    def renamed(run: Callable[..., Any]) -> Callable[..., Any]:
        def run_renamed(self: Any, query: Any, *args: Any, **parameters: Any) -> Any:
            if isinstance(query, str):
                query = query.replace("Schema {name: 'trivium'", f"Schema {{name: '{name}'")
                query = query.replace(SPACES, SPACES.replace("RETURN", "WHERE c.tenant STARTS WITH 'test-' RETURN"))
            return run(self, query, *args, **parameters)

        return run_renamed

    for runs in (neo4j.Session, neo4j.ManagedTransaction, neo4j.AsyncSession):
        monkeypatch.setattr(runs, "run", renamed(runs.run))
    yield name
    monkeypatch.undo()
    with closing(Neo4jServer(load_settings())) as server:
        server.run("MATCH (s:Schema {name: $name}) DELETE s", name=name)


@pytest.fixture
def own(tmp_path: Path, private_redis: PrivateRedis) -> Iterator[Settings]:
    """The real object store with a bucket of the test's own, and the private Redis."""
    settings = msgspec.structs.replace(load_settings(), s3_bucket=bucket_of(tmp_path), redis_url=private_redis.url)
    make_bucket(settings)
    yield settings
    drop_bucket(settings)
