"""How many neighbours each entity has, kept while edges come and go and names change their entity."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

EdgeKey = tuple[str, str, str]  # source, target, type
Moves = Mapping[str, tuple[str, str]]
"""Name -> the root of its entity before and after a transaction; names that stayed are absent."""


def settle_degrees(
    db: sqlite3.Connection, appeared: Collection[EdgeKey], vanished: Collection[EdgeKey], moves: Moves
) -> None:
    """Bring `neighbours` and `degree` up to date. Edges and names are already as they shall be."""
    rerouted = edges_touching(db, moves, hidden=False) - set(appeared) if moves else set()
    ends = {end for edges in (appeared, vanished, rerouted) for edge in edges for end in edge[:2]}
    after = _aliases(db, ends)
    before = after | {name: root for name, (root, _) in moves.items()}
    changes: Counter[tuple[str, str]] = Counter()
    steps = ((vanished, before, -1), (rerouted, before, -1), (rerouted, after, 1), (appeared, after, 1))
    for edges, roots, sign in steps:
        for source, target, _ in edges:
            left, right = sorted((roots.get(source, source), roots.get(target, target)))
            if left != right:
                changes[left, right] += sign
    _count_neighbours(db, {pair: n for pair, n in changes.items() if n})


def edges_touching(db: sqlite3.Connection, names: Iterable[str], *, hidden: bool) -> set[EdgeKey]:
    """The edges of some names, those that nobody sees only on request."""
    return set(
        db.execute(
            "SELECT source, target, type FROM edge WHERE hidden <= ?2 AND source IN (SELECT value FROM json_each(?1))"
            " UNION"
            " SELECT source, target, type FROM edge WHERE hidden <= ?2 AND target IN (SELECT value FROM json_each(?1))",
            (json.dumps(list(names)), int(hidden)),
        )
    )


def _aliases(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The roots of those names that are not their own."""
    found = db.execute(
        "SELECT key, root FROM name WHERE root <> key AND key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(names)),),
    )
    return dict(found.fetchall())


def _count_neighbours(db: sqlite3.Connection, changes: Mapping[tuple[str, str], int]) -> None:
    degrees: Counter[str] = Counter()
    for pair, change in changes.items():
        (n,) = db.execute(
            "INSERT INTO neighbours VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n RETURNING n",
            (*pair, change),
        ).fetchone()
        if n == 0:
            db.execute("DELETE FROM neighbours WHERE left = ? AND right = ?", pair)
        if n in (0, change):
            degrees.update(dict.fromkeys(pair, 1 if n else -1))
    changed = [(root, n) for root, n in degrees.items() if n]
    db.executemany("INSERT INTO degree VALUES (?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", changed)
    db.executemany("DELETE FROM degree WHERE root = ? AND n = 0", [(root,) for root, n in changed if n < 0])
