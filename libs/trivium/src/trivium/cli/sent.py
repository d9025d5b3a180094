"""What became of the hand-over of sources."""

from __future__ import annotations

import msgspec

from trivium import api

WEB = ("http://", "https://")
OF_ALL = frozenset(("server_unreachable", "unauthenticated", "forbidden", "tenant_being_erased", "no_language_model"))
"""Codes of failures that every other source would meet, too."""


class Problem(msgspec.Struct, frozen=True):
    """A source that was not read, and why."""

    name: str
    reason: str


class Sent(msgspec.Struct):
    """Ids to wait for and whether one of them is of this run, sources known already, and problems."""

    run: str
    ids: list[str] = []
    begun: bool = False
    unchanged: int = 0
    problems: list[Problem] = []

    def count(self, source: api.Source, *, look_inside: bool = False) -> None:
        """One more source that was taken; with `look_inside`, what a known one holds is waited for."""
        if source.state.terminal and not (look_inside and source.children):
            self.unchanged += 1
        else:
            self.ids.append(source.id)
            self.begun |= source.run == self.run
