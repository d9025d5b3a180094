"""Which sentence says yes or no, and how surely: a conditional logit over every sentence's two words and none. Pure.

`bench/train_yes_no.py` fits the weights on questions whose deciding sentence is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium_query.answer.direct.polarity import beside_conditions, denies, is_said
from trivium_query.answer.evidence import Candidate
from trivium_query.words import content_words

SIGNALS = ("odds", "coverage", "held", "said", "said, held", "none")
ANSWERS = ("yes", "no")
MOST_ODDS = 20.0
ODDS_UNIT = 5.0
MOST_HELD = 4  # words


class ReadSentence(NamedTuple):
    """A sentence, and the odds of either word against "this sentence does not tell"; logarithms."""

    sentence: Candidate
    yes: float
    no: float

    def odds(self, word: str) -> float:
        """Of one of `ANSWERS`."""
        return self.yes if word == "yes" else self.no


class Weighed(NamedTuple):
    """The likelier word, the place of the sentence that says it, and the probability of the word."""

    word: str
    place: int
    likely: float


def weigh(question: str, read: Sequence[ReadSentence], weights: Mapping[str, float]) -> Weighed:
    """`read` holds at least one sentence."""
    scores = signals_of(question, read) @ np.array([weights.get(name, 0.0) for name in SIGNALS])
    likely = np.exp(scores - scores.max())
    likely /= likely.sum()
    of_word = likely[:-1].reshape(-1, len(ANSWERS))
    word = int(of_word.sum(axis=0).argmax())
    return Weighed(ANSWERS[word], int(of_word[:, word].argmax()), float(of_word[:, word].sum()))


def signals_of(question: str, read: Sequence[ReadSentence]) -> NDArray[np.float64]:
    """(2 n + 1, signals): of each sentence yes and no, then of none of them."""
    asked = frozenset(content_words(question))
    rows = [row for one in read for row in _of_sentence(question, asked, one)]
    return np.array([*rows, [0.0] * (len(SIGNALS) - 1) + [1.0]])


def _of_sentence(question: str, asked: Set[str], one: ReadSentence) -> list[list[float]]:
    sentence = one.sentence
    coverage = len(sentence.covered) / max(1, len(asked))
    held = min(len(asked & sentence.words), MOST_HELD) / MOST_HELD
    question, text = beside_conditions(question, sentence.text)
    told = is_said(asked, text)
    said = 0.0 if told is None else 1.0 if told != denies(question) else -1.0
    return [
        [max(-MOST_ODDS, min(MOST_ODDS, odds)) / ODDS_UNIT, coverage, held, said * sign, said * sign * held, 0.0]
        for odds, sign in ((one.yes, 1.0), (one.no, -1.0))
    ]
