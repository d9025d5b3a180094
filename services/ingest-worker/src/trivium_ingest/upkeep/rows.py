"""One store's rows, made from artifacts again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Stage
from trivium.domain.drift import Store
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import Tenant
from trivium.flow.stage import Job
from trivium.ports.graph import GraphRow, Graphs, GraphWriter
from trivium.ports.keywords import Keywords, KeywordWriter
from trivium.ports.stores import Stores
from trivium.ports.vectors import Vectors, VectorWriter
from trivium_ingest.stages import vector_rows, visual_rows


def store_of(stores: Stores, store: Store) -> Vectors | Keywords | Graphs:
    """All tenants' rows of one store."""
    by_name: dict[Store, Callable[[], Vectors | Keywords | Graphs]] = {
        Store.VECTORS: lambda: stores.vectors,
        Store.KEYWORDS: lambda: stores.keywords,
        Store.GRAPH: lambda: stores.graphs,
    }
    return by_name[store]()


def writer_of(stores: Stores, store: Store, tenant: Tenant) -> VectorWriter | KeywordWriter | GraphWriter:
    """One tenant's rows of one store."""
    return store_of(stores, store).writer(tenant)


def write_rows(stores: Stores, store: Store, tenant: Tenant, jobs: Sequence[Job]) -> None:
    """Write the rows of published documents, one call for all; raises `NotFound` for an artifact that is gone."""
    if store is Store.VECTORS:
        rows = [row for job in jobs for row in vector_rows(job, job.load(Stage.ENRICH, list[Chunk]))]
        stores.vectors.writer(tenant).upsert(rows)
        if pictures := visual_rows(rows):
            stores.visuals.writer(tenant).upsert(pictures)
    elif store is Store.GRAPH:
        stores.graphs.writer(tenant).upsert(
            [
                GraphRow(share, job.document.id, job.document.version, job.scope)
                for job in jobs
                for share in job.load(Stage.EXTRACT, list[ChunkGraph])
            ]
        )
    else:
        for job in jobs:
            stores.keywords.writer(tenant).upsert(job.load(Stage.ENRICH, list[Chunk]), job.scope)
