"""MCP over streamable HTTP at `/mcp`, where the extra `trivium[mcp]` is installed.

Its tools call this application's own routes with the caller's key: who may do what is decided there, once.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.async_client import AsyncTriviumClient
from trivium.domain.errors import NeverWill
from trivium.extras import explained
from trivium.retrying import NO_RETRIES
from trivium_query.http.middleware import header
from trivium_query.http.problems import REQUEST_ID, of_error

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH = "/mcp"
OWN_ADDRESS = "http://127.0.0.1"


def route(app: ASGIApp) -> Route:
    """The route; the SDK is loaded when the first request comes."""
    return Route(PATH, _Door(app), methods=["GET", "POST", "DELETE"], include_in_schema=False)


class _Door:
    """Each request stands alone: there is no session to keep, on whichever of several processes it arrives."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._server: MCPServer[Any] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        try:
            server = self._server
            if server is None:
                server = self._server = await asyncio.to_thread(_loaded)
        except NeverWill as error:
            await of_error(error, scope[REQUEST_ID])(scope, receive, send)
            return
        await _served(server, self._app, scope, receive, send)


def _loaded() -> MCPServer[Any]:
    """Raises `NeverWill` (`not_installed`)."""
    try:
        from trivium.mcp_door.server import make_server  # noqa: PLC0415  an extra, and slow to load
    except ModuleNotFoundError as error:
        raise explained(error) from error
    return make_server()


async def _served(server: MCPServer[Any], app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

    from trivium.mcp_door.calls import CLIENT  # noqa: PLC0415

    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # `Identified` has looked
    server.streamable_http_app(stateless_http=True, json_response=True, transport_security=unchecked)
    manager = server.session_manager  # made by the line above, for this request
    key = header(scope, b"x-api-key") or header(scope, b"authorization").partition(" ")[2].strip()
    transport = httpx2.ASGITransport(app)
    async with AsyncTriviumClient(OWN_ADDRESS, key, retries=NO_RETRIES, transport=transport) as client:
        token = CLIENT.set(client)
        try:
            async with manager.run():
                await manager.handle_request(scope, receive, send)
        finally:
            CLIENT.reset(token)
