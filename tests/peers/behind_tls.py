"""TLS in front of a server that speaks none, as a proxy beside it does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from urllib.parse import urlsplit

from certificates import Authority


@contextmanager
def behind_tls(authority: Authority, url: str) -> Iterator[str]:
    """`localhost:PORT`, which leads to the host and port of `url`; its certificate is of `authority`."""
    there = urlsplit(url)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _told: None)  # who does not believe it hangs up
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> asyncio.Server:
        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with closing(writer):
                far_reader, far_writer = await asyncio.open_connection(there.hostname, there.port)
                with closing(far_writer):
                    await asyncio.gather(_copied(reader, far_writer), _copied(far_reader, writer))

        return await asyncio.start_server(relay, "127.0.0.1", 0, ssl=authority.serving())

    server = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    try:
        yield f"localhost:{server.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(_ended(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


SCHEMES = {
    "s3_url": "https",
    "redis_url": "rediss",
    "milvus_url": "https",
    "elasticsearch_url": "https",
    "neo4j_url": "bolt+s",
}


@contextmanager
def servers_behind_tls(authority: Authority, settings: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The addresses of the servers among the settings, over TLS."""
    with ExitStack() as stack:
        over = {}
        for name, scheme in SCHEMES.items():
            plain = urlsplit(settings[name])
            user, at, _ = plain.netloc.rpartition("@")
            place = stack.enter_context(behind_tls(authority, settings[name]))
            over[name] = plain._replace(scheme=scheme, netloc=f"{user}{at}{place}").geturl()
        yield over


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _ended(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
