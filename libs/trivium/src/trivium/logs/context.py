"""What a line is about: `tenant`, `document`, and `trace`, the id of the request that began it."""

from __future__ import annotations

import structlog

from trivium.domain.documents import Document


def current_trace() -> str:
    """The id of the request that is being answered, "" outside of one."""
    trace: str = structlog.contextvars.get_contextvars().get("trace", "")
    return trace


def about(document: Document) -> dict[str, str]:
    """Its id and trace, as a line's fields."""
    return {"document": document.id} | ({"trace": document.trace} if document.trace else {})
