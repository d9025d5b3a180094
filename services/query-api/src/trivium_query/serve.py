"""HTTP and gRPC of the query service in one process, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
from collections.abc import Callable, Iterator

import msgspec
import uvicorn

from trivium.access.stored_keys import StoredKeys
from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.stopping import on_signals
from trivium_query.access.uses import noting
from trivium_query.http.app import create_app
from trivium_query.http.connection import Connection
from trivium_query.requests import Services
from trivium_query.rpc.server import create_grpc_server
from trivium_query.tls import Certificate, certificate_of

GRACE_S = 4.0  # half of what a stop may take (`STOP_S`): the stores are closed afterwards
BACKLOG = 512
KEEP_ALIVE_S = 30
MAX_HEADER_BYTES = 32 * 1024


class Listening(msgspec.Struct, frozen=True):
    """Where HTTP and gRPC listen, with the ports they really got."""

    http: str
    grpc: str


async def serve(
    services: Services,
    *,
    on_ready: Callable[[Listening], None] | None = None,
    on_stop: Callable[[], None] = lambda: None,
) -> None:
    """Serve HTTP and gRPC until SIGINT or SIGTERM; running requests get `GRACE_S` to end.

    `on_ready` is called once both answer, `on_stop` at each signal, on another thread. Raises `Refused`
    (`port_in_use`, `cannot_listen`) before anything is served.
    """
    settings = services.settings
    with contextlib.closing(_listen(settings)) as listener:
        certificate = certificate_of(settings)
        tls = certificate.for_grpc() if certificate else None
        rpc = create_grpc_server(services, _address(settings.grpc_host, settings.grpc_port), tls)
        listening = Listening(
            f"{'https' if certificate else 'http'}://{_address(settings.http_host, listener.getsockname()[1])}",
            _address(settings.grpc_host, rpc.port),
        )
        web = _Web(_web_config(services, certificate), on_started=lambda: on_ready and on_ready(listening))
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def told() -> None:
            on_stop()  # here: the loop may be stuck
            loop.call_soon_threadsafe(_stop, stop, web)

        with _signals(told):
            await rpc.start()
            serving = asyncio.create_task(web.serve([listener]))
            stopping = asyncio.create_task(stop.wait())
            counted = asyncio.create_task(noting(services.uses, StoredKeys(services.objects)))
            following = asyncio.create_task(certificate.follow()) if certificate else stopping
            try:
                await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stopping.cancel()
                following.cancel()
                web.should_exit = True
                await asyncio.gather(rpc.stop(GRACE_S), serving)
                counted.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await counted


class _Web(uvicorn.Server):
    """uvicorn without its own signal handling: two servers share the process."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], object]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_started()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _web_config(services: Services, certificate: Certificate | None) -> uvicorn.Config:
    config = uvicorn.Config(
        create_app(services),
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(GRACE_S),
    )
    if certificate:
        config.load()  # after which it would make a context of its own
        config.ssl = certificate.context
    return config


def _listen(settings: Settings) -> socket.socket:
    """The HTTP socket, bound here so that a port in use is told before anything starts."""
    host, port = settings.http_host, settings.http_port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # Inherited by every connection; asyncio sets it only on sockets that name their protocol. Without it each
        # answer waits 40 ms for the client's delayed acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Refused(
                "port_in_use",
                f"Port {port} on {host} is in use.",
                "Stop what listens there, or set TRIVIUM_HTTP_PORT to another port.",
            ) from error
        raise Refused(
            "cannot_listen",
            f"Cannot listen on {host}:{port}: {error.strerror or error}.",
            "Correct TRIVIUM_HTTP_HOST and TRIVIUM_HTTP_PORT.",
        ) from error


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _stop(stop: asyncio.Event, web: _Web) -> None:
    """The first signal asks nicely; the second waits for no request."""
    if stop.is_set():
        web.force_exit = True
    stop.set()


def _signals(act: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
    """Outside the main thread there are no signals to hear."""
    return on_signals(act) if threading.current_thread() is threading.main_thread() else contextlib.nullcontext()
