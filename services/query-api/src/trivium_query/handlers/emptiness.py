"""What to tell a caller whose question found nothing because there is nothing to find anything in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from trivium.domain.documents import DocumentState
from trivium.domain.errors import TryLater
from trivium.domain.scope import Tenant
from trivium_query.handlers.datasets import others_than
from trivium_query.requests import Services

ALL_DATASETS = "All of them: trivium datasets, or GET /v1/datasets."
NOTHING_READ = "Nothing has been read yet."
_ON_THEIR_WAY = (DocumentState.PENDING, DocumentState.RUNNING)


async def nothing_there(services: Services, tenant: Tenant, dataset: str) -> str:
    """Why there is nothing to answer from, and what to do; "" when a document can be found, or nobody can tell now."""
    try:
        counts = await asyncio.to_thread(services.registry.for_tenant(tenant).counts)
    except TryLater:
        return ""
    if not (counts.chunks or counts.by_state.get(DocumentState.READY, 0)):
        return _told(counts.by_state)
    others = await others_than(services, tenant, dataset) if dataset else ""
    return f"There is no dataset {dataset!r}. {others} {ALL_DATASETS}" if others else ""


def _told(by_state: Mapping[str, int]) -> str:
    waiting = sum(by_state.get(state, 0) for state in _ON_THEIR_WAY)
    unread = by_state.get(DocumentState.FAILED, 0) + by_state.get(DocumentState.EMPTY, 0)
    if waiting:
        return f"{NOTHING_READ} Waiting to be read: {waiting}. How far they are: trivium documents, or GET /v1/sources."
    if unread:
        return f"{NOTHING_READ} Without any text or failed: {unread}. Why: trivium documents, or GET /v1/sources."
    return f"{NOTHING_READ} Add documents with: trivium ingest FOLDER, or POST /v1/sources."
