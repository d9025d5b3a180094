"""The extractive engine: an answer made of the sources' own sentences, each cited, none invented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from trivium.domain.chunks import Span
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.evidence import Asked, Candidate, analyse, candidates
from trivium_query.answer.support import Support, measure
from trivium_query.answer.words import content_words

NOT_FOUND = "Not found in the documents."
MAX_SENTENCES = 4
# A further sentence must come near the best one's score, and tell something that was not told.
NEAR_BEST = 0.75
MIN_NEW_COVERAGE = 0.08
NEAR_DUPLICATE_WORDS = 0.8
NEAR_DUPLICATE_COSINE = 0.95


class Extract(msgspec.Struct, frozen=True):
    """The sentences chosen, in reading order, the support they give, and the question's names."""

    chosen: tuple[Candidate, ...]
    support: Support
    names: tuple[str, ...] = ()


def extract(
    question: str,
    hits: Sequence[Hit],
    question_vector: Vector | None,
    sentence_vectors: Mapping[str, Vector],
) -> Extract:
    """Choose one to four sentences that bear on the question. Pure; no hit gives no sentence."""
    asked = analyse(question, hits)
    ranked = candidates(asked, hits, question_vector, sentence_vectors)
    chosen = _choose(asked, ranked)
    ordered = _with_bridges(chosen, ranked, hits)
    return Extract(tuple(ordered), measure(asked, ordered, hits), asked.names)


def compose(extracted: Extract, hits: Sequence[Hit]) -> Draft:
    """The answer's text: a sentence and its citation a line, or the plain statement that nothing was found."""
    if not extracted.chosen or not extracted.support.sufficient:
        return Draft(NOT_FOUND, found=False)
    shelf = Shelf(hits)
    lines = [f"{' '.join(one.text.split())} {shelf.marker(one.hit)}" for one in extracted.chosen]
    citations = tuple(shelf.cite(one.hit, one.text) for one in extracted.chosen)
    return Draft("\n".join(lines), found=True, citations=citations)


def _choose(asked: Asked, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Greedy: the best sentence, then those near it in score that add words of the question."""
    chosen: list[Candidate] = []
    covered: frozenset[str] = frozenset()
    for one in ranked:
        if chosen and (one.score < NEAR_BEST * chosen[0].score or len(chosen) == MAX_SENTENCES - 1):
            break
        if any(_same(one, other) for other in chosen):
            continue
        if not chosen or asked.coverage(one.covered - covered) >= MIN_NEW_COVERAGE:
            chosen.append(one)
            covered |= one.covered
    return chosen


def _same(one: Candidate, other: Candidate) -> bool:
    """Near-duplicates: the same words, or one sentence's vector almost the other's."""
    union = len(one.words | other.words) or 1
    if len(one.words & other.words) / union >= NEAR_DUPLICATE_WORDS:
        return True
    if one.vector is None or other.vector is None:
        return False
    return float(np.dot(one.vector, other.vector)) >= NEAR_DUPLICATE_COSINE


def _with_bridges(chosen: Sequence[Candidate], ranked: Sequence[Candidate], hits: Sequence[Hit]) -> list[Candidate]:
    """Before a sentence reached by a path stands the sentence that leads to it."""
    by_chunk = {hit.chunk.id: hit for hit in hits}
    ordered: list[Candidate] = []
    for one in chosen:
        bridge = _bridge(one, by_chunk, ranked)
        for sentence in (bridge, one):
            if sentence is not None and not any(_same(sentence, other) for other in ordered):
                ordered.append(sentence)
    return ordered[:MAX_SENTENCES]


def _bridge(one: Candidate, by_chunk: Mapping[str, Hit], ranked: Sequence[Candidate]) -> Candidate | None:
    """The bridge's sentence as a candidate; None when its chunk is not a hit or does not hold it."""
    bridge = one.hit.bridge
    origin = by_chunk.get(bridge.from_chunk_id) if bridge else None
    if bridge is None or origin is None or origin.chunk.id == one.hit.chunk.id:
        return None
    start = origin.chunk.text.find(bridge.sentence)
    if start < 0 or not bridge.sentence.strip():
        return None
    for known in ranked:
        if known.hit.chunk.id == origin.chunk.id and known.text == bridge.sentence:
            return known
    words = frozenset(content_words(bridge.sentence))
    span = Span(start, start + len(bridge.sentence))
    return Candidate(origin, span, bridge.sentence, words, frozenset(), 0.0, 0.0)
