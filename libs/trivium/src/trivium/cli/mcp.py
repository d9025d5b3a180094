"""`trivium mcp`: an MCP server on standard input and output, for programs that start it themselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from trivium.config import Settings


@click.command()
def mcp() -> None:
    """Speak MCP on standard input and output, until they end.

    A client of the server that TRIVIUM_URL (with TRIVIUM_API_KEY) or the data directory leads to, as every command.
    Needs the extra: pip install --find-links dist "trivium[mcp]".
    """
    from trivium.config import load_settings
    from trivium.extras import explained

    try:
        from trivium.mcp_door import server  # noqa: F401  told before anything is started
    except ModuleNotFoundError as error:
        raise explained(error) from error
    _speak(load_settings())


def _speak(settings: Settings) -> None:
    from trivium.async_client import AsyncTriviumClient
    from trivium.cli.session import found
    from trivium.mcp_door.calls import CLIENT
    from trivium.mcp_door.server import make_server

    async def speak(url: str, api_key: str) -> None:
        async with AsyncTriviumClient(url, api_key, ca_file=settings.ca_file) as client:
            CLIENT.set(client)
            await make_server().run_stdio_async()

    with found(settings) as (url, api_key):
        asyncio.run(speak(url, api_key))
