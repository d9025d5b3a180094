"""The Cypher that asks the graph: one statement per question, each matching on `$tenant`, aliases resolved.

What searches ask, and pages, tell their rows as one list, in one row: each row is a message, and reading one costs the
asyncio driver 0.1 ms of a processor.
"""

from __future__ import annotations

from typing import LiteralString

from trivium.adapters.distributed.neo4j.schema import ROLE_TYPES
from trivium.domain.graph import MentionRole

# Every statement over names begins so: `n` walks the names of the entity behind each id asked for. A name that is no
# entity stands for itself, one that was removed has no names.
_NAMES: LiteralString = """
    UNWIND $ids AS id
    MATCH (asked:Name {tenant: $tenant, id: id})
    OPTIONAL MATCH (asked)-[:ALIAS_OF]->(entity)
    WITH id, coalesce(entity, asked) AS root WHERE NOT root:Removed
    MATCH (root)<-[:ALIAS_OF*0..1]-(n)
"""
_WITHIN: LiteralString = """
    WHERE ($dataset = '' OR c.dataset = $dataset) AND ($documents IS NULL OR c.document IN $documents)
    AND ($run = '' OR c.run = $run)
    AND ($kinds IS NULL OR c.kinds IS NULL OR any(kind IN split(c.kinds, '|') WHERE kind IN $kinds))
    AND ($of = '' OR c.uploaded IS NULL OR (
        ($start IS NULL OR c[$of] >= $start) AND ($end IS NULL OR c[$of] < $end)
    ))
"""
_CHUNKS_ABOUT: LiteralString = """
    WITH id, m.chunk AS chunk, max(m.confidence) AS confidence ORDER BY confidence DESC, chunk
    WITH id, collect([chunk, confidence]) AS chunks RETURN collect([id, chunks])
"""
ABOUT: LiteralString = _NAMES + "MATCH (n)<-[m:ABOUT]-()" + _CHUNKS_ABOUT
ABOUT_WITHIN: LiteralString = _NAMES + "MATCH (n)<-[m:ABOUT]-(c:Chunk)" + _WITHIN + _CHUNKS_ABOUT


def _first_places(relation: LiteralString) -> LiteralString:
    """The first `$limit` places of `n`, by the index of the relation: as fast for a hub as for any other name.

    The index is named because a plan that was made when the graph was small is kept for a while, and may walk it all.
    What edits create is little, and has none.
    """
    if relation == ROLE_TYPES[MentionRole.CREATED]:
        return "MATCH (n)<-[m:CREATED]-() RETURN m.chunk AS chunk, m.sentence AS sentence ORDER BY chunk LIMIT $limit"
    return (
        "MATCH ()-[m:"
        + relation
        + "]->() USING INDEX m:"
        + relation
        + "(tenant, name, chunk) WHERE m.tenant = $tenant AND m.name = n.id AND m.chunk IS NOT NULL"
        + " RETURN m.chunk AS chunk, m.sentence AS sentence ORDER BY m.tenant, m.name, m.chunk LIMIT $limit"
    )


def _mentioned_by(relation: LiteralString) -> LiteralString:
    return (
        _NAMES
        + "WITH id, n, COUNT { (n)<-[:"
        + relation
        + "]-() } AS total WHERE total > 0 CALL (n) { "
        + _first_places(relation)
        + " } WITH id, n, total, collect([chunk, sentence]) AS places RETURN collect([id, total, places])"
    )


def _count_chunks(relation: LiteralString) -> LiteralString:
    return _NAMES + "MATCH (n)<-[m:" + relation + "]-() RETURN id, count(DISTINCT m.chunk)"


def _mentioned_within(relation: LiteralString) -> LiteralString:
    """The same of some documents; every place of a name is looked at."""
    return (
        _NAMES
        + "MATCH (n)<-[m:"
        + relation
        + "]-(c:Chunk)"
        + _WITHIN
        + " WITH id, m.chunk AS chunk, min(m.sentence) AS sentence ORDER BY chunk"
        + " WITH id, collect([chunk, sentence]) AS places RETURN collect([id, size(places), places[..$limit]])"
    )


