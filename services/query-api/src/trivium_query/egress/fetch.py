"""The one place from which Trivium reaches out to a web address (server-side request forgery, RFC 9110).

    url -> plain http or https? -> name resolved once, every address checked -> one request -> bounded, unpacked body
     ^                                                                             |
     +------------------------------- redirect ------------------------------------+

http and https only; every hop's host and address are checked (`rules`, `addresses`); bytes, time, redirects, headers
and decompression are bounded; no proxies from the environment, no credentials, and no cookies but those that a caller
puts into its own request. It follows redirects and nothing else: what a page refers to is never fetched.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Iterator
from functools import cache

import certifi
import h11
import httpcore2
import httpx2
import msgspec

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.ports.web import Validators
from trivium.retrying import seconds_of
from trivium.text.urls import checked_url
from trivium_query.egress import unpack
from trivium_query.egress.addresses import CheckedBackend, Deadline, Resolver, system_resolver
from trivium_query.egress.rules import HostRules

DOWNLOAD_INSTEAD = "Download it and upload the file."
USER_AGENT = b"trivium"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_NOT_MODIFIED = 304
_HEADERS_TOO_LARGE = 431
_RATIO_FREE_BYTES = 1024 * 1024  # small pages may compress extremely well without harm
_MAX_HEADERS = 200
_OWN_HEADERS = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "user-agent"})


class FetchLimits(msgspec.Struct, frozen=True):
    """Bounds on one fetch, redirects included. `max_bytes` bounds the wire and the decompressed body, each."""

    max_bytes: int = 64 * 1024 * 1024
    timeout_s: float = 30.0
    connect_timeout_s: float = 10.0
    max_redirects: int = 5
    max_ratio: int = 200


class Fetched(msgspec.Struct, frozen=True):
    """A fetched page. `url` is the final one; `media_type` is as declared, lower case, without parameters.

    `charset` is the declared one, "" when the server named none.
    """

    url: str
    content: bytes
    media_type: str
    charset: str = ""
    validators: Validators = Validators()


class Reply(msgspec.Struct, frozen=True):
    """One exchange's answer, whatever its status; header names are lower case."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    content: bytes

    def header(self, name: str) -> str:
        """The first header of that (lower-case) name, "" when absent."""
        return next((value for key, value in self.headers if key == name), "")


