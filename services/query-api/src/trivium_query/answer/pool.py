"""Several rankings made one by their ranks: scores of different questions do not compare."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.retrieval import Hit

RRF_K = 60  # Cormack et al. 2009; ranks from 1


def pooled(rankings: Sequence[Sequence[Hit]], limit: int) -> tuple[Hit, ...]:
    """Each chunk once, best reciprocal rank fusion first, ties by the first ranking that has it.

    A bridge is kept from whichever ranking knows one.
    """
    first: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            known = first.setdefault(hit.chunk.id, hit)
            if known.bridge is None and hit.bridge is not None:
                first[hit.chunk.id] = msgspec.structs.replace(known, bridge=hit.bridge)
            scores[hit.chunk.id] = scores.get(hit.chunk.id, 0.0) + 1.0 / (RRF_K + rank)
    ordered = sorted(first.values(), key=lambda hit: -scores[hit.chunk.id])[:limit]
    return tuple(
        msgspec.structs.replace(hit, rank=rank, score=scores[hit.chunk.id]) for rank, hit in enumerate(ordered, 1)
    )
