"""The registry: what is known of each document, changed only by conditional writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

import msgspec

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.scope import Tenant


class DocumentPage(msgspec.Struct, frozen=True):
    """One page of a listing; `cursor` is "" on the last page."""

    documents: tuple[Document, ...]
    cursor: str = ""


class DocumentCounts(msgspec.Struct, frozen=True):
    """Documents by state, and running documents by stage, for one tenant."""

    by_state: dict[str, int]
    by_stage: dict[str, int]
    chunks: int = 0


class DatasetCounts(msgspec.Struct, frozen=True):
    """One dataset's documents that are not deleted, files inside files too, and their passages."""

    name: str
    documents: int
    chunks: int


class TenantRegistry(Protocol):
    """One tenant's documents.

    Missing: `get` raises `NotFound`.
    Duplicate: `accept` of a (source, version) already known and not FAILED or DELETED changes nothing.
    Empty: a tenant without documents lists nothing and counts zero.
    Order: `list` is by creation, newest first, ties by id; a cursor never repeats or skips a document
    that existed when the listing began. `datasets` is by name, in the order of its bytes.
    Half-done: `save` replaces the whole record in one step and only when the stored `fence` and
    `version` equal the given ones, else raises `Conflict`; so a late holder's commit is refused.
    The bulk forms (`..._many`) do the same to each record by itself: one that is refused does not hinder
    the others, and an empty batch is a no-op.
    """

    def accept(self, document: Document) -> Document:
        """Record a new source or a new version of one as PENDING, fence + 1; returns what is stored."""
        ...

    def get(self, document_id: str) -> Document: ...

    def get_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """The records by id; unknown ones are absent."""
        ...

    def get_many_cached(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """As `get_many`, for little where most are unknown; what is being accepted right now may be absent too."""
        ...

    def save(self, document: Document) -> None: ...

    def save_many(self, documents: Sequence[Document]) -> set[str]:
        """Save each; answers the ids of those for which `save` would have raised `Conflict`."""
        ...

    def claim(self, document_id: str, version: str, lease_s: float, now: float) -> Document:
        """Take the lease: RUNNING, fence + 1. Raises `Conflict` when another holds it or the work has ended,
        `NotFound` when the document is gone or has a newer version.
        """
        ...

    def claim_many(self, documents: Sequence[Document], lease_s: float, now: float) -> list[Document]:
        """Claim each (its id and version count); answers those whose lease was taken, in the order given."""
        ...

    def delete(self, document_id: str) -> Document:
        """Set DELETED with no active version and fence + 1, so that work in progress is refused; raises `NotFound`.

        The record stays, as proof that the document is gone; deleting it again changes nothing.
        """
        ...

    def delete_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """Delete each; answers the records by id, without those for which `delete` would have raised `NotFound`."""
        ...

    def move(self, document_id: str, dataset: str) -> Document:
        """Put the document into another dataset: PENDING, fence + 1, so that its rows are written again.

        Queries see it as it was until then. In that dataset already it stays as it is. Raises `NotFound`, also for a
        deleted one.
        """
        ...

    def requeue(self, document_id: str) -> Document:
        """Put a READY, EMPTY or RUNNING document back: PENDING, fence + 1, so that it is published again.

        Queries see it as it was until then. Any other stays as it is. Raises `NotFound`.
        """
        ...

    def active_versions(self, document_ids: Sequence[str]) -> dict[str, str]:
        """The version that queries may see, for each document that has one."""
        ...

    def list(self, state: DocumentState | None = None, limit: int = 50, cursor: str = "") -> DocumentPage: ...

    def counts(self) -> DocumentCounts: ...

    def datasets(self, limit: int = 50, after: str = "") -> Sequence[DatasetCounts]:
        """Those that have a document, at most `limit`, that come behind `after`."""
        ...

    def has_dataset(self, name: str) -> bool:
        """Whether a document that is not deleted is in it."""
        ...


class Registry(Protocol):
    """All tenants' registries, and the sweep over them."""

    def for_tenant(self, tenant: Tenant) -> TenantRegistry: ...

    def unfinished(self, now: float, limit: int = 1000, lane: Lane | None = None) -> Sequence[Document]:
        """PENDING documents, and RUNNING ones whose lease ran out, oldest first, of every tenant.

        With `lane`, only those of that lane.
        """
        ...

    def in_flight(self, now: float) -> dict[Lane, int]:
        """RUNNING documents whose lease has not run out, by lane, of every tenant: what all processes together
        work on. It may be some documents off while they work; every lane is in the answer.
        """
        ...

    def waiting(self, now: float) -> dict[Lane, int]:
        """How many documents `unfinished` would list without a limit, by lane; it may be some off while others work.
        Every lane is in the answer.
        """
        ...

    def tenants(self) -> Sequence[Tenant]: ...
    def drop(self, tenant: Tenant) -> None:
        """Remove every record of the tenant as if none had been; whoever saves one then is refused.

        Nothing of their text is left in the store's files. Broken off it has removed some.
        """
        ...


def document_pages(
    registry: TenantRegistry, state: DocumentState | None = None, limit: int = 1000
) -> Iterator[tuple[Document, ...]]:
    """Every document, or those of one state, at most `limit` at a time; deleted ones too, in the order of `list`."""
    cursor = ""
    while True:
        page = registry.list(state, limit, cursor)
        yield page.documents
        cursor = page.cursor
        if not cursor:
            return


def every_document(registry: TenantRegistry, state: DocumentState | None = None) -> Iterator[Document]:
    """As `document_pages`, one by one."""
    return chain.from_iterable(document_pages(registry, state))