class Fetcher(msgspec.Struct, frozen=True):
    """Fetches within limits and rules.

    `resolver`, `network` and `tls` replace the system's name lookup, sockets and certificate store, beside which the
    authorities of `ca_file` are believed.
    """

    limits: FetchLimits = FetchLimits()
    rules: HostRules = HostRules()
    resolver: Resolver = system_resolver
    network: httpcore2.NetworkBackend | None = None
    tls: ssl.SSLContext | None = None
    ca_file: str = ""

    def get(self, url: str, known: Validators | None = None) -> Fetched | None:
        """Fetch `url`, following redirects; None when it is still what `known` came with.

        Raises `Refused` (`bad_url`, `forbidden_address`), `NeverWill` (`fetch_failed`, `login_needed`, `too_large`) or
        `TryLater` (host down or busy, name lookup failed, deadline passed, connection cut).
        """
        deadline = Deadline(self.limits.timeout_s)
        target = checked_url(url)
        for _ in range(self.limits.max_redirects + 1):
            conditions = _conditions(known) if known is not None and known.url == str(target) else []
            reply = self._exchange("GET", target, [(b"Accept", _ACCEPT), *conditions], b"", deadline)
            if reply.status == _NOT_MODIFIED and conditions:
                return None
            if reply.status not in REDIRECTS:
                return _received(reply)
            target = onward(target, reply.header("location"), DOWNLOAD_INSTEAD)
        raise NeverWill(
            "fetch_failed", f"{url} redirects more than {self.limits.max_redirects} times.", DOWNLOAD_INSTEAD
        )

    def send(
        self,
        method: str,
        url: str,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        *,
        read_errors: bool = False,
    ) -> Reply:
        """One exchange: redirects are not followed, and every status is an answer. Raises as `get`.

        Only a success has its body, or with `read_errors` every answer.
        """
        own = [(name.encode(), value.encode()) for name, value in headers if name.lower() not in _OWN_HEADERS]
        deadline = Deadline(self.limits.timeout_s)
        return self._exchange(method, checked_url(url), own, body, deadline, read_errors=read_errors)

    def connect(self, host: str, port: int, within: Deadline | None = None) -> socket.socket:
        """A connection to a checked address, for what speaks no HTTP or brings its own; each of its waits has a bound.

        `within` is the request's time, which begins before it; `egress.timed_socket` holds the rest of it to that.
        Raises as `get`.
        """
        deadline = within or Deadline(self.limits.timeout_s)
        backend = self._backend(deadline)
        try:
            stream = backend.connect_tcp(host, port)
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            raise _unreachable(host) from error
        connection: socket.socket = stream.get_extra_info("socket")
        connection.settimeout(deadline.left())
        return connection

    def context(self) -> ssl.SSLContext:
        """Whom to trust, for what connects by `connect`."""
        return self.tls or _system_tls(self.ca_file)

    def _backend(self, deadline: Deadline) -> CheckedBackend:
        network = self.network or httpcore2.SyncBackend()
        return CheckedBackend(deadline, self.resolver, self.rules, self.limits.connect_timeout_s, network)

    def _exchange(
        self,
        method: str,
        url: httpx2.URL,
        headers: list[tuple[bytes, bytes]],
        body: bytes,
        deadline: Deadline,
        *,
        read_errors: bool = False,
    ) -> Reply:
        backend = self._backend(deadline)
        length = [(b"Content-Length", str(len(body)).encode())] if body else []
        pool = httpcore2.ConnectionPool(
            ssl_context=self.context(), max_keepalive_connections=0, retries=0, network_backend=backend
        )
        try:
            with (
                pool,
                pool.stream(
                    method, _wire_url(url), headers=[*_headers(url), *headers, *length], content=body or None
                ) as response,
            ):
                return self._reply(url, response, read_errors=read_errors)
        except (httpcore2.ReadTimeout, httpcore2.WriteTimeout) as error:
            raise deadline.passed() from error
        except (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError) as error:
            raise _translated(url, error) from error

    def _reply(self, url: httpx2.URL, response: httpcore2.Response, *, read_errors: bool) -> Reply:
        """The answer with its body: what an error page says is nobody's document, so only some ask for it."""
        if len(response.headers) > _MAX_HEADERS:
            raise NeverWill("fetch_failed", f"{url} answers with {len(response.headers)} headers.", DOWNLOAD_INSTEAD)
        headers = tuple((key.decode("latin-1").lower(), value.decode("latin-1")) for key, value in response.headers)
        reply = Reply(str(url), response.status, headers, b"")
        if not (read_errors or 200 <= response.status < 300):
            return reply
        declared = reply.header("content-length")
        if declared.isdigit() and int(declared) > self.limits.max_bytes:
            raise _too_large(f"{url} has {int(declared):,} bytes", self.limits.max_bytes)
        pieces = self._bounded(url, response.iter_stream())
        return msgspec.structs.replace(reply, content=self._unpacked(reply, pieces))

    def _bounded(self, url: httpx2.URL, pieces: Iterable[bytes]) -> Iterator[bytes]:
        total = 0
        for piece in pieces:
            total += len(piece)
            if total > self.limits.max_bytes:
                raise _too_large(f"{url} sends more than {self.limits.max_bytes:,} bytes", self.limits.max_bytes)
            yield piece

    def _unpacked(self, reply: Reply, pieces: Iterable[bytes]) -> bytes:
        named = [part.strip().lower() for part in reply.header("content-encoding").split(",")]
        encodings = [part for part in named if part and part != "identity"]
        if not encodings:
            return b"".join(pieces)
        if len(encodings) > 1 or encodings[0] not in unpack.DECODERS:
            packing = ", ".join(encodings)[:80]
            raise NeverWill(
                "fetch_failed", f"{reply.url} is packed as {packing!r}, which was not asked for.", DOWNLOAD_INSTEAD
            )
        try:
            return unpack.unpacked(
                pieces, encodings[0], self.limits.max_bytes, self.limits.max_ratio, _RATIO_FREE_BYTES
            )
        except unpack.UnpacksTooFarError as error:
            raise _unpacks_too_far(reply.url, error.ceiling, self.limits) from error
        except unpack.DamagedError as error:
            raise NeverWill("fetch_failed", f"{reply.url} is damaged: {error}.", DOWNLOAD_INSTEAD) from error
        except unpack.CutOffError as error:
            raise _interrupted(reply.url) from error


