"""A wire to a server that a test may cut, mend, or let stall, while others go on using the server."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

_READ_BYTES = 65_536


class Wire:
    """Forwards a port of its own to the server's. Close it by leaving the block."""

    def __init__(self, server_url: str) -> None:
        at = urlsplit(server_url)
        self._server = (at.hostname or "", at.port or 0)
        self._flowing = threading.Event()
        self._flowing.set()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._listener = self._listen(0)
        self._port = self._listener.getsockname()[1]
        self.url = f"{at.scheme}://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._flowing.set()
        self.cut()

    def cut(self) -> None:
        """End every connection and refuse new ones, as a server that was killed."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for end in self._sockets:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
            self._sockets.clear()

    def mend(self) -> None:
        """Take connections again, at the same address."""
        self._listener = self._listen(self._port)

    def stall(self) -> None:
        """Let nothing more through, and leave the connections open."""
        self._flowing.clear()

    def flow(self) -> None:
        """Let through what was held back, and all that follows."""
        self._flowing.set()

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port), reuse_port=False)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # cut
            while True:
                near, _ = listener.accept()
                try:
                    far = socket.create_connection(self._server)
                except OSError:  # the server itself is not there
                    near.close()
                    continue
                with self._lock:
                    self._sockets += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_READ_BYTES):
                self._flowing.wait()
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
