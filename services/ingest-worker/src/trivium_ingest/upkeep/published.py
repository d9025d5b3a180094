"""What is published, as jobs over the artifacts that it was published from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from trivium.domain.documents import Document, Stage
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.flow.stage import Job
from trivium.ports.stores import Stores

PAGE = 200  # documents in memory at a time


class _Identity(msgspec.Struct):
    """Of a chunk, only its id."""

    id: str


def pages_of_published(stores: Stores, tenant: Tenant) -> Iterator[list[Document]]:
    """Every document that queries may see, newest first; one that is published meanwhile may be left out."""
    cursor = ""
    while True:
        page = stores.registry.for_tenant(tenant).list(limit=PAGE, cursor=cursor)
        yield [document for document in page.documents if document.active_version]
        cursor = page.cursor
        if not cursor:
            return


def job_of(stores: Stores, document: Document) -> Job | None:
    """The job that published the version that queries see; None when its artifacts are not known any more."""
    objects = stores.objects.for_tenant(Tenant(document.tenant))
    found = artifacts.published(objects, document.id, document.active_version)
    if found is None:
        return None
    active = msgspec.structs.replace(document, version=document.active_version)
    return Job(active, Entry(active.id, active.version, active.fence, found.artifacts), objects)


def jobs_of(stores: Stores, documents: Iterable[Document]) -> list[Job]:
    """The jobs of those documents whose artifacts are known."""
    return [job for document in documents if (job := job_of(stores, document))]


def expected_ids(job: Job) -> set[str] | None:
    """The chunks that every store should hold; None when the artifact is missing or damaged."""
    try:
        return {chunk.id for chunk in job.load(Stage.ENRICH, list[_Identity])}
    except NotFound:
        return None


def versions(documents: Sequence[Document]) -> dict[str, str]:
    """Document id to the version that queries see."""
    return {document.id: document.active_version for document in documents}
