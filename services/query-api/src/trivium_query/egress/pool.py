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
from trivium.retrying import seconds_of
from trivium_query.egress.fetch import Fetcher
from trivium_query.egress.timed_socket import RequestTime, timed

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""Of an answer that is read whole: a page of a listing. What is streamed its reader bounds."""
PATIENCE_S = 60.0
"""As long a `Retry-After` is waited for; after a longer one another time comes."""
_TRIES = 5
"""How often a place that is busy is asked for the same."""
_AGAIN = urllib3.Retry(
    2, read=1, redirect=3, allowed_methods=None, backoff_factor=0.2, respect_retry_after_header=False
)


class GuardedPool(urllib3.PoolManager):
    """Connects to checked addresses only; `pace` is called before each request. Raises what `Fetcher.connect` does.

    `pause` waits where a place is busy and says for how long, by `Retry-After`; raises `TryLater` (`fetch_failed`) for
    one that is busy for longer.

    A request, what is read of its answer afterwards included, has the time of one (`RequestTime`); one at a time.
    """

    def __init__(self, fetcher: Fetcher, pace: Callable[[], None], pause: Callable[[float], None]) -> None:
        super().__init__(ssl_context=fetcher.context(), timeout=fetcher.limits.timeout_s, retries=_AGAIN)
        self._pace, self._pause = pace, pause
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
        whole = sent.pop("preload_content", True)
        for left in reversed(range(_TRIES)):
            self._pace()
            self._time.begin()
            response = super().urlopen(method, url, redirect, preload_content=False, **sent)
            wait_s = _busy_for_s(response)
            if wait_s is None:
                break
            response.close()
            if not left or not 0 < wait_s <= PATIENCE_S or not isinstance(sent.get("body"), bytes | None):
                host = urllib3.util.parse_url(url).host
                raise TryLater("fetch_failed", f"{host} answered {response.status}.", "Try again in a while.")
            self._pause(wait_s)
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


def _busy_for_s(response: urllib3.BaseHTTPResponse) -> float | None:
    """The seconds after which it wants to be asked again, 0 where they cannot be read; None where it asks for none."""
    wanted = response.headers.get("retry-after")
    if not wanted or response.status not in urllib3.Retry.RETRY_AFTER_STATUS_CODES:
        return None
    return seconds_of(wanted)


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
