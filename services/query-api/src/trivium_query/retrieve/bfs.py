"""CORTEX C5: the question's entities, breadth-first to depth 2, mixed with vectors (mode "bfs")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz

from trivium.domain.graph import Edge, Entity, EntityType, Mentioning
from trivium.domain.retrieval import Scored
from trivium.text.names import fold_name
from trivium_query.retrieve.fuse import as_ranking
from trivium_query.words import is_function_word

DEPTH = 2  # CORTEX C5
DIRECT_SCORE = 1.0  # a passage with an entity of the question
NEIGHBOUR_SCORE = 0.5  # a passage with an entity up to DEPTH edges away
GRAPH_SHARE = 0.4
VECTOR_SHARE = 0.6
MIN_LIKENESS = 0.85  # of a name of the question and a node's, by edits; below it they are different names
MIN_FUZZY_CHARS = 5  # of a shorter name every letter counts: Ada is not Adam
MAX_RUN_WORDS = 3  # of a name that is not capitalised
MAX_RUNS = 30  # looked up for one question
EDGES_PER_NODE = 25
MAX_NODES = 200  # a bound on what one question may visit


_NAMED = frozenset({EntityType.PERSON, EntityType.ORGANIZATION, EntityType.LOCATION})


def uncapitalised(runs: Iterable[str], names: Iterable[str]) -> list[str]:
    """The runs of a question's words (folded) that may be names although nobody capitalised them; `names` are known."""
    known = {fold_name(name) for name in names}
    words = ((run, run.split()) for run in dict.fromkeys(runs) if run not in known)
    return [run for run, w in words if len(w) <= MAX_RUN_WORDS and not any(map(is_function_word, w))][:MAX_RUNS]


def direct_entities(matches: Mapping[str, Sequence[tuple[Entity, float]]], guesses: Iterable[str] = ()) -> list[str]:
    """Keys of the entities that the question's names mean; each once, in question order.

    A name means an entity of that name, misspelt or not, and one whose name holds it ("Brandt" Ilse Brandt). A guess
    (`uncapitalised`) of one word means a person, a body or a place, and the part of a name only a person's.
    """
    guessed = frozenset(guesses)
    close = (
        entity.key
        for name, rows in matches.items()
        for entity, _ in rows
        if (_guessed(name, entity) if name in guessed else _alike(name, entity) or _part_of(name, entity))
    )
    return list(dict.fromkeys(close))


def _guessed(run: str, entity: Entity) -> bool:
    if " " not in run and entity.type not in _NAMED:
        return False
    return _alike(run, entity) or (entity.type is EntityType.PERSON and _part_of(run, entity))


def _alike(name: str, entity: Entity) -> bool:
    key = fold_name(name)
    known = {entity.key, *map(fold_name, entity.aliases)}
    if key in known or len(key) < MIN_FUZZY_CHARS:
        return key in known
    return any(fuzz.ratio(key, other) >= 100 * MIN_LIKENESS for other in known)


def _part_of(name: str, entity: Entity) -> bool:
    words = fold_name(name).split()
    return bool(words) and set(words) <= set(entity.key.split())


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
