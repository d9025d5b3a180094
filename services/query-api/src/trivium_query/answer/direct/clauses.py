"""Which clause of a sentence a span stands in: "The fee is 240 euros for members, 90 euros for juniors"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from trivium.domain.chunks import Span
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.units import COUNTED
from trivium_query.answer.evidence import Asked, Candidate
from trivium_query.words import is_function_word

_COUNTS = re.compile(r"(?:[ -][^\W\d_]+){1,3}")  # a noun, and up to two words that describe it
_PART = re.compile(r";(?=\s)")
_CUT = re.compile(r"[,;:](?=\s)|\s(?:but|while|whereas|and(?=\s[a-z\d]))\s")


def is_clear(asked: Asked, one: Found, sentence: Candidate | None) -> bool:
    """Whether no other clause of its sentence is the one that is asked about, and no other number stands beside it."""
    if sentence is None:
        return True
    if not _has_its_words(asked, one, sentence.span):
        return False
    own = _clause_of(one, sentence.span, _CUT)
    if asked.wants == "number" and len(COUNTED.findall(own)) > 1:
        return counts_what_is_asked(asked, one)
    held = asked.words_in(own) & asked.weights.keys()
    return bool(held) or not asked.words_in(sentence.text) & asked.weights.keys()


def _has_its_words(asked: Asked, one: Found, sentence: Span) -> bool:
    """Whether, of a number, no other one of its sentence has words of the question beside it, and this one has none.

    60 has "e-bikes", of "Bicycles cost 40 kroner; e-bikes weigh more and cost 60". What stands before the first number
    is said of all.
    """
    text = one.hit.chunk.text
    told = [each.span() for each in COUNTED.finditer(text, sentence.start, sentence.end)]
    numbers = [each for each in told if text[slice(*each)] not in asked.weights]
    own = next((each for each in numbers if each[0] < one.end and one.start < each[1]), None)
    if own is None or asked.wants == "date":
        return True
    shared = asked.words_in(text[_around(text, own, sentence, _PART)[0] : numbers[0][0]])
    words = {
        each: asked.words_in(_beside(text, each, numbers, sentence)) & asked.weights.keys() - shared for each in numbers
    }
    others = [words[each] for each in numbers if each[0] >= one.end or each[1] <= one.start]
    return not any(other - words[own] and not words[own] - other for other in others)


def _beside(text: str, one: tuple[int, int], numbers: Sequence[tuple[int, int]], sentence: Span) -> str:
    """From the number before to the number behind, within its part of the sentence."""
    first, last = _around(text, one, sentence, _PART)
    start = max([first, *(end for _, end in numbers if end <= one[0])])
    end = min([last, *(start for start, _ in numbers if start >= one[1])])
    return f"{text[start : one[0]]} {text[one[1] : end]}"


def in_clauses_asked_about(asked: Asked, rows: Sequence[Found], *, counted: bool) -> list[Found]:
    """Of several spans in one sentence, those whose clause has the most of the question's words.

    What stands before the first of them is said of all: "The fee is 240 euros for members, 90 euros for juniors".
    With `counted` those, too, that count what is asked for, where one does.
    """
    by_sentence: defaultdict[tuple[str, Span | None], list[Found]] = defaultdict(list)
    for one in rows:
        by_sentence[one.hit.chunk.id, one.sentence].append(one)
    best: list[Found] = []
    for (_, sentence), some in by_sentence.items():
        clear = [one for one in some if sentence and _has_its_words(asked, one, sentence)] if counted else []
        own = _in_best_clause(asked, sentence, clear or some) if sentence else some
        counting = [one for one in some if counts_what_is_asked(asked, one)] if counted and sentence else []
        best += [one for one in own if one in counting] if counting else own
    return best


def _in_best_clause(asked: Asked, sentence: Span, some: Sequence[Found]) -> Sequence[Found]:
    first = min(some, key=lambda one: one.start)
    shared = asked.words_in(first.hit.chunk.text[sentence.start : first.start])
    for cut in (_PART, _CUT):
        words = [asked.words_in(_clause_of(one, sentence, cut)) for one in some]
        shares = [asked.coverage(held - shared) for held in words]
        if not any(shares):
            shares = [asked.coverage(held) for held in words]
        some = [one for one, share in zip(some, shares, strict=True) if share == max(shares)]
    return some


def _clause_of(one: Found, sentence: Span, cuts: re.Pattern[str]) -> str:
    text = one.hit.chunk.text
    start, end = _around(text, (one.start, one.end), sentence, cuts)
    return text[start:end]


def _around(text: str, one: tuple[int, int], sentence: Span, cuts: re.Pattern[str]) -> tuple[int, int]:
    """What of the sentence stands between the `cuts` before and behind it."""
    before = max((cut.end() for cut in cuts.finditer(text, sentence.start, one[0])), default=sentence.start)
    return before, next((cut.start() for cut in cuts.finditer(text, one[1], sentence.end)), sentence.end)


def counts_what_is_asked(asked: Asked, one: Found, noun: str = "") -> bool:
    """Whether the noun behind its number is the question's: 41 of "41 votes to 17", 12 of "12 small plums".

    With `noun`, whether it is that.
    """
    text = one.hit.chunk.text
    number = COUNTED.search(text, one.start, one.end)
    behind = _COUNTS.match(text, number.end() if number else one.end)
    words = behind[0].split() if behind else []
    joint = next((at for at, word in enumerate(words) if is_function_word(word.lower())), len(words))
    wanted = asked.words_in(noun) if noun else asked.weights.keys()
    return bool(asked.words_in(" ".join(words[:joint])) & wanted)
