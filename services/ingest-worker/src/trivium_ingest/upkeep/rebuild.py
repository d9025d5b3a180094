"""A store made anew from artifacts, and all vectors made anew by another model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import msgspec

from trivium.batches import batches
from trivium.domain.documents import Stage
from trivium.domain.drift import Store
from trivium.domain.errors import NotFound
from trivium.edits.curation import curation_of
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.flow.resolving import resolve_all
from trivium.flow.stage import Job
from trivium.ports.inference import Embedder, VisualEncoder
from trivium.ports.stores import Stores
from trivium_ingest.publish import PublishWork
from trivium_ingest.stages import EmbedWork, IndexWork, forget_parts
from trivium_ingest.upkeep.published import has_passages, jobs_of, pages_of_published
from trivium_ingest.upkeep.retried import retried
from trivium_ingest.upkeep.rows import store_of, write_rows

DOCUMENTS_PER_WRITE = 32

OnDocuments = Callable[[int], None]
"""Hears how many more documents are done."""


def rebuild(stores: Stores, store: Store, on_documents: OnDocuments) -> list[str]:
    """Empty one store and write it again; returns the sources of documents whose artifacts are gone.

    With the vectors go those of pictures and HyperNodes, which come from the same artifacts; the graph is told which
    passages are within which HyperNodes when these are written.
    Until it is done queries find less there. What was interrupted is done again from the start, or finished by
    `audit` with `repair`.
    """
    lost: list[str] = []
    written = (Store.VECTORS, Store.PICTURES, Store.HYPERNODES) if store is Store.VECTORS else (store,)
    for tenant in stores.registry.tenants():
        for emptied in written:
            store_of(stores, emptied).drop(tenant)
        for documents in pages_of_published(stores, tenant):
            jobs = jobs_of(stores, documents)
            known = {job.document.id for job in jobs}
            lost += [document.source for document in documents if document.id not in known]
            for some in batches(jobs, DOCUMENTS_PER_WRITE):
                lost += retried(partial(_write, stores, written, some))
                on_documents(len(some))
    if store is Store.GRAPH:
        curation_of(stores).project_all()
        resolve_all(stores.graphs)
    return lost


def reembed(
    stores: Stores, embedder: Embedder, on_documents: OnDocuments, visual: VisualEncoder | None = None
) -> list[str]:
    """Make every vector anew, pictures' by `visual`; returns the sources of documents whose artifacts are gone.

    First all passages are embedded into artifacts, while queries go on with the old vectors; those that exist are
    kept, so that it can be interrupted. Then the vector store is emptied and written: vectors of two models are never
    in it together, whatever their dimensions. From then on questions must be embedded by the same model.
    """
    work = EmbedWork(embedder, visual)
    for tenant in stores.registry.tenants():
        for documents in pages_of_published(stores, tenant):
            for some in batches(jobs_of(stores, documents), DOCUMENTS_PER_WRITE):
                _embed(work, some)
                on_documents(len(some))
    for tenant in stores.registry.tenants():
        for documents in pages_of_published(stores, tenant):
            for job in jobs_of(stores, documents):
                _point_to(work, stores, job)
    return rebuild(stores, Store.VECTORS, lambda _: None)


def _embed(work: EmbedWork, jobs: list[Job]) -> None:
    new = [(job, artifacts.artifact_key(job.entry, Stage.EMBED, work.fingerprint())) for job in jobs]
    wanting = [
        (job, key) for job, key in new if not _is_from(job, key) and not job.objects.exists(key) and has_passages(job)
    ]
    for (job, key), outcome in zip(wanting, work.run_all([job for job, _ in wanting]) if wanting else (), strict=True):
        artifacts.save(job.objects, key, outcome.value, outcome.facts)
        forget_parts(job, key)


def _point_to(work: EmbedWork, stores: Stores, job: Job) -> None:
    """Note that the version's rows come from the new vectors."""
    embedded = artifacts.artifact_key(job.entry, Stage.EMBED, work.fingerprint())
    if _is_from(job, embedded) or not job.objects.exists(embedded):
        return
    entry = _with(job.entry, Stage.EMBED, embedded)
    index = IndexWork(stores.vectors, stores.keywords, stores.visuals, stores.hypernodes)
    entry = _with(entry, Stage.INDEX, artifacts.artifact_key(entry, Stage.INDEX, index.fingerprint(), job.scope))
    publish = PublishWork(stores)
    key = artifacts.artifact_key(entry, Stage.PUBLISH, publish.fingerprint())
    artifacts.save(job.objects, key, artifacts.Published.now(job.document, entry.artifacts))


def _with(entry: Entry, stage: Stage, key: str) -> Entry:
    return msgspec.structs.replace(entry, artifacts={**entry.artifacts, stage.value: key})


def _is_from(job: Job, embedded: str) -> bool:
    """Whether the version's rows come from these vectors already."""
    return artifacts.own_key(job.entry.artifacts[Stage.EMBED.value]) == embedded


def _write(stores: Stores, written: Collection[Store], jobs: list[Job]) -> list[str]:
    """Returns the sources of those that could not be written."""
    try:
        write_rows(stores, written, jobs[0].tenant, jobs)
    except NotFound:
        if len(jobs) == 1:
            return [jobs[0].document.source]
        return [source for job in jobs for source in _write(stores, written, [job])]
    return []
