"""Names, their blocks and what was decided about them, as the graph's file holds them (`trivium.resolution.shelf`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from trivium.adapters.embedded.sqlite import json_list
from trivium.adapters.resolved_names import ANEW, MAX_FACTS, page_of, read_place, record_of, target_of
from trivium.domain.edits import ONE_THING
from trivium.domain.verdicts import Verdict, VerdictPage
from trivium.resolution.blocking import block_id, blocks_of, own_block
from trivium.resolution.record import MAX_NEIGHBOURS, SINGLE_VALUED, Record
from trivium.resolution.shelf import Pair

_SINGLE = json.dumps(sorted(SINGLE_VALUED))


# One statement a name: what its rows are (spelling, decided type, neighbour, fact, apart), and what they say.
_RECORD = """
    SELECT 's', surface, type, n FROM tally WHERE key = ?1
    UNION ALL SELECT 'd', value, '', 0 FROM decided WHERE kind = 'type' AND key = ?1
    UNION ALL SELECT * FROM (
        SELECT DISTINCT 'n', target, '', 0 FROM edge WHERE source = ?1 ORDER BY target LIMIT ?2)
    UNION ALL SELECT * FROM (
        SELECT DISTINCT 'n', source, '', 0 FROM edge WHERE target = ?1 ORDER BY source LIMIT ?2)
    UNION ALL SELECT * FROM (
        SELECT 'f', type, target, 0 FROM edge WHERE source = ?1 AND type IN (SELECT value FROM json_each(?4))
        ORDER BY type, target LIMIT ?3)
    UNION ALL SELECT 'a', target, '', 0 FROM hidden WHERE source = ?1 AND type = ?5
    UNION ALL SELECT 'a', source, '', 0 FROM hidden WHERE target = ?1 AND type = ?5
"""


class SqliteShelf:
    """Within one transaction. `moved` collects (name, the name it was merged into, the one it is merged into now)."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.moved: list[tuple[str, str | None, str | None]] = []

    def alive(self, keys: Collection[str]) -> set[str]:
        """Those with a tally."""
        rows = self._db.execute(
            "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM tally WHERE key = value)", (json_list(keys),)
        )
        return {key for (key,) in rows}

    def records(self, keys: Collection[str]) -> dict[str, Record]:
        """From tallies, edges and decided types."""
        found = {}
        for key in keys:
            rows = self._db.execute(_RECORD, (key, MAX_NEIGHBOURS + 1, MAX_FACTS, _SINGLE, ONE_THING)).fetchall()
            told: dict[str, list[Any]] = {"s": [], "d": [], "n": [], "f": [], "a": []}
            for what, *values in rows:
                told[what].append(values)
            if told["s"]:
                spellings = {(surface, kind): n for surface, kind, n in told["s"]}
                decided = told["d"][0][0] if told["d"] else ""
                others, apart = ([row[0] for row in told[what]] for what in "na")
                found[key] = record_of(key, spellings, decided, others, [row[:2] for row in told["f"]], apart)
        return found

    def changed(self, keys: Collection[str]) -> dict[str, frozenset[str] | None]:
        """As `unresolved` has it."""
        rows = self._db.execute(
            "SELECT key, other FROM unresolved WHERE key IN (SELECT value FROM json_each(?))", (json_list(keys),)
        )
        found: dict[str, set[str]] = {}
        for key, other in rows:
            found.setdefault(key, set()).add(other)
        return {key: None if ANEW in others else frozenset(others) for key, others in found.items()}

    def filed(self, keys: Collection[str]) -> set[str]:
        """Those that stand in one of their blocks; they stand in all or in none."""
        asked = [(block_id(own_block(key)), key) for key in keys]
        rows = self._db.execute(
            "SELECT value ->> 1 FROM json_each(?)"
            " WHERE EXISTS (SELECT 1 FROM block WHERE block = value ->> 0 AND key = value ->> 1)",
            (json.dumps(asked),),
        )
        return {key for (key,) in rows}

    def members(self, blocks: Collection[str], limit: int) -> dict[str, list[str]]:
        """Some of each block."""
        names = {block_id(block): block for block in blocks}
        rows = self._db.execute(
            "SELECT value, (SELECT json_group_array(key) FROM (SELECT key FROM block WHERE block = value LIMIT ?))"
            " FROM json_each(?)",
            (limit, json.dumps(sorted(names))),
        )
        return {names[block]: json.loads(keys) for block, keys in rows if keys != "[]"}

    def near(self, keys: Collection[str]) -> dict[str, set[str]]:
        """Their candidates."""
        rows = self._db.execute(
            "SELECT key, other FROM near WHERE key IN (SELECT value FROM json_each(?))", (json_list(keys),)
        )
        found: dict[str, set[str]] = {}
        for key, other in rows:
            found.setdefault(key, set()).add(other)
        return found

    def file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        """Into blocks and out of them."""
        self._db.executemany("INSERT OR IGNORE INTO block VALUES (?, ?)", _places(added))
        self._db.executemany("DELETE FROM block WHERE block = ? AND key = ?", _places(gone))

    def approach(self, met: Collection[Pair], parted: Collection[Pair]) -> None:
        """Both ways."""
        self._db.executemany("INSERT OR IGNORE INTO near VALUES (?1, ?2), (?2, ?1)", met)
        self._db.executemany("DELETE FROM near WHERE (key = ?1 AND other = ?2) OR (key = ?2 AND other = ?1)", parted)

    def decide(self, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """What differs of them."""
        stored = verdicts_of(self._db, verdicts)
        for key, now in verdicts.items():
            before = stored.get(key, ())
            if tuple(now) == tuple(before):
                continue
            self._db.execute("DELETE FROM verdict WHERE key = ?", (key,))
            self._db.executemany("INSERT INTO verdict VALUES (?, ?, ?, ?, ?)", map(_row, now))
            was, into = target_of(before), target_of(now)
            if was != into:
                self.moved.append((key, was, into))


def verdicts_of(db: sqlite3.Connection, keys: Collection[str]) -> dict[str, list[Verdict]]:
    """What is decided of each of these names, by the other's key."""
    rows = db.execute(
        "SELECT key, other, score, reasons, merges FROM verdict WHERE key IN (SELECT value FROM json_each(?))"
        " ORDER BY key, other",
        (json_list(keys),),
    )
    found: dict[str, list[Verdict]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(verdict(*row))
    return found


def asked(db: sqlite3.Connection, limit: int, cursor: str) -> VerdictPage:
    """What a person is to decide."""
    rows = db.execute(
        "SELECT key, other, score, reasons, merges FROM verdict"
        " WHERE NOT merges AND score <= ?1 AND (score < ?1 OR (key, other) > (?2, ?3))"
        " ORDER BY score DESC, key, other LIMIT ?4",
        (*read_place(cursor), limit + 1),
    )
    return page_of([verdict(*row) for row in rows], limit)


def verdict(key: str, other: str, score: float, reasons: str, merges: int) -> Verdict:
    """From a row."""
    return Verdict(key, other, score, tuple(reasons.split("\n")), bool(merges))


def _row(one: Verdict) -> tuple[str, str, float, str, bool]:
    return one.key, one.other, one.score, "\n".join(one.reasons), one.merges


def _places(keys: Iterable[str]) -> list[tuple[int, str]]:
    return sorted({(block_id(block), key) for key in keys for block in blocks_of(key)})
