"""Retrieval metrics over one question's ranking, as trec_eval defines them. Pure; results in 0...1.

`ranking` is document ids, best first, without repetition. `relevant` maps the ids of relevant
documents to gains above 0; a question without any has no score and is left out of means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import msgspec

RECALL_DEPTHS = (2, 5, 10)
NDCG_DEPTH = 10
COVERAGE_DEPTH = 5


class Scores(msgspec.Struct, frozen=True):
    """Means over questions; `first` is how often the first document is relevant (P@1), `recall` by depth."""

    first: float
    recall: dict[int, float]
    ndcg: float
    mrr: float


def recall_at(ranking: Sequence[str], relevant: Mapping[str, float], depth: int) -> float:
    """The share of the relevant documents among the first `depth`."""
    return sum(document in relevant for document in ranking[:depth]) / len(relevant)


def reciprocal_rank(ranking: Sequence[str], relevant: Mapping[str, float]) -> float:
    """1 / rank of the first relevant document; 0 without one."""
    return next((1 / rank for rank, document in enumerate(ranking, start=1) if document in relevant), 0.0)


def ndcg_at(ranking: Sequence[str], relevant: Mapping[str, float], depth: int = NDCG_DEPTH) -> float:
    """Discounted cumulative gain of the first `depth` over that of the best possible order.

    Gains count linearly and are discounted by log2(rank + 1) (Jarvelin and Kekalainen 2002, as in trec_eval).
    """
    ideal = _dcg(sorted(relevant.values(), reverse=True)[:depth])
    return _dcg([relevant.get(document, 0.0) for document in ranking[:depth]]) / ideal


def _dcg(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def modality_coverage(found: Iterable[Iterable[str]], wanted: Sequence[str], depth: int) -> float:
    """The share of the modalities wanted that the first `depth` passages hold (MAHA); `found` has those of each."""
    present = {kind for kinds in islice(found, depth) for kind in kinds}
    return sum(kind in present for kind in set(wanted)) / len(set(wanted)) if wanted else 1.0


def mean_scores(run: Mapping[str, Sequence[str]], judged: Mapping[str, Mapping[str, float]]) -> Scores:
    """Means over the questions of `judged` that have relevant documents; one that is missing in `run` scores 0."""
    answered = [(run.get(query, ()), relevant) for query, relevant in judged.items() if relevant]
    count = len(answered)
    if not count:
        return Scores(0.0, dict.fromkeys(RECALL_DEPTHS, 0.0), 0.0, 0.0)
    return Scores(
        first=sum(ranking[0] in relevant for ranking, relevant in answered if ranking) / count,
        recall={depth: math.fsum(recall_at(*pair, depth) for pair in answered) / count for depth in RECALL_DEPTHS},
        ndcg=math.fsum(ndcg_at(*pair) for pair in answered) / count,
        mrr=math.fsum(reciprocal_rank(*pair) for pair in answered) / count,
    )
