"""merge_relation: several relations between the same two entities are one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import RelationKey, UpdateRelation
from trivium.domain.errors import Refused
from trivium.graph_tools.desk import Desk, checked_type
from trivium.graph_tools.existing_relation import existing_relation, key_of, stated
from trivium.graph_tools.values import NamedRelation, Reference, RelationType, Why

MAX_TYPES = 20


class MergeRelation(Input, frozen=True):
    """Relations of several types between the same two entities are one of one type, with all their evidence."""

    source: Reference
    target: Reference
    types: Annotated[tuple[RelationType, ...], Meta(min_length=1, max_length=MAX_TYPES, description="Those that go.")]
    into: Annotated[RelationType, Meta(description="The one type that stays, or comes.")]
    why: Why = ""


async def merge_relation(desk: Desk, wanted: MergeRelation) -> None:
    """Raises `Refused` (`nothing_to_change`, `bad_relation_type`), `NotFound` (`unknown_relation`)."""
    into = checked_type(wanted.into)
    kinds = [kind for kind in dict.fromkeys(map(checked_type, wanted.types)) if kind != into]
    if not kinds:
        raise Refused("nothing_to_change", f"All of them are {into} already.", "Name the types that shall go.")
    edges = [await existing_relation(desk, NamedRelation(wanted.source, kind, wanted.target)) for kind in kinds]
    evidence = await stated(desk, edges)
    now = RelationKey(edges[0].source_key, edges[0].target_key, into)
    confidence = max(edge.confidence for edge in edges)
    desk.draft(UpdateRelation(tuple(map(key_of, edges)), now), wanted.why, evidence, confidence)
