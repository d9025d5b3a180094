"""The graph as Neo4j holds it: labels, relations, and the indexes that stand before the first write.

    (:Chunk {id, document, version, dataset, run, kinds, uploaded, dated, within, share})    the times in Unix seconds
        -[:ABOUT | HEADED | MENTIONS | CREATED {name, chunk, sentence, confidence}]-> (:Name)    one type per role
        -[:HAS_TABLE | HAS_IMAGE | HAS_FORMULA | NEXT_TEXT | NEXT_TABLE | NEXT_IMAGE | NEXT_FORMULA]-> (:Chunk)
    (:HyperNode {id, document, version})-[:HAS_EVIDENCE]->(:Chunk)    a section or a document: `trivium.hypernodes`
    (:Name {id, key, name, spellings, words})        a folded name; also :Entity {type, mentions} when it stands for
                                                     an entity, :Alias when it is another name of one; `words` are
                                                     those of its key for the full-text index: `similar_names.py`
    (:Name)-[:RELATES {type, confidence, chunk, hidden}]->(:Name)    what one chunk states; hidden: nobody sees it
    (:Name)-[:CLAIMED {spellings}]->(:Name)                    what chunks say is an alias of what
    (:Alias)-[:ALIAS_OF]->(:Entity)                            what follows from it
    (:Name)-[:TIE {type, confidence, evidence, source, target, ahead, behind}]->(:Name)    between entities: `ties.py`
    (:Entity)-[:NEIGHBOUR {statements}]->(:Entity)             pairs that statements join; from the smaller id
    (:Changes {shard, epoch, n})                     how many transactions changed the graph; sixteen, so that writers
                                                     seldom wait for one

    What edits say is a share of a :Chunk without a document. What they decide beside that:
    (:Name:Decided {called, decided_type})                     how the entity is called and typed
    (:Name:Decided:Removed)                                    the entity is nowhere
    (:Name)-[:INVALID {type, mark}]->(:Name)                   the relation does not hold

Which names are one thing (`trivium.resolution`), as rules find it:
    (:Name:Unresolved {touched, changed})                      to be looked at again; `touched` marks who says so, with
                                                               a "+" where no more than these neighbours came or went
    (:Name)-[:IN]->(:Block {id})                               names that share a block are compared
    (:Name)-[:NEAR]-(:Name)                                    they share a block and are alike
    (:Name)-[:VERDICT {score, reasons, merges}]->(:Name)       what merges is CLAIMED too, as spelt "1 rule ..."
    (:Resolver)                                                who settles names holds its lock

A chunk's share (MessagePack) is the truth; everything else is what the shares add up to. `spellings` are counted:
"12 location Kelmore". Every node and relation carries `tenant` (`<index prefix>:<tenant>`), every statement matches on
it, and every index begins with it.

    MATCH (e:Entity {tenant: "trivium:default"}) RETURN e.name, e.type, e.mentions ORDER BY e.mentions DESC LIMIT 20
"""

from __future__ import annotations

from typing import LiteralString

from trivium.domain.graph import MentionRole, StepType

VERSION = 6
CHANGE_SHARDS = 16

ROLE_TYPES: dict[MentionRole, LiteralString] = {
    MentionRole.TITLE: "ABOUT",
    MentionRole.HEADING: "HEADED",
    MentionRole.MENTION: "MENTIONS",
    MentionRole.CREATED: "CREATED",
}
STEP_TYPES: dict[StepType, LiteralString] = {
    StepType.HAS_TABLE: "HAS_TABLE",
    StepType.HAS_IMAGE: "HAS_IMAGE",
    StepType.HAS_FORMULA: "HAS_FORMULA",
    StepType.NEXT_TEXT: "NEXT_TEXT",
    StepType.NEXT_TABLE: "NEXT_TABLE",
    StepType.NEXT_IMAGE: "NEXT_IMAGE",
    StepType.NEXT_FORMULA: "NEXT_FORMULA",
}
START_CHARS = 100  # of a key, in the index of beginnings: an index entry must be shorter than 8 kB

