"""Dead letters: documents that FAILED, with their reasons. They are what the registry says, so none is ever lost."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.flow.erase import delete_everywhere
from trivium.ports.registry import Registry, every_document
from trivium.ports.stores import Stores


def dead_letters(registry: Registry, tenant: Tenant | None = None, code: str = "") -> Iterator[Document]:
    """Those of one tenant, or of all; of one reason, or of any. Newest first within a tenant."""
    for each in [tenant] if tenant else registry.tenants():
        failed = every_document(registry.for_tenant(each), DocumentState.FAILED)
        yield from (document for document in failed if not code or _code(document) == code)


def dead_letter(registry: Registry, document_id: str, tenant: Tenant | None = None) -> Document:
    """One of them. Raises `NotFound`, also when the document has not failed."""
    for each in [tenant] if tenant else registry.tenants():
        document = registry.for_tenant(each).get_many([document_id]).get(document_id)
        if document and document.state is DocumentState.FAILED:
            return document
    raise NotFound("no_dead_letter", f"{document_id[:80]!r} has not failed.", "See them with: trivium dead list")


def replay(stores: Stores, document: Document) -> Document:
    """Work on it again, from the stage that failed: what was done before is there."""
    accepted = stores.registry.for_tenant(Tenant(document.tenant)).accept(document)
    stores.work_signal.notify()
    return accepted


def drop(stores: Stores, document: Document) -> None:
    """Remove it and what it left. Raises `Refused` (`still_read`) while an older version answers questions."""
    if document.active_version:
        raise Refused(
            "still_read",
            f"An older version of {document.source!r} is still answered from.",
            "Replay it, or remove the document altogether with: trivium delete",
        )
    delete_everywhere(stores, Tenant(document.tenant), document.id)


def _code(document: Document) -> str:
    return document.failure.code if document.failure else ""
