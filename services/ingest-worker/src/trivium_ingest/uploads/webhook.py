"""The control process's door: an object server tells of changes (`POST /events`), and pages are read beside it."""

from __future__ import annotations

import hmac
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from trivium.domain.errors import Refused

MAX_BODY_BYTES = 1024 * 1024
SLOW_CLIENT_S = 10.0
_MAX_FIELDS = 64  # of a query
DISCARDED_S = 2.0  # how long a refused client may go on sending before it is cut off


class Page(NamedTuple):
    """What `GET` answers."""

    body: bytes = b""
    media_type: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK


Pages = Mapping[str, Callable[[Mapping[str, list[str]]], Page]]
"""Path to what makes the page, from the parameters of the query."""
_NOWHERE = Page(status=HTTPStatus.NOT_FOUND)


@contextmanager
def webhook(
    host: str, port: int, token: str, hear: Callable[[bytes], None], pages: Pages = MappingProxyType({})
) -> Iterator[int]:
    """Serve while the block runs; gives the port. With a `token`, who posts must send it as `Authorization: Bearer`.

    `/healthz` and `pages` are read without it: they name no document, and no tenant.

    Raises `Refused` (`cannot_listen`).
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = SLOW_CLIENT_S
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self._answer(Page(status=_receive(self, token, hear)) if self.path == "/events" else _NOWHERE)

        def do_GET(self) -> None:
            try:
                path, query = urlsplit(self.path)[2:4]
                asked = parse_qs(query, max_num_fields=_MAX_FIELDS)
            except ValueError:
                self._answer(Page(status=HTTPStatus.BAD_REQUEST))
                return
            self._answer({"/healthz": _healthy, **pages}.get(path, _missing)(asked))

        def _answer(self, page: Page) -> None:
            status = page.status
            self.send_response(status)
            self.send_header("Content-Length", str(len(page.body)))
            self.send_header("Content-Type", page.media_type)
            if status is not HTTPStatus.OK:
                self.close_connection = True  # what is left of a refused body must not be read as a request
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(page.body)
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


def _healthy(_: Mapping[str, list[str]]) -> Page:
    return Page()


def _missing(_: Mapping[str, list[str]]) -> Page:
    return _NOWHERE


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
