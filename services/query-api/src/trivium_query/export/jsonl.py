"""JSON Lines: an entity, a relation or a topic a line, told apart by `kind`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trivium.domain.graph import Entity
from trivium.domain.topics import Topic
from trivium_query.export.parts import Part


def written(parts: Iterable[Part]) -> bytes:
    """A line each."""
    return b"".join(msgspec.json.encode(_record(part)) + b"\n" for part in parts)


def topics(all_of_them: Iterable[Topic]) -> bytes:
    """A line each: its name, terms, parent, and its most telling members and passages (chunk ids)."""
    return b"".join(msgspec.json.encode({"kind": "topic", **_told(topic)}) + b"\n" for topic in all_of_them)


def _told(topic: Topic) -> dict[str, object]:
    return {name: value for name, value in msgspec.structs.asdict(topic).items() if name != "told"}


def _record(part: Part) -> dict[str, object]:
    kind = "entity" if isinstance(part, Entity) else "relation"
    return {"kind": kind, **msgspec.structs.asdict(part)}
