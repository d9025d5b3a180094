"""A document's HyperNodes, from its passages: which there are, and their rows (`trivium.hypernodes`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.flow.stage import Job
from trivium.hypernodes.centroids import Centroids
from trivium.hypernodes.sections import Placed, all_of, within
from trivium.ports.vectors import VectorRow


class PlacedPassage(msgspec.Struct):
    """Of a chunk, its id and its place."""

    id: str
    section: tuple[str, ...] = ()


def hypernode_ids(job: Job, chunks: Iterable[Placed]) -> set[str]:
    """The HyperNodes of one document."""
    return all_of(within(job.document.id, job.document.version, chunks))


def within_of(rows: Iterable[tuple[Job, Chunk, object]]) -> dict[str, tuple[str, ...]]:
    """The HyperNodes that each passage of some documents is within; a document's rows stand together."""
    chunks: dict[tuple[str, str], list[Chunk]] = {}
    for _, chunk, _ in rows:
        chunks.setdefault((chunk.document_id, chunk.version), []).append(chunk)
    return {chunk: nodes for place, of_one in chunks.items() for chunk, nodes in within(*place, of_one).items()}


def hypernode_rows(chunks: Sequence[Chunk], rows: Sequence[VectorRow]) -> list[VectorRow]:
    """What the store of HyperNodes holds of one document, from its chunks and their rows."""
    centroids = Centroids()
    nodes = within(rows[0].document_id, rows[0].version, chunks) if rows else {}
    for chunk, row in zip(chunks, rows, strict=True):
        centroids.add(nodes[chunk.id], row, len(chunk.text))
    return centroids.rows()
