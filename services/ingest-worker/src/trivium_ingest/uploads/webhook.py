"""The door through which an object server tells of changes: `POST /events`, and `GET /healthz` beside it."""

from __future__ import annotations

import hmac
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trivium.domain.errors import Refused

MAX_BODY_BYTES = 1024 * 1024
SLOW_CLIENT_S = 10.0
DISCARDED_S = 2.0  # how long a refused client may go on sending before it is cut off


@contextmanager
def webhook(host: str, port: int, token: str, hear: Callable[[bytes], None]) -> Iterator[int]:
    """Serve while the block runs; gives the port. With a `token`, callers must send it as `Authorization: Bearer`.

    Raises `Refused` (`cannot_listen`).
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = SLOW_CLIENT_S
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self._answer(_receive(self, token, hear) if self.path == "/events" else HTTPStatus.NOT_FOUND)

        def do_GET(self) -> None:
            self._answer(HTTPStatus.OK if self.path == "/healthz" else HTTPStatus.NOT_FOUND)

        def _answer(self, status: HTTPStatus) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            if status is not HTTPStatus.OK:
                self.close_connection = True  # what is left of a refused body must not be read as a request
                self.send_header("Connection", "close")
            self.end_headers()
            if status is not HTTPStatus.OK:
                _discard_rest(self.connection)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: what was heard is logged where it is followed."""

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        raise Refused(
            "cannot_listen",
            f"Events cannot be heard on {host}:{port}: {error.strerror}.",
            "Set TRIVIUM_EVENTS_HOST and TRIVIUM_EVENTS_PORT to a free address.",
        ) from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="webhook", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _discard_rest(connection: socket.socket) -> None:
    """Let a refused client send what it has begun to: one that is cut off meanwhile never reads its answer."""
    ends = time.monotonic() + DISCARDED_S
    connection.settimeout(DISCARDED_S)
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        while time.monotonic() < ends and connection.recv(MAX_BODY_BYTES):
            pass


def _receive(request: BaseHTTPRequestHandler, token: str, hear: Callable[[bytes], None]) -> HTTPStatus:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if token and not hmac.compare_digest(given.encode(), token.encode()):
        return HTTPStatus.UNAUTHORIZED
    length = request.headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()):
        return HTTPStatus.LENGTH_REQUIRED
    if int(length) > MAX_BODY_BYTES:
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    try:
        hear(request.rfile.read(int(length)))
    except Refused:
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.OK
