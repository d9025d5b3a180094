"""Personalized PageRank over the graph of passages and names around the first results (mode "ppr").

HippoRAG's idea (Gutierrez et al. 2024, 2025) without a language model: a walk starts at what the
question found, follows mentions from passage to name to passage, and returns now and then; what it comes to
often gains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from trivium.domain.graph import Mention, MentionRole
from trivium.domain.retrieval import Places
from trivium_query.retrieve.path import MAX_SHARED

DAMPING = 0.5  # HippoRAG: the share of steps that go on instead of returning to a seed
ITERATIONS = 20  # 0.5 ** 20 is below any difference that could change a ranking
SEEDS = 20  # passages the walk starts at
ABOUT_WEIGHT = 4.0  # the passage is about the name
MENTION_WEIGHT = 1.0

_CHUNK = "c:"  # kinds of nodes
_NAME = "n:"

Weights = dict[str, dict[str, float]]


def local_graph(mentions: Mapping[str, Sequence[Mention]], places: Places) -> Weights:
    """Undirected edges: the seeds' own mentions, and where else those names stand.

    A name in more than `MAX_SHARED` passages joins none beyond the seeds.
    """
    weights: Weights = {}
    for chunk_id, rows in mentions.items():
        for row in rows:
            weight = ABOUT_WEIGHT if row.role is MentionRole.TITLE else MENTION_WEIGHT
            _join(weights, chunk_id, row.key, weight)
    for key, about in places.about.items():
        for arrival in about[:MAX_SHARED]:
            _join(weights, arrival.chunk_id, key, ABOUT_WEIGHT * arrival.score)
    for key, mentioning in places.mentioned.items():
        if mentioning.total <= MAX_SHARED:
            for chunk_id, _ in mentioning.places:
                _join(weights, chunk_id, key, MENTION_WEIGHT)
    return _connecting(weights)


def _connecting(weights: Weights) -> Weights:
    """Without names that stand in one passage alone: they would only send the walk back."""
    dead_ends = {node for node, edges in weights.items() if not _is_chunk(node) and len(edges) < 2}
    return {
        node: {other: weight for other, weight in edges.items() if other not in dead_ends}
        for node, edges in weights.items()
        if node not in dead_ends
    }


def _join(weights: Weights, chunk_id: str, key: str, weight: float) -> None:
    chunk, name = f"{_CHUNK}{chunk_id}", f"{_NAME}{key}"
    weights.setdefault(chunk, {})[name] = max(weight, weights.get(chunk, {}).get(name, 0.0))
    weights.setdefault(name, {})[chunk] = max(weight, weights.get(name, {}).get(chunk, 0.0))


def arrivals(weights: Weights, seeds: Mapping[str, float]) -> dict[str, float]:
    """How often the walk comes to each passage over an edge, the most visited 1.

    Returns to the seeds do not count: they would put every seed before everything else.
    `seeds` are passages with weights above 0.
    """
    start = _normalised({f"{_CHUNK}{chunk_id}": weight for chunk_id, weight in seeds.items()})
    mass = personalized_pagerank(weights, start)
    arrived = {node: value - (1 - DAMPING) * start.get(node, 0.0) for node, value in mass.items() if _is_chunk(node)}
    most = max(arrived.values(), default=0.0)
    return {node.removeprefix(_CHUNK): max(0.0, value) / most for node, value in arrived.items()} if most > 0 else {}


def _is_chunk(node: str) -> bool:
    return node.startswith(_CHUNK)


def personalized_pagerank(weights: Mapping[str, Mapping[str, float]], seeds: Mapping[str, float]) -> dict[str, float]:
    """The walk's distribution over nodes, which sums to 1; empty without a seed above 0.

    A node without edges sends its mass back to the seeds.
    """
    start = _normalised(seeds)
    mass = dict(start)
    totals = {node: math.fsum(edges.values()) for node, edges in weights.items()}
    for _ in range(ITERATIONS if start else 0):
        following: dict[str, float] = {}
        returning = 0.0
        for node, value in mass.items():
            total = totals.get(node, 0.0)
            returning += value * (1 - DAMPING if total > 0 else 1.0)
            if total > 0:
                for other, weight in weights[node].items():
                    following[other] = following.get(other, 0.0) + DAMPING * value * weight / total
        for node, value in start.items():
            following[node] = following.get(node, 0.0) + returning * value
        mass = following
    return mass


def _normalised(seeds: Mapping[str, float]) -> dict[str, float]:
    positive = {node: weight for node, weight in seeds.items() if weight > 0}
    total = math.fsum(positive.values())
    return {node: weight / total for node, weight in positive.items()}


def best_seeds(scores: Mapping[str, float]) -> dict[str, float]:
    """The `SEEDS` best passages as seeds."""
    order: Iterable[str] = sorted(scores, key=lambda key: (-scores[key], key))[:SEEDS]
    return {key: scores[key] for key in order if scores[key] > 0}
