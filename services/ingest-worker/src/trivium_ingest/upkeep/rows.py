"""One store's rows, made from artifacts again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Stage
from trivium.domain.drift import Store
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import Tenant
from trivium.flow.stage import Job
from trivium.ports.graph import GraphRow, Graphs, GraphWriter
from trivium.ports.keywords import Keywords, KeywordWriter
from trivium.ports.stores import Stores
from trivium.ports.vectors import VectorRow, Vectors, VectorWriter
from trivium_ingest.stages import vector_rows, visual_rows


def store_of(stores: Stores, store: Store) -> Vectors | Keywords | Graphs:
    """All tenants' rows of one store."""
    by_name: dict[Store, Callable[[], Vectors | Keywords | Graphs]] = {
        Store.VECTORS: lambda: stores.vectors,
        Store.PICTURES: lambda: stores.visuals,
        Store.KEYWORDS: lambda: stores.keywords,
        Store.GRAPH: lambda: stores.graphs,
    }
    return by_name[store]()


def writer_of(stores: Stores, store: Store, tenant: Tenant) -> VectorWriter | KeywordWriter | GraphWriter:
    """One tenant's rows of one store."""
    return store_of(stores, store).writer(tenant)


def write_rows(stores: Stores, written: Collection[Store], tenant: Tenant, jobs: Sequence[Job]) -> None:
    """Write the rows of published documents to the stores that are named, one call for all.

    Raises `NotFound` for an artifact that is gone.
    """
    if Store.VECTORS in written or Store.PICTURES in written:
        rows = [row for job in jobs for row in _vector_rows(job, also_unseen=Store.VECTORS in written)]
        if Store.VECTORS in written:
            stores.vectors.writer(tenant).upsert(rows)
        if Store.PICTURES in written and (pictures := visual_rows(rows)):
            stores.visuals.writer(tenant).upsert(pictures)
    if Store.GRAPH in written:
        stores.graphs.writer(tenant).upsert(
            [
                GraphRow(share, job.document.id, job.document.version, job.scope)
                for job in jobs
                for share in job.load(Stage.EXTRACT, list[ChunkGraph])
            ]
        )
    if Store.KEYWORDS in written:
        for job in jobs:
            stores.keywords.writer(tenant).upsert(job.load(Stage.ENRICH, list[Chunk]), job.scope)


def _vector_rows(job: Job, *, also_unseen: bool) -> list[VectorRow]:
    """Of a document without a picture, which has no row in their store, only with `also_unseen`."""
    chunks = job.load(Stage.ENRICH, list[Chunk])
    return vector_rows(job, chunks) if also_unseen or any(chunk.assets for chunk in chunks) else []
