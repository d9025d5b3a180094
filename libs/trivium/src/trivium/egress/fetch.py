"""The one place from which Trivium reaches out to a web address (server-side request forgery, RFC 9110 redirects).

http and https only; every hop's address is checked (`trivium.egress.addresses`); bytes, time, redirects and
decompression are bounded; no cookies, no proxies from the environment, no credentials. It follows redirects
and nothing else: what a page refers to is never fetched.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable, Iterator
from typing import Protocol

import certifi
import httpcore
import httpx
import msgspec

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.egress.addresses import CheckedBackend, Deadline, Resolver, system_resolver

MAX_URL_CHARS = 8192
DOWNLOAD_INSTEAD = "Download it and upload the file."
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_RATIO_FREE_BYTES = 1024 * 1024  # small pages may compress extremely well without harm


class FetchLimits(msgspec.Struct, frozen=True):
    """Bounds on one fetch, redirects included. `max_bytes` bounds the wire and the decompressed body, each.

    `allow_hosts` may be fetched although their address is private (`Settings.url_allow`).
    """

    max_bytes: int = 64 * 1024 * 1024
    timeout_s: float = 30.0
    connect_timeout_s: float = 10.0
    max_redirects: int = 5
    max_ratio: int = 200
    allow_hosts: frozenset[str] = frozenset()


class Fetched(msgspec.Struct, frozen=True):
    """A fetched page. `url` is the final one; `media_type` is as declared, lower case, without parameters.

    `charset` is the declared one, "" when the server named none.
    """

    url: str
    content: bytes
    media_type: str
    charset: str = ""


def allowed_hosts(setting: str) -> frozenset[str]:
    """The hosts of `Settings.url_allow` ("wiki.local, 10.0.0.7")."""
    return frozenset(part.strip().rstrip(".").lower() for part in setting.split(",") if part.strip())


def fetch(
    url: str,
    limits: FetchLimits | None = None,
    *,
    resolver: Resolver = system_resolver,
    network: httpcore.NetworkBackend | None = None,
    tls: ssl.SSLContext | None = None,
) -> Fetched:
    """Fetch `url`, following redirects within `limits`.

    Raises `Refused` (`bad_url`, `forbidden_address`), `NeverWill` (`fetch_failed`, `too_large`) or `TryLater`
    (host down or busy, name lookup failed, deadline passed, connection cut).
    `resolver`, `network` and `tls` replace the system's name lookup, sockets and certificate store.
    """
    limits = limits or FetchLimits()
    deadline = Deadline(limits.timeout_s)
    backend = CheckedBackend(
        deadline,
        resolver,
        limits.allow_hosts,
        limits.connect_timeout_s,
        network or httpcore.SyncBackend(),
    )
    target = _checked_url(url)
    with httpcore.ConnectionPool(
        ssl_context=tls or _system_tls(), max_keepalive_connections=0, retries=0, network_backend=backend
    ) as pool:
        for _ in range(limits.max_redirects + 1):
            try:
                with pool.stream("GET", _wire_url(target), headers=_headers(target)) as response:
                    onward = _redirect(target, response)
                    if onward is None:
                        return _received(target, response, limits)
            except (httpcore.ReadTimeout, httpcore.WriteTimeout) as error:
                raise deadline.passed() from error
            except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
                raise _translated(target, error) from error
            target = onward
    raise NeverWill("fetch_failed", f"{url} redirects more than {limits.max_redirects} times.", DOWNLOAD_INSTEAD)


def _system_tls() -> ssl.SSLContext:
    """Certificates of the operating system and of certifi: slim images have no store of their own."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def _checked_url(url: str) -> httpx.URL:
    if len(url) > MAX_URL_CHARS:
        raise Refused("bad_url", f"The URL has {len(url)} characters.", f"Give at most {MAX_URL_CHARS}.")
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError) as error:
        raise Refused("bad_url", f"{url[:200]!r} is not a URL: {error}.", "Give an http or https address.") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise Refused(
            "bad_url", f"{url[:200]!r} is not a web address.", "Give one that begins with http:// or https://."
        )
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise Refused("bad_url", f"{parsed.port} is not a port.", "Correct the URL.")
    if parsed.userinfo:
        raise Refused(
            "bad_url", "The URL holds a user name or password.", "Leave it out: Trivium sends no credentials."
        )
    return parsed.copy_with(fragment=None)


def _wire_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _headers(url: httpx.URL) -> list[tuple[bytes, bytes]]:
    return [
        (b"Host", url.netloc),
        (b"User-Agent", b"trivium"),
        (b"Accept", b"text/html,application/xhtml+xml,application/pdf,*/*;q=0.8"),
        (b"Accept-Encoding", b"gzip, deflate"),
        (b"Connection", b"close"),
    ]


def _header(response: httpcore.Response, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in response.headers if key.lower() == name), "")


