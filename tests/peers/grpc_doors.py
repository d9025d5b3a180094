"""The gRPC door of services that live in the test's own event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from trivium_query.requests import Services
from trivium_query.rpc.server import create_grpc_server


@asynccontextmanager
async def over_grpc(services: Services) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to `services`, served while the block runs."""
    server = create_grpc_server(services, "127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        yield channel
    await server.stop(0)
