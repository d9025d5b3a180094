"""The Cypher that writes the graph, one statement per step of `write.py`; `$tenant` in each of them.

Setting a label, also one that it has, takes the node's write lock: what a statement reads after that stays so until the
transaction ends. Where another transaction deleted the node meanwhile, a label fails the statement, and all is done
again (`Neo4jServer.write`); a property would be set on nothing without a word. Rows come sorted by id, so that two
transactions lock in the same order.
"""

from __future__ import annotations

from typing import LiteralString

from trivium.adapters.distributed.neo4j.schema import ROLE_TYPES, STEP_TYPES
from trivium.domain.graph import MentionRole, StepType

# What `trivium.adapters.graph_rules.fields_of` tells of a row, in its order.
_FIELDS: LiteralString = "[c.document, c.version, c.dataset, c.run, c.kinds, c.uploaded, c.dated, c.within]"
# No row comes back from a server without our schema: it is new, or was emptied.
PUT_CHUNKS: LiteralString = (
    """
    MATCH (:Schema {name: 'trivium', version: $version})
    UNWIND $rows AS row
    MERGE (c:Chunk {tenant: $tenant, id: row.id})
    SET c:Chunk
    WITH c, row, c.share AS share, """
    + _FIELDS
    + """ AS fields
    SET c.document = row.document, c.version = row.version, c.dataset = row.dataset, c.run = row.run,
        c.kinds = row.kinds, c.uploaded = row.uploaded, c.dated = row.dated, c.within = row.within, c.share = row.share
    RETURN row.id, share, fields
"""
)
RELABEL_CHUNKS: LiteralString = (
    """
    UNWIND $rows AS row
    MATCH (c:Chunk {tenant: $tenant, id: row.id}) WHERE c.share IS NOT NULL
    SET c:Chunk
    WITH c, row, """
    + _FIELDS
    + """ AS fields
    SET c += row.fields
    RETURN row.id, fields
"""
)
# A HyperNode is there as long as it has evidence. Its passages are one document's, so nobody else waits for it.
DROP_EVIDENCE: LiteralString = """
    UNWIND $chunks AS id
    MATCH (c:Chunk {tenant: $tenant, id: id})<-[e:HAS_EVIDENCE]-(h) DELETE e
    WITH DISTINCT h WHERE NOT EXISTS { (h)-[:HAS_EVIDENCE]->() } DELETE h
"""
ADD_EVIDENCE: LiteralString = """
    UNWIND $rows AS row
    MATCH (c:Chunk {tenant: $tenant, id: row.chunk}) WHERE c.share IS NOT NULL
    MERGE (h:HyperNode {tenant: $tenant, id: row.node}) ON CREATE SET h.document = c.document, h.version = c.version
    MERGE (h)-[e:HAS_EVIDENCE]->(c) ON CREATE SET e.tenant = $tenant
"""
TAKE_CHUNKS: LiteralString = """
    UNWIND $rows AS row
    MATCH (c:Chunk {tenant: $tenant, document: row.document}) WHERE c.version IS NOT NULL AND c.version <> row.version
    WITH c ORDER BY c.id LIMIT $limit
    SET c:Chunk
    RETURN c.id, c.share
"""
# The last step of a transaction, so that the lock on the counter is held for its commit alone.
COUNT_CHANGE: LiteralString = """
    MERGE (n:Changes {tenant: $tenant, shard: $shard}) ON CREATE SET n.epoch = randomUUID(), n.n = 0 SET n.n = n.n + 1
"""
DROP_CHUNKS: LiteralString = "UNWIND $ids AS id MATCH (c:Chunk {tenant: $tenant, id: id}) DETACH DELETE c"

# The other end may come in a later batch: it has its place before it has its share.
DROP_STEPS: LiteralString = (
    "UNWIND $chunks AS id MATCH (:Chunk {tenant: $tenant, id: id})-[s:"
    + "|".join(STEP_TYPES.values())
    + "]->() DELETE s"
)


def _add_steps(relation: LiteralString) -> LiteralString:
    return (
        """
        UNWIND $rows AS row
        MATCH (c:Chunk {tenant: $tenant, id: row.chunk})
        MERGE (o:Chunk {tenant: $tenant, id: row.target})
            ON CREATE SET o.document = c.document, o.version = c.version
        CREATE (c)-[:"""
        + relation
        + """ {tenant: $tenant}]->(o)
        """
    )


