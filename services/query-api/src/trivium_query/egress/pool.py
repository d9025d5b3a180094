"""The egress fetcher's rules under the client that other libraries bring: urllib3, as MinIO's and dulwich use it."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError, MaxRetryError

from trivium.domain.errors import NeverWill, TryLater
from trivium_query.egress.fetch import Fetcher
from trivium_query.egress.timed_socket import RequestTime, timed

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""Of an answer that is read whole: a page of a listing. What is streamed its reader bounds."""
_AGAIN = urllib3.Retry(2, read=1, redirect=3, status=0, allowed_methods=None, backoff_factor=0.2)


class GuardedPool(urllib3.PoolManager):
    """Connects to checked addresses only; `pace` is called before each request. Raises what `Fetcher.connect` does.

    A request, what is read of its answer afterwards included, has the time of one (`RequestTime`); one at a time.
    """

    def __init__(self, fetcher: Fetcher, pace: Callable[[], None]) -> None:
        super().__init__(ssl_context=fetcher.context(), timeout=fetcher.limits.timeout_s, retries=_AGAIN)
        self._pace = pace
        self._time = request = RequestTime(fetcher.limits.timeout_s)

        class Plain(HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return fetcher.connect(self._dns_host, self.port or 80, request)

            def connect(self) -> None:
                super().connect()
                self.sock = timed(self.sock, request)

        class Secured(HTTPSConnection):
            def _new_conn(self) -> socket.socket:
                return fetcher.connect(self._dns_host, self.port or 443, request)

            def connect(self) -> None:
                super().connect()
                self.sock = timed(self.sock, request)

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecuredPool(HTTPSConnectionPool):
            ConnectionCls = Secured

        self.pool_classes_by_scheme = {"http": PlainPool, "https": SecuredPool}

    def urlopen(  # type: ignore[override]  # its own arguments are any
        self, method: str, url: str, redirect: bool = True, **sent: Any
    ) -> urllib3.BaseHTTPResponse:
        """As urllib3's; an answer that is read whole has at most `MAX_ANSWER_BYTES`."""
        self._pace()
        self._time.begin()
        whole = sent.pop("preload_content", True)
        response = super().urlopen(method, url, redirect, preload_content=False, **sent)
        if not whole:
            return response
        content = response.read(MAX_ANSWER_BYTES + 1)
        response.close()
        if len(content) > MAX_ANSWER_BYTES:
            raise NeverWill(
                "too_large", f"An answer has more than {MAX_ANSWER_BYTES:,} bytes.", "Ask whoever runs that server."
            )
        return urllib3.HTTPResponse(
            io.BytesIO(content), response.headers, response.status, decode_content=False, request_url=url
        )


@contextmanager
def translated(host: str) -> Iterator[None]:
    """urllib3's own failures in our words."""
    try:
        yield
    except MaxRetryError as error:
        why = f"{host} does not answer as it should ({type(error.reason).__name__})."
        raise TryLater("fetch_unreachable", why, "Check the address, or try again later.") from error
    except HTTPError as error:
        why = f"The connection to {host} failed ({type(error).__name__})."
        raise TryLater("fetch_interrupted", why, "Try again later.") from error
