"""The graph in one SQLite file per tenant, `<data>/tenants/<tenant>/graph.sqlite`.

`graph_schema` has the tables, `graph_write` and `graph_names` fill them, `graph_read` and `graph_match` ask them.
"""

from __future__ import annotations

from pathlib import Path

from trivium.adapters.embedded.graph_read import SqliteGraphReader
from trivium.adapters.embedded.graph_schema import SCHEMA
from trivium.adapters.embedded.graph_write import SqliteGraphWriter
from trivium.adapters.embedded.sqlite import ReadThreads, TenantDatabases
from trivium.domain.scope import Tenant


class SqliteGraphs:
    """All tenants' graphs; see `trivium.ports.graph.Graphs`."""

    def __init__(self, data: Path) -> None:
        self._databases = TenantDatabases(data, "graph", SCHEMA)
        self._threads = ReadThreads("graph")

    def writer(self, tenant: Tenant) -> SqliteGraphWriter:
        """The tenant's writes."""
        return SqliteGraphWriter(self._databases.of(tenant), tenant)

    def reader(self, tenant: Tenant) -> SqliteGraphReader:
        """The tenant's reads."""
        return SqliteGraphReader(self._databases.of(tenant), self._threads, tenant)

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's graph."""
        self._databases.drop(tenant)

    def close(self) -> None:
        """End the threads and close the files."""
        self._threads.close()
        self._databases.close()