MENTIONED_BY: dict[MentionRole, LiteralString] = {role: _mentioned_by(name) for role, name in ROLE_TYPES.items()}
MENTIONED_WITHIN: dict[MentionRole, LiteralString] = {
    role: _mentioned_within(name) for role, name in ROLE_TYPES.items()
}
COUNT_CHUNKS: dict[MentionRole, LiteralString] = {role: _count_chunks(name) for role, name in ROLE_TYPES.items()}

# Names in more than `$limit` chunks are only counted, which asks their node alone.
PLACES: LiteralString = """
    UNWIND $asked AS ask
    MATCH (asked:Name {tenant: $tenant, id: ask[0]})
    OPTIONAL MATCH (asked)-[:ALIAS_OF]->(entity)
    WITH ask, coalesce(entity, asked) AS root WHERE NOT root:Removed
    MATCH (root)<-[:ALIAS_OF*0..1]-(n)
    WITH ask[0] AS id, ask[1] AS titled, n,
        CASE WHEN ask[1] THEN COUNT { (n)<-[:HEADED]-() } ELSE 0 END AS headed,
        CASE WHEN ask[2] THEN COUNT { (n)<-[:MENTIONS]-() } ELSE 0 END AS mentioned
    RETURN collect([id,
        CASE WHEN titled THEN [(n)<-[m:ABOUT]-() | [m.chunk, m.confidence]] ELSE [] END,
        headed, CASE WHEN headed <= $limit THEN [(n)<-[m:HEADED]-() | [m.chunk, m.sentence]] ELSE [] END,
        mentioned, CASE WHEN mentioned <= $limit THEN [(n)<-[m:MENTIONS]-() | [m.chunk, m.sentence]] ELSE [] END])
"""

