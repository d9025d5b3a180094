"""Run the embedded product: until stopped (`serve`), or for the length of a block (`running`)."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import msgspec

from trivium.child_process.network_probe import warn_unless_locked
from trivium.config import LOOPBACK, Settings
from trivium.flow.heartbeat import give_back_all
from trivium.heap import kept_small
from trivium.logs.setup import configure_logging
from trivium.stopping import STOP_S, Stopping, begin_on_signals, end_in_time
from trivium.tracing.setup import traced
from trivium.watching.scraped import told_of_itself
from trivium_embedded.data_dir import announce, owned, warn_if_open
from trivium_embedded.wiring import assembled
from trivium_query.requests import Services
from trivium_query.serve import Listening
from trivium_query.serve import serve as serve_requests
from trivium_query.warm import warming

START_S = 60.0


def serve(settings: Settings, on_ready: Callable[[str, str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` gets the HTTP base URL and the gRPC address.

    It is over within `STOP_S` of the first signal, and what was being read goes on at the next start.
    Raises `Refused` (`data_dir_in_use`, `port_in_use`) and `NeverWill` (`data_dir_unusable`).
    """
    configure_logging(settings.log_level, settings.log_format)
    warn_unless_locked()
    warn_if_open(settings.data_dir)

    def ready(listening: Listening) -> None:
        gc.collect()
        gc.freeze()  # what stands now stays to the end: visiting it halted a search for 40 ms now and then
        announce(settings.data_dir, listening.http)
        on_ready(listening.http, listening.grpc)

    stopping = Stopping()
    end_in_time(stopping, STOP_S, give_back_all)
    with (
        kept_small(),
        told_of_itself(settings),
        traced(settings, "trivium"),
        owned(settings.data_dir),
        assembled(settings, stopping=stopping, ahead=True) as services,
        warming(services),
    ):
        begin_on_signals(stopping)
        asyncio.run(serve_requests(services, on_ready=ready, on_stop=stopping.begin))


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
    """HTTP and gRPC on an event loop of their own, for as long as the block runs."""
    listening: Future[Listening] = Future()
    ending = threading.Event()
    thread = threading.Thread(target=_serve_until, args=(services, listening, ending), name="requests", daemon=True)
    thread.start()
    try:
        yield listening.result(START_S).http
    finally:
        ending.set()
        thread.join()


def _serve_until(services: Services, listening: Future[Listening], ending: threading.Event) -> None:
    async def serve_and_watch() -> None:
        serving = asyncio.create_task(serve_requests(services, on_ready=listening.set_result))
        ended = asyncio.create_task(asyncio.to_thread(ending.wait))
        await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        ending.set()
        serving.cancel()
        await asyncio.gather(serving, ended, return_exceptions=True)
        if not listening.done():
            listening.set_exception(serving.exception() or RuntimeError("the servers ended before they listened"))

    asyncio.run(serve_and_watch())
