"""Every contract test runs against every deployment named here; a new one is a new line in `DEPLOYMENTS`.

The real servers join when the environment names them (`TRIVIUM_BACKEND=distributed`, as `.services/env` sets it for
`make test-servers`); a server that is named and does not answer fails its tests.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from buckets import bucket_of, drop_bucket, make_bucket
from folder_stores import FolderStores
from inference_peer import inference_service
from tiny_clip import write_tiny_clip
from tiny_cross_encoder import write_tiny_cross_encoder
from tiny_whisper import write_tiny_whisper

from trivium.adapters.distributed.inference.server import Inference
from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import load_settings
from trivium.domain.scope import Tenant


@contextmanager
def embedded(folder: Path) -> Iterator[FolderStores]:
    """Everything in one folder."""
    with closing(FolderStores(folder)) as stores:
        yield stores


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where servers are named only what asks them is run: `make test` and `make test-models` run the rest."""
    if "distributed" not in DEPLOYMENTS:
        return
    left_out = [item for item in items if Path(__file__).parent in item.path.parents and not _asks_servers(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _asks_servers(item: pytest.Item) -> bool:
    return "distributed" in item.name.partition("[")[2].rstrip("]").split("-")


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


class TinyModels(NamedTuple):
    """Models of random weights, each in a folder."""

    cross_encoder: Path
    visual: Path
    speech: Path


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    made = TinyModels(*(tmp_path_factory.mktemp(name) for name in TinyModels._fields))
    write_tiny_cross_encoder(made.cross_encoder)
    write_tiny_clip(made.visual)
    write_tiny_whisper(made.speech)
    return made


@pytest.fixture(scope="session")
def inference(request: pytest.FixtureRequest) -> Iterator[Inference]:
    """A client of one inference service that has every kind of model; without torch those that need none made."""
    named: dict[str, str] = {}
    if find_spec("torch"):
        tiny: TinyModels = request.getfixturevalue("tiny_models")
        named = {
            "rerank_model": str(tiny.cross_encoder),
            "visual_model": str(tiny.visual),
            "speech_model": str(tiny.speech),
        }
    with (
        inference_service(**named) as service,
        closing(Inference(service.address)) as client,
    ):
        yield client
