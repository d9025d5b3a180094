"""Where names, their blocks and what was decided about them are kept: a graph store's part of resolution."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from trivium.domain.verdicts import Verdict
from trivium.resolution.record import Record

Pair = tuple[str, str]  # two names, the smaller first


class NameShelf(Protocol):
    """One graph's names while some of them are settled; what is written is seen by what is read after it.

    Missing: unknown names and blocks are absent. Keys are folded names.
    """

    def alive(self, keys: Collection[str]) -> set[str]:
        """Those that shares name surely."""
        ...

    def records(self, keys: Collection[str]) -> Mapping[str, Record]:
        """What is known of those that are alive."""
        ...

    def changed(self, keys: Collection[str]) -> Mapping[str, frozenset[str] | None]:
        """Of those that are to be settled, the neighbours that came or went since they were, those that did both too.

        None: more than neighbours may be known otherwise. Asked after `records`, it has what went since then.
        """
        ...

    def filed(self, keys: Collection[str]) -> set[str]:
        """Those that stand in their blocks."""
        ...

    def members(self, blocks: Collection[str], limit: int) -> Mapping[str, Collection[str]]:
        """The names of each block; of one that has more, any `limit` of them."""
        ...

    def near(self, keys: Collection[str]) -> Mapping[str, Collection[str]]:
        """The candidates of each name that has some."""
        ...

    def file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        """Put names into their blocks, and take others out."""
        ...

    def approach(self, met: Collection[Pair], parted: Collection[Pair]) -> None:
        """Pairs that are candidates of each other now, and those that are not any more."""
        ...

    def decide(self, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """Replace all that was decided about each of these names."""
        ...