ADD_STEPS: dict[StepType, LiteralString] = {step: _add_steps(name) for step, name in STEP_TYPES.items()}

# Names move between entities one transaction at a time, so that whoever moves one knows where its neighbours belong.
LOCK_TENANT: LiteralString = "MERGE (t:Tenant {tenant: $tenant}) SET t.locked = true"

_STATE: LiteralString = """
    RETURN n.key, root.key, n.spellings, [(n)-[c:CLAIMED]->(to) | [to.key, c.spellings]],
        COUNT { (n)<-[:CLAIMED]-() }, n.mentions, root <> n OR EXISTS { (n)<-[:ALIAS_OF]-() },
        n.decided_type, n:Removed, n:Removed OR EXISTS { (n)-[:INVALID]-() }
"""
# `$touched` is a mark of the transaction, where what is known of the names may change: of each, `others` are the
# neighbours that come or go; null: whatever else. What an earlier version marked, or a name that was nowhere, is anew.
LOCK_NAMES: LiteralString = (
    """
    UNWIND $rows AS row
    MERGE (n:Name {tenant: $tenant, id: row.id}) ON CREATE SET n.start = row.start
    SET n:Name, n.key = row.key
    WITH n, row, row.others IS NULL OR size(coalesce(n.spellings, [])) = 0
        OR size(coalesce(n.changed, [])) + size(row.others) > $most
        OR (n:Unresolved AND NOT coalesce(n.touched, '') STARTS WITH '+') AS anew
    WITH n, row, anew, CASE WHEN $touched = '' OR size(row.others) = 0 AND NOT anew THEN [] ELSE [1] END AS looked_at
    FOREACH (_ IN CASE WHEN anew THEN looked_at ELSE [] END |
        SET n:Unresolved, n.touched = $touched REMOVE n.changed)
    FOREACH (_ IN CASE WHEN anew THEN [] ELSE looked_at END |
        SET n:Unresolved, n.touched = '+' + $touched,
            n.changed = coalesce(n.changed, []) + [other IN row.others WHERE NOT other IN coalesce(n.changed, [])])
    WITH n
    OPTIONAL MATCH (n)-[:ALIAS_OF]->(entity)
    WITH n, coalesce(entity, n) AS root
"""
    + _STATE
)
TOUCH_ANEW: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id})
    SET n:Unresolved, n.touched = $touched
    REMOVE n.changed
"""
LOCK_GROUPS: LiteralString = (
    """
    UNWIND $ids AS id
    MATCH (root:Name {tenant: $tenant, id: id})
    SET root:Name
    WITH root
    MATCH (root)<-[:ALIAS_OF*0..1]-(n)
"""
    + _STATE
)

DROP_PLACES: LiteralString = """
    UNWIND $chunks AS id
    MATCH (:Chunk {tenant: $tenant, id: id})-[m:ABOUT|HEADED|MENTIONS|CREATED]->() DELETE m
"""
DROP_STATEMENTS: LiteralString = """
    UNWIND $chunks AS id
    MATCH ()-[r:RELATES]->() USING INDEX r:RELATES(tenant, chunk)
    WHERE r.tenant = $tenant AND r.chunk = id DELETE r
"""


def _add_places(relation: LiteralString) -> LiteralString:
    return (
        """
        UNWIND $rows AS row
        MATCH (c:Chunk {tenant: $tenant, id: row.chunk})
        MATCH (n:Name {tenant: $tenant, id: row.name})
        CREATE (c)-[m:"""
        + relation
        + """]->(n)
        SET m.tenant = $tenant, m.name = row.name, m.chunk = row.chunk,
            m.sentence = row.sentence, m.confidence = row.confidence
        """
    )


ADD_PLACES: dict[MentionRole, LiteralString] = {role: _add_places(name) for role, name in ROLE_TYPES.items()}
ADD_STATEMENTS: LiteralString = """
    UNWIND $rows AS row
    MATCH (s:Name {tenant: $tenant, id: row.source})
    MATCH (t:Name {tenant: $tenant, id: row.target})
    CREATE (s)-[:RELATES {tenant: $tenant, type: row.type, chunk: row.chunk, confidence: row.confidence}]->(t)
