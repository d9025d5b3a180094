"""What lies between two versions of a schema."""

from __future__ import annotations

import msgspec

from trivium.domain.graph_schema import GraphSchema, RelationType


class ChangedType(msgspec.Struct, frozen=True):
    """A type in force in both, and how it was and is."""

    before: RelationType
    after: RelationType


class SchemaDifference(msgspec.Struct, frozen=True):
    """Of the types in force; and the names of what is, and is no longer, proposed."""

    added: tuple[RelationType, ...]
    removed: tuple[RelationType, ...]
    changed: tuple[ChangedType, ...]
    proposed: tuple[str, ...]
    no_longer_proposed: tuple[str, ...]


def between(older: GraphSchema, newer: GraphSchema) -> SchemaDifference:
    """From `older` to `newer`, by name."""
    before, after = ({kind.name: kind for kind in schema.types} for schema in (older, newer))
    waiting = {one.name for one in older.proposed}
    waits = {one.name for one in newer.proposed}
    return SchemaDifference(
        tuple(kind for name, kind in sorted(after.items()) if name not in before),
        tuple(kind for name, kind in sorted(before.items()) if name not in after),
        tuple(
            ChangedType(before[name], kind)
            for name, kind in sorted(after.items())
            if name in before and before[name] != kind
        ),
        tuple(sorted(waits - waiting)),
        tuple(sorted(waiting - waits)),
    )
