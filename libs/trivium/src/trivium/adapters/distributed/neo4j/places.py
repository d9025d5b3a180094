"""What one step over names asks of the server, in one statement: about whom, in which headings, in which text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from trivium.domain.graph import Mentioning, MentionRole
from trivium.domain.retrieval import Places, Scored

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
        """`counted` where the server told it."""
        places = first_places(self.listed, len(self.listed))
        return Mentioning(counted or (self.total if self.names == 1 else len(places)), places).of_few(limit)


class PlacesFound:
    """The rows of `PLACES`, one a name, put together by the id asked for."""

    def __init__(self, rows: Iterable[list[Any]]) -> None:
        self._about: dict[str, dict[str, float]] = defaultdict(dict)
        self._roles: dict[MentionRole, dict[str, RolePlaces]] = {
            MentionRole.HEADING: defaultdict(RolePlaces),
            MentionRole.MENTION: defaultdict(RolePlaces),
        }
        for id_, about, headed, headings, mentioned, mentions in rows:
            for chunk, confidence in about:
                self._about[id_][chunk] = max(confidence, self._about[id_].get(chunk, 0.0))
            for role, total, listed in (
                (MentionRole.HEADING, headed, headings),
                (MentionRole.MENTION, mentioned, mentions),
            ):
                if total:
                    self._roles[role][id_].add(total, listed)

    def uncounted(self, role: MentionRole) -> list[str]:
        """The ids whose chunks the server is to count."""
        return sorted(id_ for id_, found in self._roles[role].items() if found.is_uncounted)

    def places(self, by_id: Mapping[str, str], limit: int, counted: Mapping[MentionRole, Mapping[str, int]]) -> Places:
        """By name, the surest and the first chunks first."""

        def mentioned(role: MentionRole) -> dict[str, Mentioning]:
            return {
                by_id[id_]: found.mentioning(limit, counted[role].get(id_)) for id_, found in self._roles[role].items()
            }

        return Places(
            {by_id[id_]: _surest_first(found) for id_, found in self._about.items()},
            mentioned(MentionRole.HEADING),
            mentioned(MentionRole.MENTION),
        )


def first_places(found: Found, limit: int) -> tuple[tuple[str, int], ...]:
    """The first `limit` chunks of (chunk, sentence) in any order, each with its first sentence."""
    by_chunk = {chunk: sentence for chunk, sentence in sorted(found, reverse=True)}  # a chunk's first is last
    return tuple(sorted(by_chunk.items())[: max(limit, 0)])


def _surest_first(found: Mapping[str, float]) -> list[Scored]:
    return [Scored(chunk, confidence) for chunk, confidence in sorted(found.items(), key=lambda row: (-row[1], row[0]))]
