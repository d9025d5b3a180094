"""From a ranking of ids to hits: text, explanation, and nothing that the reader may not see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.retrieval import Bridge, Hit, Nearby, Scored, SearchFilter, SourceRank
from trivium.hypernodes.sections import section_of
from trivium_query.retrieve.coverage import MAX_LOOKED_AT, covering, missing
from trivium_query.retrieve.path import Beside, Link
from trivium_query.retrieve.texts import Texts

PAGE = 50  # chunks loaded at once, beyond the hits wanted, while filters leave too few


class Ranking(msgspec.Struct, frozen=True):
    """Passages best first; the rankings it was made of, by source; and the best link into each that has one.

    `topics` names the topic of each that is there for one, `through` the HyperNode of each that was found by one;
    `notes` are for the reader.
    """

    rows: Sequence[Scored]
    sources: Mapping[str, Sequence[Scored]]
    links: Mapping[str, Link] = msgspec.field(default_factory=dict)
    steps: Mapping[str, Beside] = msgspec.field(default_factory=dict)
    topics: Mapping[str, str] = msgspec.field(default_factory=dict)
    through: Mapping[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()


async def load_hits(ranking: Ranking, top_k: int, restrict: SearchFilter, texts: Texts) -> tuple[Hit, ...]:
    """The best `top_k` hits that exist, are published and pass the filter, and cover the modalities asked for.

    For those it looks down the ranking, at most `MAX_LOOKED_AT` rows.
    """
    kept: list[tuple[Scored, Chunk]] = []
    known: dict[str, Chunk] = {}
    start = 0
    while start < len(ranking.rows) and (
        len(kept) < top_k or (start < MAX_LOOKED_AT and missing((chunk for _, chunk in kept), restrict.modalities))
    ):
        page = ranking.rows[start : start + top_k + (PAGE if start else 0)]
        start += len(page)
        origins = [link.source for row in page if (link := ranking.links.get(row.chunk_id))]
        wanted = dict.fromkeys([*(row.chunk_id for row in page), *origins])
        known |= await texts.visible([chunk_id for chunk_id in wanted if chunk_id not in known])
        kept.extend((row, chunk) for row in page if (chunk := known.get(row.chunk_id)) and _passes(chunk, restrict))
    kept = covering(kept, restrict.modalities, top_k)
    places = source_ranks(ranking.sources, {chunk.id for _, chunk in kept})
    return tuple(
        Hit(
            chunk,
            rank,
            row.score,
            places.get(chunk.id, ()),
            bridge_of(ranking.links.get(chunk.id), known),
            nearby_of(ranking.steps.get(chunk.id)),
            ranking.topics.get(chunk.id),
            hypernode_of(ranking.through.get(chunk.id), chunk),
        )
        for rank, (row, chunk) in enumerate(kept, start=1)
    )


def source_ranks(sources: Mapping[str, Sequence[Scored]], wanted: Collection[str]) -> dict[str, tuple[SourceRank, ...]]:
    """The place of each wanted passage in every source that holds it; ranks count from 1."""
    places: dict[str, tuple[SourceRank, ...]] = {}
    for source, rows in sources.items():
        for rank, row in enumerate(rows, start=1):
            if row.chunk_id in wanted:
                places[row.chunk_id] = (*places.get(row.chunk_id, ()), SourceRank(source, rank, row.score))
    return places


def _passes(chunk: Chunk, restrict: SearchFilter) -> bool:
    inside = not restrict.document_ids or chunk.document_id in restrict.document_ids
    return inside and (not restrict.kinds or any(chunk.holds(kind) for kind in restrict.kinds))


def nearby_of(step: Beside | None) -> Nearby | None:
    """The step as a hit tells it."""
    return Nearby(step.source, step.type) if step else None


def hypernode_of(node: str | None, chunk: Chunk) -> str | None:
    """The section or document that a HyperNode stands for, as the passage's heading words it."""
    section = section_of(node, chunk.document_id, chunk.version, chunk.section) if node else None
    if section is None:
        return None
    return msgspec.structs.replace(chunk, section=section).heading or chunk.source


def bridge_of(link: Link | None, chunks: Mapping[str, Chunk]) -> Bridge | None:
    """The link with the words of its sentence; None when the passage that it starts from is not there."""
    origin = chunks.get(link.source) if link else None
    if link is None or origin is None or link.sentence >= len(origin.sentences):
        return None
    return Bridge(link.source, link.surface, origin.sentence(link.sentence), link.strength)
