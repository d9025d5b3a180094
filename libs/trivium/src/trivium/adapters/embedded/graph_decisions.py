"""What edits decide, as the file holds it: their shares, and the tables `decided` and `hidden`."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Mapping
from typing import Self, TypeVar

import msgspec

from trivium.adapters.decision_changes import changes
from trivium.adapters.embedded.graph_ties import EdgeKey
from trivium.domain.edits import Decisions
from trivium.domain.graph import ChunkGraph

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

STATE = "state"  # a row of `decided`: which decisions these are

_decode = msgspec.msgpack.Decoder(ChunkGraph).decode


class Decided(msgspec.Struct, frozen=True):
    """`values` by (kind, key), as in `decided`; `marks` by relation, as in `hidden`; `shares` by `share_id`."""

    shares: dict[str, ChunkGraph]
    values: dict[tuple[str, str], str]
    marks: dict[EdgeKey, str]

    @classmethod
    def of(cls, decisions: Decisions) -> Self:
        """As the file shall hold them."""
        values = {("name", key): name for key, name in decisions.names.items()}
        values |= {("type", key): kind.value for key, kind in decisions.types.items()}
        values |= {("removed", key): "" for key in decisions.removed}
        marks = {(it.source_key, it.target_key, it.type): mark for it, mark in decisions.hidden.items()}
        return cls({share.chunk_id: share for share in decisions.shares}, values, marks)

    def unlike(self, other: Self) -> int:
        """How many differ, either way."""
        return (
            len(_differing(self.shares, other.shares))
            + len(_differing(self.values, other.values))
            + len(_differing(self.marks, other.marks))
        )

    def changed_keys(self, other: Self, kind: str) -> set[str]:
        """The keys that one kind of value was decided on for, or is not any more, or otherwise."""
        return {key for its, key in _differing(self.values, other.values) if its == kind}

    def changed_relations(self, other: Self) -> set[EdgeKey]:
        """The same of relations."""
        return _differing(self.marks, other.marks)

    def replace(self, db: sqlite3.Connection, other: Self) -> None:
        """Write what differs, but for shares."""
        db.executemany("DELETE FROM decided WHERE kind = ? AND key = ?", self.values.keys() - other.values.keys())
        db.executemany(
            "INSERT OR REPLACE INTO decided VALUES (?, ?, ?)",
            [(*key, value) for key, value in other.values.items() if self.values.get(key) != value],
        )
        db.executemany(
            "DELETE FROM hidden WHERE source = ? AND target = ? AND type = ?", self.marks.keys() - other.marks.keys()
        )
        db.executemany(
            "INSERT OR REPLACE INTO hidden VALUES (?, ?, ?, ?)",
            [(*relation, mark) for relation, mark in other.marks.items() if self.marks.get(relation) != mark],
        )


def _differing(stored: Mapping[Key, Value], wanted: Mapping[Key, Value]) -> set[Key]:
    return {key for key in stored.keys() | wanted.keys() if stored.get(key) != wanted.get(key)}


def to_decide(db: sqlite3.Connection, wanted: Decisions, since: Decisions | None) -> tuple[Decided, Decided]:
    """What the file holds and what it shall hold; without what both have where the file holds `since`."""
    row = db.execute("SELECT value FROM decided WHERE kind = ?", (STATE,)).fetchone()
    if since is None or row is None or row[0] != since.state:
        return decided(db), Decided.of(wanted)
    before, now = changes(since, wanted)
    return Decided.of(before), Decided.of(now)


def put_state(db: sqlite3.Connection, decisions: Decisions) -> None:
    """Note which decisions the file is brought to."""
    db.execute("DELETE FROM decided WHERE kind = ?", (STATE,))
    if decisions.state:
        db.execute("INSERT INTO decided VALUES (?, '', ?)", (STATE, decisions.state))


def decided(db: sqlite3.Connection) -> Decided:
    """What the file holds."""
    shares = db.execute("SELECT chunk, body FROM share WHERE document = ''")
    values = db.execute("SELECT kind, key, value FROM decided WHERE kind <> ?", (STATE,))
    marks = db.execute("SELECT source, target, type, mark FROM hidden")
    return Decided(
        {chunk: _decode(body) for chunk, body in shares},
        {(kind, key): value for kind, key, value in values},
        {(source, target, kind): mark for source, target, kind, mark in marks},
    )
