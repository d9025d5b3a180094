"""Which way each letter of a line runs, from what is seen: Unicode's bidirectional algorithm (UAX #9), read backwards.

Letters are given from left to right by their bidirectional class. What was typed first is not always to be known;
then what people write most often is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

BRACKET = "bracket"  # of any shape, in place of its class
_RIGHT, _NUMBERS = frozenset({"R", "AL"}), frozenset({"EN", "AN"})


def directions(classes: Sequence[str], *, to_left: bool) -> list[bool]:
    """Whether each letter runs to the left: as it is itself, else as both its neighbours, else as the line."""
    kinds = list(classes)
    if to_left:
        kinds = _latin_numbers(_with_brackets(_with_terminators(_with_separators(_arabic_numbers(kinds)))))
    sides = zip(kinds, _nearest(kinds), reversed(_nearest(kinds[::-1])), strict=True)
    return [_direction(kind, before, after, to_left=to_left) for kind, before, after in sides]


def _direction(kind: str, before: str, after: str, *, to_left: bool) -> bool:
    if kind in _RIGHT:
        return True
    if kind == "L" or kind in _NUMBERS:
        return False
    if before in _RIGHT and after in _RIGHT:
        return True
    beside = {before, after}
    return to_left if "L" not in beside or beside & (_RIGHT | {""}) else False


def _arabic_numbers(kinds: Sequence[str]) -> list[str]:
    """A number after an Arabic word is an Arabic one (W2), but for one behind a Latin word."""
    sides = zip(kinds, _strong(kinds), reversed(list(_strong(kinds[::-1]))), strict=True)
    return ["AN" if kind == "EN" and left != "L" and right == "AL" else kind for kind, left, right in sides]


def _latin_numbers(kinds: Sequence[str]) -> list[str]:
    """A number behind a Latin word is part of it (W7)."""
    return ["L" if kind == "EN" and left == "L" else kind for kind, left in zip(kinds, _strong(kinds), strict=True)]


def _with_brackets(kinds: Sequence[str]) -> list[str]:
    """Brackets behind a Latin word, with nothing in them that runs left, go with it, others with the line (N0)."""
    latin: set[int] = set()
    strong = list(_strong(kinds))
    for start, end in pairwise([place for place, kind in enumerate(kinds) if kind == BRACKET]):
        if start not in latin and strong[start] == "L" and not _RIGHT.intersection(kinds[start:end]):
            latin |= {start, end}
    return [("L" if place in latin else "R") if kind == BRACKET else kind for place, kind in enumerate(kinds)]


def _strong(kinds: Sequence[str]) -> Iterator[str]:
    """The last letter's class before each place; none at first."""
    last = ""
    for kind in kinds:
        last = kind if kind == "L" or kind in _RIGHT else last
        yield last


def _with_separators(kinds: Sequence[str]) -> list[str]:
    """A single separator between two numbers of one kind is part of the number (W4)."""
    joined = list(kinds)
    for place in range(1, len(kinds) - 1):
        before, kind, after = kinds[place - 1 : place + 2]
        if before == after and ((kind == "CS" and before in _NUMBERS) or (kind == "ES" and before == "EN")):
            joined[place] = before
    return joined


def _with_terminators(kinds: Sequence[str]) -> list[str]:
    """Signs like "%" beside a European number are part of it (W5)."""
    runs = [list(run) for _, run in groupby(kinds)]
    beside = [{run[0] for run in runs[max(0, place - 1) : place + 2]} for place in range(len(runs))]
    parts = ["EN" if run[0] == "ET" and "EN" in near else run[0] for run, near in zip(runs, beside, strict=True)]
    return [part for part, run in zip(parts, runs, strict=True) for _ in run]


def _nearest(kinds: Sequence[str]) -> list[str]:
    """The class of the last letter or number up to each place; none at first."""
    last, found = "", []
    for kind in kinds:
        last = kind if kind == "L" or kind in _RIGHT or kind in _NUMBERS else last
        found.append(last)
    return found
