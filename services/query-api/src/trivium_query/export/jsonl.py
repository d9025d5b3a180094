"""JSON Lines: an entity or a relation a line, told apart by `kind`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trivium.domain.graph import Entity
from trivium_query.export.parts import Part


def written(parts: Iterable[Part]) -> bytes:
    """A line each."""
    return b"".join(msgspec.json.encode(_record(part)) + b"\n" for part in parts)


def _record(part: Part) -> dict[str, object]:
    if isinstance(part, Entity):
        return {"kind": "entity", **msgspec.structs.asdict(part)}
    return {"kind": "relation", **msgspec.structs.asdict(part)}
