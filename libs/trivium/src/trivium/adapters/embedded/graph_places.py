"""Where many names stand, in one pass: their entities, then their counts, then their first places.

Most of what is asked is part of a name and stands nowhere, so counts come before places: one look for all roles.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from sys import intern

import msgspec

from trivium.adapters.embedded.graph_within import Groups
from trivium.domain.graph import Mentioning, MentionRole
from trivium.domain.retrieval import Scored

# Python's driver gives up and takes back the interpreter lock at every row, and waits for it each time while another
# thread computes. Where rows are many they come as one JSON text.
_pairs = msgspec.json.Decoder(list[tuple[str, str]]).decode
_counts = msgspec.json.Decoder(list[tuple[str, str, int, str]]).decode
_places = msgspec.json.Decoder(list[tuple[str, str, str, int, float]]).decode

_AFTER_ANY = "\U0010ffff"  # sorts after every other character

# The chunk at which the first `limit` of a name end bounds the second statement, so that a hub costs no more.
_COUNTS = """
    SELECT json_group_array(json_array(s.key, s.role, s.n,
        CASE WHEN s.n <= ?2 OR s.role = 'title' THEN ?3 ELSE coalesce(
            (SELECT chunk FROM named WHERE key = s.key AND role = s.role ORDER BY chunk LIMIT 1 OFFSET ?2), ?3) END))
    FROM json_each(?1) k JOIN spread s ON s.key = k.value AND s.role IN (SELECT value FROM json_each(?4)) WHERE s.n > 0
"""
_PLACES = """
    SELECT json_group_array(json_array(n.key, n.role, n.chunk, n.sentence, n.confidence)) FROM json_each(?1) k
    JOIN named n ON n.key = k.value ->> 0 AND n.role = k.value ->> 1 AND n.chunk <= k.value ->> 2
"""

_Place = tuple[str, int, float]  # chunk, sentence, confidence
_Name = tuple[str, str]  # key, role


class NamesFound(msgspec.Struct, frozen=True):
    """What stands of some names, by (key, role): how many chunks, and of these the first in the order of their ids."""

    groups: Groups
    counts: Mapping[_Name, int]
    places: Mapping[_Name, list[_Place]]

    def about(self, key: str) -> list[Scored]:
        """The chunks that are about the name's entity, the surest first."""
        best: dict[str, float] = {}
        for member in self.groups.members[self.groups.root_of[key]]:
            for chunk, _, confidence in self.places.get((member, MentionRole.TITLE), ()):
                best[chunk] = max(confidence, best.get(chunk, 0.0))
        return [Scored(c, s) for c, s in sorted(best.items(), key=lambda item: (-item[1], item[0]))]

    def mentioning(self, db: sqlite3.Connection, key: str, role: str, limit: int) -> Mentioning:
        """Where the name's entity stands in a role, at most `limit` places."""
        members = [m for m in self.groups.members[self.groups.root_of[key]] if (m, role) in self.counts]
        if not members:
            return NOWHERE
        first: dict[str, int] = {}
        for member in members:
            for chunk, sentence, _ in self.places.get((member, role), ()):
                first[chunk] = min(sentence, first.get(chunk, sentence))
        total = self.counts[members[0], role] if len(members) == 1 else _chunks_of(db, members, role)
        return Mentioning(total, tuple(sorted(first.items())[:limit]))


NOWHERE = Mentioning(0)


def names_found(db: sqlite3.Connection, asked: Mapping[MentionRole, Sequence[str]], limit: int) -> NamesFound:
    """Counts and first places of the names asked for, by role; of titles, all places."""
    groups = groups_of(db, (key for keys in asked.values() for key in keys))
    wanted = {
        role.value: {name for key in keys for name in groups.members[groups.root_of[key]]}
        for role, keys in asked.items()
    }
    last = max(limit - 1, 0)
    (found,) = db.execute(_COUNTS, (json.dumps(groups.names()), last, _AFTER_ANY, json.dumps(list(wanted)))).fetchone()
    present = [row for row in _counts(found) if row[0] in wanted.get(row[1], ())]
    counts = {(key, role): total for key, role, total, _ in present}
    places: dict[_Name, list[_Place]] = {}
    first = [(key, role, bound) for key, role, _, bound in present] if limit > 0 else []
    (found,) = db.execute(_PLACES, (json.dumps(first),)).fetchone()
    for key, role, chunk, sentence, confidence in _places(found):
        # The same few chunks stand in the places of many names.
        places.setdefault((key, role), []).append((intern(chunk), sentence, confidence))
    return NamesFound(groups, counts, places)


REMOVED = "SELECT key FROM decided WHERE kind = 'removed'"


def groups_of(db: sqlite3.Connection, keys: Iterable[str]) -> Groups:
    """The entities behind `keys`; a name that is no entity stands for itself, one that was removed has no names."""
    root_of = {key: key for key in keys}
    (known,) = db.execute(
        "SELECT json_group_array(json_array(key, root)) FROM name"
        " WHERE root <> key AND key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(root_of)),),
    ).fetchone()
    root_of.update(_pairs(known))
    members: dict[str, list[str]] = {root: [root] for root in root_of.values()}
    (others,) = db.execute(
        "SELECT json_group_array(json_array(root, key)) FROM name"
        " WHERE root <> key AND root IN (SELECT value FROM json_each(?))",
        (json.dumps(list(members)),),
    ).fetchone()
    for root, key in sorted(_pairs(others)):
        members[root].append(key)
    members.update((root, []) for (root,) in db.execute(REMOVED) if root in members)
    return Groups(root_of, members)


def _chunks_of(db: sqlite3.Connection, members: list[str], role: str) -> int:
    """In how many chunks any of the names stands."""
    query = "SELECT count(DISTINCT chunk) FROM named WHERE role = ? AND key IN (SELECT value FROM json_each(?))"
    return int(db.execute(query, (role, json.dumps(members))).fetchone()[0])
