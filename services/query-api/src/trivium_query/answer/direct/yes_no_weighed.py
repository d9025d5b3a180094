"""Which sentence says yes or no, and how surely: a conditional logit over every sentence's two words and none. Pure.

`bench/train_yes_no.py` fits the weights on questions whose deciding sentence is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import log
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
# Of the words of 696 questions of thirty-two sets 509 are right without, 524 with what is read again (519 fitted on
# seven eighths of the sets and counted on the rest); of 288 hard ones of `bench/written` that no reader has learnt
# (every tenth of zg to zl) 185 and 199. Logarithms.
FIRST = 0.5  # of what all sentences say for yes against no
AGAIN = 0.15  # of the odds of yes against no, each time that the likeliest are read again
LEANING = 0.2  # to yes: the reader says no too often


class ReadSentence(NamedTuple):
    """A sentence, and the odds of either word against "this sentence does not tell"; logarithms."""

    sentence: Candidate
    yes: float
    no: float

    def odds(self, word: str) -> float:
        """Of one of `ANSWERS`."""
        return self.yes if word == "yes" else self.no


def best_odds(one: ReadSentence) -> float:
    """Of the likelier of both words."""
    return max(one.yes, one.no)


def lead_of(read: Sequence[ReadSentence]) -> float:
    """The odds of yes against no, by the sentence that tells most."""
    best = max(read, key=best_odds)
    return _bounded(best.yes) - _bounded(best.no)


class Weighed(NamedTuple):
    """The likelier word, the place of the sentence that says it, and the probability of the word."""

    word: str
    place: int
    likely: float


def weigh(
    question: str, read: Sequence[ReadSentence], weights: Mapping[str, float], leads: Sequence[float] = ()
) -> Weighed:
    """`read` holds at least one sentence; `leads` is `lead_of` what was read again, each time."""
    scores = signals_of(question, read) @ np.array([weights.get(name, 0.0) for name in SIGNALS])
    likely = np.exp(scores - scores.max())
    likely /= likely.sum()
    of_word = likely[:-1].reshape(-1, len(ANSWERS))
    total = of_word.sum(axis=0)
    if leads:
        lead = FIRST * log(total[0] / total[1]) + AGAIN * sum(leads) + LEANING
        total = total.sum() / (1.0 + np.exp([-lead, lead]))
    word = int(total.argmax())
    return Weighed(ANSWERS[word], int(of_word[:, word].argmax()), float(total[word]))


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
        [_bounded(odds) / ODDS_UNIT, coverage, held, said * sign, said * sign * held, 0.0]
        for odds, sign in ((one.yes, 1.0), (one.no, -1.0))
    ]


def _bounded(odds: float) -> float:
    return max(-MOST_ODDS, min(MOST_ODDS, odds))
