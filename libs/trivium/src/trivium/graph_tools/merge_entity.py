"""merge_entity: two entities are one thing."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from trivium.api import Input
from trivium.domain.edits import Merge
from trivium.domain.errors import Refused
from trivium.domain.graph import Edge, EntityType
from trivium.graph_tools.desk import Desk, Found
from trivium.graph_tools.values import Passages, Reference, Why

SINGLE_VALUED = frozenset({"BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON"})  # a person has one of each
MAX_EDGES = 200


class MergeEntity(Input, frozen=True):
    """Two entities are one thing: everything said of `entity`, now and later, is said of `into`."""

    entity: Reference
    into: Reference
    why: Why = ""
    evidence: Passages = ()
    force: Annotated[bool, Meta(description="Even if the two were born or died elsewhere or at other times.")] = False


async def merge_entity(desk: Desk, wanted: MergeEntity) -> None:
    """Raises `Refused` (`same_entity`, `merge_circle`, `facts_differ`) and `NotFound` (`unknown_entity`)."""
    entity, into = await asyncio.gather(desk.entity(wanted.entity), desk.entity(wanted.into))
    if entity.key == into.key:
        raise Refused(
            "same_entity",
            f"{wanted.entity[:80]!r} and {wanted.into[:80]!r} are one entity already.",
            "Look at it with: trivium graph why NAME",
        )
    if not wanted.force:
        await require_same_facts(desk, entity, into)
    evidence = await desk.evidence(wanted.evidence)
    desk.draft(Merge(entity.key, into.key, entity.name), wanted.why, evidence)


async def require_same_facts(desk: Desk, entity: Found, into: Found) -> None:
    """Raises `Refused` (`facts_differ`) for two persons who were born or died elsewhere or at other times."""
    if entity.type is not EntityType.PERSON or into.type is not EntityType.PERSON:
        return
    edges = await desk.sources.graph.edges([entity.key, into.key], MAX_EDGES)
    theirs, others = (_facts(key, edges.get(key, [])) for key in (entity.key, into.key))
    for kind in sorted(theirs.keys() & others.keys()):
        if not theirs[kind] & others[kind]:
            raise Refused(
                "facts_differ",
                f"{entity.name!r} {kind} {_listed(theirs[kind])}, and {into.name!r} {kind} {_listed(others[kind])}.",
                "Two persons of one name are two. If they are one nevertheless, say force.",
            )


def _facts(key: str, edges: list[Edge]) -> dict[str, set[str]]:
    facts: dict[str, set[str]] = {}
    for edge in edges:
        if edge.source_key == key and edge.type in SINGLE_VALUED:
            facts.setdefault(edge.type, set()).add(edge.target_key)
    return facts


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values))
