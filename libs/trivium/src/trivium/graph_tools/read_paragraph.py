"""read_paragraph: one passage with what the graph knows of it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from trivium.api import Input, Output
from trivium.domain.chunks import Chunk
from trivium.domain.errors import NotFound
from trivium.graph_tools.desk import Desk


class ReadParagraph(Input, frozen=True):
    """One passage, and the names in it."""

    chunk_id: Annotated[str, Meta(min_length=1, max_length=64, description="The passage's id.")]


class NameInText(Output, frozen=True):
    """A name in a passage: its words from character `start` to `end`, and the entity's key."""

    key: str
    surface: str
    type: str
    start: int
    end: int
    confidence: float


class Paragraph(Output, frozen=True):
    """A passage; `previous` and `next` are the ids of its neighbours in the document, "" at its ends."""

    chunk_id: str
    document_id: str
    source: str
    number: int
    title: str
    section: tuple[str, ...]
    text: str
    names: tuple[NameInText, ...]
    previous: str
    next: str


async def read_paragraph(desk: Desk, wanted: ReadParagraph) -> Paragraph:
    """Raises `NotFound` (`no_such_passage`)."""
    keywords, graph = desk.sources.keywords, desk.sources.graph
    chunk = await passage(desk, wanted.chunk_id)
    first = max(chunk.ordinal - 1, 0)
    near, names = await asyncio.gather(
        keywords.document_chunks(chunk.document_id, chunk.version, first, 3), graph.mentions_in([chunk.id])
    )
    by_place = {other.ordinal: other.id for other in near}
    return Paragraph(
        chunk.id,
        chunk.document_id,
        chunk.source,
        chunk.number,
        chunk.title,
        chunk.section,
        chunk.text,
        tuple(
            NameInText(m.key, m.surface, m.type.value, m.span.start, m.span.end, m.confidence)
            for m in names.get(chunk.id, [])
            if m.span.end
        ),
        by_place.get(chunk.ordinal - 1, ""),
        by_place.get(chunk.ordinal + 1, ""),
    )


async def passage(desk: Desk, chunk_id: str) -> Chunk:
    """The passage. Raises `NotFound` (`no_such_passage`)."""
    found = (await desk.sources.keywords.chunks([chunk_id])).get(chunk_id)
    if found is None:
        raise NotFound("no_such_passage", f"There is no passage {chunk_id[:64]!r}.", "Take the id from a search.")
    return found
