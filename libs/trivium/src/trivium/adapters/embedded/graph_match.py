"""Names that are like a name: candidates by their rarest trigrams, then compared in full."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter

MIN_SIMILARITY = 0.5
MAX_CANDIDATES = 200
MAX_POSTINGS = 400  # names read per trigram; a more common one ("ion") tells little and is left out
CONTAINED = 0.6  # similarity of "rivera" and "ana rivera" begins here and grows with the share of the name
TRIGRAM = 3


def similar_names(db: sqlite3.Connection, key: str, limit: int) -> list[tuple[str, float]]:
    """Roots of the entities with a name like `key` and the similarity (0 to 1), best first.

    A name that is known exactly is that entity (1.0) and no other.
    """
    if not key or limit < 1:
        return []
    exact = db.execute("SELECT root FROM name WHERE key = ?", (key,)).fetchone()
    if exact:
        return [(exact[0], 1.0)]
    best: dict[str, float] = {}
    for name, root in _candidates(db, key):
        score = similarity(key, name)
        if score >= MIN_SIMILARITY and score > best.get(root, 0.0):
            best[root] = score
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]


def similarity(left: str, right: str) -> float:
    """Dice's coefficient of the letter trigrams; at least `CONTAINED` when one has all the words of the other."""
    if left == right:
        return 1.0
    ours, theirs = trigrams(f" {left} "), trigrams(f" {right} ")
    dice = 2 * len(ours & theirs) / (len(ours) + len(theirs))
    shorter, longer = sorted((left, right), key=len)
    if set(shorter.split()) <= set(longer.split()):
        return max(dice, CONTAINED + (1 - CONTAINED) * len(shorter) / len(longer) * 0.9)
    return dice


def trigrams(text: str) -> set[str]:
    """Every run of three characters."""
    return {text[at : at + TRIGRAM] for at in range(len(text) - TRIGRAM + 1)}


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