# `Entity` with a type and a count is what listings walk; relations have indexes so that the first places of a name, and
# what a chunk states, are found without walking a hub's relations.
SCHEMA: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT trivium_schema IF NOT EXISTS FOR (n:Schema) REQUIRE n.name IS UNIQUE",
    "CREATE CONSTRAINT trivium_tenant IF NOT EXISTS FOR (n:Tenant) REQUIRE n.tenant IS UNIQUE",
    "CREATE CONSTRAINT trivium_chunk IF NOT EXISTS FOR (n:Chunk) REQUIRE (n.tenant, n.id) IS UNIQUE",
    "CREATE CONSTRAINT trivium_hypernode IF NOT EXISTS FOR (n:HyperNode) REQUIRE (n.tenant, n.id) IS UNIQUE",
    "CREATE CONSTRAINT trivium_name IF NOT EXISTS FOR (n:Name) REQUIRE (n.tenant, n.id) IS UNIQUE",
    "CREATE CONSTRAINT trivium_changes IF NOT EXISTS FOR (n:Changes) REQUIRE (n.tenant, n.shard) IS UNIQUE",
    "CREATE INDEX trivium_document IF NOT EXISTS FOR (n:Chunk) ON (n.tenant, n.document, n.version)",
    "CREATE INDEX trivium_start IF NOT EXISTS FOR (n:Name) ON (n.tenant, n.start)",
    "CREATE INDEX trivium_listing IF NOT EXISTS FOR (n:Entity) ON (n.tenant, n.mentions)",
    "CREATE INDEX trivium_about IF NOT EXISTS FOR ()-[r:ABOUT]-() ON (r.tenant, r.name, r.chunk)",
    "CREATE INDEX trivium_headed IF NOT EXISTS FOR ()-[r:HEADED]-() ON (r.tenant, r.name, r.chunk)",
    "CREATE INDEX trivium_mentions IF NOT EXISTS FOR ()-[r:MENTIONS]-() ON (r.tenant, r.name, r.chunk)",
    "CREATE INDEX trivium_relates IF NOT EXISTS FOR ()-[r:RELATES]-() ON (r.tenant, r.chunk)",
    "CREATE INDEX trivium_tie_from IF NOT EXISTS FOR ()-[r:TIE]-() ON (r.tenant, r.source, r.ahead)",
    "CREATE INDEX trivium_tie_to IF NOT EXISTS FOR ()-[r:TIE]-() ON (r.tenant, r.target, r.behind)",
    "CREATE CONSTRAINT trivium_block IF NOT EXISTS FOR (n:Block) REQUIRE (n.tenant, n.id) IS UNIQUE",
    "CREATE CONSTRAINT trivium_resolver IF NOT EXISTS FOR (n:Resolver) REQUIRE n.tenant IS UNIQUE",
    "CREATE INDEX trivium_unresolved IF NOT EXISTS FOR (n:Unresolved) ON (n.tenant)",
    "CREATE INDEX trivium_asked IF NOT EXISTS FOR ()-[r:VERDICT]-() ON (r.tenant, r.merges, r.score)",
    "CREATE FULLTEXT INDEX trivium_marked_words IF NOT EXISTS FOR (n:Entity|Alias) ON EACH [n.words]"
    " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}",
    "CALL db.awaitIndexes(60)",
    # Names that a version before 4 wrote were never looked at.
    "MATCH (s:Schema {name: 'trivium'}) WHERE s.version < 4"
    " MATCH (n:Name) WHERE size(n.spellings) > 0"
    " CALL (n) { SET n:Unresolved, n.touched = 'version 4' } IN TRANSACTIONS OF 10000 ROWS",
    "MERGE (s:Schema {name: 'trivium'}) SET s.version = $version",
)
# With the version that drops them: what processes of an earlier one ask, which are replaced one by one beside ours.
DROPS: tuple[tuple[int, LiteralString], ...] = ((7, "DROP INDEX trivium_words IF EXISTS"),)
