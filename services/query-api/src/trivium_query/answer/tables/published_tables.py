"""The tables of published documents, made from the parse artifact when a question needs them.

The artifact holds every table whole, so documents that were read before need not be read again, nothing is stored
twice, and it works alike on files and on servers. A document that is asked about again is remembered, typed and as
a database, by the artifact's key, which names its content.
"""

from __future__ import annotations

import threading

from cachetools import LRUCache

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Stage
from trivium.domain.errors import NotFound
from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.artifacts import Published
from trivium.ports.objects import Objects, ObjectStore
from trivium_query.answer.tables.engine import database_of
from trivium_query.answer.tables.from_units import tables_of
from trivium_query.answer.tables.table import DocumentTables

MAX_TABLE_CHARS = 20_000_000  # of a document's tables: some 300,000 rows; above it its tables are not computed with
REMEMBERED_BYTES = 128 * 1024 * 1024
_CHEAPEST = 4_096  # what a document without tables is counted as
_NONE = DocumentTables()


class PublishedTables:
    """The tables that a document version was published with. Shared by the threads of the process."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._lock = threading.Lock()
        self._recent: LRUCache[tuple[Tenant, str], DocumentTables] = LRUCache(REMEMBERED_BYTES, _size)

    def of(self, tenant: Tenant, document_id: str, version: str) -> DocumentTables:
        """None of them when the artifacts are damaged or gone, or the tables too large. Blocks; raises `TryLater`."""
        store = self._objects.for_tenant(tenant)
        publication = artifacts.published(store, document_id, version)
        if publication is None:
            return _NONE
        key = (tenant, publication.artifacts[Stage.ENRICH.value])
        with self._lock:
            known = self._recent.get(key)
        return known if known is not None else self._remembered(key, _load(store, publication))

    def _remembered(self, key: tuple[Tenant, str], made: DocumentTables) -> DocumentTables:
        with self._lock:
            if _size(made) <= REMEMBERED_BYTES:
                self._recent[key] = made
        return made


def _load(store: ObjectStore, publication: Published) -> DocumentTables:
    try:
        parsed = artifacts.load(store, publication.artifacts[Stage.PARSE.value], ParsedDocument)
        if sum(len(unit.text) for unit in parsed.units if unit.kind is UnitKind.TABLE) > MAX_TABLE_CHARS:
            return _NONE
        chunks = artifacts.load(store, publication.artifacts[Stage.ENRICH.value], list[Chunk])
    except NotFound:
        return _NONE
    raw = tables_of(parsed)
    return database_of(raw, chunks[0].source, chunks) if raw and chunks else _NONE


def _size(tables: DocumentTables) -> int:
    return _CHEAPEST + len(tables.database) + sum(len(chunk.text) for chunk in tables.chunks)
