"""Where a language model is, for callers that are synchronous: each piece of work connects for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from trivium.domain.documents import Lane
from trivium.ports.llm import Llm

T = TypeVar("T")


class LlmAddress(msgspec.Struct, frozen=True):
    """`name` is `provider:model`, part of the artifacts' keys; `connect` makes a client for one event loop."""

    name: str
    connect: Callable[[], Llm]
    reason_to_wait: Callable[[Lane], str] = lambda _: ""
    """Why a stage of this lane should ask later, "" where it need not. It never raises, and takes no time."""

    def run(self, work: Callable[[Llm], Awaitable[T]]) -> T:
        """Run `work` on an event loop of its own, with a client that is closed afterwards."""

        async def session() -> T:
            llm = self.connect()
            try:
                return await work(llm)
            finally:
                await llm.close()

        return asyncio.run(session())
