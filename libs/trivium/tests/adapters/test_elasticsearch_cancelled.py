"""Searches that end before their answer is used, against a peer of Elasticsearch over real HTTP."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cancelling import DELAY_S, cancel_at_every_step
from elasticsearch import AsyncElasticsearch

from trivium.adapters.distributed.elasticsearch.node import HttpNode


class Peer:
    """Finds nothing; `requests` counts how often."""

    def __init__(self) -> None:
        peer = self
        self.requests = 0

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                peer.requests += 1
                time.sleep(DELAY_S)
                body = b'{"hits": {"hits": []}}'
                self.send_response(200)
                self.send_header("X-Elastic-Product", "Elasticsearch")
                self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.server.shutdown()
    peer.server.server_close()


async def test_searches_that_are_cancelled_take_no_connection_with_them(peer: Peer) -> None:
    client = AsyncElasticsearch(peer.url, node_class=HttpNode, connections_per_node=1, request_timeout=5)

    async def search() -> object:
        return await client.search(index="chunks", query={"match_all": {}})

    await cancel_at_every_step(search, lambda: peer.requests)
    async with asyncio.timeout(5):
        assert await search()
    await client.close()
