"""Names, their blocks and what was decided about them, as Neo4j holds them (`trivium.resolution.shelf`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, LiteralString

from trivium.adapters.distributed.neo4j import shelf_statements as cypher
from trivium.adapters.distributed.neo4j.names import parsed
from trivium.adapters.resolved_names import MAX_FACTS, record_of, target_of
from trivium.domain.edits import ONE_THING
from trivium.domain.verdicts import Verdict
from trivium.resolution.blocking import block_id, blocks_of
from trivium.resolution.record import MAX_NEIGHBOURS, SINGLE_VALUED, Record
from trivium.resolution.shelf import Pair

Run = Callable[..., list[list[Any]]]
"""A statement and its parameters, within one transaction."""


class Neo4jShelf:
    """`moved` collects (name, the name it was merged into, the one it is merged into now)."""

    def __init__(self, run: Run, id_of: Callable[[str], str]) -> None:
        self._run = run
        self._id = id_of
        self.moved: list[tuple[str, str | None, str | None]] = []

    def alive(self, keys: Collection[str]) -> set[str]:
        """Those with spellings."""
        return {key for (key,) in self._ask(cypher.ALIVE, keys)}

    def records(self, keys: Collection[str]) -> dict[str, Record]:
        """From spellings, relations and decided types."""
        rows = self._ask(
            cypher.RECORDS,
            keys,
            neighbours=MAX_NEIGHBOURS + 1,
            facts=MAX_FACTS,
            single=sorted(SINGLE_VALUED),
            one_thing=ONE_THING,
        )
        return {
            key: record_of(key, parsed(spellings), decided or "", others, facts, apart)
            for key, spellings, decided, others, facts, apart in rows
        }

    def changed(self, keys: Collection[str]) -> dict[str, frozenset[str] | None]:
        """As their marks have it."""
        rows = self._ask(cypher.CHANGED, keys)
        return {key: None if others is None else frozenset(others) for key, others in rows}

    def filed(self, keys: Collection[str]) -> set[str]:
        """Those in blocks."""
        return {key for (key,) in self._ask(cypher.FILED, keys)}

    def members(self, blocks: Collection[str], limit: int) -> dict[str, set[str]]:
        """Some of each block."""
        names = {block_id(block): block for block in blocks}
        rows = self._run(cypher.MEMBERS, blocks=list(names), limit=limit) if names else []
        return {names[block]: set(keys) for block, keys in rows}

    def near(self, keys: Collection[str]) -> dict[str, set[str]]:
        """Their candidates."""
        return {key: set(others) for key, others in self._ask(cypher.NEAR, keys)}

    def file(self, added: Iterable[str], gone: Iterable[str]) -> None:
        """Into blocks and out of them."""
        rows = [[self._id(key), sorted(map(block_id, blocks_of(key)))] for key in sorted(added)]
        if rows:
            self._run(cypher.FILE, rows=rows)
        self._ask(cypher.UNFILE, gone)

    def approach(self, met: Collection[Pair], parted: Collection[Pair]) -> None:
        """One relation stands for both ways."""
        for statement, pairs in ((cypher.MEET, met), (cypher.PART, parted)):
            if pairs:
                self._run(statement, pairs=[[self._id(left), self._id(right)] for left, right in sorted(pairs)])

    def decide(self, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """What differs of them."""
        stored = verdicts_of(self._ask(cypher.VERDICTS, verdicts))
        changed = {key: now for key, now in verdicts.items() if list(now) != stored.get(key, [])}
        self._ask(cypher.DROP_VERDICTS, changed)
        rows = [
            {
                "id": self._id(one.key),
                "other": self._id(one.other),
                "score": one.score,
                "reasons": list(one.reasons),
                "merges": one.merges,
            }
            for now in changed.values()
            for one in now
        ]
        if rows:
            self._run(cypher.ADD_VERDICTS, rows=rows)
        for key, now in changed.items():
            was, into = target_of(stored.get(key, ())), target_of(now)
            if was != into:
                self.moved.append((key, was, into))

    def _ask(self, statement: LiteralString, keys: Iterable[str], **parameters: Any) -> list[list[Any]]:
        ids = sorted(map(self._id, keys))
        return self._run(statement, ids=ids, **parameters) if ids else []


def verdicts_of(rows: Iterable[Sequence[Any]]) -> dict[str, list[Verdict]]:
    """By name, from rows of `VERDICTS`."""
    found: dict[str, list[Verdict]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(verdict(row))
    return found


def verdict(row: Sequence[Any]) -> Verdict:
    """From a row of `VERDICTS` or `ASKED`."""
    key, other, score, reasons, merges = row
    return Verdict(key, other, score, tuple(reasons), merges)
