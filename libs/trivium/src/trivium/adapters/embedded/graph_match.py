"""Names that are like a name: candidates by their rarest trigrams, then compared in full."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter

from trivium.adapters.embedded.graph_places import REMOVED
from trivium.text.similarity import most_similar, trigrams

MAX_CANDIDATES = 200
MAX_POSTINGS = 400  # names read per trigram; a more common one ("ion") tells little and is left out


def similar_names(db: sqlite3.Connection, key: str, limit: int) -> list[tuple[str, float]]:
    """Roots of the entities with a name like `key` and the similarity (0 to 1), best first.

    A name that is known exactly is that entity (1.0) and no other. What was removed is like nothing.
    """
    if not key or limit < 1:
        return []
    removed = {root for (root,) in db.execute(REMOVED)}
    exact = db.execute("SELECT root FROM name WHERE key = ?", (key,)).fetchone()
    if exact:
        return [] if exact[0] in removed else [(exact[0], 1.0)]
    return most_similar(key, {name: root for name, root in _candidates(db, key) if root not in removed}, limit)


def _candidates(db: sqlite3.Connection, key: str) -> list[tuple[str, str]]:
    """The names that share most of the rare trigrams of `key`."""
    rare: Counter[int] = Counter()
    common: Counter[int] = Counter()
    for gram in sorted(trigrams(key)):
        term = '"' + gram.replace('"', '""') + '"'
        rows = db.execute(
            "SELECT rowid FROM name_text WHERE name_text MATCH ? ORDER BY rowid LIMIT ?", (term, MAX_POSTINGS + 1)
        ).fetchall()
        (rare if len(rows) <= MAX_POSTINGS else common).update(n for (n,) in rows)
    shared = (rare or common).items()
    most = heapq.nsmallest(MAX_CANDIDATES, shared, key=lambda item: (-item[1], item[0]))
    return db.execute(
        "SELECT key, root FROM name WHERE n IN (SELECT value FROM json_each(?))", (json.dumps([n for n, _ in most]),)
    ).fetchall()
