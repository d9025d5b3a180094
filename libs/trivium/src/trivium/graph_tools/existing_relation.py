"""The relation that somebody means, as the graph has it."""

from __future__ import annotations

from itertools import cycle

from trivium.domain.edits import Evidence, RelationKey
from trivium.domain.errors import NotFound
from trivium.domain.graph import CO_OCCURS, Edge
from trivium.graph_tools.create_relation import named_relation
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.values import NamedRelation

EDGES_AT_ONCE = 1000
MAX_STATEMENTS = 100  # that an edit rests on


async def existing_relation(desk: Desk, named: NamedRelation) -> Edge:
    """The edge. Raises `NotFound` (`unknown_relation`), which tells the relations that there are between the two.

    Either of the two may be a hub, and seldom both are: a page of each in turn, until all of one is read.
    """
    relation = await named_relation(desk, named)
    ends = (relation.source_key, relation.target_key)
    after: dict[str, Edge | None] = dict.fromkeys(ends)
    between: dict[RelationKey, Edge] = {}
    for end in cycle(ends):
        page = (await desk.sources.graph.edges([end], EDGES_AT_ONCE, after[end])).get(end, [])
        between |= {key_of(edge): edge for edge in page if {edge.source_key, edge.target_key} == set(ends)}
        for edge in between.values():
            if edge.type == relation.type and (edge.source_key == relation.source_key or edge.type == CO_OCCURS):
                return edge
        if len(page) < EDGES_AT_ONCE:
            break
        after[end] = page[-1]
    told = ", ".join(f"{key.source_key} {key.type} {key.target_key}" for key in between)
    raise NotFound(
        "unknown_relation",
        f"Nothing says {named.source[:80]!r} {relation.type} {named.target[:80]!r}.",
        f"Between the two there is: {told}." if told else "Between the two there is no relation.",
    )


def key_of(edge: Edge) -> RelationKey:
    """The relation that the edge stands for."""
    return RelationKey(edge.source_key, edge.target_key, edge.type)


def keys_of(edge: Edge) -> tuple[RelationKey, ...]:
    """It and, of a co-occurrence, the one that points the other way, which says the same."""
    turned = RelationKey(edge.target_key, edge.source_key, edge.type)
    return (key_of(edge), turned) if edge.type == CO_OCCURS else (key_of(edge),)


async def stated(desk: Desk, edges: list[Edge]) -> tuple[Evidence, ...]:
    """The passages that state relations between the two ends of `edges`, the surest first, at most `MAX_STATEMENTS`."""
    if not edges:
        return ()
    kinds = list(dict.fromkeys(edge.type for edge in edges))
    meant = await desk.sources.graph.stated_between(edges[0].source_key, edges[0].target_key, kinds, MAX_STATEMENTS)
    chunks = await desk.sources.keywords.chunks([relation.chunk_id for relation in meant])
    return tuple(
        Evidence(chunks[each.chunk_id].document_id, each.chunk_id, each.span, each.snippet)
        for each in meant
        if each.chunk_id in chunks
    )
