"""CORTEX C5: the question's entities, breadth-first to depth 2, mixed with vectors (mode "bfs")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trivium.domain.graph import Edge, Entity, Mentioning
from trivium.domain.retrieval import Scored
from trivium_query.retrieve.fuse import as_ranking

DEPTH = 2  # CORTEX C5
DIRECT_SCORE = 1.0  # a passage with an entity of the question
NEIGHBOUR_SCORE = 0.5  # a passage with an entity up to DEPTH edges away
GRAPH_SHARE = 0.4
VECTOR_SHARE = 0.6
MIN_SIMILARITY = 0.8  # of a name of the question and a node; below it they are different names
EDGES_PER_NODE = 25
MAX_NODES = 200  # a bound on what one question may visit


def direct_entities(matches: Mapping[str, Sequence[tuple[Entity, float]]]) -> list[str]:
    """Keys of the entities that the question's names are like enough to; each once, in question order."""
    close = (entity.key for rows in matches.values() for entity, similarity in rows if similarity >= MIN_SIMILARITY)
    return list(dict.fromkeys(close))


def neighbours(edges: Mapping[str, Sequence[Edge]], seen: Iterable[str]) -> list[str]:
    """The other ends of `edges` that were not seen, strongest edge first as given; each once."""
    known = set(seen)
    ends = (
        edge.target_key if edge.source_key == key else edge.source_key for key, rows in edges.items() for edge in rows
    )
    return [key for key in dict.fromkeys(ends) if key not in known][: max(0, MAX_NODES - len(known))]


def graph_scores(direct: Sequence[str], near: Sequence[str], mentioned: Mapping[str, Mentioning]) -> dict[str, float]:
    """1.0 for passages that mention a direct entity, 0.5 for those that mention only a neighbour."""
    scores: dict[str, float] = {}
    for keys, score in ((direct, DIRECT_SCORE), (near, NEIGHBOUR_SCORE)):
        for key in keys:
            mentioning = mentioned.get(key)
            for chunk_id, _ in mentioning.places if mentioning else ():
                scores[chunk_id] = max(score, scores.get(chunk_id, 0.0))
    return scores


def mix(graph: Mapping[str, float], dense: Sequence[Scored]) -> list[Scored]:
    """0.4 * graph + 0.6 * vector (cosine); 0 where a side does not hold the passage."""
    scores = {chunk_id: GRAPH_SHARE * score for chunk_id, score in graph.items()}
    for row in dense:
        scores[row.chunk_id] = scores.get(row.chunk_id, 0.0) + VECTOR_SHARE * row.score
    return as_ranking(scores)
