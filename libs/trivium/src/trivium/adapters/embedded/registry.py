"""The registry in one SQLite file for all tenants; every change is one conditional transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from trivium.adapters.cursors import read_cursor, write_cursor
from trivium.adapters.embedded.objects import LocalObjects, LocalObjectStore
from trivium.adapters.embedded.sqlite import Database, Schema, json_list
from trivium.domain import lifecycle
from trivium.domain.documents import DEFAULT_DATASET, Document, DocumentState, Lane
from trivium.domain.errors import Conflict, NotFound
from trivium.domain.scope import Tenant
from trivium.ports.registry import DatasetCounts, DocumentCounts, DocumentPage


class _Dataset(msgspec.Struct):
    """Of a record, what the index of datasets lacks."""

    dataset: str = DEFAULT_DATASET


def _index_datasets(connection: sqlite3.Connection) -> None:
    """A listing of datasets reads this index alone, no record."""
    connection.execute(f"ALTER TABLE documents ADD COLUMN dataset TEXT NOT NULL DEFAULT '{DEFAULT_DATASET}'")
    decode = msgspec.msgpack.Decoder(_Dataset).decode
    known = (
        (decode(record).dataset, *key)
        for *key, record in connection.execute("SELECT tenant, id, record FROM documents")
    )
    elsewhere = [row for row in known if row[0] != DEFAULT_DATASET]
    connection.executemany("UPDATE documents SET dataset = ? WHERE tenant = ? AND id = ?", elsewhere)
    connection.execute("CREATE INDEX by_dataset ON documents (tenant, dataset, state, chunks)")


_SCHEMA = Schema(
    name="registry of documents",
    steps=(
        """
        CREATE TABLE documents (
            tenant TEXT NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL, fence INTEGER NOT NULL,
            state TEXT NOT NULL, stage TEXT NOT NULL, chunks INTEGER NOT NULL,
            created_at REAL NOT NULL, updated_at REAL NOT NULL, lease_until REAL NOT NULL,
            record BLOB NOT NULL,
            PRIMARY KEY (tenant, id)
        ) WITHOUT ROWID;
        CREATE INDEX newest ON documents (tenant, created_at DESC, id);
        CREATE INDEX newest_in_state ON documents (tenant, state, created_at DESC, id);
        CREATE INDEX waiting ON documents (created_at, lease_until) WHERE state IN ('pending', 'running');
        """,
        # Lanes: a backfill must not stand before an upload.
        """
        ALTER TABLE documents ADD COLUMN lane TEXT NOT NULL DEFAULT 'interactive';
        DROP INDEX waiting;
        CREATE INDEX waiting ON documents (lane, created_at, id, lease_until) WHERE state IN ('pending', 'running');
        """,
        # A status line reads this index alone, no record.
        "CREATE INDEX counted ON documents (tenant, state, stage, chunks);",
        _index_datasets,
    ),
    recovery="Stop Trivium, move registry.sqlite out of the data directory and ingest the documents again: finished"
    " stages are read from their artifacts.",
)
_COLUMNS = (
    "tenant, id, version, fence, state, stage, lane, chunks, created_at, updated_at, lease_until, dataset, record"
)
_STORE = f"INSERT OR REPLACE INTO documents ({_COLUMNS}) VALUES ({', '.join('?' * 13)})"  # noqa: S608
_MAX_PAGE = 1000
# By seeks, tenant by tenant: those that wait are passed over, and after a large upload they are many.
_IN_FLIGHT = """
WITH RECURSIVE each (tenant) AS (
    SELECT min(tenant) FROM documents
    UNION ALL
    SELECT (SELECT min(tenant) FROM documents WHERE tenant > each.tenant) FROM each WHERE tenant IS NOT NULL
)
SELECT lane, count(*) FROM each CROSS JOIN documents INDEXED BY newest_in_state USING (tenant)
WHERE state = 'running' AND lease_until > ? GROUP BY lane
"""


class SqliteRegistry:
    """All tenants' documents, in `<data>/registry.sqlite`."""

    def __init__(self, data: Path) -> None:
        self._database = Database(data / "registry.sqlite", _SCHEMA)
        self._objects = LocalObjects(data)

    def for_tenant(self, tenant: Tenant) -> SqliteTenantRegistry:
        """The tenant's documents."""
        return SqliteTenantRegistry(self._database, tenant, self._objects.for_tenant(tenant))

    def unfinished(self, now: float, limit: int = 1000, lane: Lane | None = None) -> Sequence[Document]:
        """What a sweep should start again, oldest first."""
        in_lane = ("AND lane = ?", (lane.value,)) if lane else ("", ())
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT record FROM documents WHERE state IN ('pending', 'running')"  # noqa: S608 - fixed clauses
                f" AND (state = 'pending' OR lease_until <= ?) {in_lane[0]}"
                " ORDER BY created_at, id LIMIT ?",
                (now, *in_lane[1], limit),
            ).fetchall()
        return [_decode(row[0]) for row in rows]

    def in_flight(self, now: float) -> dict[Lane, int]:
        """Documents under a lease, by lane."""
        with self._database.read() as connection:
            rows = connection.execute(_IN_FLIGHT, (now,)).fetchall()
        return dict.fromkeys(Lane, 0) | {Lane(lane): count for lane, count in rows}

    def waiting(self, now: float) -> dict[Lane, int]:
        """Documents for a sweep, by lane."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT lane, count(*) FROM documents WHERE state IN ('pending', 'running')"
                " AND (state = 'pending' OR lease_until <= ?) GROUP BY lane",
                (now,),
            ).fetchall()
        return dict.fromkeys(Lane, 0) | {Lane(lane): count for lane, count in rows}

    def tenants(self) -> Sequence[Tenant]:
        """Every tenant that ever had a document, by name."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT DISTINCT tenant FROM documents ORDER BY tenant").fetchall()
        return [Tenant(row[0]) for row in rows]

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's records, and write the file anew without them."""
        with self._database.write(durable=True) as connection:
            connection.execute("DELETE FROM documents WHERE tenant = ?", (tenant.name,))
        self._database.compact()

    def close(self) -> None:
        """Close the file."""
        self._database.close()


