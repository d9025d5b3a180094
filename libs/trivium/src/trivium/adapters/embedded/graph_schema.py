"""The graph's file: shares are the truth, and every other table is what they add up to."""

from __future__ import annotations

import sqlite3

from trivium.adapters.embedded.graph_evidence import put_evidence
from trivium.adapters.embedded.mirror import STATE_TABLE
from trivium.adapters.embedded.sqlite import Schema, rebuilding
from trivium.adapters.embedded.stored_kinds import of_neighbour
from trivium.adapters.embedded.stored_sections import nodes_of_neighbour
from trivium.adapters.embedded.stored_times import fill_uploaded
from trivium.domain.drift import Store


def _fill_fields(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM share LIMIT 1").fetchone():
        connection.executemany("UPDATE share SET kinds = ? WHERE chunk = ?", of_neighbour(connection))
        fill_uploaded(connection, "share", "document")


def _fill_evidence(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM share LIMIT 1").fetchone():
        for chunk, nodes in nodes_of_neighbour(connection):
            put_evidence(connection, chunk, nodes)


SCHEMA = Schema(
    name="graph",
    steps=(
        """
        CREATE TABLE share (
            chunk TEXT PRIMARY KEY, document TEXT NOT NULL, version TEXT NOT NULL,
            dataset TEXT NOT NULL, run TEXT NOT NULL, body BLOB NOT NULL
        );
        CREATE INDEX share_of ON share (document, version);

        CREATE TABLE named (
            key TEXT NOT NULL, role TEXT NOT NULL, chunk TEXT NOT NULL,
            sentence INTEGER NOT NULL, confidence REAL NOT NULL,
            PRIMARY KEY (key, role, chunk)
        ) WITHOUT ROWID;

        CREATE TABLE spread (
            key TEXT NOT NULL, role TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (key, role)
        ) WITHOUT ROWID;

        CREATE TABLE stated (
            source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, chunk TEXT NOT NULL,
            confidence REAL NOT NULL,
            PRIMARY KEY (source, target, type, chunk)
        ) WITHOUT ROWID;

        CREATE TABLE claimed (
            key TEXT NOT NULL, canonical TEXT NOT NULL, chunk TEXT NOT NULL, surface TEXT NOT NULL,
            PRIMARY KEY (key, canonical, chunk)
        ) WITHOUT ROWID;
        CREATE INDEX claimed_for ON claimed (canonical);

        CREATE TABLE tally (
            key TEXT NOT NULL, surface TEXT NOT NULL, type TEXT NOT NULL, n INTEGER NOT NULL,
            PRIMARY KEY (key, surface, type)
        ) WITHOUT ROWID;

        CREATE TABLE edge (
            source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL,
            confidence REAL NOT NULL, evidence INTEGER NOT NULL,
            PRIMARY KEY (source, target, type)
        ) WITHOUT ROWID;
        CREATE INDEX edge_to ON edge (target, source, type);

        CREATE TABLE name (
            n INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, id TEXT NOT NULL UNIQUE,
            target TEXT NOT NULL, root TEXT NOT NULL,
            surface TEXT NOT NULL, type TEXT NOT NULL, chunks INTEGER NOT NULL
        );
        CREATE INDEX name_of ON name (root) WHERE root <> key;
        CREATE INDEX name_for ON name (target) WHERE target <> key;
        CREATE INDEX listed ON name (chunks DESC, key) WHERE root = key AND chunks > 0;
        CREATE INDEX listed_of_type ON name (type, chunks DESC, key) WHERE root = key AND chunks > 0;
        CREATE VIRTUAL TABLE name_text USING fts5 (
            key, content = 'name', content_rowid = 'n', tokenize = 'trigram', detail = 'none'
        )
        """,
        # Degrees, which were counted edge by edge whenever an entity was shown.
        """
        CREATE TABLE neighbours ( -- edges between two entities, in either direction; left < right
            left TEXT NOT NULL, right TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (left, right)
        ) WITHOUT ROWID;
        CREATE TABLE degree (root TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO neighbours SELECT min(a, b), max(a, b), count(*) FROM (
            SELECT coalesce(s.root, e.source) AS a, coalesce(t.root, e.target) AS b
            FROM edge e LEFT JOIN name s ON s.key = e.source LEFT JOIN name t ON t.key = e.target
        ) WHERE a <> b GROUP BY 1, 2;
        INSERT INTO degree SELECT root, count(*) FROM (
            SELECT left AS root FROM neighbours UNION ALL SELECT right FROM neighbours
        ) GROUP BY root
        """,
        # What tells a reader that the rows it keeps in memory are still true.
        STATE_TABLE,
        # How chunks lie beside each other.
        """
        CREATE TABLE step (
            chunk TEXT NOT NULL, type TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (chunk, type, target)
        ) WITHOUT ROWID;
        CREATE INDEX step_to ON step (target)
        """,
        # What a filter asks of a passage beside its document and dataset: see trivium.adapters.kinds; Unix seconds.
        """
        ALTER TABLE share ADD COLUMN kinds TEXT NOT NULL DEFAULT 'text';
        ALTER TABLE share ADD COLUMN uploaded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE share ADD COLUMN dated INTEGER
        """,
        _fill_fields,
        # What edits decide beside what they say, which is a share of no document. A hidden edge is seen by nobody.
        """
        CREATE TABLE decided ( -- kind: name, type, removed, state (which decisions)
            kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key)
        ) WITHOUT ROWID;
        CREATE TABLE hidden ( -- relations that hold only as far as edits from the mark on state them
            source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, mark TEXT NOT NULL,
            PRIMARY KEY (source, target, type)
        ) WITHOUT ROWID;
        CREATE INDEX hidden_to ON hidden (target);
        ALTER TABLE edge ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0
        """,
        # HAS_EVIDENCE; of a passage, `within` has the same, the widest HyperNode first.
        """
        ALTER TABLE share ADD COLUMN within TEXT NOT NULL DEFAULT '';
        CREATE TABLE evidence (node TEXT NOT NULL, chunk TEXT NOT NULL, PRIMARY KEY (node, chunk)) WITHOUT ROWID
        """,
        _fill_evidence,
        # Which names are one thing (`trivium.resolution`). Who changes how names are blocked or scored adds a step that
        # empties `block`, `near` and `verdict`, deletes what rules claim, and fills `unresolved` from `tally`.
        """
        CREATE TABLE unresolved (key TEXT PRIMARY KEY) WITHOUT ROWID; -- names that are to be looked at again
        CREATE TABLE block ( -- the hash of a block's name
            block INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (block, key)
        ) WITHOUT ROWID;
        CREATE TABLE near ( -- names of one block that are alike; both ways
            key TEXT NOT NULL, other TEXT NOT NULL, PRIMARY KEY (key, other)
        ) WITHOUT ROWID;
        CREATE TABLE verdict ( -- what rules say of two names; what merges is in `claimed` too
            key TEXT NOT NULL, other TEXT NOT NULL, score REAL NOT NULL, reasons TEXT NOT NULL, merges INTEGER NOT NULL,
            PRIMARY KEY (key, other)
        ) WITHOUT ROWID;
        CREATE INDEX asked ON verdict (score DESC, key, other) WHERE NOT merges;
        INSERT INTO unresolved SELECT DISTINCT key FROM tally
        """,
        # Edges between entities in the order in which they are told, where each page read and sorted all of a hub's.
        """
        CREATE TABLE tie ( -- weak: confidence times -1, few: evidence times -1, so that indexes ascend
            source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, weak REAL NOT NULL, few INTEGER NOT NULL,
            PRIMARY KEY (source, target, type)
        ) WITHOUT ROWID;
        INSERT INTO tie SELECT a, b, type, -max(confidence), -sum(evidence) FROM (
            SELECT coalesce(s.root, e.source) AS a, coalesce(t.root, e.target) AS b, e.type, e.confidence, e.evidence
            FROM edge e LEFT JOIN name s ON s.key = e.source LEFT JOIN name t ON t.key = e.target WHERE NOT e.hidden
        ) WHERE a <> b GROUP BY a, b, type;
        CREATE INDEX tie_from ON tie (source, weak, few, target, type);
        CREATE INDEX tie_to ON tie (target, weak, few, source, type);
        DROP TABLE neighbours
        """,
        # What is known otherwise of a name since it was settled: a neighbour tells nothing where no candidate has it.
        """
        ALTER TABLE unresolved RENAME TO before;
        CREATE TABLE unresolved ( -- names that are to be looked at again; '': whatever else came or went
            key TEXT NOT NULL, other TEXT NOT NULL, PRIMARY KEY (key, other)
        ) WITHOUT ROWID;
        INSERT INTO unresolved SELECT key, '' FROM before;
        DROP TABLE before
        """,
    ),
    recovery=rebuilding(Store.GRAPH),
)
