"""The relation that somebody means, as the graph has it."""

from __future__ import annotations

from trivium.domain.edits import Evidence, RelationKey
from trivium.domain.errors import NotFound
from trivium.domain.graph import CO_OCCURS, Edge, Relation
from trivium.domain.ids import entity_id
from trivium.graph_tools.create_relation import named_relation
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.values import NamedRelation

MAX_EDGES = 1000
MAX_STATEMENTS = 100


async def existing_relation(desk: Desk, named: NamedRelation) -> Edge:
    """The edge. Raises `NotFound` (`unknown_relation`), which tells the relations that there are between the two."""
    relation = await named_relation(desk, named)
    ends = {relation.source_key, relation.target_key}
    edges = (await desk.sources.graph.edges([relation.source_key], MAX_EDGES)).get(relation.source_key, [])
    between = [edge for edge in edges if {edge.source_key, edge.target_key} == ends]
    for edge in between:
        if edge.type == relation.type and (edge.source_key == relation.source_key or edge.type == CO_OCCURS):
            return edge
    told = ", ".join(f"{edge.source_key} {edge.type} {edge.target_key}" for edge in between)
    raise NotFound(
        "unknown_relation",
        f"Nothing says {named.source[:80]!r} {relation.type} {named.target[:80]!r}.",
        f"Between the two there is: {told}." if told else "Between the two there is no relation.",
    )


def key_of(edge: Edge) -> RelationKey:
    """The relation that the edge stands for."""
    return RelationKey(edge.source_key, edge.target_key, edge.type)


async def stated(desk: Desk, edges: list[Edge]) -> tuple[Evidence, ...]:
    """The passages that state relations between the two ends of `edges`, the surest first."""
    if not edges:
        return ()
    _, relations = await desk.sources.graph.evidence(edges[0].source_key, MAX_STATEMENTS)
    kinds = {edge.type for edge in edges}
    ends = {edges[0].source_key, edges[0].target_key}
    meant = [relation for relation in relations if relation.type in kinds and await _joins(desk, relation, ends)]
    chunks = await desk.sources.keywords.chunks([relation.chunk_id for relation in meant])
    return tuple(
        Evidence(chunks[each.chunk_id].document_id, each.chunk_id, each.span, each.snippet)
        for each in meant
        if each.chunk_id in chunks
    )


async def _joins(desk: Desk, relation: Relation, ends: set[str]) -> bool:
    found = set()
    for key in (relation.source_key, relation.target_key):
        try:
            found.add((await desk.sources.graph.entity(entity_id(desk.scope.tenant, key))).key)
        except NotFound:
            return False
    return found == ends
