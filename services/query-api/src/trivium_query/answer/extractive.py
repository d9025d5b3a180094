"""The extractive engine: an answer made of the sources' own sentences, each cited, none invented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.evidence import Asked, Candidate, analyse, candidates
from trivium_query.answer.paths import along_paths
from trivium_query.answer.support import Support, measure

NOT_FOUND = "Not found in the documents."
MAX_SENTENCES = 4
# A further sentence must come near the best one's score, and tell something that was not told.
NEAR_BEST = 0.6
MIN_NEW_COVERAGE = 0.08
# Or it is about another part of the question.
FAR_FROM_BEST = 0.4
OTHER_PART_COVERAGE = 0.25
NEAR_DUPLICATE_WORDS = 0.8
NEAR_DUPLICATE_COSINE = 0.95


class Extract(msgspec.Struct, frozen=True):
    """The sentences chosen, in reading order, the support they give, what was asked, and all sentences, best first."""

    chosen: tuple[Candidate, ...]
    support: Support
    asked: Asked
    ranked: tuple[Candidate, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The question's."""
        return self.asked.names


def extract(
    question: str,
    hits: Sequence[Hit],
    question_vector: Vector | None,
    sentence_vectors: Mapping[str, Vector],
) -> Extract:
    """Choose one to four sentences that bear on the question. Pure; no hit gives no sentence."""
    asked = analyse(question, hits)
    ranked = along_paths(asked, candidates(asked, hits, question_vector, sentence_vectors), hits)
    chosen = _choose(asked, ranked)
    return Extract(tuple(chosen), measure(asked, chosen, hits), asked, tuple(ranked))


def compose(extracted: Extract, hits: Sequence[Hit]) -> Draft:
    """The answer's text: a sentence and its citation a line, or the plain statement that nothing was found."""
    if not extracted.chosen or not extracted.support.sufficient:
        return Draft(NOT_FOUND, found=False)
    shelf = Shelf(hits)
    lines = [f"{' '.join(one.text.split())} {shelf.marker(one.hit)}" for one in extracted.chosen]
    citations = tuple(shelf.cite(one.hit, one.text) for one in extracted.chosen)
    return Draft("\n".join(lines), found=True, citations=citations)


def _choose(asked: Asked, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Greedy: the best sentence, then those near it in score that add words of the question, bridges included."""
    chosen: list[Candidate] = []
    covered: frozenset[str] = frozenset()
    best = max(ranked[0].score, 1e-6) if ranked else 1.0
    for one in ranked:
        steps = [step for step in (one.via, one) if step is not None and not any(_same(step, k) for k in chosen)]
        if one not in steps or len(chosen) + len(steps) > MAX_SENTENCES:
            continue
        added = asked.coverage(frozenset[str]().union(*(step.covered for step in steps)) - covered)
        if chosen and not _adds(one.score / best, added):
            continue
        chosen.extend(steps)
        covered = covered.union(*(step.covered for step in steps))
    return chosen


def _adds(relative_score: float, added: float) -> bool:
    """Whether a further sentence is worth reading: near the best, or telling of another part of the question."""
    if relative_score >= NEAR_BEST:
        return added >= MIN_NEW_COVERAGE
    return relative_score >= FAR_FROM_BEST and added >= OTHER_PART_COVERAGE


def _same(one: Candidate, other: Candidate) -> bool:
    """Near-duplicates: the same words, or one sentence's vector almost the other's."""
    union = len(one.words | other.words) or 1
    if len(one.words & other.words) / union >= NEAR_DUPLICATE_WORDS:
        return True
    if one.vector is None or other.vector is None:
        return False
    return float(np.dot(one.vector, other.vector)) >= NEAR_DUPLICATE_COSINE
