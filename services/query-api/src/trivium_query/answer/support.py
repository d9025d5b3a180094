"""Whether the hits hold an answer at all: the decision to say "not found" instead of something near by."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz, process

from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH
from trivium_query.answer.evidence import MAX_HITS, Asked, Candidate
from trivium_query.words import fold

# A logistic fit over questions with an answer in the corpus against questions without one (null_query of
# MultiHop-RAG, unanswerable ones of QASPER, and questions put to a corpus that knows nothing of them), the
# groups weighted equally. `trivium eval --answers` prints what it does to each of them.
COSINE_SLOPE = 11.5
COVERAGE_SLOPE = 4.0
OFFSET = -7.5
# Where there are no vectors: fitted on a third of XQuAD's questions in eleven languages, their passages there or not.
WORDS_COVERAGE_SLOPE = 2.5
WORDS_BEST_SLOPE = 4.4
WORDS_OFFSET = -2.8
UNKNOWN_NAMES_COST = 2.5  # when no hit knows any name of the question, what is said is of something else
FOUND_PROBABILITY = 0.25  # below it: not found
SURE_BY_WORDS = 0.65  # the next without vectors
SURE_PROBABILITY = 0.6  # from it on: supported; partly supported in between
MIN_NAME_SHARE = 0.5  # more than this share of a name's words must stand in the hits for it to be known
_WORD = re.compile(r"[^\W_]+")
MIN_FUZZY_CHARS = 5
FUZZY_RATIO = 85.0


class Support(msgspec.Struct, frozen=True):
    """Evidence that the `chosen` sentences (their number) answer; the rest are shares, 0 to 1.

    `cosine` is the best sentence's with the question, None without vectors. `coverage` is the share of the
    question's words, by weight, that the chosen sentences and their headings hold, `best` the first
    sentence's alone. `names` is the share of the question's names that any hit knows (1 when it names
    nothing). `missing` are the words not covered.
    """

    chosen: int = 0
    cosine: float | None = None
    coverage: float = 0.0
    best: float = 0.0
    names: float = 0.0
    missing: tuple[str, ...] = ()

    @property
    def probability(self) -> float:
        """An estimate that what was chosen answers the question; 0 when nothing was chosen."""
        if not self.chosen:
            return 0.0
        if self.cosine is None:
            logit = WORDS_COVERAGE_SLOPE * self.coverage + WORDS_BEST_SLOPE * self.best + WORDS_OFFSET
        else:
            logit = COSINE_SLOPE * self.cosine + COVERAGE_SLOPE * self.coverage + OFFSET
        if self.names == 0.0:
            logit -= UNKNOWN_NAMES_COST
        return 1.0 / (1.0 + math.exp(-logit))

    @property
    def sufficient(self) -> bool:
        """Whether to answer at all."""
        return self.probability >= FOUND_PROBABILITY

    @property
    def sure(self) -> bool:
        """Whether the answer needs no second look."""
        return self.probability >= (SURE_PROBABILITY if self.cosine is not None else SURE_BY_WORDS)


def measure(asked: Asked, chosen: Sequence[Candidate], hits: Sequence[Hit]) -> Support:
    """The support that the chosen sentences give; `hits` are all that was found."""
    if not chosen:
        return Support()
    headings = {one.hit.chunk.id: one.hit.chunk.heading for one in chosen}.values()
    held = frozenset[str]().union(*map(asked.words_in, headings), *(one.words for one in chosen))
    cosines = [one.cosine for one in chosen if one.vector is not None]
    return Support(
        chosen=len(chosen),
        cosine=max(cosines) if cosines else None,
        coverage=asked.coverage(held),
        best=asked.coverage(chosen[0].covered),
        names=_known_names(asked, hits),
        missing=tuple(word for word in asked.weights if word not in held),
    )


def _known_names(asked: Asked, hits: Sequence[Hit]) -> float:
    """Of an English question: other languages inflect their names, or write every noun as one."""
    if not asked.names or asked.language not in ("", ENGLISH):
        return 1.0
    words = {word for hit in hits[:MAX_HITS] for word in _WORD.findall(fold(f"{hit.chunk.heading} {hit.chunk.text}"))}
    shares = [sum(_is_known(word, words) for word in name.split()) / len(name.split()) for name in asked.names]
    return sum(share > MIN_NAME_SHARE for share in shares) / len(shares)


def _is_known(word: str, words: set[str]) -> bool:
    """Whether the word stands there, or a long word that is it but for a slip of the pen."""
    if word in words:
        return True
    return len(word) >= MIN_FUZZY_CHARS and (
        process.extractOne(word, words, scorer=fuzz.ratio, score_cutoff=FUZZY_RATIO) is not None
    )
