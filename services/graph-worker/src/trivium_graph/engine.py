"""Which engine reads a document: the rules, or a language model on top of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache

from trivium.domain.chunks import Chunk
from trivium.domain.graph import ChunkGraph
from trivium.ports.llm import Llm
from trivium_graph import llm_extract

Connect = Callable[[], Llm]  # a client belongs to one event loop, so each document's loop makes its own


def refined(connect: Connect, chunks: Sequence[Chunk], by_rules: Sequence[ChunkGraph]) -> list[ChunkGraph]:
    """`llm_extract.refine` for a caller without an event loop."""

    async def work() -> list[ChunkGraph]:
        llm = connect()
        try:
            return await llm_extract.refine(llm, chunks, by_rules)
        finally:
            await llm.close()

    return asyncio.run(work())


@lru_cache(maxsize=8)
def name_of(connect: Connect) -> str:
    """`provider:model` of the client that `connect` makes."""

    async def work() -> str:
        llm = connect()
        try:
            return llm.name
        finally:
            await llm.close()

    return asyncio.run(work())
