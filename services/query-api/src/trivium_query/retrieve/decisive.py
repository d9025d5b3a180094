"""What words decide: the few passages that say what a question says and no other passage says. Pure.

Asked for a part number, an address or a word of their own making, people mean the passage that holds it. Vectors know
nothing of such words, and a fusion by ranks or means lets what is merely alike outvote the passage that is meant. So
each passage is weighed by what it shares with the question: terms, and runs of them that it says in the same order
(as the sequential dependence of Metzler and Croft 2005). The words decide when the heaviest leave the others behind
by most of what the question weighs. An ordinary question has its weight in many words, of which several passages hold
some each: there the words decide little.
Measured in bench/retrieval-notes.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trivium_query.words import is_function_word, stem, tokens

LOOKED_AT = 10  # the best passages by BM25: one that holds a rare word is among them
MOST = 3  # more passages than these are a subject, not an exact place
LEAD_OF_ONE = 0.55  # of the question's weight; less finds a few more identifiers and costs recall of other questions
LEAD_OF_SOME = 0.7
MAX_TERMS = 64  # a longer question is about more than one word

Term = tuple[str, ...]


def decided(asked: Sequence[Term], rarities: Mapping[str, float], passages: Mapping[str, str]) -> list[str]:
    """The ids of the passages that the words decide for, at most `MOST`; none when they do not decide.

    `asked` are the question's terms in order, `rarities` those of their tokens (0 where absent), `passages` the texts.
    """
    weights = {term: _rarity(term, rarities) for term in asked}
    shares = {chunk_id: _shared(asked, weights, text) for chunk_id, text in passages.items()}
    best = max(shares.values(), default=0.0)
    whole = max(best, math.fsum(weight**2 for weight in weights.values()))
    leaders = [chunk_id for chunk_id, share in shares.items() if share >= best > 0]
    behind = max((share for share in shares.values() if share < best), default=0.0)
    wanted = LEAD_OF_ONE if len(leaders) == 1 else LEAD_OF_SOME
    return leaders if len(leaders) <= MOST and best - behind >= wanted * whole else []


def _rarity(term: Term, rarities: Mapping[str, float]) -> float:
    if len(term) == 1 and is_function_word(term[0]):
        return 0.0
    return math.fsum(rarities.get(token, 0.0) for token in term)


def _shared(asked: Sequence[Term], weights: Mapping[Term, float], text: str) -> float:
    """Summed over the runs and single words that the passage holds: their rarities, squared.

    Squares, as in the inner product of two tf-idf vectors (Salton and Buckley 1988), let one rare word outweigh some
    common ones. Each term counts once.
    """
    said = tokens(text)
    words = set(said)
    line, stems = f" {' '.join(said)} ", set(map(stem, words))
    left = dict(weights)
    shared, at = 0.0, 0
    while at < len(asked):
        end = _run_end(asked, at, line) if asked[at][0] in words else at
        if end > at or (len(asked[at]) == 1 and stem(asked[at][0]) in stems):
            end = max(end, at + 1)
            shared += math.fsum(left.pop(term, 0.0) for term in asked[at:end]) ** 2
        at = max(end, at + 1)
    return shared


def _run_end(asked: Sequence[Term], start: int, line: str) -> int:
    """Where the longest run from `start` ends whose tokens follow one another in the passage; `start` for none."""
    run = " "
    for end in range(start, len(asked)):
        run += f"{' '.join(asked[end])} "
        if run not in line:
            return end
    return len(asked)
