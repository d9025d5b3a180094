"""What a document's title names, and whether two titles can be of documents about one thing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from trivium.text.names import fold_name, names_in
from trivium_query.contradictions.names import COMMON, TELLING, bare, without_kind
from trivium_query.words import content_words

_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")
_PART = re.compile(r"[,:;|()\u2013\u2014]| - ")
_BEHIND = re.compile(r" (?:in|for|about|on|with|from|against) ((?:\w+ ){1,6}\w+)$")
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DATED = re.compile(rf"\b\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b", re.I)
MIN_GERUND = 5  # letters: "visiting", and not "king"


@lru_cache(maxsize=4096)
def names_of_title(title: str) -> tuple[str, ...]:
    """The names in it: what is capitalised, the first word left out where the title is written as a sentence is."""
    text, first = title, _opening(title)
    if first:
        at = title.index(first)
        text = f"{title[:at]}{first.lower()}{title[at + len(first) :]}"
    found = (bare(span.key) for span in names_in(text))
    return tuple(dict.fromkeys(name for name in found if set(name.split()) - COMMON))


@lru_cache(maxsize=8192)
def agree(one: str, other: str) -> bool:
    """Whether they share a name, and not each has a name or a number that the other lacks.

    "Deering, North Dakota" and "Belcourt, North Dakota" do not agree, nor do elections of two years.
    """
    if fold_name(one) == fold_name(other):
        return True
    numbers, theirs = _numbers(one), _numbers(other)
    if numbers and theirs and not numbers & theirs:
        return False
    here, there = _parts(one), _parts(other)
    ours, others = (_openings(title).union(*parts) for title, parts in ((one, here), (other, there)))
    return bool(ours & others) and not (_lacks(here, others) and _lacks(there, ours))


def _lacks(parts: tuple[frozenset[str], ...], others: frozenset[str]) -> bool:
    """Whether one of the names is in no spelling among the others."""
    return any(not part & others for part in parts)


def _opening(title: str) -> str:
    """The first word where that may be capitalised for its place alone, else ""."""
    first = _WORD.search(title)
    is_name = first and any(char.isdigit() or char.isupper() for char in first[0][1:])
    return first[0] if first and _is_sentence(title) and not is_name else ""


def _is_sentence(title: str) -> bool:
    return any(word[0].islower() and content_words(word) for word in _WORD.findall(title))


@lru_cache(maxsize=4096)
def _parts(title: str) -> tuple[frozenset[str], ...]:
    """Its names, each in the spellings that may be meant, without words before them that say what is told."""
    return tuple(name for part in _PART.split(title) for name in _names_of_part(part.strip()) if name)


def _names_of_part(part: str) -> Iterator[frozenset[str]]:
    """One all in capitals ("Days and Hours") is one name. A first word may belong to the name behind it, or be one."""
    if not _is_sentence(part):
        whole = fold_name(part)
        yield frozenset(filter(None, (_core(whole), _core(told[1]) if (told := _BEHIND.search(whole)) else "")))
        return
    names = [core for name in names_of_title(part) if (core := _core(name))]
    first = fold_name(_opening(part))
    longer = next((fold_name(span.surface) for span in names_in(part) if span.key.split()[:1] == [first]), "")
    yield from (frozenset({name, longer} if longer.endswith(f" {name}") else {name}) for name in names)
    if " " in longer and not names:
        yield frozenset({longer})


def _openings(title: str) -> frozenset[str]:
    """First words of its parts, that may be a name: "Marlow bridge inspection"."""
    return frozenset(core for part in _PART.split(title) if (core := _core(fold_name(_opening(part.strip())))))


def _core(name: str) -> str:
    tokens = name.split()
    several = "and" in tokens
    while tokens and _tells_what(tokens[0], alone=len(tokens) == 1):
        del tokens[0]
    while tokens and not several and _tells_what(tokens[-1], alone=True):
        del tokens[-1]
    return without_kind(" ".join(tokens))


def _tells_what(token: str, *, alone: bool) -> bool:
    is_gerund = not alone and len(token) >= MIN_GERUND and token.endswith("ing")
    return is_gerund or token in COMMON or token in TELLING or not content_words(token)


def _numbers(title: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+", _DATED.sub("", title)))
