"""From a ranking of ids to hits: text, explanation, and nothing that the reader may not see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from trivium.domain.chunks import Chunk
from trivium.domain.retrieval import Bridge, Hit, RankedChunk, SearchFilter
from trivium.ports.keywords import KeywordReader
from trivium_query.retrieve.path import Link

PAGE = 50  # chunks loaded at once, beyond the hits wanted, while filters leave too few

ActiveVersions = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""document id -> the version that queries may see; documents without one are absent."""


async def load_hits(
    ranking: Sequence[RankedChunk],
    links: Mapping[str, Link],
    top_k: int,
    restrict: SearchFilter,
    keywords: KeywordReader,
    active: ActiveVersions,
) -> tuple[Hit, ...]:
    """The best `top_k` hits that exist, are published and pass the filter."""
    kept: list[tuple[RankedChunk, Chunk]] = []
    start = 0
    while len(kept) < top_k and start < len(ranking):
        page = ranking[start : start + top_k + (PAGE if start else 0)]
        start += len(page)
        chunks = await _visible([row.chunk_id for row in page], keywords, active)
        kept.extend((row, chunk) for row in page if (chunk := chunks.get(row.chunk_id)) and _passes(chunk, restrict))
    kept = kept[:top_k]
    origins = {link.source for row, _ in kept if (link := links.get(row.chunk_id))}
    known = {chunk.id: chunk for _, chunk in kept}
    known |= await _visible(sorted(origins - known.keys()), keywords, active)
    return tuple(
        Hit(chunk, rank, row.score, row.sources, bridge_of(links.get(chunk.id), known))
        for rank, (row, chunk) in enumerate(kept, start=1)
    )


async def _visible(ids: Sequence[str], keywords: KeywordReader, active: ActiveVersions) -> dict[str, Chunk]:
    chunks = await keywords.chunks(ids) if ids else {}
    versions = await active(sorted({chunk.document_id for chunk in chunks.values()})) if chunks else {}
    return {key: chunk for key, chunk in chunks.items() if versions.get(chunk.document_id) == chunk.version}


def _passes(chunk: Chunk, restrict: SearchFilter) -> bool:
    inside = not restrict.document_ids or chunk.document_id in restrict.document_ids
    return inside and (not restrict.kinds or chunk.kind.value in restrict.kinds)


def bridge_of(link: Link | None, chunks: Mapping[str, Chunk]) -> Bridge | None:
    """The link with the words of its sentence; None when the passage that it starts from is not there."""
    origin = chunks.get(link.source) if link else None
    if link is None or origin is None or link.sentence >= len(origin.sentences):
        return None
    return Bridge(link.source, link.surface, origin.sentence(link.sentence), link.strength)
