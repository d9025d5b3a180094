"""Modality coverage (MAHA, arXiv 2510.14592): results hold every modality that was asked for, where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trivium.domain.chunks import Chunk
from trivium.domain.retrieval import Scored

MAX_LOOKED_AT = 200  # rows of a ranking; what stands further down has little to do with the question


def missing(chunks: Iterable[Chunk], modalities: Sequence[str]) -> list[str]:
    """The modalities that none of the chunks holds, as asked."""
    if not modalities:
        return []
    present = list(chunks)
    return [kind for kind in dict.fromkeys(modalities) if not any(chunk.holds(kind) for chunk in present)]


def covering(
    ranked: Sequence[tuple[Scored, Chunk]], modalities: Sequence[str], top_k: int
) -> list[tuple[Scored, Chunk]]:
    """The best `top_k`, but each missing modality's best takes the place of the last that no modality needs.

    The order of the ranking is kept. More modalities than places leave the last ones uncovered.
    """
    kept = list(ranked[:top_k])
    for kind in missing((chunk for _, chunk in kept), modalities):
        candidate = next((row for row in ranked[top_k:] if row[1].holds(kind)), None)
        place = _dispensable(kept, modalities) if candidate else None
        if candidate is not None and place is not None:
            del kept[place]
            kept.append(candidate)
    order = {row.chunk_id: place for place, (row, _) in enumerate(ranked)}
    return sorted(kept, key=lambda pair: order[pair[0].chunk_id])


def _dispensable(kept: Sequence[tuple[Scored, Chunk]], modalities: Sequence[str]) -> int | None:
    """The last place whose chunk is not the only one of a modality asked for; None where there is none."""
    for place in range(len(kept) - 1, -1, -1):
        others = [chunk for at, (_, chunk) in enumerate(kept) if at != place]
        if len(missing(others, modalities)) == len(missing((chunk for _, chunk in kept), modalities)):
            return place
    return None
