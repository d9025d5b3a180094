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
_CUT = re.compile(r"[,;:](?=\s)|\s(?:but|while|whereas|and(?=\s[a-z\d]))\s")


def is_clear(asked: Asked, one: Found, sentence: Candidate | None) -> bool:
    """Whether no other clause of its sentence is the one that is asked about, and no other number stands beside it."""
    if sentence is None:
        return True
    own = _clause_of(one, sentence.span)
    if asked.wants == "number" and len(COUNTED.findall(own)) > 1:
        return counts_what_is_asked(asked, one)
    held = asked.words_in(own) & asked.weights.keys()
    return bool(held) or not asked.words_in(sentence.text) & asked.weights.keys()


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
        own = _in_best_clause(asked, sentence, some) if sentence else some
        counting = [one for one in some if counts_what_is_asked(asked, one)] if counted and sentence else []
        best += [one for one in own if one in counting] if counting else own
    return best


def _in_best_clause(asked: Asked, sentence: Span, some: Sequence[Found]) -> list[Found]:
    first = min(some, key=lambda one: one.start)
    shared = asked.words_in(first.hit.chunk.text[sentence.start : first.start])
    words = [asked.words_in(_clause_of(one, sentence)) for one in some]
    shares = [asked.coverage(held - shared) for held in words]
    if not any(shares):
        shares = [asked.coverage(held) for held in words]
    return [one for one, share in zip(some, shares, strict=True) if share == max(shares)]


def _clause_of(one: Found, sentence: Span) -> str:
    """What stands between the commas around it, or the "and"s."""
    text = one.hit.chunk.text
    before = max((cut.end() for cut in _CUT.finditer(text, sentence.start, one.start)), default=sentence.start)
    after = next((cut.start() for cut in _CUT.finditer(text, one.end, sentence.end)), sentence.end)
    return text[before:after]


def counts_what_is_asked(asked: Asked, one: Found) -> bool:
    """Whether the noun behind its number is the question's: 41 of "41 votes to 17", 12 of "12 small plums"."""
    text = one.hit.chunk.text
    number = COUNTED.search(text, one.start, one.end)
    behind = _COUNTS.match(text, number.end() if number else one.end)
    words = behind[0].split() if behind else []
    joint = next((at for at, word in enumerate(words) if is_function_word(word.lower())), len(words))
    return bool(asked.words_in(" ".join(words[:joint])) & asked.weights.keys())
