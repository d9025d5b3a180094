"""`trivium audit`, `rebuild` and `reembed` on the real servers, over documents that a running installation took."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString

import msgspec
import numpy as np
import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster
from doors import TRIVIUM
from tiny_embedder import DIMENSION, write_tiny_embedder
from waiting import wait_until

from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import load_settings
from trivium.domain.chunks import ChunkVectors
from trivium.domain.drift import Store
from trivium.domain.scope import DEFAULT_TENANT, Scope, Tenant
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow
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


def run(cluster: Cluster, *arguments: str, **settings: str) -> tuple[int, str]:
    environ = {**cluster.env, "TRIVIUM_URL": "", **settings}  # which these commands do not ask
    done = subprocess.run(
        [str(TRIVIUM), *arguments], env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout or "--json" not in arguments, (done.returncode, done.stderr)
    return done.returncode, done.stdout + ("" if "--json" in arguments else done.stderr)


def reembedded(cluster: Cluster) -> tuple[int, str]:
    """`trivium reembed`, once the inference service has loaded its model."""
    seen: list[tuple[int, str]] = []

    def asked() -> bool:
        seen.append(run(cluster, "reembed"))
        code, said = seen[-1]
        return not code or "TRIVIUM_INFERENCE_URL" not in said

    wait_until(asked, "the inference service answers", told=lambda: seen[-1])
    return seen[-1]


@pytest.mark.slow
def test_rows_changed_on_each_server_are_found_and_put_right(
    cluster: Cluster, documents: dict[str, Any], stores: DistributedStores
) -> None:
    assert run(cluster, "audit", "--json") == (0, "[]\n")
    quay = stores.registry.for_tenant(DEFAULT_TENANT).get(documents["quay.txt"]["id"])
    for store in (Store.VECTORS, Store.HYPERNODES, Store.KEYWORDS, Store.GRAPH):
        writer_of(stores, store, DEFAULT_TENANT).delete(quay.id)
    stray = ChunkVectors("stray", np.array([1, 0], np.float32).tobytes())
    stores.visuals.writer(DEFAULT_TENANT).upsert([VectorRow(stray, quay.id, quay.version, Scope(DEFAULT_TENANT))])
    code, told = run(cluster, "audit", "--json")
    found = {drift["store"]: (drift["source"], drift["missing"], drift["surplus"]) for drift in json.loads(told)}
    missing, too_many = ("quay.txt", 1, 0), ("quay.txt", 0, 1)
    assert (code, found) == (1, {store: too_many if store is Store.PICTURES else missing for store in Store})
    code, told = run(cluster, "audit", "--repair", "--json")
    assert (code, [drift["repaired"] for drift in json.loads(told)]) == (0, [True] * 5)
    assert run(cluster, "audit", "--json") == (0, "[]\n")
    assert "1873" in cluster.ask("When was the lighthouse of Brannock Head lit first?")["text"]


@pytest.mark.slow
def test_contents_changed_on_each_server_are_found_told_and_put_right(
    cluster: Cluster, documents: dict[str, Any], stores: DistributedStores
) -> None:
    """A passage's vector and text, a relation's weight, a name and what a chunk is said to mention; and a stranger."""
    quay = stores.registry.for_tenant(DEFAULT_TENANT).get(documents["quay.txt"]["id"])
    [chunk_id] = stores.keywords.writer(DEFAULT_TENANT).ids({quay.id: quay.version})[quay.id]
    [chunk] = asyncio.run(stores.keywords.reader(DEFAULT_TENANT).chunks([chunk_id])).values()
    forged = msgspec.structs.replace(chunk, text=chunk.text.replace("1873", "1973"))
    stores.keywords.writer(DEFAULT_TENANT).upsert(keyword_rows([forged], Scope(DEFAULT_TENANT)))
    turned = ChunkVectors(chunk_id, np.eye(384, dtype=np.float32)[0].tobytes())
    stores.vectors.writer(DEFAULT_TENANT).upsert([VectorRow(turned, quay.id, quay.version, Scope(DEFAULT_TENANT))])
    stranger = Tenant("stranger")
    stores.keywords.writer(stranger).upsert(keyword_rows([chunk], Scope(stranger)))
    assert told_stores(cluster) == {"vectors", "keywords"}
    for statement in (
        "MATCH (n:Entity {tenant: $tenant, key: 'ada quill'}) SET n.name = 'Somebody Else'",
        "MATCH ()-[r:RELATES {tenant: $tenant}]->() WITH r LIMIT 1 DELETE r",
        "MATCH ()-[r:TIE {tenant: $tenant}]->() WITH r LIMIT 1 DELETE r",
        "MATCH (:Chunk {tenant: $tenant})-[m:MENTIONS]->() WITH m LIMIT 1 DELETE m",
        "MATCH (:HyperNode {tenant: $tenant})-[e:HAS_EVIDENCE]->() WITH e LIMIT 1 DELETE e",
        "MATCH (c:Chunk {tenant: $tenant}) WITH c LIMIT 1 SET c.within = ''",
    ):
        neo4j(cluster, statement)
        assert told_stores(cluster, "--repair") >= {"graph"}
        assert run(cluster, "audit", "--json") == (0, "[]\n")
    assert stranger not in stores.keywords.tenants()
    assert "1873" in cluster.ask("When was the lighthouse of Brannock Head lit first?")["text"]


def told_stores(cluster: Cluster, *options: str) -> set[str]:
    return {drift["store"] for drift in json.loads(run(cluster, "audit", "--json", *options)[1])}


def neo4j(cluster: Cluster, statement: LiteralString) -> None:
    """Change the graph behind the product's back."""
    settings = load_settings(cluster.env)
    server = Neo4jServer(settings)
    server.run(statement, tenant=f"{settings.index_prefix}:default")
    server.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "store"),
    [
        ("milvus", Store.VECTORS),
        ("hypernodes", Store.HYPERNODES),
        ("elasticsearch", Store.KEYWORDS),
        ("neo4j", Store.GRAPH),
    ],
)
def test_an_emptied_server_is_rebuilt(
    cluster: Cluster, documents: dict[str, Any], stores: DistributedStores, name: str, store: Store
) -> None:
    store_of(stores, store).drop(DEFAULT_TENANT)
    assert run(cluster, "audit", "--json")[0] == 1
    assert run(cluster, "rebuild", "--store", name) == (0, "2 documents written.\n")
    assert run(cluster, "audit", "--json") == (0, "[]\n")