"""

PUT_CLAIMS: LiteralString = """
    UNWIND $rows AS row
    MATCH (n:Name {tenant: $tenant, id: row.name})
    MATCH (to:Name {tenant: $tenant, id: row.canonical})
    MERGE (n)-[c:CLAIMED]->(to) SET c.tenant = $tenant, c.spellings = row.spellings
    WITH c WHERE size(c.spellings) = 0 DELETE c
"""
MOVE_NAMES: LiteralString = """
    UNWIND $rows AS row
    MATCH (n:Name {tenant: $tenant, id: row.name})
    MATCH (root:Name {tenant: $tenant, id: row.root})
    OPTIONAL MATCH (n)-[before:ALIAS_OF]->()
    DELETE before
    FOREACH (_ IN CASE WHEN root = n THEN [] ELSE [1] END | CREATE (n)-[:ALIAS_OF {tenant: $tenant}]->(root))
"""
DESCRIBE_NAMES: LiteralString = """
    UNWIND $rows AS row
    MATCH (n:Name {tenant: $tenant, id: row.id})
    SET n += row.properties, n.words = row.words
    FOREACH (_ IN CASE row.label WHEN 'Entity' THEN [1] ELSE [] END | SET n:Entity REMOVE n:Alias)
    FOREACH (_ IN CASE row.label WHEN 'Alias' THEN [1] ELSE [] END | SET n:Alias REMOVE n:Entity)
    FOREACH (_ IN CASE row.label WHEN '' THEN [1] ELSE [] END | REMOVE n:Entity, n:Alias)
"""
COUNT_NEIGHBOURS: LiteralString = """
    UNWIND $rows AS row
    MATCH (l:Name {tenant: $tenant, id: row.left})
    MATCH (r:Name {tenant: $tenant, id: row.right})
    MERGE (l)-[e:NEIGHBOUR]->(r) ON CREATE SET e.tenant = $tenant, e.statements = 0
    SET e.statements = e.statements + row.n
    WITH e WHERE e.statements = 0 DELETE e
"""

# For entities that gained or lost a name: everything that is counted by entity, from what their names have.
RECOUNT_MENTIONS: LiteralString = """
    UNWIND $roots AS id
    MATCH (root:Name {tenant: $tenant, id: id})
    CALL (root) {
        MATCH (root)<-[:ALIAS_OF*0..1]-()<-[m:ABOUT|HEADED|MENTIONS|CREATED]-() WHERE m.confidence >= $sure
        RETURN count(DISTINCT m.chunk) AS mentions
    }
    SET root.mentions = mentions
"""
DROP_NEIGHBOURS: LiteralString = """
    UNWIND $roots AS id
    MATCH (:Name {tenant: $tenant, id: id})-[e:NEIGHBOUR]-()
    WITH DISTINCT e DELETE e
"""
RECOUNT_NEIGHBOURS: LiteralString = """
    UNWIND $roots AS id
    MATCH (root:Name {tenant: $tenant, id: id})<-[:ALIAS_OF*0..1]-()-[r:RELATES]-(o)
    WHERE r.hidden IS NULL
    OPTIONAL MATCH (o)-[:ALIAS_OF]->(entity)
    WITH root, r, coalesce(entity, o) AS other WHERE other <> root
    WITH root, other, count(DISTINCT r) AS statements, root.id < other.id AS forward
    WITH CASE WHEN forward THEN root ELSE other END AS l, CASE WHEN forward THEN other ELSE root END AS r, statements
    MERGE (l)-[e:NEIGHBOUR]->(r) SET e.tenant = $tenant, e.statements = statements
"""
DROP_UNUSED_NAMES: LiteralString = """
    UNWIND $ids AS id
    MATCH (n:Name {tenant: $tenant, id: id}) WHERE NOT EXISTS { (n)--() } AND NOT n:Decided DELETE n
"""

# What edits decide.
DECIDED: LiteralString = """
    MATCH (n:Decided) WHERE n.tenant = $tenant
    RETURN n.key, coalesce(n.called, ''), coalesce(n.decided_type, ''), n:Removed
"""
INVALID: LiteralString = """
    MATCH (s)-[i:INVALID]->(t) WHERE i.tenant = $tenant
    RETURN s.key, t.key, i.type, i.mark
