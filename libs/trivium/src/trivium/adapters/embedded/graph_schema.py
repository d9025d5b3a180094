"""The graph's file: shares are the truth, and every other table is what they add up to."""

from __future__ import annotations

from trivium.adapters.embedded.sqlite import Schema

# A mention below this confidence is a reading, not a name: it is found by `mentioned_by` and makes no entity.
MIN_ENTITY_CONFIDENCE = 0.5

SCHEMA = Schema(
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
    ),
    recovery="Move the file away; the graph is rebuilt from the object store when the documents are ingested again.",
)