_COLUMNS: LiteralString = """
    root.id, root.key, coalesce(root.called, root.name), root.type,
        [(root)<-[:ALIAS_OF]-(alias) | alias.name] + [root.name], root.mentions, COUNT { (root)-[:NEIGHBOUR]-() }
"""
_ENTITY: LiteralString = " RETURN collect([" + _COLUMNS + "])"
ENTITIES: LiteralString = "UNWIND $ids AS id MATCH (root:Entity:Name {tenant: $tenant, id: id})" + _ENTITY
ENTITY_OF: LiteralString = (
    """
    UNWIND $ids AS id
    MATCH (asked:Name {tenant: $tenant, id: id})
    OPTIONAL MATCH (asked)-[:ALIAS_OF]->(entity)
    WITH coalesce(entity, asked) AS root WHERE root:Entity
"""
    + _ENTITY
)
# The order of the index of listings, so that a page is read from it without counting the rest.
_AFTER: LiteralString = """
    root.mentions > 0 AND root.mentions <= $most AND (root.mentions < $most OR root.key > $after)
    AND ($type = '' OR root.type = $type)
    WITH root ORDER BY root.tenant DESC, root.mentions DESC, root.key LIMIT $limit
"""
LISTED: LiteralString = (
    "MATCH (root:Entity) USING INDEX root:Entity(tenant, mentions) WHERE root.tenant = $tenant AND" + _AFTER + _ENTITY
)
BEGINNING: LiteralString = (
    """
    MATCH (n:Name) WHERE n.tenant = $tenant AND n.start STARTS WITH $start AND n.key STARTS WITH $prefix
    OPTIONAL MATCH (n)-[:ALIAS_OF]->(entity)
    WITH DISTINCT coalesce(entity, n) AS root WHERE root:Entity AND
"""
    + _AFTER
    + _ENTITY
)
NAMES: LiteralString = _NAMES + "RETURN n.key"
NAMED_IN: LiteralString = (
    _NAMES
    + "CALL (n) { "
    + " UNION ALL ".join(_first_places(name) for name in ROLE_TYPES.values())
    + """ }
    WITH DISTINCT chunk ORDER BY chunk LIMIT $limit
    MATCH (c:Chunk {tenant: $tenant, id: chunk})
    RETURN c.id, c.share
"""
)
_SUREST_SHARES: LiteralString = """
    WITH DISTINCT r.chunk AS chunk, r.confidence AS confidence ORDER BY confidence DESC, chunk LIMIT $limit
    MATCH (c:Chunk {tenant: $tenant, id: chunk})
    RETURN DISTINCT c.id, c.share
"""
STATED_IN: LiteralString = _NAMES + "MATCH (n)-[r:RELATES]-()" + _SUREST_SHARES
STATED_BETWEEN: LiteralString = (
    """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id})
    UNWIND $others AS other
    MATCH (m:Name {tenant: $tenant, id: other})
    MATCH (n)-[r:RELATES]-(m) WHERE r.type IN $types
"""
    + _SUREST_SHARES
)
SHARES_OF: LiteralString = """
    UNWIND $ids AS id
    MATCH (c:Chunk {tenant: $tenant, id: id}) WHERE c.share IS NOT NULL AND c.document <> ''
    RETURN collect([c.id, c.share])
"""
MENTIONS_IN: LiteralString = """
    UNWIND $ids AS id
    MATCH (c:Chunk {tenant: $tenant, id: id}) WHERE c.share IS NOT NULL
    RETURN collect([c.id, c.share, CASE WHEN EXISTS { MATCH (r:Removed) WHERE r.tenant = $tenant } THEN
        [(c)-[:ABOUT|HEADED|MENTIONS]->(n)-[:ALIAS_OF*0..1]->(:Removed) | n.key] ELSE [] END])
"""
BESIDE: LiteralString = """
    UNWIND $ids AS id
    MATCH (:Chunk {tenant: $tenant, id: id})-[s:HAS_TABLE|HAS_IMAGE|HAS_FORMULA]-(o) WHERE o.share IS NOT NULL
    WITH DISTINCT id, type(s) AS type, o.id AS other ORDER BY type, other
    WITH id, collect([type, other]) AS steps RETURN collect([id, steps])
"""
EVIDENCE_OF: LiteralString = (
    """
    UNWIND $ids AS id
    MATCH (:HyperNode {tenant: $tenant, id: id})-[:HAS_EVIDENCE]->(c)
"""
    + _WITHIN
    + " WITH id, c.id AS chunk ORDER BY chunk WITH id, collect(chunk)[..$limit] AS chunks WHERE size(chunks) > 0"
    + " RETURN id, chunks"
)
HYPERNODES_OF: LiteralString = """
    UNWIND $ids AS id
    MATCH (c:Chunk {tenant: $tenant, id: id}) WHERE c.within <> ''
    RETURN id, c.within
"""
# Ordered as the index is, so that a page is read from it.
SHARES: LiteralString = """
    MATCH (c:Chunk) WHERE c.tenant = $tenant AND c.id > $after AND c.share IS NOT NULL
    AND ($dataset = '' OR c.dataset = $dataset)
    WITH c ORDER BY c.tenant, c.id LIMIT $limit
    RETURN collect([c.document, c.version, c.dataset, c.run, c.kinds, c.uploaded, c.dated, c.within, c.share])
"""
NAMED: LiteralString = (
    """
    UNWIND $ids AS id
    MATCH (asked:Name {tenant: $tenant, id: id})
    OPTIONAL MATCH (asked)-[:ALIAS_OF]->(entity)
    WITH id, coalesce(entity, asked) AS root WHERE root:Entity
    WITH root, collect(id) AS ids
    RETURN collect([ids,
"""
    + _COLUMNS
    + "])"
)
STAMP: LiteralString = """
    MATCH (n:Changes {tenant: $tenant}) WITH n.epoch AS epoch, n.n AS n ORDER BY epoch RETURN epoch, n
"""
