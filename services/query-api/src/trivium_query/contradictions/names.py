# ruff: noqa: SIM905  (word lists read best as words)
"""Whether two names are of one thing, and which of a document's names its sentences are about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trivium.text.names import NameSpan, fold_name, names_in

# What may be left out of a name: "Skerry Point" is "Skerry Point Lighthouse", "Tidewater" is "Tidewater Ltd".
_KINDS = frozenset(
    """lighthouse light ltd limited inc incorporated corp corporation co company gmbh ag plc llc group holding holdings
    programme program project""".split()
)
_HONORIFICS = frozenset("mr mrs ms miss dr prof professor sir dame lord lady captain capt judge mayor president nurse".split())
# Capitalised in a title or at a sentence's beginning, and no name by themselves.
_COMMON = frozenset(
    """guide manual notes note minutes report annual visitor visitors history sheet product data timetable news about
    biography profile letter review summary overview handbook leaflet brochure press release service services user quick start
    board council committee meeting patient ward clinic hospital case discharge company town village city district harbour
    museum ferry tower bridge garden gardens library school theatre station hotel keeper tickets admission opening hours
    trains buses boats staff members price prices specification specifications warranty battery dear sir madam chair
    chairman attendance present apologies agenda item items action actions table figure section chapter appendix introduction
    background conclusion conclusions results methods discussion today yesterday tomorrow height weight length width built opened
    founded mr mrs ms dr sources passengers guests residents trustees directors shareholders customers visitors engineers""".split()
)
_SPACES = re.compile(r"\s+")
MAX_ABOUT = 6


def bare(key: str) -> str:
    """A folded name without titles before it and kinds behind it."""
    tokens = key.split()
    while len(tokens) > 1 and tokens[0] in _HONORIFICS:
        tokens = tokens[1:]
    while len(tokens) > 1 and tokens[-1] in _KINDS:
        tokens = tokens[:-1]
    return " ".join(tokens)


def is_same(one: str, other: str) -> bool:
    """Of two bare names: alike, or a surname or initials for the whole name."""
    if one == other:
        return True
    short, long = sorted((one.split(), other.split()), key=len)
    if short[-1] != long[-1] or short[-1].isdigit():
        return False
    if len(short) == 1:
        return 1 < len(long) <= 3 and short[0] not in _COMMON  # noqa: PLR2004
    return all(a == b or (len(a) == 1 and b.startswith(a)) or (len(b) == 1 and a.startswith(b)) for a, b in zip(short[:-1], long[:-1], strict=False))


def shared(one: Iterable[str], other: Sequence[str]) -> list[str]:
    """Those of the first that are also among the second."""
    return [name for name in one if any(is_same(name, each) for each in other)]


def named_in(text: str, known: frozenset[str] = frozenset()) -> list[NameSpan]:
    """The longest names of a sentence; a lone capitalised word at its beginning is one only if `known` as a name."""
    spans: list[NameSpan] = []
    end = -1
    for span in names_in(text):
        if span.start < end:
            continue
        first = not text[: span.start].strip(" \"'\u201c(")
        lone = " " not in span.key
        if lone and (span.key in _COMMON or (first and span.key not in known)):
            continue
        if all(token in _COMMON or token.isdigit() for token in span.key.split()):
            continue
        spans.append(span)
        end = span.end
    return spans


def about(headings: Sequence[str], first_sentence: str, known: frozenset[str]) -> tuple[str, ...]:
    """What a passage is about: the names of its title and headings, and of the document's first sentence."""
    found = [bare(span.key) for text in headings for span in named_in(text, known)]
    found += [bare(span.key) for span in named_in(first_sentence, known)][:2]
    if not found and headings:
        found = [fold_name(headings[0])]
    return tuple(dict.fromkeys(name for name in found if name))[:MAX_ABOUT]


def known_names(sentences: Iterable[str]) -> frozenset[str]:
    """Single words that stand capitalised within sentences."""
    return frozenset(
        span.key for text in sentences for span in names_in(text) if text[: span.start].strip(" \"'\u201c(") and " " not in span.key
    )
