"""What joins two entities, over all their names: kept in the order in which it is told, and counted as neighbours.

A tie is what `edge` says of two entities and a type: the strongest confidence and all the evidence. The tables `tie`
and `degree` are brought along while edges come and go and names change their entity, so that a page of a hub costs no
more than one of any other name. `tie` has the order and `edge` the facts: what the two say differently is not told, so
whoever compares what is told (`trivium audit`) sees damage in either.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from trivium.domain.graph import Edge

EdgeKey = tuple[str, str, str]  # source, target, type
Moves = Mapping[str, tuple[str, str]]
"""Name -> the root of its entity before and after a transaction; names that stayed are absent."""


def settle_ties(
    db: sqlite3.Connection,
    strengthened: Mapping[EdgeKey, tuple[float, int]],
    recounted: Collection[EdgeKey],
    moves: Moves,
) -> None:
    """Bring `tie` and `degree` up to date. Edges and names are already as they shall be.

    `strengthened` are edges with a confidence and evidence that came to what they had, `recounted` any that changed
    otherwise.
    """
    anew = set(recounted) | (edges_touching(db, moves, hidden=False) if moves else set())
    after = _aliases(db, {end for edges in (strengthened, anew) for edge in edges for end in edge[:2]})
    before = after | {name: root for name, (root, _) in moves.items()}
    joined: Counter[tuple[str, str]] = Counter()
    for edge, more in sorted(strengthened.items()):
        if edge not in anew:
            joined[_pair(_tie_of(edge, after))] += _strengthen(db, _tie_of(edge, after), more)
    for tie in sorted({_tie_of(edge, roots) for edge in anew for roots in (before, after)}):
        joined[_pair(tie)] += _recount(db, tie)
    _count_neighbours(db, {pair: n for pair, n in joined.items() if n})


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


# A root of before may be another name of an entity now; a name that no table has is its own root.
_NAMES_OF = """
    SELECT key FROM name WHERE root = {root} AND root <> key
    UNION ALL SELECT {root} WHERE NOT EXISTS (SELECT 1 FROM name WHERE key = {root} AND root <> key)
"""


def _sum_of_edges(source: str, target: str, kind: str) -> str:
    """A query for how weak and with how little evidence (as `tie` has it) the edges of all names of both are."""
    return f"""
        SELECT -max(confidence) AS weak, -sum(evidence) AS few FROM edge WHERE type = {kind} AND NOT hidden
        AND source IN ({_NAMES_OF.format(root=source)}) AND target IN ({_NAMES_OF.format(root=target)})
    """  # noqa: S608 - names of columns and parameters


_OF_EDGES = _sum_of_edges("?1", "?2", "?3")
_AS_EDGES_SAY = f"(tie.weak, tie.few) = ({_sum_of_edges('tie.source', 'tie.target', 'tie.type')})"
_STRONGEST = f"""
    SELECT * FROM (
        SELECT source, target, type, weak, few FROM tie
        WHERE source = :root AND (weak, few, target, type) > (:weak, :out_few, :out_end, :out_type) AND {_AS_EDGES_SAY}
        ORDER BY weak, few, target, type LIMIT :limit
    ) UNION ALL SELECT * FROM (
        SELECT source, target, type, weak, few FROM tie
        WHERE target = :root AND (weak, few, source, type) > (:weak, :few, :in_end, :in_type) AND {_AS_EDGES_SAY}
        ORDER BY weak, few, source, type LIMIT :limit
    ) ORDER BY weak, few, source, target, type LIMIT :limit
"""  # noqa: S608 - no value is put in


def strongest(db: sqlite3.Connection, root: str, limit: int, after: Edge | None) -> list[Edge]:
    """The first ties of an entity in the order of `GraphReader.edges`, behind `after`: read from the indexes."""
    rows = db.execute(_STRONGEST, {"root": root, "limit": max(limit, 0), **_bounds(root, after)})
    return [Edge(source, target, kind, -weak, -few) for source, target, kind, weak, few in rows]


def _bounds(root: str, after: Edge | None) -> dict[str, float | str]:
    """Behind what the ties that leave `root`, and those that lead to it, come behind `after`."""
    if after is None:
        return {
            "weak": -math.inf,
            "few": 0,
            "out_few": 0,
            "out_end": "",
            "out_type": "",
            "in_end": "",
            "in_type": "",
        }
    leaves, leads = after.source_key == root, after.target_key == root
    next_source = after.source_key + "\0"  # no text stands between the two
    return {
        "weak": -after.confidence,
        "few": -after.evidence,
        "out_few": -after.evidence + (root < after.source_key),
        "out_end": after.target_key if leaves else "",
        "out_type": after.type if leaves else "",
        "in_end": next_source if root < after.target_key else after.source_key,
        "in_type": after.type if leads else "",
    }


def _tie_of(edge: EdgeKey, roots: Mapping[str, str]) -> EdgeKey:
    source, target, kind = edge
    return roots.get(source, source), roots.get(target, target), kind


def _pair(tie: EdgeKey) -> tuple[str, str]:
    return min(tie[:2]), max(tie[:2])


def _aliases(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The roots of those names that are not their own."""
    found = db.execute(
        "SELECT key, root FROM name WHERE root <> key AND key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(names)),),
    )
    return dict(found.fetchall())


def _strengthen(db: sqlite3.Connection, tie: EdgeKey, more: tuple[float, int]) -> int:
    """Add to a tie; 1 where it is new. Nothing joins an entity with itself."""
    confidence, evidence = more
    if tie[0] == tie[1]:
        return 0
    (few,) = db.execute(
        "INSERT INTO tie VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET weak = min(weak, excluded.weak), few = few + excluded.few RETURNING few",
        (*tie, -confidence, -evidence),
    ).fetchone()
    return int(few == -evidence)


def _recount(db: sqlite3.Connection, tie: EdgeKey) -> int:
    """Enter a tie from the edges of all names of both; 1 where it is new, -1 where it is gone."""
    if tie[0] == tie[1]:
        return 0
    was = db.execute("SELECT weak, few FROM tie WHERE source = ? AND target = ? AND type = ?", tie).fetchone()
    now = db.execute(_OF_EDGES, tie).fetchone()
    if now[0] is None:
        db.execute("DELETE FROM tie WHERE source = ? AND target = ? AND type = ?", tie)
        return -int(was is not None)
    if now != was:
        db.execute("INSERT OR REPLACE INTO tie VALUES (?, ?, ?, ?, ?)", (*tie, *now))
    return int(was is None)


def _count_neighbours(db: sqlite3.Connection, joined: Mapping[tuple[str, str], int]) -> None:
    """`joined` are ties more or less between two entities; the table has them already."""
    degrees: Counter[str] = Counter()
    for pair, more in joined.items():
        (ties,) = db.execute(
            "SELECT (SELECT count(*) FROM tie WHERE source = ?1 AND target = ?2)"
            " + (SELECT count(*) FROM tie WHERE source = ?2 AND target = ?1)",
            pair,
        ).fetchone()
        change = (ties > 0) - (ties > more)
        degrees.update(dict.fromkeys(pair, change))
    changed = [(root, n) for root, n in degrees.items() if n]
    db.executemany("INSERT INTO degree VALUES (?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", changed)
    db.executemany("DELETE FROM degree WHERE root = ? AND n = 0", [(root,) for root, n in changed if n < 0])
