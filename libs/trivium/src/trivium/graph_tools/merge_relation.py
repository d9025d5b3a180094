"""merge_relation: several relations between the same two entities are one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import UpdateRelation
from trivium.domain.errors import Refused
from trivium.graph_tools.create_relation import named_relation
from trivium.graph_tools.desk import Desk, checked_confidence, checked_type
from trivium.graph_tools.existing_relation import existing_relation, keys_of, stated
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
    """It points as the caller says, from source to target, where a co-occurrence points nowhere.

    Raises `Refused` (`nothing_to_change`, `low_confidence`, `bad_relation_type`), `NotFound` (`unknown_relation`).
    """
    into = checked_type(wanted.into)
    kinds = [kind for kind in dict.fromkeys(map(checked_type, wanted.types)) if kind != into]
    if not kinds:
        raise Refused("nothing_to_change", f"All of them are {into} already.", "Name the types that shall go.")
    edges = [await existing_relation(desk, NamedRelation(wanted.source, kind, wanted.target)) for kind in kinds]
    evidence = await stated(desk, edges)
    now = await named_relation(desk, NamedRelation(wanted.source, into, wanted.target))
    confidence = checked_confidence(max(edge.confidence for edge in edges))
    was = tuple(key for edge in edges for key in keys_of(edge))
    desk.draft(UpdateRelation(was, now), wanted.why, evidence, confidence)
