"""The query service's two doors inside a test's own event loop."""

from __future__ import annotations

import asyncio

from waiting import LIMIT_S

from trivium_query.requests import Services
from trivium_query.serve import Listening, serve


async def served(services: Services) -> tuple[Listening, asyncio.Task[None]]:
    """Where it listens, and what ends when it is told to stop. Raises what keeps it from starting."""
    ready: asyncio.Future[Listening] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(services, on_ready=ready.set_result))
    await asyncio.wait({ready, serving}, timeout=LIMIT_S, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
    assert ready.done(), f"after {LIMIT_S:g} s it does not serve"
    return ready.result(), serving


async def ended(serving: asyncio.Task[None]) -> None:
    """Once it was told to stop. Raises what went wrong."""
    await asyncio.wait_for(serving, LIMIT_S)
