"""Names that are like a name: candidates by their rarest trigrams, then compared in full."""

from __future__ import annotations

import json
import sqlite3
from itertools import accumulate

MIN_SIMILARITY = 0.5
MAX_CANDIDATES = 200
RAREST_TRIGRAMS = 6  # a misspelt letter spoils three trigrams of a name; three intact ones are left
MAX_POSTINGS = 2000  # names read per query: common trigrams ("ion") are left out when rare ones are there
CONTAINED = 0.6  # similarity of "rivera" and "ana rivera" begins here and grows with the share of the name
TRIGRAM = 3


def similar_names(db: sqlite3.Connection, key: str, limit: int) -> list[tuple[str, float]]:
    """Roots of the entities with a name like `key` and the similarity (0 to 1, 1.0 for equal keys), best first."""
    if not key or limit < 1:
        return []
    exact = db.execute("SELECT key, root FROM name WHERE key = ?", (key,)).fetchall()
    best: dict[str, float] = {}
    for name, root in exact + _candidates(db, key):
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
    rarest = db.execute(
        "SELECT term, doc FROM name_grams WHERE term IN (SELECT value FROM json_each(?)) ORDER BY doc, term LIMIT ?",
        (json.dumps(sorted(trigrams(key))), RAREST_TRIGRAMS),
    ).fetchall()
    if not rarest:
        return []
    postings = accumulate(doc for _, doc in rarest)
    terms = [term for (term, _), read in zip(rarest, postings, strict=True) if read <= MAX_POSTINGS] or [rarest[0][0]]
    expression = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
    return db.execute(
        "SELECT n.key, n.root FROM name_text t JOIN name n ON n.n = t.rowid"
        " WHERE name_text MATCH ? ORDER BY rank, n.key LIMIT ?",
        (expression, MAX_CANDIDATES),
    ).fetchall()
