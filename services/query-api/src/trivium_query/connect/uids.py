"""Sets of numbers that mostly follow each other, as the UIDs of a mailbox do: a million take a few ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator


class Uids:
    """Ranges in order, none touching the next."""

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for first, last in ranges:
            self._firsts.append(first)
            self._lasts.append(last)

    def __contains__(self, uid: int) -> bool:
        at = bisect_right(self._firsts, uid) - 1
        return at >= 0 and uid <= self._lasts[at]

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.ranges())

    def __iter__(self) -> Iterator[int]:
        for first, last in self.ranges():
            yield from range(first, last + 1)

    @property
    def last(self) -> int:
        """The largest; 0 when there is none."""
        return self._lasts[-1] if self._lasts else 0

    def ranges(self) -> list[tuple[int, int]]:
        """First and last of each."""
        return list(zip(self._firsts, self._lasts, strict=True))

    def add(self, uid: int) -> None:
        """One more."""
        if uid in self:
            return
        at = bisect_right(self._firsts, uid)
        joins_left = at > 0 and self._lasts[at - 1] == uid - 1
        joins_right = at < len(self._firsts) and self._firsts[at] == uid + 1
        if joins_left and joins_right:
            self._lasts[at - 1] = self._lasts.pop(at)
            del self._firsts[at]
        elif joins_left:
            self._lasts[at - 1] = uid
        elif joins_right:
            self._firsts[at] = uid
        else:
            self._firsts.insert(at, uid)
            self._lasts.insert(at, uid)

    def remove(self, uid: int) -> None:
        """One less, if it is there."""
        if uid not in self:
            return
        at = bisect_right(self._firsts, uid) - 1
        first, last = self._firsts[at], self._lasts[at]
        kept = [(a, b) for a, b in ((first, uid - 1), (uid + 1, last)) if a <= b]
        self._firsts[at : at + 1] = [a for a, _ in kept]
        self._lasts[at : at + 1] = [b for _, b in kept]
