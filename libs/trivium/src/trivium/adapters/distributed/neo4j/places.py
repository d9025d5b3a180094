"""What one step over names asks of the server, in one statement: about whom, in which headings, in which text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from trivium.domain.graph import Mentioning
from trivium.domain.retrieval import Scored

Found = list[list[Any]]  # (chunk, sentence) each


class RolePlaces(msgspec.Struct):
    """Where the names of one entity stand in a role: all relations counted, those of rarer names listed.

    A name has one relation to a chunk in a role, so of one name the relations are the chunks.
    """

    names: int = 0
    total: int = 0
    listed: Found = []

    def add(self, total: int, listed: Found) -> None:
        """One more name."""
        self.names += 1
        self.total += total
        self.listed = self.listed + listed

    @property
    def is_uncounted(self) -> bool:
        """Whether names share chunks that were not listed: only the server can tell how many they are together."""
        return self.names > 1 and len(self.listed) < self.total

    def mentioning(self, limit: int, counted: int | None) -> Mentioning:
        """At most `limit` places; `counted` where the server told the total."""
        known = self.total if self.names == 1 else len({chunk for chunk, _ in self.listed})
        return Mentioning(counted or known, first_places(self.listed, limit))


class PlacesFound:
    """The rows of `PLACES`, one a name, put together by the id asked for."""

    def __init__(self, rows: Iterable[list[Any]]) -> None:
        self._about: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self.headings: defaultdict[str, RolePlaces] = defaultdict(RolePlaces)
        self.mentions: defaultdict[str, RolePlaces] = defaultdict(RolePlaces)
        for id_, about, headed, headings, mentioned, mentions in rows:
            for chunk, confidence in about:
                self._about[id_][chunk] = max(confidence, self._about[id_].get(chunk, 0.0))
            for found, total, listed in ((self.headings, headed, headings), (self.mentions, mentioned, mentions)):
                if total:
                    found[id_].add(total, listed)

    def about(self) -> Iterator[tuple[str, list[Scored]]]:
        """By id, the surest chunks first."""
        for id_, found in self._about.items():
            yield id_, [Scored(*row) for row in sorted(found.items(), key=lambda row: (-row[1], row[0]))]


def first_places(found: Found, limit: int) -> tuple[tuple[str, int], ...]:
    """The first `limit` chunks of (chunk, sentence) in any order, each with its first sentence."""
    by_chunk = {chunk: sentence for chunk, sentence in sorted(found, reverse=True)}  # a chunk's first is last
    return tuple(sorted(by_chunk.items())[: max(limit, 0)])
