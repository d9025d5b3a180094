"""What every framework gets of a hit: its text, and where it stands."""

from __future__ import annotations

from typing import Any

import msgspec

from trivium import api


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
