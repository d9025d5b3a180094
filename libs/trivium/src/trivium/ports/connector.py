"""Connectors: what has changed in a place outside since the last look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec


class Item(msgspec.Struct, frozen=True):
    """A file's content. `declared_type` and `title` are the place's words for it, "" where it has none."""

    content: bytes
    declared_type: str = ""
    title: str = ""


class Changed(msgspec.Struct, frozen=True):
    """A file that is new or differs: `fetch` gets it, and raises as `Connector.changes`; None: not now.

    `name` is its path below the place; `token` tells this value of it from others.
    """

    name: str
    token: str
    fetch: Callable[[], Item | None]


class Gone(msgspec.Struct, frozen=True):
    """A file that was there and is not any more."""

    name: str


class Unchanged(msgspec.Struct, frozen=True):
    """A file that was asked for by itself and brings nothing new: the place answers. It need not be told."""

    name: str


Change = Changed | Gone


class Connector(Protocol):
    """One look at one place, from a cursor on.

    Missing: a place that is not there raises; its files are not gone.
    Duplicate: what was stored under a cursor is not told as `Changed` again while it is as it was.
    Empty: an empty place has no changes, and every file of before is gone.
    Order: any; a file is told once a look. What is gone is told at the end, and of a folder that was not seen, nothing.
    Half-done: the cursor is that of what was `stored`; what was not is told at the next look.
    """

    def changes(self) -> Iterator[Change | Unchanged]:
        """What differs. Raises `Refused` or `NeverWill` for what somebody must put right, `TryLater` for the rest."""
        ...

    def stored(self, change: Change) -> None:
        """It is in Trivium, or gone from it; only now may the cursor go past it."""
        ...

    def cursor(self) -> str:
        """Where the next look goes on; for a connector of the same kind and place."""
        ...
