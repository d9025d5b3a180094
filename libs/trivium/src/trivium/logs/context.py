"""What a line is about: `tenant`, `document`, and `trace`, the id of the request that began it."""

from __future__ import annotations

import structlog

from trivium.domain.documents import Document
from trivium.tracing.spans import current_trace_id, trace_of


def current_trace() -> str:
    """The id of the request that is being answered, "" outside of one."""
    trace: str = structlog.contextvars.get_contextvars().get("trace", "")
    return trace


def of_request(request_id: str) -> dict[str, str]:
    """The fields of lines about a request: its id, and its OpenTelemetry trace where that is another."""
    trace_id = current_trace_id()
    return {"trace": request_id} | ({"trace_id": trace_id} if trace_id not in ("", request_id) else {})


def about(document: Document) -> dict[str, str]:
    """Its id and trace, as a line's fields."""
    fields = {"document": document.id, "trace": document.trace, "trace_id": trace_of(document.traceparent)}
    if fields["trace_id"] == fields["trace"]:
        del fields["trace_id"]
    return {name: value for name, value in fields.items() if value}
