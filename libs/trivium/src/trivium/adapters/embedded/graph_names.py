"""The table of names: which names are one entity, and how that entity is called, typed and counted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

import msgspec

from trivium.adapters.embedded.graph_ties import Moves
from trivium.adapters.embedded.recent import Stamp
from trivium.adapters.graph_rules import MIN_ENTITY_CONFIDENCE, Spelling, display, root_of_circle, usual_type
from trivium.domain.ids import entity_id
from trivium.domain.scope import Tenant
from trivium.domain.verdicts import RULE_SHARE

OF_EDIT = "(chunk >= 'edit:' AND chunk < 'edit;')"
"""Of a row that a share makes: whether an edit says so (`trivium.domain.edits.SHARE_PREFIX`)."""
OF_RULE = f"(chunk = '{RULE_SHARE}')"
"""And whether rules do, which count after everything else."""


class Resolved(msgspec.Struct, frozen=True):
    """What rules changed between two stamps: `names`, each known as something else now or together with others.

    `hides`: some of them are of an entity that was removed, so that their mentions come or go.
    """

    before: Stamp
    after: Stamp
    names: frozenset[str]
    hides: bool


class NameTable:
    """Brings `name` and its text index up to date with `tally`, `claimed` and `named`."""

    def __init__(self, connection: sqlite3.Connection, tenant: Tenant) -> None:
        self._db = connection
        self._tenant = tenant

    def refresh(self, named: Iterable[str], claimed: Iterable[str]) -> Moves:
        """`named` are keys whose mentions changed, `claimed` those whose aliases did. Returns who changed its root."""
        keys = set(named)
        claims = set(claimed)
        roots = self._roots(keys)
        affected: set[str] = set()
        before: dict[str, str] = {}
        if claims:
            affected = self._upstream(claims)
            before = self._root_of(affected)
            roots.update(before.values())
            keys |= affected
        keys |= roots
        for key in sorted(keys):
            self._ensure(key)
        if claims:
            self._point(claims)
            roots.update(self._anchor(affected))
        for root in sorted(roots | self._roots(keys)):
            self._describe(root)
        after = self._root_of(affected)
        ends = {key: (before.get(key, key), after.get(key, key)) for key in affected}
        return {key: roots_of for key, roots_of in ends.items() if roots_of[0] != roots_of[1]}

    def resolved(self, before: Stamp, after: Stamp, moves: Moves) -> Resolved:
        """All names of the entities that names left or joined."""
        roots = {root for ends in moves.values() for root in ends}
        listed = json.dumps(sorted(roots))
        members = self._db.execute("SELECT key FROM name WHERE root IN (SELECT value FROM json_each(?))", (listed,))
        names = frozenset({*roots, *moves, *(key for (key,) in members)})
        return Resolved(before, after, names, any(self._decided("removed", root) is not None for root in roots))

    def _root_of(self, keys: Iterable[str]) -> dict[str, str]:
        rows = self._db.execute(
            "SELECT key, root FROM name WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),)
        )
        return dict(rows.fetchall())

    def _roots(self, keys: Iterable[str]) -> set[str]:
        rows = self._db.execute(
            "SELECT DISTINCT root FROM name WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),)
        )
        return {root for (root,) in rows}

    def _upstream(self, keys: set[str]) -> set[str]:
        """`keys` and every name that reaches one of them by following targets."""
        found, frontier = set(keys), set(keys)
        while frontier:
            rows = self._db.execute(
                "SELECT key FROM name WHERE target <> key AND target IN (SELECT value FROM json_each(?))",
                (json.dumps(list(frontier)),),
            )
            frontier = {key for (key,) in rows} - found
            found |= frontier
        return found

    def _ensure(self, key: str) -> None:
        """A row for every name that is mentioned or claimed, and no other."""
        used = self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM tally WHERE key = ?1) OR EXISTS (SELECT 1 FROM claimed WHERE key = ?1)"
            " OR EXISTS (SELECT 1 FROM claimed WHERE canonical = ?1)",
            (key,),
        ).fetchone()[0]
        known = self._db.execute("SELECT n FROM name WHERE key = ?", (key,)).fetchone()
        if used and known is None:
            n = self._db.execute(
                "INSERT INTO name (key, id, target, root, surface, type, chunks) VALUES (?1, ?2, ?1, ?1, ?1, '', 0)",
                (key, entity_id(self._tenant, key)),
            ).lastrowid
            self._db.execute("INSERT INTO name_text (rowid, key) VALUES (?, ?)", (n, key))
        elif not used and known is not None:
            self._db.execute("INSERT INTO name_text (name_text, rowid, key) VALUES ('delete', ?, ?)", (known[0], key))
            self._db.execute("DELETE FROM name WHERE n = ?", known)

    def _point(self, claims: Iterable[str]) -> None:
        for key in claims:
            row = self._db.execute(
                f"SELECT canonical FROM claimed WHERE key = ? GROUP BY canonical"  # noqa: S608
                f" ORDER BY max({OF_EDIT}) DESC, sum(NOT {OF_RULE}) DESC, canonical LIMIT 1",
                (key,),
            ).fetchone()
            self._db.execute("UPDATE name SET target = ? WHERE key = ?", (row[0] if row else key, key))

    def _anchor(self, keys: Iterable[str]) -> set[str]:
        """Set the root of each name; returns the roots."""
        roots: set[str] = set()
        for key in sorted(keys):
            path = [key]
            while (target := self._target(path[-1])) not in path:
                path.append(target)
            circle = path[path.index(target) :]
            root = root_of_circle(circle, self._pinned(circle), self._ruled(circle)) if len(circle) > 1 else target
            self._db.execute("UPDATE name SET root = ? WHERE key = ?", (root, key))
            roots.add(root)
        return roots

    def _target(self, key: str) -> str:
        row = self._db.execute("SELECT target FROM name WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else key

    def _pinned(self, keys: list[str]) -> set[str]:
        rows = self._db.execute(
            f"SELECT key FROM claimed WHERE {OF_EDIT} AND key IN (SELECT value FROM json_each(?))",  # noqa: S608
            (json.dumps(keys),),
        )
        return {key for (key,) in rows}

    def _ruled(self, keys: list[str]) -> set[str]:
        rows = self._db.execute(
            f"SELECT key FROM claimed WHERE key IN (SELECT value FROM json_each(?))"  # noqa: S608
            f" GROUP BY key HAVING min({OF_RULE})",
            (json.dumps(keys),),
        )
        return {key for (key,) in rows}

    def _describe(self, root: str) -> None:
        """Surface, type and count of an entity, and the surface of its other names."""
        members = self._db.execute("SELECT key FROM name WHERE root = ? AND root <> key", (root,)).fetchall()
        keys = [root, *(key for (key,) in members)]
        spellings = {key: self._spellings(key) for key in keys}
        kind = self._decided("type", root) or usual_type(spellings.values())
        removed = self._decided("removed", root) is not None
        for key in keys:
            own = key == root
            surface = display(key, spellings[key]) or self._claimed_surface(key)
            self._db.execute(
                "UPDATE name SET surface = ?, type = ?, chunks = ? WHERE key = ?",
                (surface, kind, self._count(keys) if own and not removed else 0, key),
            )

    def _decided(self, kind: str, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM decided WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return str(row[0]) if row else None

    def _spellings(self, key: str) -> dict[Spelling, int]:
        rows = self._db.execute("SELECT surface, type, n FROM tally WHERE key = ?", (key,))
        return {(surface, kind): n for surface, kind, n in rows}

    def _claimed_surface(self, key: str) -> str:
        row = self._db.execute("SELECT min(surface) FROM claimed WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row and row[0] is not None else key

    def _count(self, keys: list[str]) -> int:
        marks = ", ".join("?" * len(keys))
        query = f"SELECT count(DISTINCT chunk) FROM named WHERE key IN ({marks}) AND confidence >= ?"  # noqa: S608
        return int(self._db.execute(query, (*keys, MIN_ENTITY_CONFIDENCE)).fetchone()[0])
