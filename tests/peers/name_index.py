"""A shelf in memory (`trivium.resolution.shelf.NameShelf`): what the graph stores do, for tests and measurements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from trivium.batches import batches
from trivium.domain.verdicts import Verdict
from trivium.ports.graph import NAMES_AT_ONCE
from trivium.resolution.blocking import blocks_of
from trivium.resolution.record import Record
from trivium.resolution.settle import settle
from trivium.resolution.shelf import Pair


class NameIndex:
    """The records of one graph, and what follows from them.

    Names are kept in tuples, which the garbage collector does not track, but where they are many.
    """

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._filed: set[str] = set()
        self._blocks: dict[str, _Names] = {}
        self._near: dict[str, _Names] = {}
        self._changed: dict[str, frozenset[str] | None] = {}
        self.verdicts: dict[str, tuple[Verdict, ...]] = {}

    def update(self, records: Iterable[Record] = (), dropped: Iterable[str] = ()) -> None:
        """Put names, or what is now known of them, and drop others; as many are settled at once as in a store."""
        self.put(records, dropped)
        for keys in batches(sorted(self._changed), NAMES_AT_ONCE):
            self.settle(keys)

    def put(self, records: Iterable[Record] = (), dropped: Iterable[str] = ()) -> None:
        """Put and drop names that are settled later."""
        put = {record.key: record for record in records}
        for key in {*put, *dropped}:
            before, now = self._records.pop(key, None), put.get(key)
            if now is not None:
                self._records[key] = now
            if before != now:
                self._changed[key] = _and(self._changed.get(key, frozenset()), _differing(before, now))

    def settle(self, keys: Collection[str]) -> None:
        """Settle some of those that were put or dropped."""
        settle(self, keys)
        for key in keys:
            del self._changed[key]

    @property
    def unsettled(self) -> list[str]:
        """Those that were put or dropped since they were settled."""
        return sorted(self._changed)

    @property
    def targets(self) -> dict[str, str]:
        """The name that each one stands for, where it is another."""
        return {key: verdicts[0].other for key, verdicts in self.verdicts.items() if verdicts[0].merges}

    @property
    def cards(self) -> list[Verdict]:
        """What a person is asked."""
        return [one for verdicts in self.verdicts.values() for one in verdicts if not one.merges]

    # The shelf

    def alive(self, keys: Collection[str]) -> set[str]:
        """Those that have a record."""
        return {key for key in keys if key in self._records}

    def records(self, keys: Collection[str]) -> Mapping[str, Record]:
        """Those records."""
        return {key: self._records[key] for key in keys if key in self._records}

    def changed(self, keys: Collection[str]) -> dict[str, frozenset[str] | None]:
        """What came or went of those that are to be settled."""
        return {key: self._changed[key] for key in keys if key in self._changed}

    def filed(self, keys: Collection[str]) -> set[str]:
        """Those in blocks."""
        return self._filed.intersection(keys)

    def members(self, blocks: Collection[str], limit: int) -> dict[str, Collection[str]]:
        """Those of each block."""
        return {block: tuple(islice(self._blocks[block], limit)) for block in blocks if block in self._blocks}

    def near(self, keys: Collection[str]) -> dict[str, Collection[str]]:
        """Their candidates."""
        return {key: self._near[key] for key in keys if key in self._near}

    def file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        """Into blocks and out of them."""
        for key in added:
            self._filed.add(key)
            for block in blocks_of(key):
                _add(self._blocks, block, key)
        for key in gone:
            self._filed.discard(key)
            for block in blocks_of(key):
                _discard(self._blocks, block, key)

    def approach(self, met: Collection[Pair], parted: Collection[Pair]) -> None:
        """Candidates of each other, both ways."""
        for pairs, change in ((met, _add), (parted, _discard)):
            for left, right in pairs:
                change(self._near, left, right)
                change(self._near, right, left)

    def decide(self, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """Replaced by name."""
        for key, decided in verdicts.items():
            self.verdicts.pop(key, None)
            if decided:
                self.verdicts[key] = tuple(decided)


def _differing(before: Record | None, now: Record | None) -> frozenset[str] | None:
    """The neighbours that came or went; None where anything else did."""
    if before is None or now is None:
        return None
    if (before.type, before.facts, before.apart) != (now.type, now.facts, now.apart):
        return None
    return before.neighbours ^ now.neighbours


def _and(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or other is None else one | other


_Names = set[str] | tuple[str, ...]
_FEW = 32


def _add(kept: dict[str, _Names], under: str, name: str) -> None:
    names = kept.get(under, ())
    if isinstance(names, set):
        names.add(name)
    elif name not in names:
        kept[under] = (*names, name) if len(names) < _FEW else {*names, name}


def _discard(kept: dict[str, _Names], under: str, name: str) -> None:
    names = kept.get(under, ())
    if isinstance(names, set):
        names.discard(name)
    else:
        kept[under] = tuple(other for other in names if other != name)
    if not kept[under]:
        del kept[under]
