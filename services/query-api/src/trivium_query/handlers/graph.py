"""The knowledge graph: entities, their neighbours and the evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from trivium.api import EditSeen, HyperNode
from trivium.domain.chunks import Chunk
from trivium.domain.cursors import cursor_at, place_of
from trivium.domain.errors import NotFound
from trivium.domain.graph import Edge, Entity, Mention, Relation
from trivium.domain.graph_schema import Compliance
from trivium.domain.ids import entity_id, is_id
from trivium.domain.scope import Tenant
from trivium.ports.graph import EntityPage, GraphReader
from trivium.text.names import fold_name
from trivium_query.handlers.compliance import compliance_of
from trivium_query.handlers.curation import edits_about
from trivium_query.handlers.evidenced_by import evidenced_by
from trivium_query.requests import Services

NEIGHBOURS = 25  # where nobody says how many
MAX_NEIGHBOURS = 100
EVIDENCE = 20
MAX_EVIDENCE = 100


class Neighbour(msgspec.Struct, frozen=True):
    """An edge of an entity and what stands at its other end; `outgoing` when the edge leaves the entity."""

    entity: Entity
    edge: Edge
    outgoing: bool


class EntityPicture(msgspec.Struct, frozen=True):
    """An entity with its surroundings. `chunks` holds the chunks that mentions and relations point into.

    `compliance` says of relations how they stand to the schema of their dataset, where one has types in force.
    `cursor` leads to further neighbours, "" where there are none.
    """

    entity: Entity
    neighbours: tuple[Neighbour, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]
    chunks: dict[str, Chunk]
    compliance: dict[Relation, Compliance]
    edits: tuple[EditSeen, ...] = ()
    evidenced_by: tuple[HyperNode, ...] = ()
    cursor: str = ""


async def browse(services: Services, tenant: Tenant, prefix: str, kind: str, limit: int, cursor: str) -> EntityPage:
    """Entities by number of mentions, most first."""
    return await services.graphs.reader(tenant).entities(fold_name(prefix), kind, limit, cursor)


async def picture(
    services: Services, tenant: Tenant, wanted: str, neighbours: int, evidence: int, cursor: str = ""
) -> EntityPicture:
    """One entity with at most `neighbours` edges and `evidence` places. Raises `NotFound`, `Refused` (`bad_cursor`)."""
    if not is_id(wanted):
        raise unknown_entity()
    reader = services.graphs.reader(tenant)
    entity = await reader.entity(wanted)
    edges, (mentions, relations) = await asyncio.gather(
        reader.edges([entity.key], neighbours + 1, place_of(cursor, Edge) if cursor else None),
        reader.evidence(entity.key, evidence),
    )
    strongest = edges.get(entity.key, [])
    onward = cursor_at(strongest[neighbours - 1]) if len(strongest) > neighbours else ""
    places = {m.chunk_id for m in mentions} | {r.chunk_id for r in relations}
    around, chunks, made_by, within = await asyncio.gather(
        _neighbours(services, tenant, entity, strongest[:neighbours]),
        services.keywords.reader(tenant).chunks(sorted(places)),
        edits_about(services, tenant, (entity.key, entity.name, *entity.aliases), evidence),
        reader.hypernodes_of(sorted({mention.chunk_id for mention in mentions})),
    )
    compliance = await compliance_of(services, tenant, relations, chunks)
    return EntityPicture(
        entity,
        around,
        tuple(mentions),
        tuple(relations),
        chunks,
        compliance,
        made_by,
        evidenced_by(within, chunks),
        onward,
    )


async def _neighbours(services: Services, tenant: Tenant, entity: Entity, edges: list[Edge]) -> tuple[Neighbour, ...]:
    """The edges whose other end still exists: a deletion may run between the two reads."""
    ends = [e.target_key if e.source_key == entity.key else e.source_key for e in edges]
    known = await entities_of(services.graphs.reader(tenant), tenant, ends)
    return tuple(
        Neighbour(known[end], edge, edge.source_key == entity.key)
        for end, edge in zip(ends, edges, strict=True)
        if end in known
    )


async def entities_of(reader: GraphReader, tenant: Tenant, keys: Iterable[str]) -> dict[str, Entity]:
    """By key; those that do not exist are left out."""
    asked = sorted(set(keys))
    found = await asyncio.gather(*(reader.entity(entity_id(tenant, key)) for key in asked), return_exceptions=True)
    known: dict[str, Entity] = {}
    for key, result in zip(asked, found, strict=True):
        if isinstance(result, Entity):
            known[key] = result
        elif not isinstance(result, NotFound):
            raise result
    return known


def unknown_entity() -> NotFound:
    """No entity of this tenant has that id."""
    return NotFound("no_such_entity", "There is no such entity.", "Search with GET /v1/graph/entities?prefix=NAME.")
