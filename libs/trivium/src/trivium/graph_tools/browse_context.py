"""browse_context: the passages around one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input, Output
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.read_paragraph import passage

MAX_AROUND = 10


class BrowseContext(Input, frozen=True):
    """The passages before and after one, in its document."""

    chunk_id: Annotated[str, Meta(min_length=1, max_length=64, description="The passage's id.")]
    before: Annotated[int, Meta(ge=0, le=MAX_AROUND)] = 2
    after: Annotated[int, Meta(ge=0, le=MAX_AROUND)] = 2


class PassageSeen(Output, frozen=True):
    """A passage of a document; `number` counts from 1."""

    chunk_id: str
    number: int
    section: tuple[str, ...]
    text: str


class Context(Output, frozen=True):
    """Passages in the order of the document, the one asked for among them."""

    document_id: str
    source: str
    passages: tuple[PassageSeen, ...]


async def browse_context(desk: Desk, wanted: BrowseContext) -> Context:
    """Raises `NotFound` (`no_such_passage`)."""
    chunk = await passage(desk, wanted.chunk_id)
    first = max(chunk.ordinal - wanted.before, 0)
    count = chunk.ordinal - first + 1 + wanted.after
    found = await desk.sources.keywords.document_chunks(chunk.document_id, chunk.version, first, count)
    return Context(
        chunk.document_id,
        chunk.source,
        tuple(PassageSeen(each.id, each.number, each.section, each.text) for each in found),
    )
