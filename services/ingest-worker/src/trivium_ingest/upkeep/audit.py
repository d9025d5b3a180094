"""READ FIRST: what the artifacts say against what the stores hold, and putting it right.

For every version that queries see, the ids of its chunks (from its artifacts; in the store of pictures, of those that
have one) are compared with the ids in each store; then every store is asked which versions it holds, and those that the
registry does not know as active are orphans.
Documents that are being ingested are left alone: publishing reads back and clears up by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from trivium.domain.documents import Document
from trivium.domain.drift import Drift, Store
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow.stage import Job
from trivium.ports.stores import Stores
from trivium_ingest.upkeep.published import PAGE, expected_ids, job_of, pages_of_published, versions
from trivium_ingest.upkeep.rows import write_rows, writer_of

ARTIFACTS = "artifacts"


def audit(stores: Stores, *, repair: bool = False) -> Iterator[Drift]:
    """Every drift of every tenant; with `repair`, put right as far as the artifacts allow.

    Surplus rows of a version are removed with all its rows, which are then written again: for that moment queries
    do not see the document. Raises `TryLater` when a store is away.
    """
    for tenant in stores.registry.tenants():
        for documents in pages_of_published(stores, tenant):
            yield from _drift(stores, tenant, documents, repair=repair)
        for store in Store:
            yield from _orphans(stores, store, tenant, repair=repair)


def _drift(stores: Stores, tenant: Tenant, documents: Sequence[Document], *, repair: bool) -> Iterator[Drift]:
    stored = {store: writer_of(stores, store, tenant).ids(versions(documents)) for store in Store}
    for document in documents:
        job = job_of(stores, document)
        expected = expected_ids(job) if job else None
        if job is None or expected is None:
            if _is_current(stores, document):
                yield _drift_of(document, ARTIFACTS, missing=document.chunks)
            continue
        for store in Store:
            found = stored[store][document.id]
            if found != expected[store] and _is_current(stores, document):
                yield _checked(stores, store, job, expected[store], found, repair=repair)


def _checked(stores: Stores, store: Store, job: Job, expected: set[str], found: set[str], *, repair: bool) -> Drift:
    fault = _drift_of(job.document, store, missing=len(expected - found), surplus=len(found - expected))
    if not repair:
        return fault
    if fault.surplus:
        writer_of(stores, store, job.tenant).delete(job.document.id)
    try:
        write_rows(stores, [store], job.tenant, [job])
    except NotFound:
        return msgspec.structs.replace(fault, store=ARTIFACTS)
    return msgspec.structs.replace(fault, repaired=True)


def _is_current(stores: Stores, document: Document) -> bool:
    """Whether nothing happened to the document since it was listed."""
    now = stores.registry.for_tenant(Tenant(document.tenant)).get_many([document.id]).get(document.id)
    return now is not None and (now.active_version, now.fence) == (document.active_version, document.fence)


def _orphans(stores: Stores, store: Store, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    writer = writer_of(stores, store, tenant)
    held = writer.versions()
    told: set[tuple[str, str]] = set()
    while some := list(islice(held, PAGE)):
        known = stores.registry.for_tenant(tenant).get_many([document_id for document_id, _ in some])
        for document_id, version in some:
            document = known.get(document_id)
            if (document_id, version) in told or not _is_orphan(document, version):
                continue
            told.add((document_id, version))
            if repair:
                writer.delete(document_id, keep_version=document.active_version if document else "")
            source = document.source if document else ""
            yield Drift(tenant.name, document_id, version, source, store, orphaned=True, repaired=repair)


def _is_orphan(document: Document | None, version: str) -> bool:
    return document is None or (document.state.terminal and version != document.active_version)


def _drift_of(document: Document, store: str, missing: int, surplus: int = 0) -> Drift:
    return Drift(
        document.tenant, document.id, document.active_version, document.source, store, missing=missing, surplus=surplus
    )
