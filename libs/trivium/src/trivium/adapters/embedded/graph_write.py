"""Writing a tenant's graph: shares in and out, and the tables that they add up to brought along."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from trivium.adapters.embedded.graph_degrees import EdgeKey, settle_degrees
from trivium.adapters.embedded.graph_names import NameTable
from trivium.adapters.embedded.mirror import count_changes
from trivium.adapters.embedded.sqlite import Database, json_list
from trivium.adapters.graph_rules import fields_of, is_as_stored, places_of, statements_of, sure_mentions
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import Tenant
from trivium.ports.graph import GraphRow

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ChunkGraph).decode


class SqliteGraphWriter:
    """One tenant's writes; see `trivium.ports.graph.GraphWriter`."""

    def __init__(self, database: Database, tenant: Tenant) -> None:
        self._database = database
        self._tenant = tenant

    def upsert(self, rows: Sequence[GraphRow]) -> None:
        """Add or replace the shares of some chunks, in one transaction."""
        newest = {row.share.chunk_id: row for row in rows}
        if not newest:
            return
        with self._database.write() as connection:
            changes = _Changes(connection, self._tenant)
            for row in newest.values():
                changes.remove(row.share.chunk_id)
                changes.add(row)
            changes.settle()

    def relabel(self, rows: Sequence[GraphRow]) -> None:
        """Write what stands beside the shares, in one transaction."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE share SET document = ?, version = ?, dataset = ?, run = ?, kinds = ?, uploaded = ?, dated = ?"
                " WHERE chunk = ?",
                [(*fields_of(row), row.share.chunk_id) for row in rows],
            )

    def delete(self, document_id: str, keep_version: str = "") -> None:
        """Remove the shares of every version but `keep_version`, in one transaction."""
        if not self._database.path.exists():
            return
        with self._database.write() as connection:
            rows = connection.execute(
                "SELECT chunk FROM share WHERE document = ? AND version <> ?", (document_id, keep_version)
            ).fetchall()
            changes = _Changes(connection, self._tenant)
            for (chunk,) in rows:
                changes.remove(chunk)
            changes.settle()

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunks that have a share, for one version of each document."""
        with self._database.read() as connection:
            return {
                document_id: {
                    chunk
                    for (chunk,) in connection.execute(
                        "SELECT chunk FROM share WHERE document = ? AND version = ?", (document_id, version)
                    )
                }
                for document_id, version in versions.items()
            }

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows."""
        with self._database.read() as connection:
            yield from connection.execute("SELECT DISTINCT document, version FROM share").fetchall()

    def unlike(self, rows: Sequence[GraphRow]) -> set[str]:
        """The chunks whose share is another."""
        wanted = {row.share.chunk_id: row for row in rows}
        with self._database.read() as connection:
            stored = connection.execute(
                "SELECT chunk, document, version, dataset, run, kinds, uploaded, dated, cast(body AS BLOB) FROM share"
                " WHERE chunk IN (SELECT value FROM json_each(?))",
                (json_list(list(wanted)),),
            )
            return set(wanted) - {chunk for chunk, *row in stored if is_as_stored(wanted[chunk], row)}


class _Changes:
    """One transaction's additions and removals. `settle` brings the derived tables up to date."""

    def __init__(self, connection: sqlite3.Connection, tenant: Tenant) -> None:
        self._db = connection
        self._tenant = tenant
        self._tally: Counter[tuple[str, str, str]] = Counter()
        self._spread: Counter[tuple[str, str]] = Counter()
        self._stated: dict[EdgeKey, list[float]] = {}
        self._withdrawn: set[EdgeKey] = set()
        self._named: set[str] = set()
        self._claimed: set[str] = set()
        self._added = self._removed = 0

    def add(self, row: GraphRow) -> None:
        share, chunk = row.share, row.share.chunk_id
        self._added += 1
        self._db.execute(
            "INSERT INTO share (chunk, document, version, dataset, run, kinds, uploaded, dated, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (chunk, *fields_of(row), _encode(share)),
        )
        self._db.executemany(
            "INSERT INTO named VALUES (?, ?, ?, ?, ?)",
            [(key, role, chunk, *place) for (key, role), place in places_of(share).items()],
        )
        self._spread.update(places_of(share).keys())
        self._db.executemany(
            "INSERT INTO stated VALUES (?, ?, ?, ?, ?)",
            [(*edge, chunk, confidence) for edge, confidence in statements_of(share).items()],
        )
        for edge, confidence in statements_of(share).items():
            self._stated.setdefault(edge, []).append(confidence)
        self._db.executemany(
            "INSERT OR REPLACE INTO claimed VALUES (?, ?, ?, ?)",
            [(alias.key, alias.canonical_key, chunk, alias.surface) for alias in share.aliases],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO step VALUES (?, ?, ?)", [(chunk, s.type.value, s.chunk_id) for s in share.steps]
        )
        self._touch(share, 1)

    def remove(self, chunk: str) -> None:
        row = self._db.execute("SELECT body FROM share WHERE chunk = ?", (chunk,)).fetchone()
        if row is None:
            return
        share = _decode(row[0])
        self._removed += 1
        self._db.execute("DELETE FROM share WHERE chunk = ?", (chunk,))
        self._db.executemany(
            "DELETE FROM named WHERE key = ? AND role = ? AND chunk = ?",
            [(key, role, chunk) for key, role in places_of(share)],
        )
        self._spread.subtract(places_of(share).keys())
        self._db.executemany(
            "DELETE FROM stated WHERE source = ? AND target = ? AND type = ? AND chunk = ?",
            [(*edge, chunk) for edge in statements_of(share)],
        )
        self._withdrawn.update(statements_of(share))
        self._db.executemany(
            "DELETE FROM claimed WHERE key = ? AND canonical = ? AND chunk = ?",
            [(alias.key, alias.canonical_key, chunk) for alias in share.aliases],
        )
        self._db.execute("DELETE FROM step WHERE chunk = ?", (chunk,))
        self._touch(share, -1)

    def _touch(self, share: ChunkGraph, sign: int) -> None:
        for mention in sure_mentions(share):
            self._tally[mention.key, mention.surface, mention.type.value] += sign
            self._named.add(mention.key)
        for alias in share.aliases:
            self._claimed.add(alias.key)
            self._named.update((alias.key, alias.canonical_key))

    def settle(self) -> None:
        self._settle_tally()
        self._settle_spread()
        appeared, vanished = self._settle_edges()
        moves = NameTable(self._db, self._tenant).refresh(self._named, self._claimed)
        settle_degrees(self._db, appeared, vanished, moves)
        count_changes(self._db, self._added, self._removed)

    def _settle_tally(self) -> None:
        changed = [(*name, n) for name, n in self._tally.items() if n]
        self._db.executemany(
            "INSERT INTO tally VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", changed
        )
        self._db.executemany(
            "DELETE FROM tally WHERE key = ? AND surface = ? AND type = ? AND n = 0",
            [row[:3] for row in changed if row[3] < 0],
        )

    def _settle_spread(self) -> None:
        changed = [(*name, n) for name, n in self._spread.items() if n]
        self._db.executemany(
            "INSERT INTO spread VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", changed
        )
        self._db.executemany(
            "DELETE FROM spread WHERE key = ? AND role = ? AND n = 0", [row[:2] for row in changed if row[2] < 0]
        )

    def _settle_edges(self) -> tuple[list[EdgeKey], list[EdgeKey]]:
        """Returns the edges that appeared and those that vanished."""
        appeared, vanished = [], []
        for edge, confidences in sorted(self._stated.items()):
            if edge not in self._withdrawn:
                (evidence,) = self._db.execute(
                    "INSERT INTO edge VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET evidence ="
                    " evidence + excluded.evidence, confidence = max(confidence, excluded.confidence)"
                    " RETURNING evidence",
                    (*edge, max(confidences), len(confidences)),
                ).fetchone()
                if evidence == len(confidences):
                    appeared.append(edge)
        for edge in sorted(self._withdrawn):
            known, present = self._recount(edge)
            if present and not known:
                appeared.append(edge)
            if known and not present:
                vanished.append(edge)
        return appeared, vanished

    def _recount(self, edge: EdgeKey) -> tuple[bool, bool]:
        """Whether the edge was there before, and whether it is now."""
        gone = self._db.execute("DELETE FROM edge WHERE source = ? AND target = ? AND type = ?", edge).rowcount
        there = self._db.execute(
            "INSERT INTO edge SELECT source, target, type, max(confidence), count(*) FROM stated"
            " WHERE source = ? AND target = ? AND type = ? GROUP BY source, target, type",
            edge,
        ).rowcount
        return gone > 0, there > 0
