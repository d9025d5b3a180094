"""What a document waits for, told to a person."""

from __future__ import annotations

from datetime import UTC, datetime

from trivium.domain.documents import Document, DocumentState

OVERDUE_S = 30.0  # past a lease's end, by which somebody looks for such documents several times


def waits_for(document: Document, now: float) -> str:
    """What stands behind "waits for", "" for one that is worked on or has come to its end."""
    if document.state is DocumentState.PENDING:
        return "its turn"
    if document.state is not DocumentState.RUNNING:
        return ""
    if document.hindrance:
        return f"{document.hindrance.stage}, tried again by itself: {document.hindrance.message}"
    if document.holder:
        return _silent(document, now)
    return f"a worker, since {_clock(document.updated_at)}"


def _silent(document: Document, now: float) -> str:
    """A live worker renews the lease long before half of it has passed."""
    seen, until = document.updated_at, document.lease_until
    if now - seen <= (until - seen) / 2:
        return ""
    stopped = f"a worker: the one that had it ({document.holder}) stopped answering after {_clock(seen)}"
    if now - until > OVERDUE_S:
        return f"{stopped}; nobody has taken it up yet: see whether the control process runs"
    return f"{stopped}; it is taken up from {_clock(until)} on"


def _clock(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).strftime("%H:%M:%S UTC")
