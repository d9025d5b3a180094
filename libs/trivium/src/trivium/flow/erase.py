"""Erasing what was made of a document: on its deletion, and again after a worker that had not heard of it."""

from __future__ import annotations

from trivium.domain.documents import Document, DocumentState
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.ports.objects import ObjectStore
from trivium.ports.stores import Stores


def erase(stores: Stores, tenant: Tenant, document_id: str, keep_version: str = "") -> None:
    """Remove rows, then artifacts and originals, except those of `keep_version`."""
    for store in (stores.vectors, stores.keywords, stores.graphs):
        store.writer(tenant).delete(document_id, keep_version=keep_version)
    erase_objects(stores.objects.for_tenant(tenant), document_id, keep_version)


def erase_objects(objects: ObjectStore, document_id: str, keep_version: str = "") -> None:
    """Remove artifacts and originals, except those of `keep_version`."""
    keep = (
        (artifacts.artifact_prefix(document_id, keep_version), artifacts.original_key(document_id, keep_version))
        if keep_version
        else ()
    )
    for prefix in (artifacts.artifact_prefix(document_id), f"originals/{document_id}/"):
        for key in list(objects.keys(prefix)):
            if not key.startswith(keep):
                objects.delete(key)


def clear_up(stores: Stores, document: Document, late: Entry) -> None:
    """Remove what the holder of an older claim wrote after its document was deleted, or published in another version.

    Deleting and publishing change the record first and remove rows then, so whoever writes rows and finds the record
    as it was has written in time for them to be removed. A version that is not published yet clears up when it is.
    """
    tenant = Tenant(document.tenant)
    if document.state is DocumentState.DELETED:
        erase(stores, tenant, document.id)
    elif document.active_version == document.version != late.version:
        erase(stores, tenant, document.id, keep_version=document.active_version)
