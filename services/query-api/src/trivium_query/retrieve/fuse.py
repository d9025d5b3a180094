"""Ways to make one ranking of several. Pure; every ranking is best first."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from trivium.domain.retrieval import Scored

RRF_K = 60  # Cormack, Clarke, Buettcher 2009; ranks count from 1
WEIGHTED_LAMBDA = 0.8  # K2RAG: the dense share of the weighted hybrid
_EPSILON = 1e-9


def reciprocal_rank_fusion(rankings: Iterable[Sequence[Scored]], without: Container[str] = ()) -> list[Scored]:
    """Sum of 1 / (RRF_K + rank) over the rankings; only ranks matter, not scores. `without` are left out at the end."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(ranking, start=1):
            if row.chunk_id not in without:
                scores[row.chunk_id] = scores.get(row.chunk_id, 0.0) + 1 / (RRF_K + rank)
    return as_ranking(scores)


def weighted_hybrid(dense: Sequence[Scored], sparse: Sequence[Scored]) -> list[Scored]:
    """K2RAG's lambda * dense + (1 - lambda) * sparse.

    `dense` scores are cosines. BM25 has no upper bound, so `sparse` is divided by its best score,
    which puts it in 0...1 as a cosine of term vectors would be. A chunk missing in one ranking has 0 there.
    """
    best = max((row.score for row in sparse), default=0.0)
    scores = {row.chunk_id: WEIGHTED_LAMBDA * row.score for row in dense}
    for row in sparse:
        share = (1 - WEIGHTED_LAMBDA) * row.score / best if best > 0 else 0.0
        scores[row.chunk_id] = scores.get(row.chunk_id, 0.0) + share
    return as_ranking(scores)


def standard_scores(scores: Mapping[str, float], population: int) -> NDArray[np.float64]:
    """Each score's distance from the mean in standard deviations, both taken over the `population` best; not empty.

    A source whose best results stand out from its others thus says more than one whose results are
    all alike. Scores below the population's least count as that least.
    """
    values = np.fromiter(scores.values(), np.float64, len(scores))
    best = np.sort(values)[-population:]
    return np.asarray((np.maximum(values, best[0]) - best.mean()) / (best.std() + _EPSILON), dtype=np.float64)


def standardised_mean(tables: Sequence[tuple[float, Mapping[str, float]]], population: int) -> dict[str, float]:
    """Weighted mean of standard scores, brought to 0...1: below average is 0, the best is 1.

    `tables` are (weight, scores). A chunk that a table does not hold counts there as that table's
    least score. A table without scores is left out, and the other weights make up for it.
    """
    places = dict(zip(dict.fromkeys(chain.from_iterable(scores for _, scores in tables)), count()))
    present = [(weight, scores) for weight, scores in tables if scores and weight > 0]
    weights = math.fsum(weight for weight, _ in present)
    total = np.zeros(len(places))
    for weight, scores in present:
        standard = standard_scores(scores, population)
        column = np.full(len(places), standard.min())
        column[np.fromiter(map(places.__getitem__, scores), np.intp, len(scores))] = standard
        total += weight / weights * column
    best = total.max(initial=0.0)
    if best <= _EPSILON:  # every source finds everything alike
        return dict.fromkeys(places, 1.0)
    return dict(zip(places, (np.maximum(total, 0.0) / best).tolist(), strict=True))


def as_ranking(scores: Mapping[str, float]) -> list[Scored]:
    """Scores as a ranking: best first, ties by chunk id, zeros left out."""
    keys = sorted(key for key, score in scores.items() if score > 0)
    keys.sort(key=scores.__getitem__, reverse=True)  # stable: keys of one score stay in order
    return [Scored(key, scores[key]) for key in keys]


def led(ranking: Sequence[Scored], first: Collection[str]) -> list[Scored]:
    """The ranking with `first` before all others, in their order, with the best one's score."""
    if not first or not ranking:
        return list(ranking)
    known = {row.chunk_id for row in ranking}
    leading = [row.chunk_id for row in ranking if row.chunk_id in first]
    leading += [chunk_id for chunk_id in first if chunk_id not in known]
    rest = (row for row in ranking if row.chunk_id not in first)
    return [*(Scored(chunk_id, ranking[0].score) for chunk_id in leading), *rest]
