"""Whether two questions whose vectors are near ask for different things, which a word or their order tells. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from trivium_query.answer.direct.opposites import agrees, is_of_another_day, is_of_other_particle
from trivium_query.words import content_words

# Beside those of `opposites`, which yes and no need too.
_OPPOSITE = tuple(
    tuple(frozenset(side.split("/")) for side in pair.split())
    for pair in (
        "before after",
        "with without",
        "on off",
        "more less/fewer",
        "most least",
        "buy/buys/bought sell/sells/sold",
        "send/sends/sent receive/receives/received",
        "add/adds/added/create/creates remove/removes/removed/delete/deletes/deleted",
        "lend/lends borrow/borrows",
        "show/shows hide/hides",
        "arrival departure",
        "lower raise/higher",
        "lowest highest",
        "first last",
        "earliest latest",
        "early late",
        "old new",
        "left right",
        "top bottom",
        "win/won lose/lost",
        "child/children adult/adults",
        "allow/allows/allowed forbid/forbidden/ban/banned/prohibited/block/blocks",
    )
)
_PREFIXES = (
    *(("", lead) for lead in ("un", "dis", "de", "in", "im", "non", "mis")),
    *(("en", "dis"), ("en", "de"), ("im", "ex"), ("in", "ex"), ("in", "de"), ("in", "out"), ("up", "down")),
    *(("mini", "maxi"), ("over", "under"), ("at", "de"), ("pre", "post")),
)
_MIN_ROOT = 3  # letters behind a prefix
_DIRECTED = re.compile(r"\b(?:to|into|than|from|before|after)\b", re.I)
_BEFORE_THING = frozenset(
    ("a", "an", "the", "my", "your", "our", "this", "by", "on", "in", "at", "to", "from", "for", "with", "of", "under")
)
_WORD = re.compile(r"[^\W_]+")


def is_opposite(question: str, other: str) -> bool:
    """Whether a word of one is the opposite of a word of the other: "install" and "uninstall", "before" and "after"."""
    one, two = ({*_WORD.findall(text.lower())} for text in (question, other))
    mine, theirs = one - two, two - one
    if is_of_other_particle(question, other) or is_of_another_day(question, other):
        return True
    if any((mine & a and theirs & b) or (mine & b and theirs & a) for a, b in _OPPOSITE):
        return True
    if any(_prefixed(a, b) or _prefixed(b, a) for a in mine for b in theirs):
        return True
    stems, others = ({*content_words(" ".join(words))} for words in (mine, theirs))
    return any(agrees(stem, others) is False for stem in stems)


def _prefixed(one: str, two: str) -> bool:
    """Whether they are one root behind prefixes that are opposites."""
    for a, b in _PREFIXES:
        root = one.removeprefix(a)
        if one.startswith(a) and len(root) >= _MIN_ROOT and two == b + root:
            return True
    return False


def is_turned_round(question: str, other: str, *, yes_or_no: bool) -> bool:
    """Whether they have the same words in another order that matters: "convert PDF to Word", "Word to PDF"."""
    one, two = content_words(question), content_words(other)
    return one != two and sorted(one) == sorted(two) and bool(yes_or_no or _DIRECTED.search(question))


def thing_replaced(question: str, other: str) -> str:
    """The question's word, stemmed, for a thing in whose place the other, with the same words else, has another."""
    one, two = {*content_words(question)}, {*content_words(other)}
    mine = one - two
    if len(mine) != 1 or len(two - one) != 1:
        return ""
    (word,) = mine
    pairs = pairwise(_WORD.findall(question.lower()))
    return word if any(lead in _BEFORE_THING and word in content_words(said) for lead, said in pairs) else ""
