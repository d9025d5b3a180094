"""One store's rows, made from artifacts again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from trivium.batches import batches
from trivium.domain.chunks import Chunk
from trivium.domain.documents import Stage
from trivium.domain.drift import Store
from trivium.domain.errors import NotFound, TriviumError
from trivium.domain.scope import Tenant
from trivium.flow.graph_rows import graph_rows
from trivium.flow.stage import Job, read_all
from trivium.ports.graph import Graphs, GraphWriter
from trivium.ports.keywords import KeywordRow, Keywords, KeywordWriter, keyword_rows
from trivium.ports.stores import Stores
from trivium.ports.vectors import VectorRow, Vectors, VectorWriter
from trivium_ingest.hypernodes import hypernode_rows
from trivium_ingest.stages import vector_rows, visual_rows

ROWS_COMPARED = 200


def store_of(stores: Stores, store: Store) -> Vectors | Keywords | Graphs:
    """All tenants' rows of one store."""
    by_name: dict[Store, Callable[[], Vectors | Keywords | Graphs]] = {
        Store.VECTORS: lambda: stores.vectors,
        Store.PICTURES: lambda: stores.visuals,
        Store.HYPERNODES: lambda: stores.hypernodes,
        Store.KEYWORDS: lambda: stores.keywords,
        Store.GRAPH: lambda: stores.graphs,
    }
    return by_name[store]()


def writer_of(stores: Stores, store: Store, tenant: Tenant) -> VectorWriter | KeywordWriter | GraphWriter:
    """One tenant's rows of one store."""
    return store_of(stores, store).writer(tenant)


def unlike(stores: Stores, store: Store, jobs: Sequence[Job]) -> tuple[set[str], set[str]]:
    """Of published documents of one tenant, the chunks whose rows are not what the artifacts say.

    And the ids of the documents that cannot be compared, because an artifact is gone. Some hundred rows are compared
    at a time: an answer that sees every write costs some servers a good part of a second, however little it is about.
    """
    rows: list[Any] = []
    gone: set[str] = set()
    for job, made in zip(jobs, read_all(partial(_rows, store), jobs), strict=True):
        if isinstance(made, NotFound):
            gone.add(job.document.id)
        elif isinstance(made, TriviumError):
            raise made
        else:
            rows += made
    changed: set[str] = set()
    for some in batches(rows, ROWS_COMPARED):
        writer: Any = writer_of(stores, store, jobs[0].tenant)
        changed |= writer.unlike(some)
    return changed, gone


def _rows(store: Store, job: Job) -> list[Any]:
    if store is Store.GRAPH:
        return graph_rows(job)
    if store is Store.KEYWORDS:
        return _keyword_rows(job)
    if store is Store.HYPERNODES:
        return _hypernode_rows(job)
    rows = _vector_rows(job, also_unseen=store is Store.VECTORS)
    return rows if store is Store.VECTORS else visual_rows(rows)


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
    if Store.HYPERNODES in written:
        stores.hypernodes.writer(tenant).upsert([row for job in jobs for row in _hypernode_rows(job)])
        stores.graphs.writer(tenant).relabel([row for job in jobs for row in graph_rows(job)])
    if Store.GRAPH in written:
        stores.graphs.writer(tenant).upsert([row for job in jobs for row in graph_rows(job)])
    if Store.KEYWORDS in written:
        stores.keywords.writer(tenant).upsert([row for job in jobs for row in _keyword_rows(job)])


def _keyword_rows(job: Job) -> list[KeywordRow]:
    return keyword_rows(job.load(Stage.ENRICH, list[Chunk]), job.scope)


def _hypernode_rows(job: Job) -> list[VectorRow]:
    chunks = job.load(Stage.ENRICH, list[Chunk])
    return hypernode_rows(chunks, vector_rows(job, chunks))


def _vector_rows(job: Job, *, also_unseen: bool) -> list[VectorRow]:
    """Of a document without a picture, which has no row in their store, only with `also_unseen`."""
    chunks = job.load(Stage.ENRICH, list[Chunk])
    return vector_rows(job, chunks) if also_unseen or any(chunk.assets for chunk in chunks) else []
