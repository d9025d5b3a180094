"""Which document a question is about, as far as its hits tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trivium.domain.retrieval import Hit
from trivium_query.words import content_words

CLEAR = 0.6  # of the hits' weight; from here on 2 of 89 questions of bench/everyday and unseen were of another document
NAMELESS = 0.2  # of its share: of what has none of the question's names


def focus_of(hits: Sequence[Hit], names: Iterable[str] = ()) -> dict[str, float]:
    """Each document's share of its hits' reciprocal ranks, by its id; they sum to 1.

    Where several passages of one document have one of the question's `names`, those of documents without weigh less.
    """
    shares: defaultdict[str, float] = defaultdict(float)
    said: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    for hit in hits:
        shares[hit.chunk.document_id] += 1.0 / hit.rank
        words = content_words(f"{hit.chunk.title} {hit.chunk.heading} {hit.chunk.text}")
        said[hit.chunk.document_id].append(frozenset(words))
    asked = [frozenset(words) for name in names if (words := content_words(name))]
    holding = {document for document, some in said.items() if any(one <= text for one in asked for text in some)}
    if any(len(said[document]) > 1 for document in holding):
        for document in shares.keys() - holding:
            shares[document] *= NAMELESS
    total = sum(shares.values())
    return {document: share / total for document, share in shares.items()}


def is_elsewhere(hit: Hit, focus: Mapping[str, float]) -> bool:
    """Whether the question is clearly about another document than the hit's."""
    return focus.get(hit.chunk.document_id, 0.0) < CLEAR <= max(focus.values(), default=0.0)
