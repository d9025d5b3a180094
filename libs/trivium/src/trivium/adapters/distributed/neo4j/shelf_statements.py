"""The Cypher of resolution, one statement per step of `shelf.py`; `$tenant` in each of them."""

from __future__ import annotations

from typing import LiteralString

# Whoever settles names waits here for whoever does: what is in a block is read and written by one at a time.
LOCK_RESOLVER: LiteralString = "MERGE (r:Resolver {tenant: $tenant}) SET r.locked = true"
ANY_UNRESOLVED: LiteralString = "MATCH (n:Unresolved) WHERE n.tenant = $tenant RETURN n.id LIMIT 1"
# A name that a writer deletes in that moment is found, and has no properties any more.
UNRESOLVED: LiteralString = """
    MATCH (n:Unresolved) WHERE n.tenant = $tenant AND n.id IS NOT NULL AND n.key IS NOT NULL
    RETURN n.id, n.key, n.touched LIMIT $limit
"""
# Whoever touched a name since it was read has written another mark: it stays unresolved.
SETTLED: LiteralString = """
    UNWIND $rows AS row
    MATCH (n:Unresolved {tenant: $tenant, id: row[0]})
    WITH n, row ORDER BY n.id
    SET n.key = n.key
    WITH n, row WHERE n.touched = row[1]
    REMOVE n:Unresolved, n.touched, n.changed
"""

ALIVE: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id}) WHERE size(n.spellings) > 0 AND n.key IS NOT NULL
    RETURN n.key
"""
RECORDS: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id}) WHERE size(n.spellings) > 0
    CALL (n) {
        MATCH (n)-[:RELATES]-(o) WITH DISTINCT o.key AS other ORDER BY other LIMIT $neighbours
        RETURN collect(other) AS others
    }
    CALL (n) {
        MATCH (n)-[r:RELATES]->(o) WHERE r.type IN $single
        WITH DISTINCT r.type AS type, o.key AS target ORDER BY type, target LIMIT $facts
        RETURN collect([type, target]) AS facts
    }
    RETURN n.key, n.spellings, n.decided_type, others, facts,
        [(n)-[i:INVALID]-(o) WHERE i.type = $one_thing | o.key]
"""
CHANGED: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id}) WHERE n:Unresolved AND n.key IS NOT NULL
    RETURN n.key, CASE WHEN n.touched STARTS WITH '+' THEN coalesce(n.changed, []) END
"""
FILED: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id}) WHERE EXISTS { (n)-[:IN]->(:Block) }
    RETURN n.key
"""
MEMBERS: LiteralString = """
    UNWIND $blocks AS id
    MATCH (b:Block {tenant: $tenant, id: id})
    CALL (b) { MATCH (b)<-[:IN]-(n:Name) WITH n LIMIT $limit RETURN collect(n.key) AS keys }
    RETURN id, keys
"""
NEAR: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id})-[:NEAR]-(o:Name)
    RETURN n.key, collect(DISTINCT o.key)
"""
FILE: LiteralString = """
    UNWIND $rows AS row
    MATCH (n:Name {tenant: $tenant, id: row[0]})
    UNWIND row[1] AS block
    MERGE (b:Block {tenant: $tenant, id: block})
    CREATE (n)-[:IN {tenant: $tenant}]->(b)
"""
UNFILE: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id})-[i:IN]->(b:Block)
    DELETE i
    WITH DISTINCT b WHERE NOT EXISTS { (b)<-[:IN]-() }
    DELETE b
"""
MEET: LiteralString = """
    UNWIND $pairs AS pair
    MATCH (l:Name {tenant: $tenant, id: pair[0]}), (r:Name {tenant: $tenant, id: pair[1]})
    MERGE (l)-[n:NEAR]->(r) SET n.tenant = $tenant
"""
PART: LiteralString = """
    UNWIND $pairs AS pair
    MATCH (:Name {tenant: $tenant, id: pair[0]})-[n:NEAR]-(:Name {tenant: $tenant, id: pair[1]})
    DELETE n
"""
VERDICTS: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id})-[v:VERDICT]->(o:Name)
    RETURN n.key, o.key, v.score, v.reasons, v.merges ORDER BY n.key, o.key
"""
DROP_VERDICTS: LiteralString = """
    UNWIND $ids AS id
    MATCH (:Name {tenant: $tenant, id: id})-[v:VERDICT]->() DELETE v
"""
ADD_VERDICTS: LiteralString = """
    UNWIND $rows AS row
    MATCH (n:Name {tenant: $tenant, id: row.id}), (o:Name {tenant: $tenant, id: row.other})
    CREATE (n)-[v:VERDICT {tenant: $tenant}]->(o)
    SET v.score = row.score, v.reasons = row.reasons, v.merges = row.merges
"""
ASKED: LiteralString = """
    MATCH (n:Name)-[v:VERDICT]->(o:Name)
    WHERE v.tenant = $tenant AND v.merges = false AND v.score <= $score
    WITH n.key AS key, o.key AS other, v WHERE v.score < $score OR key > $key OR (key = $key AND other > $other)
    RETURN key, other, v.score, v.reasons, v.merges
    ORDER BY v.score DESC, key, other LIMIT $limit
"""
