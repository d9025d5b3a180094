"""explore_fusion: passages for a question by vectors, words and graph at once."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input, Output, Question
from trivium.domain.retrieval import Mode
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.values import Limit


class ExploreFusion(Input, frozen=True):
    """Passages for a question, by vectors, words and the graph at once."""

    query: Question
    mode: Mode = Mode.HYBRID
    limit: Limit = 5


class Explored(Output, frozen=True):
    """A passage, why it was found, and the name that led to it where a step along the graph did."""

    rank: int
    score: float
    chunk_id: str
    document_id: str
    source: str
    number: int
    text: str
    by: tuple[str, ...]
    through: Annotated[str, Meta(description='"" where no step led to it.')]


class Exploration(Output, frozen=True):
    """Best first. `degraded` names what was late or down."""

    passages: tuple[Explored, ...]
    degraded: tuple[str, ...]


async def explore_fusion(desk: Desk, wanted: ExploreFusion) -> Exploration:
    """Raises `TryLater` when no source is left."""
    found = await desk.sources.search(wanted.query, wanted.mode, wanted.limit)
    return Exploration(
        tuple(
            Explored(
                hit.rank,
                hit.score,
                hit.chunk.id,
                hit.chunk.document_id,
                hit.chunk.source,
                hit.chunk.number,
                hit.chunk.text,
                tuple(source.source for source in hit.sources),
                hit.bridge.name if hit.bridge else "",
            )
            for hit in found.hits
        ),
        tuple(each.source for each in found.degraded),
    )
