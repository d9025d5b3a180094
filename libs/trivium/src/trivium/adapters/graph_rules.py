"""What both graph stores make of shares, as pure functions: places, statements, the names and types of entities.

A name points to the target that an edit gives it, else to the one that most chunks claim for it (ties: the smaller
key), else to the one that rules find (`trivium.resolution`). Following targets ends at the entity's root; of names that
point to each other in a circle the root is the smallest, of those that no edit points elsewhere if there are any, and
of those among them that only rules do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from trivium.adapters.kinds import kinds_of, kinds_text
from trivium.domain.errors import NotFound
from trivium.domain.graph import ChunkGraph, EntityType, Mention, Mentioning, Relation
from trivium.domain.scope import Scope, Tenant
from trivium.ports.graph import GraphRow
from trivium.text.names import fold_name

# A mention below this confidence is a reading, not a name: it is found by `mentioned_by` and makes no entity.
MIN_ENTITY_CONFIDENCE = 0.5

Spelling = tuple[str, str]  # surface, type
Statement = tuple[str, str, str]  # source, target, type
Name = tuple[str, str]  # key, role


def places_of(share: ChunkGraph) -> dict[Name, tuple[int, float]]:
    """Per name and role: the first sentence it stands in, and its best confidence."""
    places: dict[Name, tuple[int, float]] = {}
    for mention in share.mentions:
        name = (mention.key, mention.role.value)
        sentence, confidence = places.get(name, (mention.sentence, mention.confidence))
        places[name] = (min(sentence, mention.sentence), max(confidence, mention.confidence))
    return places


def statements_of(share: ChunkGraph) -> dict[Statement, float]:
    """Per statement the best confidence."""
    stated: dict[Statement, float] = {}
    for relation in share.relations:
        statement = (relation.source_key, relation.target_key, relation.type)
        stated[statement] = max(relation.confidence, stated.get(statement, 0.0))
    return stated


def sure_mentions(share: ChunkGraph) -> list[Mention]:
    """The mentions that make an entity."""
    return [mention for mention in share.mentions if mention.confidence >= MIN_ENTITY_CONFIDENCE]


def of_few(found: Mapping[str, Mentioning], limit: int) -> dict[str, Mentioning]:
    """Names with their places, those in more than `limit` chunks with their total alone."""
    return {key: one.of_few(limit) for key, one in found.items()}


def in_text_order(mentions: Iterable[Mention]) -> list[Mention]:
    """By place, longer before shorter."""
    return sorted(mentions, key=lambda m: (m.span.start, -m.span.end, m.role.value, m.key))


def surest_first(relations: Iterable[Relation]) -> list[Relation]:
    """By confidence, then by place."""
    return sorted(
        relations, key=lambda r: (-r.confidence, r.chunk_id, r.span.start, r.source_key, r.target_key, r.type)
    )


def relations_between(
    shares: Iterable[ChunkGraph], names: tuple[Collection[str], Collection[str]], types: Collection[str]
) -> list[Relation]:
    """What shares state of one of the types between a name of the one and a name of the other, the surest first."""
    one, other = names
    return surest_first(
        relation
        for share in shares
        for relation in share.relations
        if relation.type in types
        and (
            (relation.source_key in one and relation.target_key in other)
            or (relation.source_key in other and relation.target_key in one)
        )
    )


def display(key: str, spellings: Mapping[Spelling, int]) -> str:
    """The most frequent spelling of the whole name; a shorter one ("Rivera") only when there is no other; or ""."""
    counts: Counter[str] = Counter()
    for (surface, _), n in spellings.items():
        counts[surface] += n
    whole = {surface: n for surface, n in counts.items() if fold_name(surface) == key} or counts
    return min(whole, key=lambda surface: (-whole[surface], surface), default="")


def usual_type(spellings: Iterable[Mapping[Spelling, int]]) -> str:
    """The most frequent type among all the names of an entity."""
    kinds: Counter[str] = Counter()
    for counted in spellings:
        for (_, kind), n in counted.items():
            kinds[kind] += n
    return min(kinds, key=lambda kind: (-kinds[kind], kind), default=EntityType.CONCEPT.value)


def root_of(key: str, targets: Mapping[str, str], pinned: Collection[str] = (), ruled: Collection[str] = ()) -> str:
    """The root of the entity that `key` belongs to; a name without a target is its own.

    `pinned`: edits point it; `ruled`: rules alone do.
    """
    path = [key]
    while (target := targets.get(path[-1], path[-1])) not in path:
        path.append(target)
    return root_of_circle(path[path.index(target) :], pinned, ruled)


def root_of_circle(names: Sequence[str], pinned: Collection[str], ruled: Collection[str]) -> str:
    """Of names that point to each other; one that points to itself is a circle too."""
    return min(names, key=lambda name: (name in pinned, name not in ruled, name))


def no_such_entity(entity_id: str) -> NotFound:
    """What `entity` raises."""
    return NotFound("no_such_entity", f"There is no entity {entity_id[:64]!r}.", "List the entities to find its id.")


def is_as_stored(row: GraphRow, stored: Sequence[Any]) -> bool:
    """Whether what `fields_of` tells and the share, as stored, are the row's; one that cannot be read is not."""
    *fields, share = stored
    try:
        same = msgspec.msgpack.decode(share, type=ChunkGraph) == row.share
    except (msgspec.MsgspecError, TypeError):
        return False
    return same and fields == fields_of(row)


def fields_of(row: GraphRow) -> list[Any]:
    """Document, version, dataset, run, kinds, the two times and the HyperNodes, as stored."""
    scope = row.scope
    address = [row.document_id, row.version, scope.dataset, scope.run]
    return [*address, kinds_text(row.kinds), scope.uploaded, scope.dated, nodes_text(row.within)]


def nodes_text(within: Iterable[str]) -> str:
    """The HyperNodes of a chunk, as stored."""
    return " ".join(within)


def nodes_of(stored: str) -> tuple[str, ...]:
    """The HyperNodes in a stored text."""
    return tuple(stored.split())


def stored_row(tenant: Tenant, share: ChunkGraph, *fields: Any) -> GraphRow:
    """The row that `fields_of` told; what an earlier version did not store is as it was then."""
    document, version, dataset, run, kinds, uploaded, dated, within = fields
    scope = Scope(tenant, dataset, run, uploaded or 0, dated)
    return GraphRow(share, document, version, scope, kinds_of(kinds) if kinds else ("text",), nodes_of(within or ""))
