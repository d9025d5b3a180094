"""What the graph holds of a document, from what its stages made."""

from __future__ import annotations

import msgspec

from trivium.domain.documents import Stage
from trivium.domain.graph import ChunkGraph
from trivium.flow.stage import Job
from trivium.ports.graph import GraphRow

_PLAIN = "text"


class _Kinds(msgspec.Struct):
    """Of a chunk, which modalities it holds; as `Chunk.held_kinds`."""

    id: str
    kind: str = _PLAIN
    kinds: tuple[str, ...] = ()

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.kind, *self.kinds)))


def graph_rows(job: Job) -> list[GraphRow]:
    """The row of each chunk. Raises `NotFound` for an artifact that is gone."""
    held = {chunk.id: chunk.held for chunk in job.load(Stage.CHUNK, list[_Kinds])}
    document = job.document
    return [
        GraphRow(share, document.id, document.version, job.scope, held.get(share.chunk_id, (_PLAIN,)))
        for share in job.load(Stage.EXTRACT, list[ChunkGraph])
    ]
