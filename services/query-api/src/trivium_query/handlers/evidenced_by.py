"""Which sections and documents name an entity: its EVIDENCED_BY (`trivium.hypernodes`)."""

from __future__ import annotations

from collections.abc import Mapping

from trivium.api import HyperNode
from trivium.domain.chunks import Chunk
from trivium_query.retrieve.hits import hypernode_of

MAX_TOLD = 10


def evidenced_by(within: Mapping[str, tuple[str, ...]], chunks: Mapping[str, Chunk]) -> tuple[HyperNode, ...]:
    """The HyperNodes with most of these chunks, at most `MAX_TOLD`; of equal ones the wider first."""
    told: dict[str, HyperNode] = {}
    for chunk_id, nodes in sorted(within.items()):
        chunk = chunks.get(chunk_id)
        if chunk is None:  # it is gone meanwhile
            continue
        for node in nodes:
            passages = told[node].passages + 1 if node in told else 1
            name = hypernode_of(node, chunk) or chunk.source
            told[node] = HyperNode(node, chunk.document_id, chunk.source, name, passages)
    return tuple(sorted(told.values(), key=lambda seen: (-seen.passages, len(seen.name), seen.id))[:MAX_TOLD])
