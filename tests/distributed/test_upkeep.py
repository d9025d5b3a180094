"""`trivium audit`, `rebuild` and `reembed` on the real servers, over documents that a running installation took."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from cluster import Cluster
from doors import TRIVIUM

from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import load_settings
from trivium.domain.drift import Store
from trivium.domain.scope import DEFAULT_TENANT
from trivium_ingest.upkeep.rows import store_of, writer_of

TEXTS = {
    "quay.txt": "Ada Quill built the lighthouse of Brannock Head. It was lit first in 1873.",
    "ferry.txt": "The ferry to Inish Orla leaves at 06:40. Marten Oosterhuis is its captain.",
}


@pytest.fixture
def documents(cluster: Cluster) -> dict[str, Any]:
    return {name: cluster.take(name, text) for name, text in TEXTS.items()}


@pytest.fixture
def stores(cluster: Cluster) -> Iterator[DistributedStores]:
    with DistributedStores(load_settings(cluster.env)) as opened:
        yield opened


def run(cluster: Cluster, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [str(TRIVIUM), *arguments], env=cluster.env, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout + ("" if "--json" in arguments else done.stderr)


@pytest.mark.slow
def test_rows_removed_from_each_server_are_found_and_written_again(
    cluster: Cluster, documents: dict[str, Any], stores: DistributedStores
) -> None:
    assert run(cluster, "audit", "--json") == (0, "[]\n")
    for store in Store:
        writer_of(stores, store, DEFAULT_TENANT).delete(documents["quay.txt"]["id"])
    code, told = run(cluster, "audit", "--json")
    found = sorted((drift["store"], drift["source"], drift["missing"]) for drift in json.loads(told))
    assert (code, found) == (1, sorted((store.value, "quay.txt", 1) for store in Store))
    code, told = run(cluster, "audit", "--repair", "--json")
    assert (code, [drift["repaired"] for drift in json.loads(told)]) == (0, [True] * 3)
    assert run(cluster, "audit", "--json") == (0, "[]\n")
    assert "1873" in cluster.ask("When was the lighthouse of Brannock Head lit first?")["text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "store"), [("milvus", Store.VECTORS), ("elasticsearch", Store.KEYWORDS), ("neo4j", Store.GRAPH)]
)
def test_an_emptied_server_is_rebuilt(
    cluster: Cluster, documents: dict[str, Any], stores: DistributedStores, name: str, store: Store
) -> None:
    store_of(stores, store).drop(DEFAULT_TENANT)
    assert run(cluster, "audit", "--json")[0] == 1
    assert run(cluster, "rebuild", "--store", name) == (0, "2 documents written.\n")
    assert run(cluster, "audit", "--json") == (0, "[]\n")
