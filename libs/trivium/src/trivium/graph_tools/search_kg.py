"""search_kg: entities by name, with what they are related to."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from trivium.api import Entity, Input, Output
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.values import Limit, Reference

EDGES_EACH = 10


class SearchKg(Input, frozen=True):
    """Entities whose name is, or is like, this one: look before you create one."""

    name: Reference
    limit: Limit = 5


class RelationSeen(Output, frozen=True):
    """A relation by the names of its ends; `evidence` counts the passages and edits that state it."""

    source: str
    type: str
    target: str
    confidence: float
    evidence: int


class EntityFound(Output, frozen=True):
    """An entity, how like its name is (1: it is called so), and its strongest relations."""

    entity: Entity
    similarity: Annotated[float, Meta(ge=0, le=1)]
    relations: tuple[RelationSeen, ...]


class EntitiesFound(Output, frozen=True):
    """The most alike first."""

    found: tuple[EntityFound, ...]


async def search_kg(desk: Desk, wanted: SearchKg) -> EntitiesFound:
    """Nothing found is an empty answer."""
    graph = desk.sources.graph
    matches = (await graph.match([wanted.name], wanted.limit)).get(wanted.name, [])
    edges = await graph.edges([entity.key for entity, _ in matches], EDGES_EACH)
    return EntitiesFound(
        tuple(
            EntityFound(
                msgspec.convert(entity, Entity, from_attributes=True),
                score,
                tuple(
                    RelationSeen(edge.source_key, edge.type, edge.target_key, edge.confidence, edge.evidence)
                    for edge in edges.get(entity.key, [])
                ),
            )
            for entity, score in matches
        )
    )
