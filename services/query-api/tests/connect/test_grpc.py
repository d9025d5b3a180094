"""Connections over gRPC: what HTTP says, in the same words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from waiting import wait_until

from trivium.v1 import connections_pb2 as pb
from trivium.v1 import connections_pb2_grpc
from trivium_query.rpc.server import create_grpc_server

from .conftest import World
from .test_folder import write


@asynccontextmanager
async def stub(world: World) -> AsyncIterator[Any]:
    server = create_grpc_server(world.services, "127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield connections_pb2_grpc.ConnectionServiceStub(channel)
    finally:
        await server.stop(0)


async def ended(world: World, connections: Any, name: str) -> pb.Connection:
    """The connection once a look at it has ended."""
    await asyncio.to_thread(wait_until, lambda: world.show(name).get("ended_at"), f"{name} was looked at")
    return (await connections.GetConnection(pb.GetConnectionRequest(id=name))).connection


async def test_a_connection_lives_and_ends(world: World, tmp_path: Path) -> None:
    write(tmp_path / "papers/one.txt", "The first paper.")
    async with stub(world) as connections:
        wanted = pb.AddConnectionRequest(id="here", kind="folder", location=str(tmp_path / "papers"), dataset="papers")
        added = (await connections.AddConnection(wanted)).connection
        assert (added.id, added.activity, added.max_per_s, added.HasField("started_at")) == ("here", "new", 10, False)
        await connections.RunConnection(pb.RunConnectionRequest(id="here"))
        found = await ended(world, connections, "here")
        assert (found.stored, found.dataset, found.activity) == (1, "papers", "waiting")
        told = await asyncio.to_thread(world.show)
        assert {name: told[name] for name in ("run", "started_at", "ended_at", "created_at")} == {
            name: getattr(found, name) for name in ("run", "started_at", "ended_at", "created_at")
        }
        listed = await connections.ListConnections(pb.ListConnectionsRequest())
        assert list(listed.connections) == [found]
        gone = await connections.RemoveConnection(pb.RemoveConnectionRequest(id="here", documents=True))
        assert gone.connection.activity == "removing"
        await asyncio.to_thread(wait_until, lambda: "id" not in world.show(), "it is removed")
        with pytest.raises(grpc.aio.AioRpcError) as missing:
            await connections.GetConnection(pb.GetConnectionRequest(id="here"))
        assert missing.value.code() is grpc.StatusCode.NOT_FOUND
        assert await asyncio.to_thread(world.documents) == {}


async def test_an_error_is_told_with_its_reason(world: World, tmp_path: Path) -> None:
    async with stub(world) as connections:
        await connections.AddConnection(
            pb.AddConnectionRequest(id="gone", kind="folder", location=str(tmp_path / "gone"), every_s=3600)
        )
        found = await ended(world, connections, "gone")
        assert (found.activity, found.error.code) == ("failed", "no_such_folder")
        assert found.next_at == found.started_at + 3600


@pytest.mark.parametrize("fields", [{"kind": "ftp"}, {"id": "A"}, {"every_s": 3}, {"max_per_s": -1.0}])
async def test_what_does_not_fit_is_refused(world: World, tmp_path: Path, fields: dict[str, Any]) -> None:
    async with stub(world) as connections:
        wanted = {"id": "here", "kind": "folder", "location": str(tmp_path), **fields}
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await connections.AddConnection(pb.AddConnectionRequest(**wanted))
        assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
