"""Which edges nobody sees: those that an edit declared invalid, and those of removed entities."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from trivium.adapters.embedded.graph_names import OF_EDIT
from trivium.adapters.embedded.graph_ties import EdgeKey, Moves, edges_touching
from trivium.domain.edits import SHARE_PREFIX

_NEVER = "~"  # sorts after every mark


class Veils:
    """The veils as the tables `decided` and `hidden` have them, over names as the table `name` has them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        (self.any,) = connection.execute(
            "SELECT EXISTS (SELECT 1 FROM hidden) OR EXISTS (SELECT 1 FROM decided WHERE kind = 'removed')"
        ).fetchone()

    def recount(self, edge: EdgeKey) -> bool:
        """Count the edge anew. Returns whether it came or went; one that nobody sees any more is still there."""
        stood = self._db.execute("DELETE FROM edge WHERE source = ? AND target = ? AND type = ?", edge).rowcount > 0
        since = self._seen_since(edge) if self.any else ""
        seen = since != _NEVER and self._count(edge, since)
        stands = seen or (bool(since) and self._count(edge, "", hidden=True))
        return stood != stands

    def touched(self, moves: Moves, removed: Iterable[str], hidden: Iterable[EdgeKey]) -> set[EdgeKey]:
        """The edges that may be seen or not otherwise than before.

        `moves` are names of another entity now, `removed` keys and `hidden` relations decided on anew.
        """
        names = self._group(removed) | moves.keys()
        ends = {end for edge in hidden for end in edge[:2]}
        if moves:
            ends |= {key for key in moves if self._is_end(key)}
        names |= self._group(ends | {moves[key][0] for key in ends & moves.keys()})
        return edges_touching(self._db, names, hidden=True)

    def _count(self, edge: EdgeKey, since: str, *, hidden: bool = False) -> bool:
        """Enter the edge from what is stated, by edits from the mark `since` on where there is one."""
        where = f"AND {OF_EDIT} AND chunk >= ?" if since else ""
        return (
            self._db.execute(
                "INSERT INTO edge (source, target, type, confidence, evidence, hidden)"  # noqa: S608
                f" SELECT source, target, type, max(confidence), count(*), {int(hidden)} FROM stated"
                f" WHERE source = ? AND target = ? AND type = ? {where} GROUP BY source, target, type",
                (*edge, SHARE_PREFIX + since) if since else edge,
            ).rowcount
            > 0
        )

    def _seen_since(self, edge: EdgeKey) -> str:
        """From which mark on statements of the edge are seen; "" for all, `_NEVER` for none."""
        source, target, kind = edge
        roots = dict(
            self._db.execute("SELECT key, root FROM name WHERE key IN (?, ?) AND root <> key", (source, target))
        )
        ends = roots.get(source, source), roots.get(target, target)
        if self._db.execute("SELECT 1 FROM decided WHERE kind = 'removed' AND key IN (?, ?)", ends).fetchone():
            return _NEVER
        (mark,) = self._db.execute(
            "SELECT max(mark) FROM hidden WHERE type = ?3"
            " AND source IN (SELECT ?1 UNION ALL SELECT key FROM name WHERE root = ?1 AND root <> key)"
            " AND target IN (SELECT ?2 UNION ALL SELECT key FROM name WHERE root = ?2 AND root <> key)",
            (*ends, kind),
        ).fetchone()
        return mark or ""

    def _is_end(self, key: str) -> bool:
        found = self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM hidden WHERE source = ?1) OR EXISTS (SELECT 1 FROM hidden WHERE target = ?1)",
            (key,),
        ).fetchone()
        return bool(found[0])

    def _group(self, keys: Iterable[str]) -> set[str]:
        """These names and all others of their entities."""
        wanted = set(keys)
        rows = self._db.execute(
            "WITH roots AS"
            " (SELECT coalesce((SELECT root FROM name WHERE key = value), value) AS root FROM json_each(?))"
            " SELECT key FROM name WHERE root <> key AND root IN (SELECT root FROM roots) UNION SELECT root FROM roots",
            (json.dumps(list(wanted)),),
        )
        return wanted | {key for (key,) in rows}
