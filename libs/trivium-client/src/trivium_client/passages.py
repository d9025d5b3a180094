"""What every framework gets of a hit: its text, and where it stands."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from trivium import api

log = logging.getLogger("trivium_client")


def hits_of(found: api.SearchResponse) -> Sequence[api.Hit]:
    """The hits. Frameworks have no place for notes, as that there is no such dataset: they are logged."""
    for note in found.notes:
        log.warning(note)
    return found.hits


def about(hit: api.Hit) -> dict[str, Any]:
    """The passage's place and its rank, of plain values: what a framework keeps beside the text."""
    chunk = hit.chunk
    return {
        "source": chunk.source,
        "title": chunk.title,
        "section": list(chunk.section),
        "kind": chunk.kind,
        "document_id": chunk.document_id,
        "chunk_id": chunk.id,
        "chunk_number": chunk.number,
        "positions": msgspec.to_builtins(chunk.positions),
        "rank": hit.rank,
        "score": hit.score,
        "citation": f"[Source: {chunk.source}, chunk {chunk.number}]",
    }
