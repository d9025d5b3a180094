"""What is published, as jobs over the artifacts that it was published from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import Document, Stage
from trivium.domain.drift import Store
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.flow.stage import Job
from trivium.ports.registry import document_pages
from trivium.ports.stores import Stores
from trivium_ingest.hypernodes import hypernode_ids

PAGE = 200  # documents in memory at a time
Expected = dict[Store, set[str]]
"""The chunks of one document that each store should hold, and the HyperNodes."""


class _Passage(msgspec.Struct):
    """Of a chunk, its id, its place and its pictures' names."""

    id: str
    section: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()


class _Picture(msgspec.Struct):
    """Of a chunk's vectors, its id and the pictures' own."""

    chunk_id: str
    visual: bytes = b""


def pages_of_published(stores: Stores, tenant: Tenant) -> Iterator[list[Document]]:
    """Every document that queries may see, newest first; one that is published meanwhile may be left out."""
    for page in document_pages(stores.registry.for_tenant(tenant), limit=PAGE):
        yield [document for document in page if document.active_version]


def job_of(stores: Stores, document: Document) -> Job | None:
    """The job that published the version that queries see; None when its artifacts are not known any more."""
    objects = stores.objects.for_tenant(Tenant(document.tenant))
    found = artifacts.published(objects, document.id, document.active_version)
    if found is None:
        return None
    active = msgspec.structs.replace(found.as_published(document), version=document.active_version)
    return Job(active, Entry(active.id, active.version, active.fence, found.artifacts), objects)


def jobs_of(stores: Stores, documents: Iterable[Document]) -> list[Job]:
    """The jobs of those documents whose artifacts are known."""
    return [job for job in map_concurrent(partial(job_of, stores), list(documents)) if job]


def job_and_expected(stores: Stores, document: Document) -> tuple[Job, Expected] | None:
    """Both; None when one of them is not known any more."""
    job = job_of(stores, document)
    expected = expected_ids(job) if job else None
    return (job, expected) if job and expected is not None else None


def expected_ids(job: Job) -> Expected | None:
    """The chunks that each store should hold; None when an artifact that says so is missing or damaged.

    Only where a passage has pictures are the vectors read, which tell whether these have one.
    """
    try:
        passages = job.load(Stage.ENRICH, list[_Passage])
        has_pictures = any(passage.assets for passage in passages)
        vectors = job.load(Stage.EMBED, list[_Picture]) if has_pictures else []
    except NotFound:
        return None
    ids = {passage.id for passage in passages}
    return {store: ids for store in Store} | {
        Store.PICTURES: {row.chunk_id for row in vectors if row.visual},
        Store.HYPERNODES: hypernode_ids(job, passages),
    }


def has_passages(job: Job) -> bool:
    """Whether the artifact is there that holds its passages, whole."""
    try:
        job.load(Stage.ENRICH, list[_Passage])
    except NotFound:
        return False
    return True


def versions(documents: Sequence[Document]) -> dict[str, str]:
    """Document id to the version that queries see."""
    return {document.id: document.active_version for document in documents}
