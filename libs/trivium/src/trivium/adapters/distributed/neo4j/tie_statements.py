"""The Cypher that keeps `TIE`, what joins two entities, and reads a page of it; `$tenant` in each of them."""

from __future__ import annotations

from typing import LiteralString

# Every edge of some names, with the entities of both its ends.
EDGES_OF: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id})-[r:RELATES]-()
    WITH DISTINCT startNode(r) AS s, endNode(r) AS t, r.type AS type
    OPTIONAL MATCH (s)-[:ALIAS_OF]->(source)
    OPTIONAL MATCH (t)-[:ALIAS_OF]->(target)
    RETURN s.key, coalesce(source, s).key, t.key, coalesce(target, t).key, type
"""
KNOWN: LiteralString = """
    UNWIND $rows AS row
    MATCH (s:Name {tenant: $tenant, id: row.source})
    MATCH (t:Name {tenant: $tenant, id: row.target})
    WITH row, s, t
    MATCH (s)-[r:TIE]->(t) WHERE r.type = row.type
    RETURN row.n, r.confidence, r.evidence
"""
# Both ends are bound before relations are walked (DISTINCT keeps the plan so): the server then begins at the one that
# has fewer.
_STATED: LiteralString = """
    MATCH (s)<-[:ALIAS_OF*0..1]-(a)
    MATCH (t)<-[:ALIAS_OF*0..1]-(b)
    WITH DISTINCT a, b, kind
    MATCH (a)-[x:RELATES]->(b) WHERE x.type = kind AND x.hidden IS NULL
    RETURN max(x.confidence) AS confidence_stated, count(x) AS evidence_stated
"""
# An end that is another name of an entity now has no ties.
RECOUNTED: LiteralString = (
    """
    UNWIND $rows AS row
    OPTIONAL MATCH (s:Name {tenant: $tenant, id: row.source}) WHERE NOT EXISTS { (s)-[:ALIAS_OF]->() }
    OPTIONAL MATCH (t:Name {tenant: $tenant, id: row.target}) WHERE NOT EXISTS { (t)-[:ALIAS_OF]->() }
    WITH row, s, t, row.type AS kind
    CALL (s, t, kind) {
"""
    + _STATED
    + """
    }
    RETURN row.n, confidence_stated, evidence_stated
"""
)
PUT: LiteralString = """
    UNWIND $rows AS row
    MATCH (s:Name {tenant: $tenant, id: row.source})
    MATCH (t:Name {tenant: $tenant, id: row.target})
    MERGE (s)-[r:TIE {type: row.type}]->(t)
    SET r.tenant = $tenant, r.source = row.source, r.target = row.target, r.confidence = row.confidence,
        r.evidence = row.evidence, r.ahead = row.ahead, r.behind = row.behind
"""
DROP: LiteralString = """
    UNWIND $rows AS row
    MATCH (s:Name {tenant: $tenant, id: row.source})
    MATCH (t:Name {tenant: $tenant, id: row.target})
    WITH row, s, t
    MATCH (s)-[r:TIE]->(t) WHERE r.type = row.type DELETE r
"""


def _page(end: LiteralString, place: LiteralString) -> LiteralString:
    """The first ties of `root` behind `$after`, in the order of the index of that end."""
    return (
        "MATCH (s)-[r:TIE]->(t) USING INDEX r:TIE(tenant, "
        + end
        + ", "
        + place
        + ") WHERE r.tenant = $tenant AND r."
        + end
        + " = root.id AND r."
        + place
        + " >= "
        + place
        + """
        WITH r, s, t WHERE $after IS NULL OR r.confidence < $after.confidence OR r.confidence = $after.confidence AND (
            r.evidence < $after.evidence OR r.evidence = $after.evidence AND (
                s.key > $after.source_key OR s.key = $after.source_key AND (
                    t.key > $after.target_key OR t.key = $after.target_key AND r.type > $after.type)))
        RETURN r, s, t ORDER BY r.tenant, r."""
        + end
        + ", r."
        + place
        + ", s.key, t.key, r.type LIMIT $limit"
    )


# A tie is told where the statements say the same.
EDGES: LiteralString = (
    """
    UNWIND $ids AS id
    MATCH (asked:Name {tenant: $tenant, id: id})
    OPTIONAL MATCH (asked)-[:ALIAS_OF]->(entity)
    WITH id, coalesce(entity, asked) AS root WHERE NOT root:Removed
    WITH id, root, $places.behind AS behind, CASE WHEN $after IS NULL OR root.key = $after.source_key
        THEN $places.ahead WHEN root.key > $after.source_key THEN $places.as_strong ELSE $places.weaker END AS ahead
    CALL (root, ahead, behind) {
"""
    + _page("source", "ahead")
    + " UNION ALL "
    + _page("target", "behind")
    + """
    }
    WITH id, r, s, t ORDER BY r.confidence DESC, r.evidence DESC, s.key, t.key, r.type
    WITH id, collect([r, s, t])[..$limit] AS ties
    UNWIND range(0, size(ties) - 1) AS n
    WITH id, n, ties[n][0] AS r, ties[n][1] AS s, ties[n][2] AS t
    WITH id, n, r, s, t, r.type AS kind
    CALL (s, t, kind) {
"""
    + _STATED
    + """
    }
    WITH id, n, r, s, t WHERE r.confidence = confidence_stated AND r.evidence = evidence_stated
    WITH id, [s.key, t.key, r.type, r.confidence, r.evidence] AS edge ORDER BY id, n
    RETURN id, collect(edge)
"""
)

# Of graphs that a version before 5 wrote.
UNFILLED: LiteralString = "MATCH (s:Schema {name: 'trivium'}) WHERE s.ties IS NULL RETURN s.name"
FILLED: LiteralString = "MATCH (s:Schema {name: 'trivium'}) SET s.ties = true"
SPACES: LiteralString = "MATCH (c:Chunk) RETURN DISTINCT c.tenant"
NAMES_BEHIND: LiteralString = """
    MATCH (n:Name) WHERE n.tenant = $tenant AND n.id > $after
    WITH n ORDER BY n.tenant, n.id LIMIT $limit
    SET n:Name
    RETURN n.id
"""