def _redirect(url: httpx.URL, response: httpcore.Response) -> httpx.URL | None:
    if response.status not in _REDIRECTS:
        return None
    location = _header(response, b"location")
    if not location:
        raise NeverWill("fetch_failed", f"{url} redirects to nowhere.", DOWNLOAD_INSTEAD)
    try:
        return _checked_url(str(url.join(location)))
    except httpx.InvalidURL as error:
        raise Refused("bad_url", f"{url} redirects to something that is not a URL.", DOWNLOAD_INSTEAD) from error


def _received(url: httpx.URL, response: httpcore.Response, limits: FetchLimits) -> Fetched:
    if response.status in _PASSING:
        raise TryLater("fetch_refused", f"{url} answered {response.status}.", "Try again in a while.")
    if not 200 <= response.status < 300:
        raise NeverWill("fetch_failed", f"{url} answered {response.status}.", f"Check the URL. {DOWNLOAD_INSTEAD}")
    declared = _header(response, b"content-length")
    if declared.isdigit() and int(declared) > limits.max_bytes:
        raise _too_large(f"{url} has {int(declared):,} bytes", limits)
    wire = _bounded(url, response.iter_stream(), limits)
    encodings = [part.strip().lower() for part in _header(response, b"content-encoding").split(",")]
    content = _decoded(url, wire, [part for part in encodings if part and part != "identity"], limits)
    media_type, _, parameters = _header(response, b"content-type").partition(";")
    return Fetched(str(url), content, media_type.strip().lower(), _charset(parameters))


def _charset(parameters: str) -> str:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return ""


def _bounded(url: httpx.URL, pieces: Iterable[bytes], limits: FetchLimits) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > limits.max_bytes:
            raise _too_large(f"{url} sends more than {limits.max_bytes:,} bytes", limits)
        yield piece


def _decoded(url: httpx.URL, wire: Iterable[bytes], encodings: list[str], limits: FetchLimits) -> bytes:
    if len(encodings) > 1 or (encodings and encodings[0] not in _DECODERS):
        raise NeverWill(
            "fetch_failed", f"{url} is packed as {', '.join(encodings)!r}, which was not asked for.", DOWNLOAD_INSTEAD
        )
    if not encodings:
        return b"".join(wire)
    decoder = _DECODERS[encodings[0]]()
    received, unpacked = 0, bytearray()
    try:
        for piece in wire:
            received += len(piece)
            ceiling = min(limits.max_bytes, max(_RATIO_FREE_BYTES, received * limits.max_ratio))
            unpacked += decoder.feed(piece, ceiling - len(unpacked) + 1)
            if len(unpacked) > ceiling:
                raise _too_large(f"{url} unpacks to more than {ceiling:,} bytes", limits)
    except zlib.error as error:
        raise NeverWill("fetch_failed", f"{url} is damaged: {error}.", DOWNLOAD_INSTEAD) from error
    if received and not decoder.finished:
        raise TryLater("fetch_interrupted", f"{url} broke off before its end.", "Try again.")
    return bytes(unpacked)


class _Decoder(Protocol):
    @property
    def finished(self) -> bool: ...
    def feed(self, piece: bytes, at_most: int) -> bytes: ...


class _Gzip:
    """gzip, possibly of several members (RFC 1952 2.2)."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)

    @property
    def finished(self) -> bool:
        return self._member.eof

    def feed(self, piece: bytes, at_most: int) -> bytes:
        """At most `at_most` bytes; a caller that gets that many has its answer and does not go on."""
        unpacked = bytearray()
        while piece and len(unpacked) < at_most:
            if self._member.eof:
                self._member = zlib.decompressobj(wbits=31)
            unpacked += self._member.decompress(piece, at_most - len(unpacked))
            piece = self._member.unused_data
        return bytes(unpacked)


class _Deflate:
    """zlib-wrapped deflate (RFC 9110 8.4.1.2), or the bare form that some servers send for it."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()
        self._started = False

    @property
    def finished(self) -> bool:
        return self._stream.eof

    def feed(self, piece: bytes, at_most: int) -> bytes:
        """At most `at_most` bytes; a caller that gets that many has its answer and does not go on."""
        try:
            unpacked = self._stream.decompress(piece, at_most)
        except zlib.error:
            if self._started:
                raise
            self._stream = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
            unpacked = self._stream.decompress(piece, at_most)
        self._started = True
        return unpacked


_DECODERS: dict[str, type[_Gzip] | type[_Deflate]] = {"gzip": _Gzip, "x-gzip": _Gzip, "deflate": _Deflate}


def _too_large(what: str, limits: FetchLimits) -> NeverWill:
    return NeverWill(
        "too_large", f"{what}; the limit is {limits.max_bytes:,} bytes.", "Upload the part that you need as a file."
    )


def _translated(url: httpx.URL, error: Exception) -> TriviumError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or "TLS failed"
            return NeverWill("fetch_failed", f"{url} cannot be trusted: {reason}.", DOWNLOAD_INSTEAD)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore.ConnectError | httpcore.ConnectTimeout):
        return TryLater("fetch_unreachable", f"{url.host} does not answer.", "Check the URL, or try again later.")
    return TryLater("fetch_interrupted", f"{url} broke off before its end.", "Try again.")
