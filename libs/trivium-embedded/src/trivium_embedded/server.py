"""Run the embedded product: until stopped (`serve`), or for the length of a block (`running`)."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import msgspec

from trivium.config import LOOPBACK, Settings
from trivium.telemetry import configure_logging
from trivium_embedded.data_dir import announce, owned
from trivium_embedded.warm import warming
from trivium_embedded.wiring import assembled
from trivium_query.doors import Services
from trivium_query.serve import Listening
from trivium_query.serve import serve as serve_doors

START_S = 60.0


def serve(settings: Settings, on_ready: Callable[[str, str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` gets the HTTP base URL and the gRPC address.

    Raises `Refused` (`data_dir_in_use`, `port_in_use`) and `NeverWill` (`data_dir_unusable`).
    """
    configure_logging(settings.log_level, settings.log_format)

    def ready(listening: Listening) -> None:
        gc.collect()
        gc.freeze()  # what stands now stays to the end: visiting it halted a search for 40 ms now and then
        announce(settings.data_dir, listening.http)
        on_ready(listening.http, listening.grpc)

    with owned(settings.data_dir), assembled(settings) as services, warming(services):
        asyncio.run(serve_doors(services, on_ready=ready))


@contextmanager
def running(settings: Settings) -> Iterator[str]:
    """A server on free loopback ports for as long as the block runs; gives its base URL."""
    configure_logging("error" if settings.log_level == "info" else settings.log_level, settings.log_format)
    own = msgspec.structs.replace(settings, http_host=LOOPBACK[0], http_port=0, grpc_host=LOOPBACK[0], grpc_port=0)
    with owned(own.data_dir), assembled(own) as services, warming(services), _in_a_thread(services) as url:
        announce(own.data_dir, url)
        yield url


@contextmanager
def _in_a_thread(services: Services) -> Iterator[str]:
    """The doors on an event loop of their own, for as long as the block runs."""
    listening: Future[Listening] = Future()
    ending = threading.Event()
    thread = threading.Thread(target=_serve_until, args=(services, listening, ending), name="doors", daemon=True)
    thread.start()
    try:
        yield listening.result(START_S).http
    finally:
        ending.set()
        thread.join()


def _serve_until(services: Services, listening: Future[Listening], ending: threading.Event) -> None:
    async def serve_and_watch() -> None:
        doors = asyncio.create_task(serve_doors(services, on_ready=listening.set_result))
        ended = asyncio.create_task(asyncio.to_thread(ending.wait))
        await asyncio.wait({doors, ended}, return_when=asyncio.FIRST_COMPLETED)
        ending.set()
        doors.cancel()
        await asyncio.gather(doors, ended, return_exceptions=True)
        if not listening.done():
            listening.set_exception(doors.exception() or RuntimeError("the doors closed before they opened"))

    asyncio.run(serve_and_watch())
