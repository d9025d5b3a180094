# ruff: noqa: E501  (word lists read best as words)
"""How surely two sentences tell the same of one thing but for a value, by the words that only one of them has. Pure.

Words that both have say what is told; a word that one has alone may say of what else it is told (another pool, part or
person), and where each has one, they tell of two things. Verbs that say little by themselves, and words of the titles,
count on neither side.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trivium_query.contradictions.attributes import Attribute
from trivium_query.contradictions.same_thing import GENERIC, Pair, title_words
from trivium_query.contradictions.statements import Statement, led_in
from trivium_query.words import content_words

EXACT, PER_WORD = 0.95, 0.08  # told in the same words; and less for each that one has alone
ONE_WORD = 0.8  # a single word in common
MAX_MORE = 3
MIN_ROOT = 5  # letters
# Verbs and fillers: which of them a writer takes does not change what is told.
LIGHT = frozenset(
    content_words(
        "be have has take takes took taken get gets got give gives gave given keep keeps kept come comes came go goes went gone"
        " set put make made need needs run runs ran find found show shows showed shown tell says said state stated states told"
        " contain contains contained include includes included comprise comprises consist consists count counts counted amount"
        " amounts amounted come comes record recorded records report reported reports register registered note noted list lists"
        " listed confirm confirmed allow allows lose lost cost costs stay stays remain remains remained stand stands stood lie lies"
        " want ask require requires required use uses used employ offer offers offered provide provides provided work works due"
        " must may can will shall there here per every exact exactly just only about total altogether overall available possible"
        " leave leaves left least most more less cover covers covered following according also already still even yet now today nowadays currently kindly please remind reminder one ones"
    )
)
# Words for a thing that never stand for each other.
_THINGS = frozenset(
    content_words("film novel book line service garden station school hotel library museum theatre ferry bridge site")
)
# People and things beside the one that is told of: what is said of them is not said of it.
_BESIDE = frozenset(
    content_words(
        "father mother son daughter brother sister wife husband widow uncle aunt nephew niece cousin grandfather grandmother"
        " parent parents child children predecessor successor rival neighbour neighbor other another adaptation remake sequel"
        " version namesake replica copy similar same like proportion average mean median share except"
    )
)
_CASE = re.compile(
    r"(?:in (?:an?|case|the (?:event|case))|with|without|during|when|while|if|once|under|despite|until)\b", re.I
)


class Alone(NamedTuple):
    """Stems that only the one, and only the other sentence has; how many both have."""

    one: frozenset[str]
    other: frozenset[str]
    common: int

    @property
    def is_swap(self) -> bool:
        """Whether each has something in the place of the other's."""
        return bool(self.one and self.other)


def alone(pair: Pair, one: Statement, other: Statement, attribute: Attribute | None, theirs: Attribute | None) -> Alone:
    """The words that tell them apart; an attribute that both name counts as one word in common."""
    dropped = title_words(one) | title_words(other) | LIGHT | GENERIC
    known = attribute is not None and theirs is not None
    if attribute is not None and known:
        named = (match[0] for each in (one, other) for match in attribute.words.finditer(each.text))
        dropped |= {word for words in named for word in content_words(words)}
    here, there = pair.one.words, pair.other.words
    ours, theirs_alone = here - there - dropped, there - here - dropped
    things = _THINGS - title_words(one) - title_words(other)
    if (here - there) & things and (there - here) & things:  # a film and a book, and not a lighthouse and its tower
        ours, theirs_alone = ours | (here - there) & things, theirs_alone | (there - here) & things
    akin = {(a, b) for a in ours for b in theirs_alone if _are_akin(a, b)}
    common = len((here & there) - LIGHT) + len(akin) + known
    return Alone(ours - {a for a, _ in akin}, theirs_alone - {b for _, b in akin}, common)


def _are_akin(one: str, other: str) -> bool:
    """Whether one is made of the other: "clear" and "clearance"."""
    return min(len(one), len(other)) >= MIN_ROOT and (one.startswith(other) or other.startswith(one))


def alike(words: Alone) -> float:
    """0 to 1; 0 where each tells of something that the other does not."""
    more = len(words.one) + len(words.other)
    if words.is_swap or not words.common or more > MAX_MORE or (words.one | words.other) & _BESIDE:
        return 0.0
    return (EXACT if words.common > 1 else ONE_WORD) - PER_WORD * more


def led_in_apart(one: Statement, other: Statement) -> bool:
    """Whether they begin with when, where or how it is so, and not with the same: "On admission" and "On discharge".

    Where only one does, it is of another case if it says so, as in "In a storm".
    """
    first, second = (led_in(each.text) for each in (one, other))
    words, others = (_told_in(lead, each) for lead, each in ((first, one), (second, other)))
    if words and others:
        return not words & others
    lead, rest = (first, other) if words else (second, one)
    of_a_case = _CASE.match(lead) is not None and not {*words, *others} & set(content_words(rest.text))
    return bool(words or others) and of_a_case


def _told_in(lead: str, statement: Statement) -> frozenset[str]:
    return frozenset(content_words(lead)) - LIGHT - title_words(statement)
