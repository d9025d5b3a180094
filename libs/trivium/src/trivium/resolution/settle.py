"""READ FIRST: some names of a graph are new, gone, or known otherwise: decide anew about all whom that concerns.

What is decided depends on the records of all names alone, however they came. The work is that of the names that
changed and of those that are like them, whatever the size of the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from trivium.resolution.blocking import MAX_BLOCK, blocks_of, is_too_large
from trivium.resolution.record import Record
from trivium.resolution.resolve import candidates, resolve, share_a_block
from trivium.resolution.shelf import NameShelf, Pair


def settle(shelf: NameShelf, keys: Collection[str]) -> None:
    """Bring the shelf to what the graph now says of `keys`; a name that is neither alive nor filed changes nothing."""
    filed, alive = shelf.filed(keys), shelf.alive(keys)
    added, gone = alive - filed, filed - alive
    near, blocks = _Nearness(shelf), _Blocks(shelf, MAX_BLOCK + 1 + len(gone))
    filled, thinned = _crossed(blocks, added, gone)
    moved = added | gone | thinned
    concerned = near.around({*filed, *moved})
    blocks.file(added, gone)
    near.load(filled)
    stay = {key for key in filled - moved if near.of(key)}
    blocks.load({*(moved - gone), *stay})
    parted = {key: {other for other in near.of(key) if not share_a_block(key, other, blocks)} for key in stay}
    concerned |= near.around({key for key, others in parted.items() if others})
    for key, others in parted.items():
        near.put(key, near.of(key) - others)
    for key in moved:
        near.put(key, candidates(key, blocks) if key not in gone else set())
    near.write()
    concerned |= near.around({*filed, *moved, *parted})
    _decide(shelf, near, concerned)


def _decide(shelf: NameShelf, near: _Nearness, concerned: set[str]) -> None:
    decided = {key for key in concerned if near.of(key) or near.had(key)}
    records = dict(shelf.records(decided | {other for key in decided for other in near.of(key)}))

    def rivals(key: str, other: str) -> list[Record]:
        near.load([other])
        names = (near.of(key) | near.of(other)) - {key, other}
        records.update(shelf.records([name for name in names if name not in records]))
        return [records[name] for name in names if name in records]

    verdicts = resolve(sorted(decided & records.keys()), near, records, rivals)
    shelf.decide({key: verdicts.get(key, ()) for key in decided})


def _crossed(blocks: _Blocks, added: Collection[str], gone: Collection[str]) -> tuple[set[str], set[str]]:
    """The names of which a block becomes too large, and those of which one no longer is."""
    growth: Counter[str] = Counter()
    for keys, sign in ((added, 1), (gone, -1)):
        for key in keys:
            for block in blocks_of(key):
                growth[block] += sign
    blocks.load({*added, *gone})
    filled: set[str] = set()
    thinned: set[str] = set()
    for block, more in growth.items():
        names = blocks.get(block, set())
        before, after = is_too_large(block, len(names)), is_too_large(block, len(names) + more)
        if before != after:
            (filled if after else thinned).update(names)
    return filled, thinned - set(gone)


class _Blocks(dict[str, set[str]]):
    """The members of blocks, as far as they were asked for; of a block that is too large, some."""

    def __init__(self, shelf: NameShelf, limit: int) -> None:
        super().__init__()
        self._shelf = shelf
        self._limit = limit

    def load(self, keys: Iterable[str]) -> None:
        """Read all blocks of these names that are not read yet."""
        unread = {block for key in keys for block in blocks_of(key) if block not in self}
        found = self._shelf.members(unread, self._limit) if unread else {}
        self.update({block: found.get(block, set()) for block in unread})

    def file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        """Put names, whose blocks were read, into them, and take others out."""
        self._shelf.file(added, gone)
        for key in added:
            for block in blocks_of(key):
                self[block].add(key)
        for key in gone:
            for block in blocks_of(key):
                self[block].discard(key)


class _Nearness(dict[str, set[str]]):
    """Who is near whom, as far as it was asked for, and what changes in that."""

    def __init__(self, shelf: NameShelf) -> None:
        super().__init__()
        self._shelf = shelf
        self._before: dict[str, set[str]] = {}
        self._put: set[str] = set()

    def of(self, key: str) -> set[str]:
        """The candidates of a name that was loaded."""
        return self.get(key, set())

    def had(self, key: str) -> bool:
        """Whether it had candidates before."""
        return bool(self._before.get(key))

    def load(self, keys: Iterable[str]) -> None:
        """Read those that are not read yet."""
        unread = {key for key in keys if key not in self}
        found = self._shelf.near(unread) if unread else {}
        for key in unread:
            self[key] = set(found.get(key, ()))
            self._before[key] = set(self[key])

    def around(self, keys: set[str]) -> set[str]:
        """`keys`, their candidates, and the candidates of those: a rival of the one decides about the other."""
        self.load(keys)
        once = {other for key in keys for other in self.of(key)}
        self.load(once)
        twice = {other for key in once for other in self.of(key)}
        self.load(twice)
        return keys | once | twice

    def put(self, key: str, others: set[str]) -> None:
        """Being near is mutual."""
        self.load(others)
        self._put.add(key)
        for other in self[key] - others:
            self[other].discard(key)
        for other in others - self[key]:
            self[other].add(key)
        self[key] = others

    def write(self) -> None:
        """What changed."""
        before, after = _pairs(self._before, self._put), _pairs(self, self._put)
        self._shelf.approach(after - before, before - after)


def _pairs(near: Mapping[str, set[str]], keys: Iterable[str]) -> set[Pair]:
    return {(min(key, other), max(key, other)) for key in keys for other in near[key]}
