"""What differs between two sums of edits: a graph store that has the one is brought to the other by that alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from trivium.domain.edits import Decisions

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)


def changes(stored: Decisions, wanted: Decisions) -> tuple[Decisions, Decisions]:
    """Both, without what they have in common. All that is decided of an entity stays where some of it differs."""
    keys = _unlike(stored.names, wanted.names) | _unlike(stored.types, wanted.types)
    keys |= stored.removed ^ wanted.removed
    relations = _unlike(stored.hidden, wanted.hidden)
    same = set(map(id, stored.shares)).intersection(map(id, wanted.shares))  # most are one object

    def part(of: Decisions) -> Decisions:
        return Decisions(
            of.sequence,
            tuple(share for share in of.shares if id(share) not in same),
            {key: of.names[key] for key in keys if key in of.names},
            {key: of.types[key] for key in keys if key in of.types},
            of.removed & keys,
            {relation: of.hidden[relation] for relation in relations if relation in of.hidden},
            of.state,
        )

    return part(stored), part(wanted)


def _unlike(stored: Mapping[Key, Value], wanted: Mapping[Key, Value]) -> set[Key]:
    return {key for key, _ in stored.items() ^ wanted.items()}