"""
SCHEMA_THERE: LiteralString = "MATCH (s:Schema {name: 'trivium', version: $version}) RETURN s.name"
SHARES_OF_EDITS: LiteralString = """
    MATCH (c:Chunk {tenant: $tenant, document: ''}) WHERE c.version IS NOT NULL AND c.share IS NOT NULL
    RETURN c.id, c.share
"""
LOCK_CHUNKS: LiteralString = """
    UNWIND $ids AS id
    MATCH (c:Chunk {tenant: $tenant, id: id})
    SET c:Chunk
    RETURN id, c.share
"""
PUT_DECIDED: LiteralString = """
    UNWIND $rows AS row
    MERGE (n:Name {tenant: $tenant, id: row.id}) ON CREATE SET n.start = row.start, n.key = row.key
    SET n.called = row.called, n.decided_type = row.type
    FOREACH (_ IN CASE WHEN row.removed THEN [1] ELSE [] END | SET n:Removed)
    FOREACH (_ IN CASE WHEN row.removed THEN [] ELSE [1] END | REMOVE n:Removed)
    FOREACH (_ IN CASE WHEN row.decided THEN [1] ELSE [] END | SET n:Decided)
    FOREACH (_ IN CASE WHEN row.decided THEN [] ELSE [1] END | REMOVE n:Decided)
"""
PUT_INVALID: LiteralString = """
    UNWIND $rows AS row
    MERGE (s:Name {tenant: $tenant, id: row.source}) ON CREATE SET s.start = row.source_start, s.key = row.source_key
    MERGE (t:Name {tenant: $tenant, id: row.target}) ON CREATE SET t.start = row.target_start, t.key = row.target_key
    MERGE (s)-[i:INVALID {type: row.type}]->(t) SET i.tenant = $tenant, i.mark = row.mark
    WITH i WHERE i.mark = '' DELETE i
"""

# A statement is hidden while one of its ends is removed, or an edit made after it says that it does not hold.
_VEIL: LiteralString = """
    WITH DISTINCT r, startNode(r) AS s, endNode(r) AS t
    OPTIONAL MATCH (s)-[:ALIAS_OF]->(source)
    OPTIONAL MATCH (t)-[:ALIAS_OF]->(target)
    WITH r, coalesce(source, s) AS source, coalesce(target, t) AS target
    WITH r, source:Removed OR target:Removed AS gone,
        [(source)<-[:ALIAS_OF*0..1]-()-[i:INVALID]->()-[:ALIAS_OF*0..1]->(target) WHERE i.type = r.type | i.mark]
            AS marks
    SET r.hidden = CASE WHEN gone OR any(mark IN marks
        WHERE NOT (r.chunk STARTS WITH 'edit:' AND r.chunk >= 'edit:' + mark)) THEN true ELSE null END
"""
SETTLE_VEILS: LiteralString = (
    """
    UNWIND $roots AS id
    MATCH (:Name {tenant: $tenant, id: id})<-[:ALIAS_OF*0..1]-()-[r:RELATES]-()
"""
    + _VEIL
)
# Both ends are bound before relations are walked, as in `tie_statements.py`: a hub's others are not looked at.
_NAMES_OF_BOTH: LiteralString = """
    UNWIND $pairs AS pair
    MATCH (left:Name {tenant: $tenant, id: pair[0]})
    MATCH (right:Name {tenant: $tenant, id: pair[1]})
    MATCH (left)<-[:ALIAS_OF*0..1]-(a)
    MATCH (right)<-[:ALIAS_OF*0..1]-(b)
    WITH DISTINCT left, right, a, b
"""
SETTLE_VEILS_BETWEEN: LiteralString = _NAMES_OF_BOTH + "MATCH (a)-[r:RELATES]-(b)" + _VEIL
RECOUNT_NEIGHBOURS_BETWEEN: LiteralString = (
    _NAMES_OF_BOTH
    + """
    OPTIONAL MATCH (a)-[r:RELATES]-(b) WHERE r.hidden IS NULL
    WITH left, right, count(r) AS statements
    MERGE (left)-[e:NEIGHBOUR]->(right) SET e.tenant = $tenant, e.statements = statements
    WITH e WHERE e.statements = 0 DELETE e
"""
)
