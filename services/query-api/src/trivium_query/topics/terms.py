"""The words that tell a topic's passages from all others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from trivium.text.languages import language_of
from trivium.text.spaceless import MARKS, SPACELESS
from trivium_query.words import fold, is_stop_word, stem

TERMS = 6
MIN_CHARS = 4
MIN_SHARE = 0.25  # of the texts that hold a term, and never one alone of several
_WORD = re.compile(rf"(?:[^\W\d_{SPACELESS}]|[{MARKS}]){{{MIN_CHARS},}}")
_NOUNS_CAPITALISED = frozenset({"de", "lb"})


def words_of(texts: Sequence[str]) -> dict[str, int]:
    """How many of the texts hold each word, counted by stem and told in its most frequent form.

    Words that only join others are left out, and those of one text where there are more.
    """
    forms: dict[str, Counter[str]] = {}
    holding: Counter[str] = Counter()
    for text in texts:
        found = list(_told(text))
        for word in found:
            forms.setdefault(stem(fold(word)), Counter())[word] += 1
        holding.update({stem(fold(word)) for word in found})
    least = max(min(2, len(texts)), MIN_SHARE * len(texts))
    return {_usual(forms[one]): n for one, n in holding.items() if n >= least}


def best_terms(
    counted: Mapping[str, int], rarities: Mapping[str, float], texts: int, without: Collection[str]
) -> tuple[str, ...]:
    """The most telling words: in how many of the texts, times how rare anywhere; no stem of `without`."""
    scores = {
        word: n / texts * rarities[word]
        for word, n in counted.items()
        if word in rarities and stem(fold(word)) not in without
    }
    return tuple(sorted(scores, key=lambda word: (-round(scores[word], 9), word))[:TERMS])


def _told(text: str) -> Iterator[str]:
    """Words that may be terms: names are capitalised, in most languages that can.

    None of scripts without spaces.
    """
    language = language_of(text)
    for word in _WORD.findall(text):
        if (word == word.lower() or (language in _NOUNS_CAPITALISED and word[1:].islower())) and not is_stop_word(
            word, language
        ):
            yield word


def _usual(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], len(form), form))
