"""Names and their blocks in memory, kept up to date name by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from trivium.resolution.blocking import MAX_BLOCK, blocks_of
from trivium.resolution.record import Record
from trivium.resolution.resolve import Resolution, candidates, resolve


class NameIndex:
    """The records of one graph. What `resolve` says depends on the records alone, however they came."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._blocks: dict[str, set[str]] = {}
        self.targets: dict[str, str] = {}

    def put(self, record: Record) -> None:
        """Add a name, or replace what is known of it."""
        if record.key not in self._records:
            for block in blocks_of(record.key):
                self._blocks.setdefault(block, set()).add(record.key)
        self._records[record.key] = record

    def drop(self, key: str) -> None:
        """Forget a name; one that is not there changes nothing."""
        if self._records.pop(key, None) is None:
            return
        for block in blocks_of(key):
            members = self._blocks[block]
            members.discard(key)
            if not members:
                del self._blocks[block]

    def update(self, records: Iterable[Record] = (), dropped: Iterable[str] = ()) -> Resolution:
        """Put and drop names, and decide anew about all whom that may concern; `targets` is then up to date."""
        put = {record.key: record for record in records if self._records.get(record.key) != record}
        gone = {key for key in dropped if key in self._records} - put.keys()
        touched = {*put, *gone, *self._crossed(put.keys() - self._records.keys(), gone)}
        concerned = self._around(touched)
        for record in put.values():
            self.put(record)
        for key in gone:
            self.drop(key)
        concerned |= self._around(touched)
        resolution = self._resolved(concerned & self._records.keys())
        for key in concerned:
            self.targets.pop(key, None)
        self.targets.update(resolution.targets)
        return resolution

    def _crossed(self, added: Iterable[str], gone: Iterable[str]) -> set[str]:
        """The names whose block becomes too large, or is no longer."""
        growth: Counter[str] = Counter()
        for keys, sign in ((added, 1), (gone, -1)):
            for key in keys:
                for block in blocks_of(key):
                    growth[block] += sign
        sizes = {block: len(self._blocks.get(block, ())) for block in growth}
        crossed = [block for block, size in sizes.items() if (size > MAX_BLOCK) != (size + growth[block] > MAX_BLOCK)]
        return {key for block in crossed for key in self._blocks.get(block, ())}

    def _around(self, keys: Iterable[str]) -> set[str]:
        """`keys`, their candidates, and the candidates of those: a rival of the one decides about the other."""
        once = {other for key in keys for other in candidates(key, self._blocks)}
        return {*keys, *once, *(other for key in once for other in candidates(key, self._blocks))}

    def _resolved(self, keys: set[str]) -> Resolution:
        near = {key: candidates(key, self._blocks) for key in keys}
        for other in {other for others in near.values() for other in others} - near.keys():
            near[other] = candidates(other, self._blocks)
        return resolve(sorted(keys), near, self._records)
