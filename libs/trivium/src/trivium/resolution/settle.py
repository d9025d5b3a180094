"""READ FIRST: some names of a graph are new, gone, or known otherwise: decide anew about all whom that concerns.

What is decided depends on the records of all names alone, however they came. What a name stands for depends on its
record, on its candidates and on what else may be meant, who are candidates too: so the work is that of the names that
changed and of those beside them, whatever the size of the graph. A neighbour more or less decides nothing unless a
candidate has it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from trivium.resolution.blocking import MAX_BLOCK, blocks_of, is_too_large
from trivium.resolution.likeness import may_have_rivals
from trivium.resolution.record import MAX_NEIGHBOURS, Record
from trivium.resolution.resolve import candidates, rank, resolve, share_a_block, shorter
from trivium.resolution.shelf import NameShelf, Pair


def settle(shelf: NameShelf, keys: Collection[str]) -> None:
    """Bring the shelf to what the graph now says of `keys`; a name that is neither alive nor filed changes nothing."""
    filed, alive = shelf.filed(keys), shelf.alive(keys)
    added, gone = alive - filed, filed - alive
    near, blocks = _Nearness(shelf), _Blocks(shelf, MAX_BLOCK + 1 + len(gone))
    filled, thinned = _crossed(blocks, added, gone)
    moved = added | gone | thinned
    near.load({*filed, *moved})
    blocks.file(added, gone)
    parted = _parted(near, blocks, filled, moved)
    blocks.load({block for key in moved - gone for block in blocks_of(key)})
    for key in moved:
        near.put(key, candidates(key, blocks) if key not in gone else set())
    telling, records = _telling(shelf, near, filed - moved - parted)
    concerned = near.depending({*telling, *moved, *parted})
    near.write()
    _decide(shelf, near, concerned, records)


def _telling(shelf: NameShelf, near: _Nearness, keys: Iterable[str]) -> tuple[set[str], dict[str, Record]]:
    """Those of names, with the candidates that they had, that are known otherwise in what bears on a decision.

    A neighbour that came or went bears on one only where a candidate has it, or had it since that one was settled.
    Returns the records that were read, too.
    """
    changed = shelf.changed([key for key in keys if near.of(key)])
    telling = {key for key, others in changed.items() if others is None}
    in_part = {key: others for key, others in changed.items() if others}
    everyone = in_part.keys() | {other for key in in_part for other in near.of(key)}
    records = dict(shelf.records(everyone))
    lately = shelf.changed(everyone)  # after the records: of both together nothing is missing

    now = {key: records[key].neighbours if key in records else frozenset() for key in everyone}
    ever = now | {key: now[key] | others for key, others in lately.items() if others}
    for key, others in in_part.items():
        had_none, had_more = now[key] <= others, len(now[key]) + len(others) > MAX_NEIGHBOURS
        if had_none or had_more or not all(others.isdisjoint(ever[other]) for other in near.of(key)):
            telling.add(key)
    return telling, records


def _decide(shelf: NameShelf, near: _Nearness, concerned: set[str], records: dict[str, Record]) -> None:
    others = {other for key in concerned for other in near.of(key)}
    records.update(shelf.records((concerned | others) - records.keys()))

    def rivals(key: str, other: str) -> Iterator[Record]:
        short = shorter(key, other)
        near.load([short])
        names = set(near.of(short)) - {key, other}
        records.update(shelf.records([name for name in names if name not in records]))
        yield from (records[name] for name in sorted(names) if name in records)

    above = {key: near.above(key) for key in concerned & records.keys()}
    verdicts = resolve(above, records, rivals)
    shelf.decide({key: verdicts.get(key, ()) for key in concerned})


def _crossed(blocks: _Blocks, added: Collection[str], gone: Collection[str]) -> tuple[list[frozenset[str]], set[str]]:
    """The blocks that become too large, each as the names it had, and the names of those that no longer are."""
    growth: Counter[str] = Counter()
    for keys, sign in ((added, 1), (gone, -1)):
        for key in keys:
            for block in blocks_of(key):
                growth[block] += sign
    blocks.load(growth)
    filled: list[frozenset[str]] = []
    thinned: set[str] = set()
    for block, more in growth.items():
        names = blocks[block]
        before, after = is_too_large(block, len(names)), is_too_large(block, len(names) + more)
        if after and not before:
            filled.append(frozenset(names))
        elif before and not after:
            thinned.update(names)
    return filled, thinned - set(gone)


def _parted(near: _Nearness, blocks: _Blocks, filled: Collection[frozenset[str]], moved: Collection[str]) -> set[str]:
    """Part the candidates that had a block in common which is too large now, and no other; returns those names."""
    stay = [names.difference(moved) for names in filled]
    near.load({key for names in stay for key in names})
    pairs = {
        (key, other) for names in stay for key in names for other in names.intersection(near.of(key)) if key < other
    }
    blocks.load({block for key, other in pairs for block in blocks_of(key) & blocks_of(other)})
    apart = [(key, other) for key, other in pairs if not share_a_block(key, other, blocks)]
    for key, other in apart:
        near.put(key, set(near.of(key)) - {other})
    return {key for pair in apart for key in pair}


class _Blocks(dict[str, tuple[str, ...]]):
    """The members of blocks, as far as they were asked for; of a block that is too large, some.

    Tuples, since most blocks have one member or none, and the garbage collector does not track tuples of strings.
    """

    def __init__(self, shelf: NameShelf, limit: int) -> None:
        super().__init__()
        self._shelf = shelf
        self._limit = limit

    def load(self, blocks: Iterable[str]) -> None:
        """Read those that are not read yet."""
        unread = {block for block in blocks if block not in self}
        found = self._shelf.members(unread, self._limit) if unread else {}
        self.update({block: tuple(found.get(block, ())) for block in unread})

    def file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        """Put names, whose blocks were read, into them, and take others out."""
        self._shelf.file(added, gone)
        for key in added:
            for block in blocks_of(key):
                self[block] += (key,)
        for key in gone:
            for block in blocks_of(key):
                self[block] = tuple(other for other in self[block] if other != key)


class _Nearness(dict[str, tuple[str, ...]]):
    """Who is near whom, as far as it was asked for, and what changes in that. Being near is mutual."""

    def __init__(self, shelf: NameShelf) -> None:
        super().__init__()
        self._shelf = shelf
        self._before: dict[str, tuple[str, ...]] = {}
        self._put: set[str] = set()
        self._rank = cache(rank)

    def of(self, key: str) -> tuple[str, ...]:
        """The candidates of a name that was loaded."""
        return self.get(key, ())

    def ever(self, key: str) -> Collection[str]:
        """Those of a name that was loaded, before and now."""
        now, before = self[key], self._before[key]
        return now if now is before else {*now, *before}

    def load(self, keys: Iterable[str]) -> None:
        """Read those that are not read yet."""
        unread = {key for key in keys if key not in self}
        found = self._shelf.near(unread) if unread else {}
        self.update({key: tuple(found.get(key, ())) for key in unread})
        self._before.update({key: self[key] for key in unread})

    def depending(self, changed: set[str]) -> set[str]:
        """The names of which something is to be decided that depends on what is known of the names `changed`.

        It depends on the name itself, on the candidates that outrank it and on rivals.
        The rivals of a pair are the candidates of the shorter of the two, which is mostly the one decided about. Of a
        name that no candidate outranks nothing is ever decided.
        """
        self.load(changed)
        itself = {key for key in changed if self._outranking(key, self.ever(key))}
        once = {other for key in changed for other in self.ever(key)} - changed
        self.load(once)
        beside = {key for key in once if self._depends(key, changed)}
        beyond = {
            key
            for other in {*changed, *once}
            for key in self.ever(other)
            if shorter(key, other) == other and self._rank(key) < self._rank(other)
        }
        self.load(beyond)
        return itself | beside | beyond

    def _depends(self, key: str, changed: set[str]) -> bool:
        """Whether `key` may stand for one of these, or one of them, a candidate, may be meant in the other's place."""
        above = self._outranking(key, self.ever(key))
        return not changed.isdisjoint(above) or any(may_have_rivals(key, other) for other in above)

    def above(self, key: str) -> tuple[str, ...]:
        """The candidates of a name that was loaded which outrank it."""
        return self._outranking(key, self.of(key))

    def _outranking(self, key: str, others: Iterable[str]) -> tuple[str, ...]:
        place = self._rank(key)
        return tuple([other for other in others if self._rank(other) > place])

    def put(self, key: str, others: Collection[str]) -> None:
        """What the candidates of a name that was loaded are now."""
        before, now = set(self[key]), set(others)
        self.load(before ^ now)
        self._put.add(key)
        for other in before - now:
            self[other] = tuple(name for name in self[other] if name != key)
        for other in now - before:
            self[other] += (key,)
        self[key] = tuple(now)

    def write(self) -> None:
        """What changed."""
        before, after = _pairs(self._before, self._put), _pairs(self, self._put)
        self._shelf.approach(after - before, before - after)


def _pairs(near: Mapping[str, Collection[str]], keys: Iterable[str]) -> set[Pair]:
    return {(min(key, other), max(key, other)) for key in keys for other in near[key]}