class SqliteTenantRegistry:
    """One tenant's documents; see `trivium.ports.registry.TenantRegistry`."""

    def __init__(self, database: Database, tenant: Tenant, objects: LocalObjectStore) -> None:
        self._database = database
        self._tenant = tenant
        self._objects = objects

    def accept(self, document: Document) -> Document:
        """Record a source or a new version of it; durable, because the caller tells a person so."""
        self._require_own(document)
        with self._database.write(durable=True) as connection:
            known = self._find(connection, document.id)
            if known is not None and lifecycle.changes_nothing(document, known):
                return known
            accepted = lifecycle.accepted(document, known)
            if known is None and self._was_worked_on(document.id):
                accepted = msgspec.structs.replace(accepted, fence=accepted.fence + 1)
            _store(connection, accepted)
        return accepted

    def get(self, document_id: str) -> Document:
        """The newest record."""
        with self._database.read() as connection:
            return self._need(connection, document_id)

    def get_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """The newest records, by id."""
        with self._database.read() as connection:
            return self._find_many(connection, document_ids)

    def get_many_cached(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """The same: an unknown one costs no more."""
        return self.get_many(document_ids)

    def save(self, document: Document) -> None:
        """Replace the record if nobody claimed it or accepted a newer version since it was read."""
        if self.save_many([document]):
            raise lifecycle.stale(document)

    def save_many(self, documents: Sequence[Document]) -> set[str]:
        """Replace the records that nobody else changed, in one transaction."""
        for document in documents:
            self._require_own(document)
        refused = set()
        with self._database.write() as connection:
            for document in documents:
                if self._is_newest(connection, document):
                    _store(connection, document)
                else:
                    refused.add(document.id)
        return refused

    def claim(self, document_id: str, version: str, lease_s: float, now: float) -> Document:
        """Take the lease for `lease_s` seconds from `now`."""
        with self._database.write() as connection:
            claimed = lifecycle.claimed(self._need(connection, document_id), version, lease_s, now)
            _store(connection, claimed)
        return claimed

    def claim_many(self, documents: Sequence[Document], lease_s: float, now: float) -> list[Document]:
        """Take the leases that can be taken, in one transaction."""
        taken = []
        with self._database.write() as connection:
            for document in documents:
                with suppress(Conflict, NotFound):
                    claimed = lifecycle.claimed(self._need(connection, document.id), document.version, lease_s, now)
                    _store(connection, claimed)
                    taken.append(claimed)
        return taken

    def delete(self, document_id: str) -> Document:
        """Mark the document as gone."""
        deleted = self.delete_many([document_id]).get(document_id)
        if deleted is None:
            raise lifecycle.no_such_document(document_id)
        return deleted

    def delete_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        """Mark the documents as gone, in one transaction; durable, because the caller tells a person so."""
        with self._database.write(durable=True) as connection:
            found = self._find_many(connection, document_ids)
            for known in list(found.values()):
                if known.state is not DocumentState.DELETED:
                    found[known.id] = lifecycle.deleted(known)
                    _store(connection, found[known.id])
        return found

    def move(self, document_id: str, dataset: str) -> Document:
        """Begin to move the document into another dataset."""
        return self._restarted(document_id, lambda known: lifecycle.moved(known, dataset))

    def requeue(self, document_id: str) -> Document:
        """Begin to publish the document again."""
        return self._restarted(document_id, lifecycle.requeued)

    def active_versions(self, document_ids: Sequence[str]) -> dict[str, str]:
        """What queries may see of these documents."""
        with self._database.read() as connection:
            found = map(_decode_seen, self._records(connection, document_ids))
            return {seen.id: seen.active_version for seen in found if seen.active_version}

    def list(self, state: DocumentState | None = None, limit: int = 50, cursor: str = "") -> DocumentPage:
        """One page, newest first."""
        limit = max(1, min(limit, _MAX_PAGE))
        where = ["tenant = ?"]
        parameters: list[str | float | int] = [self._tenant.name]
        if state is not None:
            where.append("state = ?")
            parameters.append(state.value)
        if cursor:
            created_at, last_id = read_cursor(cursor)
            where.append("(created_at < ? OR (created_at = ? AND id > ?))")
            parameters += [created_at, created_at, last_id]
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT record FROM documents WHERE {' AND '.join(where)}"  # noqa: S608 - fixed clauses
                " ORDER BY created_at DESC, id LIMIT ?",
                (*parameters, limit + 1),
            ).fetchall()
        documents = tuple(_decode(row[0]) for row in rows[:limit])
        return DocumentPage(documents, write_cursor(documents[-1]) if len(rows) > limit else "")

    def counts(self) -> DocumentCounts:
        """Totals for a status line."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT state, stage, count(*), sum(chunks) FROM documents WHERE tenant = ? GROUP BY state, stage",
                (self._tenant.name,),
            ).fetchall()
        by_state: dict[str, int] = {}
        by_stage: dict[str, int] = {}
        chunks = 0
        for state, stage, documents, held in rows:
            by_state[state] = by_state.get(state, 0) + documents
            if state == DocumentState.RUNNING and stage:
                by_stage[stage] = by_stage.get(stage, 0) + documents
            if state != DocumentState.DELETED:
                chunks += held
        return DocumentCounts(by_state, by_stage, chunks)

    def datasets(self, limit: int = 50, after: str = "") -> Sequence[DatasetCounts]:
        """Those that have a document, by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT dataset, count(*), sum(chunks) FROM documents INDEXED BY by_dataset"
                " WHERE tenant = ? AND dataset > ? AND state <> 'deleted' GROUP BY dataset ORDER BY dataset LIMIT ?",
                (self._tenant.name, after, max(1, min(limit, _MAX_PAGE))),
            ).fetchall()
        return [DatasetCounts(*row) for row in rows]

    def has_dataset(self, name: str) -> bool:
        """Whether it has a document."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT 1 FROM documents INDEXED BY by_dataset"
                " WHERE tenant = ? AND dataset = ? AND state <> 'deleted' LIMIT 1",
                (self._tenant.name, name),
            ).fetchone()
        return found is not None

    def _restarted(self, document_id: str, change: Callable[[Document], Document]) -> Document:
        with self._database.write(durable=True) as connection:
            known = self._need(connection, document_id)
            restarted = change(known)
            if restarted is not known:
                _store(connection, restarted)
        return restarted

    def _find(self, connection: sqlite3.Connection, document_id: str) -> Document | None:
        row = connection.execute(
            "SELECT record FROM documents WHERE tenant = ? AND id = ?", (self._tenant.name, document_id)
        ).fetchone()
        return _decode(row[0]) if row else None

    def _find_many(self, connection: sqlite3.Connection, document_ids: Sequence[str]) -> dict[str, Document]:
        return {document.id: document for document in map(_decode, self._records(connection, document_ids))}

    def _records(self, connection: sqlite3.Connection, document_ids: Sequence[str]) -> Iterator[bytes]:
        rows = connection.execute(
            "SELECT record FROM documents WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
            (self._tenant.name, json_list(document_ids)),
        )
        return (record for (record,) in rows)

    def _is_newest(self, connection: sqlite3.Connection, document: Document) -> bool:
        """Whether nobody claimed it or accepted a newer version since it was read."""
        found = connection.execute(
            "SELECT fence, version FROM documents WHERE tenant = ? AND id = ?", (self._tenant.name, document.id)
        ).fetchone()
        return bool(found == (document.fence, document.version))

    def _was_worked_on(self, document_id: str) -> bool:
        """Whether an unknown document has artifacts: its record was lost, and it must not begin as an untouched one."""
        return self._objects.has_folder(f"artifacts/{document_id}")  # as `flow/artifacts.py` lays them out

    def _need(self, connection: sqlite3.Connection, document_id: str) -> Document:
        document = self._find(connection, document_id)
        if document is None:
            raise lifecycle.no_such_document(document_id)
        return document

    def _require_own(self, document: Document) -> None:
        if document.tenant != self._tenant.name:
            raise lifecycle.wrong_tenant(document, self._tenant)


def _store(connection: sqlite3.Connection, document: Document) -> None:
    connection.execute(
        _STORE,
        (
            document.tenant,
            document.id,
            document.version,
            document.fence,
            document.state.value,
            document.stage,
            document.lane.value,
            document.chunks,
            document.created_at,
            document.updated_at,
            document.lease_until,
            document.dataset,
            msgspec.msgpack.encode(document),
        ),
    )


class _Seen(msgspec.Struct):
    """Of a record, what a search reads."""

    id: str
    active_version: str = ""


_decode = msgspec.msgpack.Decoder(Document).decode
_decode_seen = msgspec.msgpack.Decoder(_Seen).decode
