"""The graph in one Neo4j database, plain Cypher.

`schema.py` says how it looks there. `write.py` brings shares in and out with the statements of `write_statements.py`,
what changes being counted by `changes.py` and `names.py`; `read.py` asks with those of `read_statements.py`, and
`similar_names.py` compares names. `shelf.py` keeps what resolution knows of them.
"""

from __future__ import annotations

from typing import LiteralString

from trivium.adapters.distributed.neo4j.read import Neo4jGraphReader
from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.distributed.neo4j.write import Neo4jGraphWriter, create_schema
from trivium.config import Settings
from trivium.domain.scope import Tenant

_DROP = (
    "MATCH (n:HyperNode) WHERE n.tenant = $tenant AND n.id IS NOT NULL"
    " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS",
    "MATCH (n:Chunk) WHERE n.tenant = $tenant AND n.id IS NOT NULL"
    " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS",
    # A hub's relations go before it: all of them in one transaction may be more than the server's memory.
    "MATCH ()-[r:TIE]->() WHERE r.tenant = $tenant AND r.source IS NOT NULL"
    " CALL (r) { DELETE r } IN TRANSACTIONS OF 5000 ROWS",
    "MATCH ()-[r:RELATES]->() WHERE r.tenant = $tenant AND r.chunk IS NOT NULL"
    " CALL (r) { DELETE r } IN TRANSACTIONS OF 5000 ROWS",
    "MATCH (n:Name) WHERE n.tenant = $tenant AND n.id IS NOT NULL"
    " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS",
    "MATCH (n:Block) WHERE n.tenant = $tenant AND n.id IS NOT NULL"
    " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS",
    "MATCH (n:Resolver {tenant: $tenant}) DELETE n",
    "MATCH (n:Tenant {tenant: $tenant}) DELETE n",
    "MATCH (n:Changes {tenant: $tenant}) DELETE n",
)


class Neo4jGraphs:
    """All tenants' graphs; see `trivium.ports.graph.Graphs`."""

    def __init__(self, settings: Settings) -> None:
        self._server = Neo4jServer(settings)
        self._prefix = settings.index_prefix

    def writer(self, tenant: Tenant) -> Neo4jGraphWriter:
        """The tenant's writes."""
        return Neo4jGraphWriter(self._server, tenant, self._space(tenant))

    def reader(self, tenant: Tenant) -> Neo4jGraphReader:
        """The tenant's reads."""
        return Neo4jGraphReader(self._server, tenant, self._space(tenant))

    def prepare(self) -> None:
        """Make the indexes that the first write would make, and wait for. Raises `TryLater`."""
        create_schema(self._server)

    def tenants(self) -> set[Tenant]:
        """Those that have a chunk."""
        return self._tenants("MATCH (c:Chunk) WHERE c.tenant STARTS WITH $prefix RETURN DISTINCT c.tenant")

    def unresolved(self) -> set[Tenant]:
        """Those that have a name to look at."""
        return self._tenants("MATCH (n:Unresolved) WHERE n.tenant STARTS WITH $prefix RETURN DISTINCT n.tenant")

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's graph, some hundred nodes at a time."""
        for statement in _DROP:
            self._server.run(statement, tenant=self._space(tenant))

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _tenants(self, statement: LiteralString) -> set[Tenant]:
        prefix = f"{self._prefix}:"
        return {Tenant(space.removeprefix(prefix)) for (space,) in self._server.run(statement, prefix=prefix)}

    def _space(self, tenant: Tenant) -> str:
        return f"{self._prefix}:{tenant.name}"
