"""What an installation of a test's own leaves on shared servers, and its removal."""

from __future__ import annotations

from contextlib import closing

import redis
from buckets import client, drop_bucket

from trivium.adapters.distributed.elasticsearch.keywords import ElasticKeywords
from trivium.adapters.distributed.milvus.rows import Collections
from trivium.adapters.distributed.milvus.server import MilvusServer
from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import Settings

CLAIM = "trivium-test-cluster"
CLAIM_S = 3600  # of a test that was killed
DATABASES = range(1, 16)  # Redis' own 16 but the one that the product uses


def claim_broker(redis_url: str) -> str:
    """The address of a database of that Redis that no other test uses; `remove_all` gives it back."""
    for number in DATABASES:
        url = f"{redis_url.rsplit('/', 1)[0]}/{number}"
        with redis.Redis.from_url(url) as server:
            if server.set(CLAIM, "1", nx=True, ex=CLAIM_S):
                return url
    raise AssertionError("every database of the test's Redis is taken")


def remove_all(settings: Settings) -> None:
    """Remove what is under the prefix and in the buckets of `settings`."""
    with DistributedStores(settings) as stores:
        tenants = list(stores.registry.tenants())
    with closing(ElasticKeywords(settings)) as keywords, closing(Neo4jGraphs(settings)) as graphs:
        for tenant in tenants:
            keywords.drop(tenant)
            graphs.drop(tenant)
    with closing(MilvusServer(settings)) as server, server.client() as milvus:
        names = milvus.list_collections()
        for space in ("passages", "pictures", "hypernodes"):
            for collection in Collections(f"{settings.index_prefix}_{space}_").own(names):
                milvus.drop_collection(collection)
    with redis.Redis.from_url(settings.broker) as broker:
        if broker.exists(CLAIM):
            broker.flushdb()
    owner = client(settings)
    for found in owner.list_objects(settings.s3_uploads, recursive=True):
        owner.remove_object(settings.s3_uploads, str(found.object_name))
    owner.remove_bucket(settings.s3_uploads)
    drop_bucket(settings)