_ACCEPT = b"text/html,application/xhtml+xml,application/pdf,*/*;q=0.8"


@cache
def _system_tls(ca_file: str) -> ssl.SSLContext:
    """Certificates of the operating system, of certifi (slim images have no store of their own) and of `ca_file`."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


def _wire_url(url: httpx2.URL) -> httpcore2.URL:
    return httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _headers(url: httpx2.URL) -> list[tuple[bytes, bytes]]:
    return [
        (b"Host", url.netloc),
        (b"User-Agent", USER_AGENT),
        (b"Accept-Encoding", unpack.ACCEPTED),
        (b"Connection", b"close"),
    ]


def _conditions(known: Validators) -> list[tuple[bytes, bytes]]:
    given = ((b"If-None-Match", known.etag), (b"If-Modified-Since", known.last_modified))
    return [(name, value.encode("latin-1")) for name, value in given if value]


def onward(url: httpx2.URL, location: str, action: str) -> httpx2.URL:
    """Where a redirect leads. Raises `Refused` (`bad_url`) and `NeverWill` (`fetch_failed`), which say `action`."""
    if not location:
        raise NeverWill("fetch_failed", f"{url} redirects to nowhere.", action)
    try:
        return checked_url(str(url.join(_utf8_of(location))))
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise Refused("bad_url", f"{url} redirects to something that is not a URL.", action) from error


def _utf8_of(header: str) -> str:
    """A header's text where its bytes are UTF-8, as browsers take an address that it holds."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def _received(reply: Reply) -> Fetched:
    if reply.status in PASSING:
        wait_s = seconds_of(reply.header("retry-after"))
        action = f"Try again in {wait_s:,.0f} s." if wait_s else "Try again in a while."
        raise TryLater("fetch_refused", f"{reply.url} answered {reply.status}.", action, wait_s)
    if reply.status in (401, 403, 407):
        raise NeverWill(
            "login_needed",
            f"{reply.url} answered {reply.status}: it wants a login, or refuses programs.",
            f"Trivium sends no credentials. {DOWNLOAD_INSTEAD}",
        )
    if reply.status in (404, 410):
        raise NeverWill("fetch_failed", f"There is no page at {reply.url} ({reply.status}).", "Check the URL.")
    if not 200 <= reply.status < 300:
        raise NeverWill("fetch_failed", f"{reply.url} answered {reply.status}.", f"Check the URL. {DOWNLOAD_INSTEAD}")
    media_type, _, parameters = reply.header("content-type").partition(";")
    return Fetched(
        reply.url,
        reply.content,
        media_type.strip().lower(),
        _charset(parameters),
        Validators(reply.url, reply.header("etag"), reply.header("last-modified")),
    )


def _charset(parameters: str) -> str:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return ""


def _unpacks_too_far(url: object, ceiling: int, limits: FetchLimits) -> NeverWill:
    if ceiling == limits.max_bytes:
        return _too_large(f"{url} unpacks to more than {ceiling:,} bytes", ceiling)
    return NeverWill(
        "too_large",
        f"{url} unpacks to far more than was sent; the limit is {limits.max_ratio} times its size.",
        "Upload the part that you need.",
    )


def _too_large(what: str, max_bytes: int) -> NeverWill:
    return NeverWill("too_large", f"{what}; the limit is {max_bytes:,} bytes.", "Upload the part that you need.")


def _interrupted(url: object) -> TryLater:
    return TryLater("fetch_interrupted", f"{url} broke off before its end.", "Try again.")


def _unreachable(host: str) -> TryLater:
    return TryLater("fetch_unreachable", f"{host} does not answer.", "Check the URL, or try again later.")


def _translated(url: httpx2.URL, error: Exception) -> TriviumError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or "TLS failed"
            return NeverWill("fetch_failed", f"{url} cannot be trusted: {reason}.", DOWNLOAD_INSTEAD)
        if isinstance(cause, h11.RemoteProtocolError) and cause.error_status_hint == _HEADERS_TOO_LARGE:
            return NeverWill("too_large", f"{url} answers with endless headers.", DOWNLOAD_INSTEAD)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore2.ConnectError | httpcore2.ConnectTimeout):
        return _unreachable(url.host)
    return _interrupted(url)
