"""The graph in one SQLite file per tenant, `<data>/tenants/<tenant>/graph.sqlite`.

`graph_schema` has the tables, `graph_write` and `graph_names` fill them, `graph_read` and `graph_match` ask them.
"""

from __future__ import annotations

import threading
from pathlib import Path

from trivium.adapters.embedded.graph_read import Recent, SqliteGraphReader
from trivium.adapters.embedded.graph_schema import SCHEMA
from trivium.adapters.embedded.graph_write import SqliteGraphWriter
from trivium.adapters.embedded.sqlite import ReadThreads, TenantDatabases
from trivium.domain.scope import Tenant


class SqliteGraphs:
    """All tenants' graphs; see `trivium.ports.graph.Graphs`."""

    def __init__(self, data: Path) -> None:
        self._databases = TenantDatabases(data, "graph", SCHEMA)
        self._threads = ReadThreads("graph")
        self._lock = threading.Lock()
        self._recent: dict[Tenant, Recent] = {}
        self._changed = self._databases.tenants()  # since they were last seen with nothing to resolve

    def writer(self, tenant: Tenant) -> SqliteGraphWriter:
        """The tenant's writes."""
        recent = self._read_lately(tenant)
        return SqliteGraphWriter(self._databases.of(tenant), tenant, lambda: self._changed.add(tenant), recent.resolved)

    def reader(self, tenant: Tenant) -> SqliteGraphReader:
        """The tenant's reads."""
        return SqliteGraphReader(self._databases.of(tenant), tenant, self._threads, self._read_lately(tenant))

    def tenants(self) -> set[Tenant]:
        """Those that have a file."""
        return self._databases.tenants()

    def unresolved(self) -> set[Tenant]:
        """Those that have a name to look at, as far as this process writes."""
        for tenant in list(self._changed):
            self._changed.discard(tenant)  # before it is looked at: what comes meanwhile puts it back
            if self.writer(tenant).is_unresolved():
                self._changed.add(tenant)
        return set(self._changed)

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's graph."""
        with self._lock:
            self._recent.pop(tenant, None)
        self._databases.drop(tenant)

    def _read_lately(self, tenant: Tenant) -> Recent:
        with self._lock:
            return self._recent.setdefault(tenant, Recent())

    def close(self) -> None:
        """End the threads and close the files."""
        self._threads.close()
        self._databases.close()
