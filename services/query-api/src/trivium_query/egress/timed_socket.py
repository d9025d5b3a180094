"""Sockets for other libraries, whose requests end: a request has its time as a whole, and not each wait for a byte."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from trivium.domain.errors import TryLater
from trivium_query.egress.addresses import Deadline

SLOWEST_BYTES_PER_S = 64 * 1024
"""What brings much has so much more time: a minute for each 4 MB."""
MOST_S = 2 * 3600.0
"""Of one request, whatever it brings."""


class RequestTime(Deadline):
    """The time of a request, its connecting included. For the next one over the same connection, `begin` it anew."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._began = self._end - seconds

    def begin(self) -> None:
        """From now on it is another request's."""
        self._began = time.monotonic()
        self._end = self._began + self._seconds

    def brought(self, size_bytes: int) -> None:
        """So much has come: there is more time for the rest."""
        self._end = min(self._end + size_bytes / SLOWEST_BYTES_PER_S, self._began + MOST_S)

    def passed(self) -> TryLater:
        """As `Deadline` has it."""
        seconds = self._end - self._began
        return TryLater("fetch_timeout", f"An answer was not whole after {seconds:,.0f} seconds.", "Look again later.")


def timed(connection: socket.socket, request: RequestTime) -> socket.socket:
    """The connection, with TLS or without, as `http.client` and `imaplib` use one: no wait of it outlives `request`."""
    return cast("socket.socket", _TimedSocket(connection, request))


class _TimedSocket:
    def __init__(self, connection: socket.socket, request: RequestTime) -> None:
        self._connection, self._request = connection, request

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def sendall(self, data: Any) -> None:
        with _bounded(self._connection, self._request):
            self._connection.sendall(data)

    def recv(self, size: int) -> bytes:
        with _bounded(self._connection, self._request):
            piece = self._connection.recv(size)
        self._request.brought(len(piece))
        return piece

    def makefile(self, _mode: str) -> io.BufferedReader:
        """For reading: nobody writes otherwise than by `sendall`."""
        return io.BufferedReader(_Answers(self._connection, self._request))


class _Answers(io.RawIOBase):
    """What comes over a connection, which stays open as long as this does."""

    def __init__(self, connection: socket.socket, request: RequestTime) -> None:
        self._connection, self._request = connection, request
        self._file = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        with _bounded(self._connection, self._request):
            size = self._file.readinto(buffer)
        self._request.brought(size or 0)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def _bounded(connection: socket.socket, request: RequestTime) -> Iterator[None]:
    connection.settimeout(request.left())
    try:
        yield
    except TimeoutError as error:
        raise request.passed() from error
