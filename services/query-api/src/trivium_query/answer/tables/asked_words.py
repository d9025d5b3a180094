"""A question as words with their stems, and which of them have been understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from trivium_query.words import fold, stem

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*|[%$€£]")
_ACTS = ("ing", "ment")  # of what is done: "firings", "enrolment"
_SUFFIXES = (*_ACTS, "er", "r", "or", "n", "ship")  # and of who or what does what the stem says: keep, keeper
_END = re.compile("y$")
_DOUBLED = re.compile(r"(?<=.{3})([bdglmnprt])\1$")  # "enrolled", "shipped"
_LEAST_STEM = 4
# Verbs and nouns of one thing, that no ending tells.
_SAME = {
    stem(noun): stem(verb)
    for noun, verb in (
        pair.split(":")
        for pair in (
            "sale:sell",
            "delivery:deliver",
            "payment:pay",
            "growth:grow",
            "loss:lose",
            "choice:choose",
            "flight:fly",
            "expense:spend",
            "expenditure:spend",
            "cost:spend",
            "income:earn",
            "earnings:earn",
            "departure:leave",
            "depart:leave",
            "arrival:arrive",
            "loan:lend",
            "lent:lend",
            "borrow:lend",
            "borrower:lend",
            "back:return",
            "buyer:buy",
            "bought:buy",
            "petrol:fuel",
            "owner:own",
            "weight:weigh",
            "temperature:temp",
        )
    )
}


class Word(msgspec.Struct, frozen=True):
    """A word as it is written, folded, and as its stem; `start` and `end` count in the question."""

    written: str
    folded: str
    stem: str
    start: int
    end: int


class Run(msgspec.Struct, frozen=True, order=True):
    """Words `first` up to, and without, `end`."""

    first: int
    end: int

    def indices(self) -> frozenset[int]:
        """Of its words."""
        return frozenset(range(self.first, self.end))


def words_of(text: str) -> tuple[Word, ...]:
    """Every run of letters and digits, in order."""
    return tuple(
        Word(match.group(), fold(match.group()), stem(fold(match.group())), match.start(), match.end())
        for match in _WORD.finditer(text)
    )


def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text's words, function words among them."""
    return tuple(word.stem for word in words_of(text))


def alike(one: str, other: str) -> bool:
    """Whether two stems are one word, or one is who does the other."""
    return _are_one(one, other, _SUFFIXES)


def is_same(one: str, other: str) -> bool:
    """Whether two stems are one word, or its verb and noun; who does it is another: "moves" are no "movers"."""
    return _are_one(one, other, _ACTS)


def _are_one(one: str, other: str, suffixes: Sequence[str]) -> bool:
    short, long = sorted((_root(one), _root(other)), key=len)
    return short == long or (len(short) >= _LEAST_STEM and long.startswith(short) and long[len(short) :] in suffixes)


def _root(each: str) -> str:
    return _END.sub("i", _DOUBLED.sub(r"\1", _SAME.get(each, each)))  # supply, supplier


def find(
    words: Sequence[Word], wanted: Sequence[str], taken: frozenset[int], same: Callable[[str, str], bool] = alike
) -> Run | None:
    """The first place where the stems stand one after the other, none of them taken."""
    size = len(wanted)
    for first in range(len(words) - size + 1):
        run = Run(first, first + size)
        if not run.indices() & taken and all(
            same(word.stem, each) for word, each in zip(words[first : run.end], wanted, strict=True)
        ):
            return run
    return None


def within(words: Sequence[Word], start: int, end: int) -> frozenset[int]:
    """The words that share a character with [start, end) of the question."""
    return frozenset(at for at, word in enumerate(words) if word.start < end and start < word.end)


def joined(runs: Iterable[Run]) -> frozenset[int]:
    """The words of all of them."""
    return frozenset[int]().union(*(run.indices() for run in runs))
