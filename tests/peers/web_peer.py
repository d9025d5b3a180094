"""The web in small, for tests of what goes out to it.

`Internet` gives names public addresses and leads connections to those addresses to a server on loopback, so
that the address policy is in force exactly as it is outside. Any other address is dialled as it is.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2

from trivium_query.egress.fetch import Fetched, Fetcher, FetchLimits
from trivium_query.egress.rules import HostRules

SITE, OTHER = "93.184.215.14", "151.101.1.69"  # public addresses; nothing is ever sent there
QUICK = FetchLimits(max_bytes=200_000, timeout_s=5.0)
OPEN = HostRules()
Handler = Callable[[socket.socket, bytes], None]


class Internet(httpcore2.SyncBackend):
    """Names, their addresses, and which local port stands for which public address."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {}
        self.ports: dict[str, int] = {}
        self.lookups: list[str] = []
        self.dialled: list[str] = []

    def resolve(self, host: str, port: int) -> list[str]:
        self.lookups.append(host)
        if host in self.names:
            answers = self.names[host]
            return [answers.pop(0)] if len(answers) > 1 else list(answers)
        if host.endswith(".test"):
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=0)
        return [str(entry[4][0]) for entry in found]

    def connect_tcp(self, host: str, port: int, *rest: Any, **named: Any) -> httpcore2.NetworkStream:
        self.dialled.append(host)
        if host not in self.ports:
            raise httpcore2.ConnectError(f"no route to {host}")
        return super().connect_tcp("127.0.0.1", self.ports[host], *rest, **named)

    def fetcher(
        self, limits: FetchLimits = QUICK, tls: ssl.SSLContext | None = None, rules: HostRules = OPEN
    ) -> Fetcher:
        return Fetcher(limits, rules, self.resolve, self, tls)

    def fetch(self, url: str, limits: FetchLimits = QUICK, tls: ssl.SSLContext | None = None) -> Fetched:
        fetched = self.fetcher(limits, tls).get(url)
        assert fetched is not None
        return fetched


@contextmanager
def serving(handle: Handler, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server on loopback that hands each connection and its request head to `handle`."""
    listener = socket.create_server(("127.0.0.1", 0))

    def one(connection: socket.socket) -> None:
        with connection:
            connection.settimeout(10)
            try:
                with tls.wrap_socket(connection, server_side=True) if tls else connection as stream:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        piece = stream.recv(65536)
                        if not piece:
                            return
                        head += piece
                    _drain(stream, head)
                    handle(stream, head)
            except OSError:
                return  # the client went away, as several tests want it to

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _drain(stream: socket.socket, head: bytes) -> None:
    """Take the request's body: what lies unread when a connection closes resets it."""
    fields, _, begun = head.partition(b"\r\n\r\n")
    lengths = [line[15:] for line in fields.splitlines() if line.lower().startswith(b"content-length:")]
    missing = int(lengths[0]) - len(begun) if lengths else 0
    while missing > 0 and (piece := stream.recv(missing)):
        missing -= len(piece)


def page(body: bytes, *headers: str, status: str = "200 OK") -> Handler:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return lambda stream, head: stream.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def by_path(pages: dict[str, Handler]) -> Handler:
    return lambda stream, head: pages[head.split(b" ")[1].decode()](stream, head)


def redirect(to: str, status: str = "302 Found") -> Handler:
    return page(b"", f"Location: {to}", status=status)


@contextmanager
def site(internet: Internet, handle: Handler, tls: ssl.SSLContext | None = None) -> Iterator[None]:
    with serving(handle, tls) as port:
        internet.ports[SITE] = internet.ports[OTHER] = port
        yield
