"""The gRPC door of services that live in the test's own event loop, and what a door's failures tell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

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


def why(error: grpc.RpcError) -> ErrorInfo:
    """The rich reason of a failed call."""
    status = rpc_status.from_call(error)
    assert status is not None
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    return info
