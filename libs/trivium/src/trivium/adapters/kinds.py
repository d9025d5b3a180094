"""The kinds of a passage as the stores keep them: one text, sorted, "table|text"."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from trivium.domain.parsed import UnitKind

_BETWEEN = "|"


def kinds_text(kinds: Collection[str]) -> str:
    """As stored; passages of one kind have that kind's name."""
    return _BETWEEN.join(sorted(set(kinds)))


def kinds_of(stored: str) -> tuple[str, ...]:
    """The kinds in a stored text."""
    return tuple(stored.split(_BETWEEN))


def holds_any(stored: str, wanted: Collection[str]) -> bool:
    """Whether a stored text names one of the kinds wanted."""
    return not set(wanted).isdisjoint(stored.split(_BETWEEN))


def texts_with(wanted: Collection[str]) -> Iterator[str]:
    """Every text that names one of the kinds wanted, for a store that compares whole texts: at most 2 to the kinds."""
    for count in range(1, len(UnitKind) + 1):
        for kinds in combinations(UnitKind, count):
            if not set(wanted).isdisjoint(kinds):
                yield kinds_text(kinds)