@pytest.mark.models
@pytest.mark.slow
async def test_another_model_embeds_everything_anew_and_answers_go_on_with_it(
    cluster: Cluster, documents: dict[str, Any], stores: DistributedStores, tmp_path: Path
) -> None:
    """The last test of the installation: it goes on with the other model."""
    write_tiny_embedder(tmp_path)
    other = {"TRIVIUM_EMBED_MODEL": str(tmp_path), "TRIVIUM_EMBED_BACKEND": "torch"}
    code, told = run(cluster, "reembed", "--model", str(tmp_path))
    assert (code, "The inference service chooses the model" in told) == (1, True)
    cluster.stop(CONTROL, INGEST, GRAPH, QUERY, INFERENCE)
    cluster.start(INFERENCE, **other)
    assert reembedded(cluster) == (0, "2 documents embedded.\n")
    assert run(cluster, "audit", "--json") == (0, "[]\n")
    quay = documents["quay.txt"]
    asked = {quay["id"]: stores.registry.for_tenant(DEFAULT_TENANT).get(quay["id"]).active_version}
    [chunk] = writer_of(stores, Store.VECTORS, DEFAULT_TENANT).ids(asked)[quay["id"]]
    vectors = await stores.vectors.reader(DEFAULT_TENANT).passage_vectors([chunk])
    assert vectors[chunk].shape == (DIMENSION,)
    cluster.start(QUERY, CONTROL, INGEST, GRAPH, **other)
    with cluster.http() as client:
        found = client.post("/v1/search", json={"query": "the lighthouse of Brannock Head", "mode": "vector"}).json()
    assert {hit["chunk"]["source"] for hit in found["hits"]} == set(TEXTS)
    assert not found.get("degraded")
    assert cluster.take("pier.txt", "The pier of Brannock Head was built by Ida Lorn.")["state"] == "ready"
