"""Who is called, and as whom: set for one MCP request or one stdio session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from trivium.async_client import AsyncTriviumClient
from trivium.domain.errors import TriviumError

CLIENT: ContextVar[AsyncTriviumClient] = ContextVar("trivium_client")

Tool = Callable[..., Awaitable[Any]]


def told(tool: Tool) -> Tool:
    """The tool, whose refusals a model can read: what was wrong, and what to do."""

    @wraps(tool)
    async def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return await tool(*args, **kwargs)
        except TriviumError as error:
            raise ToolError(f"{error} ({error.code})") from error

    return called
