"""The things that a question names: where they stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium.text.names import fold_name, names_in

MIN_TITLE_CHARS = 4
OPENING = 3  # times a name's length: where a text that begins with it says so
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
_QUALIFIER = re.compile(r"\s?\([^()]*\)")
_ARTICLE = re.compile(r"\bThe $")
_POSSESSIVE = re.compile(r"['\u2019]s?$")


class Thing(msgspec.Struct, frozen=True):
    """`start` to `end` of the question, half-open, without a possessive ending; `text` lacks brackets."""

    start: int
    end: int
    text: str


def things_in(question: str, hits: Sequence[Hit]) -> list[Thing]:
    """Titles of hits, and between them names by their form; in the order of the question."""
    titles = _apart(_titles(question, hits))
    ends = [0, *(end for thing in titles for end in (thing.start, thing.end)), len(question)]
    between = zip(ends[::2], ends[1::2], strict=True)
    names = (_bare(question, a + name.start, a + name.end) for a, b in between for name in names_in(question[a:b]))
    return sorted([*titles, *_apart(names)], key=lambda thing: thing.start)


def _apart(found: Iterable[Thing]) -> list[Thing]:
    """The longer before those within it."""
    kept: list[Thing] = []
    for one in sorted(found, key=lambda thing: (thing.start - thing.end, thing.start)):
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda thing: thing.start)


def bare_title(title: str) -> str:
    """Without what tells it from its namesakes: "Alien (film)" is Alien."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", title).strip()


def is_about(hit: Hit, name: str) -> bool:
    """Whether the hit's title is the thing's name, or the longer form of it, or its text begins with the name."""
    title, wanted = fold_name(bare_title(hit.chunk.title)), fold_name(bare_title(name))
    if not wanted:
        return False
    opening = fold_name(hit.chunk.text[: OPENING * len(name)].removeprefix(hit.chunk.title))
    return (
        title == wanted or f"{opening} ".startswith(f"{wanted} ") or (" " in wanted and f" {wanted} " in f" {title} ")
    )


def mentions(hit: Hit, name: str) -> bool:
    """Whether the name stands in the hit's text or heading."""
    wanted = fold_name(bare_title(name))
    return bool(wanted) and f" {wanted} " in f" {fold_name(f'{hit.chunk.heading} {hit.chunk.text}')} "


def _titles(question: str, hits: Sequence[Hit]) -> Iterable[Thing]:
    lower = question[1:] == question[1:].lower()
    words = [(fold_name(match[0]), *match.span()) for match in _WORD.finditer(question)]
    for title in dict.fromkeys(hit.chunk.title for hit in hits):
        for name in dict.fromkeys((title, bare_title(title))):
            wanted = fold_name(name).split()
            if len(name) >= MIN_TITLE_CHARS and wanted:
                places = _places(question, words, wanted)
                yield from (
                    one for one in places if lower or any(letter.isupper() or letter.isdigit() for letter in one.text)
                )


def _places(question: str, words: Sequence[tuple[str, int, int]], wanted: Sequence[str]) -> Iterable[Thing]:
    folded = " ".join(wanted)
    for first in range(len(words)):
        text = ""
        for last in range(first, min(len(words), first + len(wanted) + 1)):
            text = f"{text} {words[last][0]}".strip()
            if text == folded:
                yield _bare(question, words[first][1], words[last][2])
                break


def _bare(question: str, start: int, end: int) -> Thing:
    text = question[start:end].rstrip(" \"'”»")
    text = text[: len(text) - len(match[0])] if (match := _POSSESSIVE.search(text)) else text
    article = _ARTICLE.search(question, 0, start)
    if article and article.end() == start:
        start, text = article.start(), question[article.start() : start] + text
    qualified = _QUALIFIER.match(question, start + len(text))
    return Thing(start, qualified.end() if qualified else start + len(text), text)
