# ruff: noqa: N802  (calls have the names of proto/)
"""ConnectionService over the shared handlers."""

from __future__ import annotations

from typing import Any

from trivium import api
from trivium.domain.connections import Connected
from trivium.rpc_calls import Context
from trivium.v1 import connections_pb2 as pb
from trivium.v1 import connections_pb2_grpc
from trivium_query import views
from trivium_query.handlers import connections
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer
from trivium_query.validation import validated


class Connections(Servicer, connections_pb2_grpc.ConnectionServiceServicer):  # type: ignore[misc]  # generated, untyped
    """What HTTP's /v1/connections does."""

    async def AddConnection(self, request: pb.AddConnectionRequest, context: Context) -> pb.AddConnectionResponse:
        """A new connection."""
        async with self._calls.open("AddConnection", context) as call:
            sent: dict[str, Any] = {name: getattr(request, name) for name in ("id", "kind", "location", "credential")}
            for name in ("dataset", "every_s", "max_per_s"):
                if getattr(request, name):
                    sent[name] = getattr(request, name)
            added = await connections.add(self._services, call.caller, validated(api.CreateConnection, sent))
            return pb.AddConnectionResponse(connection=_connection(added))

    async def ListConnections(self, request: pb.ListConnectionsRequest, context: Context) -> pb.ListConnectionsResponse:
        """By id."""
        async with self._calls.open("ListConnections", context) as call:
            found = await connections.listed(self._services, call.tenant)
            return pb.ListConnectionsResponse(connections=map(_connection, found))

    async def GetConnection(self, request: pb.GetConnectionRequest, context: Context) -> pb.GetConnectionResponse:
        """One."""
        async with self._calls.open("GetConnection", context) as call:
            found = await connections.find(self._services, call.tenant, messages.short(request.id, "id"))
            return pb.GetConnectionResponse(connection=_connection(found))

    async def RunConnection(self, request: pb.RunConnectionRequest, context: Context) -> pb.RunConnectionResponse:
        """A look, now."""
        async with self._calls.open("RunConnection", context) as call:
            found = await connections.run(self._services, call.tenant, messages.short(request.id, "id"))
            return pb.RunConnectionResponse(connection=_connection(found))

    async def RemoveConnection(
        self, request: pb.RemoveConnectionRequest, context: Context
    ) -> pb.RemoveConnectionResponse:
        """It is gone some moments later."""
        async with self._calls.open("RemoveConnection", context) as call:
            gone = await connections.remove(
                self._services, call.tenant, messages.short(request.id, "id"), documents=request.documents
            )
            return pb.RemoveConnectionResponse(connection=_connection(gone))


def _connection(found: Connected) -> pb.Connection:
    return pb.Connection(**messages.fields(views.connection(found)))
