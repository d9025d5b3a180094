"""Names and their blocks in memory, kept up to date name by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from trivium.resolution.blocking import blocks_of, is_too_large
from trivium.resolution.record import Record
from trivium.resolution.resolve import Resolution, candidates, resolve, share_a_block


class NameIndex:
    """The records of one graph. What `resolve` says depends on the records alone, however they came."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._blocks: dict[str, set[str]] = {}
        self._near: dict[str, set[str]] = {}
        self.targets: dict[str, str] = {}

    def update(self, records: Iterable[Record] = (), dropped: Iterable[str] = ()) -> Resolution:
        """Put names, or what is now known of them, and drop others; then decide anew about all whom that concerns.

        Dropping a name that is not there changes nothing.
        """
        put = {record.key: record for record in records if self._records.get(record.key) != record}
        gone = {key for key in dropped if key in self._records} - put.keys()
        added = put.keys() - self._records.keys()
        filled, thinned = self._crossed(added, gone)
        moved = {*added, *gone, *thinned}
        concerned = self._around({*put, *moved})
        self._file(added, gone)
        parted = {key for key in filled - moved if self._parted(key)}
        concerned |= self._around(parted)
        self._records.update(put)
        for key in gone:
            del self._records[key]
        for key in parted:
            self._near[key] -= self._parted(key)
        self._renew(moved)
        concerned |= self._around({*put, *moved, *parted})
        decided = concerned & self._records.keys()
        resolution = resolve(sorted(decided), self._near, self._records)
        for key in concerned:
            self.targets.pop(key, None)
        self.targets.update(resolution.targets)
        return resolution

    def _crossed(self, added: Iterable[str], gone: Iterable[str]) -> tuple[set[str], set[str]]:
        """The names of which a block becomes too large, and those of which one no longer is."""
        growth: Counter[str] = Counter()
        for keys, sign in ((added, 1), (gone, -1)):
            for key in keys:
                for block in blocks_of(key):
                    growth[block] += sign
        filled: list[str] = []
        thinned: list[str] = []
        for block, more in growth.items():
            size = len(self._blocks.get(block, ()))
            before, after = is_too_large(block, size), is_too_large(block, size + more)
            if before != after:
                (filled if after else thinned).append(block)
        return self._members(filled), self._members(thinned)

    def _members(self, blocks: Iterable[str]) -> set[str]:
        return {key for block in blocks for key in self._blocks.get(block, ())}

    def _file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        for key in added:
            for block in blocks_of(key):
                self._blocks.setdefault(block, set()).add(key)
        for key in gone:
            for block in blocks_of(key):
                members = self._blocks[block]
                members.discard(key)
                if not members:
                    del self._blocks[block]

    def _renew(self, keys: Iterable[str]) -> None:
        """Find the candidates of some names anew; being near is mutual."""
        for key in keys:
            before = self._near.pop(key, set())
            after = candidates(key, self._blocks) if key in self._records else set()
            for other in before - after:
                if other in self._near:
                    self._near[other].discard(key)
            for other in after - before:
                self._near.setdefault(other, set()).add(key)
            if after:
                self._near[key] = after

    def _parted(self, key: str) -> set[str]:
        """The candidates of a name that share no block with it any more, now that one is too large."""
        return {other for other in self._near.get(key, ()) if not share_a_block(key, other, self._blocks)}

    def _around(self, keys: set[str]) -> set[str]:
        """`keys`, their candidates, and the candidates of those: a rival of the one decides about the other."""
        once = {other for key in keys for other in self._near.get(key, ())}
        return {*keys, *once, *(other for key in once for other in self._near.get(key, ()))}
