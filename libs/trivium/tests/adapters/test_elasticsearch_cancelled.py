"""Searches that end before their answer is used, against a peer of Elasticsearch over real HTTP."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from busy_elastic import BusyElastic
from cancelling import DELAY_S, cancel_at_every_step
from elasticsearch import AsyncElasticsearch

from trivium.adapters.distributed.elasticsearch.node import HttpNode


class SlowElastic(BusyElastic):
    """Finds nothing, a moment later."""

    def answer(self, path: str, body: str) -> tuple[int, dict[str, Any]]:
        self.requests += 1
        time.sleep(DELAY_S)
        return 200, {"hits": {"hits": []}}


async def test_searches_that_are_cancelled_take_no_connection_with_them() -> None:
    with SlowElastic(0) as peer:
        client = AsyncElasticsearch(peer.url, node_class=HttpNode, connections_per_node=1, request_timeout=5)

        async def search() -> object:
            return await client.search(index="chunks", query={"match_all": {}})

        await cancel_at_every_step(search, lambda: peer.requests)
        async with asyncio.timeout(5):
            assert await search()
        await client.close()
