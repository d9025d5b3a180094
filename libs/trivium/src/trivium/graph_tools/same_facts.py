"""Whether two persons may be one: nobody was born or died twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from trivium.domain.errors import Refused
from trivium.domain.graph import Edge, EntityType
from trivium.ports.graph import GraphReader

SINGLE_VALUED = frozenset({"BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON"})  # a person has one of each
MAX_EDGES = 200


class Bearer(msgspec.Struct, frozen=True):
    """One of the two: its name, its type, and the keys that it has by now."""

    name: str
    type: EntityType
    keys: tuple[str, ...]


async def require_same_facts(graph: GraphReader, one: Bearer, other: Bearer, stated: Sequence[Edge] = ()) -> None:
    """Raises `Refused` (`facts_differ`) for two persons who were born or died elsewhere or at other times.

    `stated` is what the graph does not say yet. Two that the graph has as one already are not asked about.
    """
    if one.type is not EntityType.PERSON or other.type is not EntityType.PERSON:
        return
    stated = [edge for edge in stated if edge.type in SINGLE_VALUED]
    asked = {*one.keys, *other.keys, *(key for edge in stated for key in (edge.source_key, edge.target_key))}
    entities = {key: entity.key for key, entity in (await graph.named(sorted(asked))).items()}
    mine, theirs = ({entities.get(key, key) for key in each.keys} for each in (one, other))
    if mine & theirs:
        return
    edges = [edge for each in (await graph.edges(sorted(mine | theirs), MAX_EDGES)).values() for edge in each]
    edges += [
        Edge(
            entities.get(edge.source_key, edge.source_key),
            entities.get(edge.target_key, edge.target_key),
            edge.type,
            1.0,
        )
        for edge in stated
    ]
    of_one, of_other = _facts(mine, edges), _facts(theirs, edges)
    for kind in sorted(of_one.keys() & of_other.keys()):
        if not of_one[kind] & of_other[kind]:
            raise Refused(
                "facts_differ",
                f"{one.name!r} {kind} {_listed(of_one[kind])}, and {other.name!r} {kind} {_listed(of_other[kind])}.",
                "Two persons of one name are two. If they are one nevertheless, a person may say force.",
            )


def _facts(keys: Collection[str], edges: Iterable[Edge]) -> dict[str, set[str]]:
    facts: dict[str, set[str]] = {}
    for edge in edges:
        if edge.source_key in keys and edge.type in SINGLE_VALUED:
            facts.setdefault(edge.type, set()).add(edge.target_key)
    return facts


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values))
