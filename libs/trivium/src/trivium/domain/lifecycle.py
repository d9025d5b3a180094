"""What may become of a registry record: pure rules that every registry applies under its own kind of lock."""

from __future__ import annotations

import time

import msgspec

from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import Conflict, NotFound, Refused
from trivium.domain.scope import Tenant


def changes_nothing(document: Document, known: Document | None) -> bool:
    """Whether accepting `document` leaves `known` as it is: the same version, neither FAILED nor DELETED.

    One that asks for another extractor is read again.
    """
    restarts = (DocumentState.FAILED, DocumentState.DELETED)
    if known is None or known.version != document.version or known.state in restarts:
        return False
    return document.extractor in ("", known.extractor)


def accepted(document: Document, known: Document | None) -> Document:
    """The record as PENDING, fence + 1; what queries see of an older version stays until it is replaced.

    A version that is tried again stays of the run that brought it, for its rows say so.
    """
    now = document.updated_at or document.created_at or time.time()
    fresh = msgspec.structs.replace(
        document,
        state=DocumentState.PENDING,
        stage="",
        attempt=0,
        fence=1,
        failure=None,
        lease_until=0.0,
        holder="",
        hindrance=None,
        created_at=document.created_at or now,
        updated_at=now,
        uploaded_at=document.uploaded_at or now,
    )
    if known is None:
        return fresh
    gone = known.state is DocumentState.DELETED
    if known.version == document.version and not gone:
        fresh = msgspec.structs.replace(
            fresh, run=known.run, uploaded_at=known.uploaded_at, dated_at=known.dated_at, about=known.about
        )
    return msgspec.structs.replace(
        fresh,
        fence=known.fence + 1,
        created_at=known.created_at,
        active_version="" if gone else known.active_version,
        chunks=0 if gone else known.chunks,
    )


def moved(known: Document, dataset: str) -> Document:
    """The record as PENDING in that dataset, fence + 1, or as it is there already; `NotFound` for a deleted one."""
    if known.state is DocumentState.DELETED:
        raise no_such_document(known.id)
    if known.dataset == dataset:
        return known
    return accepted(msgspec.structs.replace(known, dataset=dataset, updated_at=time.time()), known)


def requeued(known: Document) -> Document:
    """The record as PENDING, fence + 1; as it is where it is PENDING, FAILED or DELETED."""
    if known.state in (DocumentState.PENDING, DocumentState.FAILED, DocumentState.DELETED):
        return known
    return accepted(msgspec.structs.replace(known, updated_at=time.time()), known)


def claimed(known: Document, version: str, lease_s: float, now: float) -> Document:
    """The record as RUNNING, fence + 1; raises `Conflict` while it is held or once ended, `NotFound` if superseded."""
    if known.version != version or known.state is DocumentState.DELETED:
        raise NotFound(
            "superseded",
            f"Version {version} of document {known.id} is gone or has a newer one.",
            "Nothing is to be done.",
        )
    if known.state.terminal:
        raise Conflict("finished", f"Document {known.id} was finished by someone else.", "Nothing is to be done.")
    if known.state is DocumentState.RUNNING and known.lease_until > now:
        raise Conflict(
            "lease_held",
            f"Document {known.id} is being worked on by someone else.",
            "It is tried again when the lease has run out.",
        )
    return msgspec.structs.replace(
        known, state=DocumentState.RUNNING, fence=known.fence + 1, lease_until=now + lease_s, holder="", updated_at=now
    )


def deleted(known: Document) -> Document:
    """The record as DELETED, fence + 1, with nothing that queries could see."""
    return msgspec.structs.replace(
        known,
        state=DocumentState.DELETED,
        stage="",
        active_version="",
        fence=known.fence + 1,
        chunks=0,
        lease_until=0.0,
        holder="",
        hindrance=None,
        about=None,
        updated_at=time.time(),
    )


def no_such_document(document_id: str) -> NotFound:
    """What asking for an unknown document answers."""
    return NotFound(
        "no_such_document", f"There is no document {document_id[:80]!r}.", "List the documents for their ids."
    )


def stale(document: Document) -> Conflict:
    """What a late holder's commit answers."""
    return Conflict(
        "stale_document",
        f"Document {document.id} was changed by someone else in the meantime.",
        "Read it again before acting.",
    )


def wrong_tenant(document: Document, tenant: Tenant) -> Refused:
    """What one tenant's registry answers to another's record."""
    return Refused(
        "wrong_tenant",
        f"Document {document.id} does not belong to tenant {tenant}.",
        "Use the registry of its own tenant.",
    )
