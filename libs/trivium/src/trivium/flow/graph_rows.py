"""What the graph holds of a document, from what its stages made."""

from __future__ import annotations

import msgspec

from trivium.domain.documents import Stage
from trivium.domain.graph import ChunkGraph
from trivium.flow.stage import Job
from trivium.hypernodes.sections import within
from trivium.ports.graph import GraphRow

_PLAIN = "text"


class _Placed(msgspec.Struct):
    """Of a chunk, its place and which modalities it holds; as `Chunk.held_kinds`."""

    id: str
    section: tuple[str, ...] = ()
    kind: str = _PLAIN
    kinds: tuple[str, ...] = ()

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.kind, *self.kinds)))


def graph_rows(job: Job) -> list[GraphRow]:
    """The row of each chunk. Raises `NotFound` for an artifact that is gone."""
    chunks = job.load(Stage.CHUNK, list[_Placed])
    held = {chunk.id: chunk.held for chunk in chunks}
    document = job.document
    nodes = within(document.id, document.version, chunks)
    return [
        GraphRow(
            share,
            document.id,
            document.version,
            job.scope,
            held.get(share.chunk_id, (_PLAIN,)),
            nodes.get(share.chunk_id, ()),
        )
        for share in job.load(Stage.EXTRACT, list[ChunkGraph])
    ]
