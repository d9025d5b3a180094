"""Writing a tenant's graph: shares in and out, and the tables that they add up to brought along."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from trivium.adapters.embedded.graph_decisions import Decided, decided, put_state, to_decide
from trivium.adapters.embedded.graph_evidence import add_evidence, drop_evidence, put_evidence
from trivium.adapters.embedded.graph_names import NameTable, Resolved
from trivium.adapters.embedded.graph_shelf import SqliteShelf
from trivium.adapters.embedded.graph_ties import EdgeKey, Moves, settle_ties
from trivium.adapters.embedded.graph_veils import Veils
from trivium.adapters.embedded.mirror import count_changes, stamp_of
from trivium.adapters.embedded.sqlite import Database, json_list
from trivium.adapters.graph_rules import Spelling, fields_of, is_as_stored, places_of, statements_of, sure_mentions
from trivium.adapters.resolved_names import ANEW, ends_of, is_another
from trivium.domain.edits import Decisions
from trivium.domain.graph import ChunkGraph
from trivium.domain.scope import Scope, Tenant
from trivium.domain.verdicts import RULE_SHARE
from trivium.ports.graph import NAMES_AT_ONCE, GraphRow
from trivium.resolution.record import MAX_NEIGHBOURS
from trivium.resolution.settle import settle

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ChunkGraph).decode


class SqliteGraphWriter:
    """One tenant's writes; see `trivium.ports.graph.GraphWriter`.

    `changed` hears of what leaves names to resolve, `resolved` of which names are known otherwise since.
    """

    def __init__(
        self, database: Database, tenant: Tenant, changed: Callable[[], None], resolved: Callable[[Resolved], None]
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._changed = changed
        self._resolved = resolved

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
        self._changed()

    def relabel(self, rows: Sequence[GraphRow]) -> None:
        """Write what stands beside the shares, in one transaction."""
        changed = 0
        with self._database.write() as connection:
            for row in rows:
                chunk, fields = row.share.chunk_id, fields_of(row)
                before = connection.execute(
                    "SELECT document, version, dataset, run, kinds, uploaded, dated, within FROM share WHERE chunk = ?",
                    (chunk,),
                ).fetchone()
                if before is None:
                    continue
                changed += list(before) != fields
                connection.execute(
                    "UPDATE share SET document = ?, version = ?, dataset = ?, run = ?, kinds = ?, uploaded = ?,"
                    " dated = ? WHERE chunk = ?",
                    (*fields[:-1], chunk),
                )
                put_evidence(connection, chunk, row.within)
            if changed:
                count_changes(connection, changed, 0)

    def delete(self, document_id: str) -> None:
        """Remove the document's shares."""
        self.delete_others({document_id: ""})

    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove all but the version that each document keeps, in one transaction."""
        if not self._database.path.exists():
            return
        with self._database.write() as connection:
            found = "SELECT chunk FROM share WHERE document = ? AND version <> ?"
            rows = [row for document in kept.items() for row in connection.execute(found, document).fetchall()]
            changes = _Changes(connection, self._tenant)
            for (chunk,) in rows:
                changes.remove(chunk)
            changes.settle()
        self._changed()

    def decide(self, decisions: Decisions, since: Decisions | None = None) -> None:
        """Bring the store to these decisions, in one transaction; where they are what it has, nothing is written."""
        if not self._database.path.exists() and not Decided.of(decisions).unlike(Decided({}, {}, {})):
            return
        with self._database.write() as connection:
            stored, wanted = to_decide(connection, decisions, since)
            put_state(connection, decisions)
            if not stored.unlike(wanted):
                return
            changes = _Changes(connection, self._tenant)
            for chunk in stored.shares.keys() - wanted.shares.keys():
                changes.remove(chunk)
            for chunk, share in wanted.shares.items():
                if stored.shares.get(chunk) != share:
                    changes.remove(chunk)
                    changes.add(GraphRow(share, "", "", Scope(self._tenant, "")))
            changes.decide(stored, wanted)
            changes.settle()
        self._changed()

    def resolve(self, most: int = NAMES_AT_ONCE) -> int:
        """Settle some names, in one transaction."""
        if not self.is_unresolved():
            return 0
        with self._database.write() as connection:
            keys = [key for (key,) in connection.execute("SELECT DISTINCT key FROM unresolved LIMIT ?", (most,))]
            shelf = SqliteShelf(connection)
            settle(shelf, keys)
            before = stamp_of(connection)
            changes = _Changes(connection, self._tenant)
            for moved in shelf.moved:
                changes.claim_by_rule(*moved)
            moves = changes.settle(unresolved=False)
            connection.execute(
                "DELETE FROM unresolved WHERE key IN (SELECT value FROM json_each(?))", (json_list(keys),)
            )
            after = stamp_of(connection)
            resolved = NameTable(connection, self._tenant).resolved(before, after, moves) if after != before else None
        if resolved is not None:
            self._resolved(resolved)
        return len(keys)

    def is_unresolved(self) -> bool:
        """Whether `resolve` has something to do."""
        with self._database.read() as connection:
            return connection.execute("SELECT 1 FROM unresolved LIMIT 1").fetchone() is not None

    def undecided(self, decisions: Decisions) -> int:
        """How many decisions differ."""
        with self._database.read() as connection:
            return decided(connection).unlike(Decided.of(decisions))

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunks that have a share, for one version of each document."""
        with self._database.read(durable=True) as connection:
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
            yield from connection.execute(
                "SELECT DISTINCT document, version FROM share WHERE document <> ''"
            ).fetchall()

    def unlike(self, rows: Sequence[GraphRow]) -> set[str]:
        """The chunks whose share is another."""
        wanted = {row.share.chunk_id: row for row in rows}
        with self._database.read() as connection:
            stored = connection.execute(
                "SELECT chunk, document, version, dataset, run, kinds, uploaded, dated, within, cast(body AS BLOB)"
                " FROM share WHERE chunk IN (SELECT value FROM json_each(?))",
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
        self._anew: set[str] = set()
        self._removed_entities: Collection[str] = ()
        self._hidden_relations: Collection[EdgeKey] = ()
        self._added = self._removed = 0

    def add(self, row: GraphRow) -> None:
        share, chunk = row.share, row.share.chunk_id
        self._added += 1
        self._db.execute(
            "INSERT INTO share (chunk, document, version, dataset, run, kinds, uploaded, dated, within, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (chunk, *fields_of(row), _encode(share)),
        )
        add_evidence(self._db, chunk, row.within)
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
        drop_evidence(self._db, chunk)
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

    def decide(self, stored: Decided, wanted: Decided) -> None:
        """Replace what is decided beside the shares; what follows from it is brought along by `settle`."""
        stored.replace(self._db, wanted)
        self._removed_entities = stored.changed_keys(wanted, "removed")
        self._hidden_relations = stored.changed_relations(wanted)
        typed = stored.changed_keys(wanted, "type")
        self._named.update(self._removed_entities, typed)
        self._anew.update(typed, *(edge[:2] for edge in self._hidden_relations))
        self._added += 1

    def claim_by_rule(self, key: str, before: str | None, now: str | None) -> None:
        """Rules give a name to another one than before, or to none."""
        self._added += 1
        self._db.execute("DELETE FROM claimed WHERE key = ? AND canonical = ? AND chunk = ?", (key, before, RULE_SHARE))
        if now is not None:
            self._db.execute("INSERT INTO claimed VALUES (?, ?, ?, ?)", (key, now, RULE_SHARE, key))
        self._claimed.add(key)
        self._named.update(filter(None, (key, before, now)))

    def settle(self, *, unresolved: bool = True) -> Moves:
        """`unresolved`: what may have become known otherwise of a name is to be looked at. Returns who moved."""
        self._settle_tally()
        self._settle_spread()
        moves = NameTable(self._db, self._tenant).refresh(self._named, self._claimed)
        more, anew, changed = self._settle_edges(moves)
        settle_ties(self._db, more, anew, moves)
        if unresolved:
            self._look_again(changed)
        count_changes(self._db, self._added, self._removed)
        return moves

    def _look_again(self, edges: Iterable[EdgeKey]) -> None:
        """At the names of which something is known otherwise now that these edges came or went.

        One of more changes than are told apart is decided anew in any case, so they are not kept.
        """
        changed = ends_of(edges)
        anew = self._anew | self._retold() | {key for key, others in changed.items() if ANEW in others}
        in_part = changed.keys() - anew
        waiting = self._db.execute(
            "SELECT key, count(*), min(other) FROM unresolved"
            " WHERE key IN (SELECT value FROM json_each(?)) GROUP BY key",
            (json_list(in_part),),
        )
        told = {key: MAX_NEIGHBOURS if least == ANEW else n for key, n, least in waiting}
        anew |= {key for key in in_part if told.get(key, 0) + len(changed[key]) > MAX_NEIGHBOURS}
        in_part -= anew
        rows = [*((key, ANEW) for key in anew), *((key, other) for key in in_part for other in changed[key])]
        self._db.executemany("INSERT OR IGNORE INTO unresolved VALUES (?, ?)", rows)

    def _retold(self) -> set[str]:
        """The names that came or went, or are of another type."""
        came: dict[str, Counter[Spelling]] = {}
        for (key, surface, kind), n in self._tally.items():
            if n:
                came.setdefault(key, Counter())[surface, kind] = n
        now: dict[str, Counter[Spelling]] = {key: Counter() for key in came}
        rows = self._db.execute(
            "SELECT key, surface, type, n FROM tally WHERE key IN (SELECT value FROM json_each(?))", (json_list(came),)
        )
        for key, surface, kind, n in rows:
            now[key][surface, kind] = n
        for key, counted in came.items():
            counted.subtract(now[key])
        return {key for key, counted in came.items() if is_another(-counted, now[key])}

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

    def _settle_edges(self, moves: Moves) -> tuple[dict[EdgeKey, tuple[float, int]], set[EdgeKey], list[EdgeKey]]:
        """Returns what came to edges (confidence, evidence), those counted anew, and those that came or went."""
        veils = Veils(self._db)
        anew = set(self._withdrawn)
        if veils.any or self._removed_entities or self._hidden_relations:
            anew |= self._stated.keys() | veils.touched(moves, self._removed_entities, self._hidden_relations)
        more = {edge: (max(each), len(each)) for edge, each in sorted(self._stated.items()) if edge not in anew}
        insert = "INSERT OR IGNORE INTO edge (source, target, type, confidence, evidence) VALUES (?, ?, ?, ?, ?)"
        new = [edge for edge, came in more.items() if self._db.execute(insert, (*edge, *came)).rowcount]
        self._db.executemany(
            "UPDATE edge SET confidence = max(confidence, ?), evidence = evidence + ?"
            " WHERE source = ? AND target = ? AND type = ?",
            [(*more[edge], *edge) for edge in more.keys() - new],
        )
        return more, anew, [*new, *filter(veils.recount, sorted(anew))]
