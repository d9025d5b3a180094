"""The tables of published documents, made from the parse artifact when a question needs them.

The artifact holds every table whole, so documents that were read before need not be read again, nothing is stored
twice, and it works alike on files and on servers. A document that is asked about again is remembered, typed and as
a database, by the artifact's key, which names its content.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from cachetools import LRUCache, cached

from trivium.domain.chunks import Chunk, memory_bytes
from trivium.domain.documents import Stage
from trivium.domain.errors import NotFound
from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.ports.objects import Objects
from trivium_query.answer.tables.engine import database_of
from trivium_query.answer.tables.from_units import tables_of
from trivium_query.answer.tables.table import DocumentTables

MAX_TABLE_CHARS = 20_000_000  # of a document's tables: some 300,000 rows; above it its tables are not computed with
REMEMBERED_BYTES = 64 * 1024 * 1024
_CHEAPEST = 4_096  # what a document without tables is counted as
_STRING_BYTES = 64  # of an object of its own, in a tuple
_NONE = DocumentTables()


class PublishedTables:
    """The tables that a document version was published with. Shared by the threads of the process."""

    def __init__(self, objects: Objects, max_bytes: int = REMEMBERED_BYTES) -> None:
        self._objects = objects
        recent: LRUCache[tuple[Tenant, str], DocumentTables] = LRUCache(max_bytes, _size)
        self._recent = cached(recent, lambda tenant, made_of: (tenant, made_of[Stage.ENRICH.value]), Lock())(self._load)

    def of(self, tenant: Tenant, document_id: str, version: str) -> DocumentTables:
        """None of them when the artifacts are damaged or gone, or the tables too large. Blocks; raises `TryLater`."""
        publication = artifacts.published(self._objects.for_tenant(tenant), document_id, version)
        return self._recent(tenant, publication.artifacts) if publication is not None else _NONE

    def _load(self, tenant: Tenant, made_of: Mapping[str, str]) -> DocumentTables:
        store = self._objects.for_tenant(tenant)
        try:
            parsed = artifacts.load(store, made_of[Stage.PARSE.value], ParsedDocument)
            if sum(len(unit.text) for unit in parsed.units if unit.kind is UnitKind.TABLE) > MAX_TABLE_CHARS:
                return _NONE
            chunks = artifacts.load(store, made_of[Stage.ENRICH.value], list[Chunk])
        except NotFound:
            return _NONE
        raw = tables_of(parsed)
        return database_of(raw, chunks[0].source, chunks) if raw and chunks else _NONE


def _size(tables: DocumentTables) -> int:
    values = [value for table in tables.tables for column in table.columns for value in column.values]
    names = sum(map(len, values)) + _STRING_BYTES * len(values)
    return _CHEAPEST + len(tables.database) + names + memory_bytes(tables.chunks)
