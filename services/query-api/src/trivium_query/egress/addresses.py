"""Which addresses Trivium may be sent to, and the connection that goes to a checked address only.

A name is resolved once; every address it has must be public; the connection then goes to one of those very
addresses, while TLS and the Host header keep the name. So a name that answers differently the second time
(DNS rebinding) gains nothing.
"""

from __future__ import annotations

import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium_query.egress.rules import HostRules

Resolver = Callable[[str, int], list[str]]
"""(host, port) to numeric addresses, in the order to try them. May raise `OSError`."""

MAX_ADDRESSES_TRIED = 3
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # all that IANA has given out
_V4_EMBEDDED_LOW = tuple(
    ipaddress.IPv6Network(prefix)
    for prefix in (
        "::/96",  # IPv4-compatible (RFC 4291 2.5.5.1)
        "::ffff:0:0/96",  # IPv4-mapped (RFC 4291 2.5.5.2)
        "::ffff:0:0:0/96",  # IPv4-translated (RFC 2765)
        "64:ff9b::/96",  # NAT64 (RFC 6052)
    )
)
_NEVER = tuple(
    ipaddress.ip_network(prefix)
    for prefix in (
        "64:ff9b:1::/48",  # local-use NAT64 (RFC 8215): says nothing about where it leads
        "2001::/23",  # Teredo and other protocol assignments
        "3fff::/20",  # documentation (RFC 9637)
        "192.0.0.0/24",  # IETF protocol assignments; also Oracle's metadata service
        "192.88.99.0/24",  # 6to4 relays (RFC 7526)
        "100.64.0.0/10",  # carrier-grade NAT; also Alibaba's metadata service
        "168.63.129.16/32",  # Azure's metadata and host service, on a public address
    )
)


def why_forbidden(address: str) -> str:
    """Why `address` may not be reached, or "" when it is an ordinary public one.

    An IPv4 address inside an IPv6 one (mapped, compatible, translated, NAT64, 6to4) is judged itself.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip == ipaddress.IPv6Address("::1"):
            return "a loopback address"
        inner = _embedded(ip)
        if inner is not None:
            return why_forbidden(str(inner))
    if any(ip in network for network in _NEVER if network.version == ip.version):
        return "reserved for a network's own services"
    named = {
        "a loopback address": ip.is_loopback,
        "a link-local address, where clouds keep their metadata": ip.is_link_local,
        "a multicast address": ip.is_multicast,
        "unspecified": ip.is_unspecified,
        "a private address": ip.is_private or getattr(ip, "is_site_local", False),
        "a reserved address": ip.is_reserved or not ip.is_global or (ip.version == 6 and ip not in _GLOBAL_UNICAST),
    }
    return next((reason for reason, holds in named.items() if holds), "")


def _embedded(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if any(ip in network for network in _V4_EMBEDDED_LOW):
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.sixtofour


def system_resolver(host: str, port: int) -> list[str]:
    """The operating system's answer, every address once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Deadline:
    """One end for everything that waits. `left()` raises `TryLater` once it has passed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that remain, more than 0."""
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise self.passed()
        return remaining

    def passed(self) -> TryLater:
        """What to raise when the time is over."""
        return TryLater(
            "fetch_timeout",
            f"The page had not arrived after {self._seconds:g} seconds.",
            "Try again, or download it and upload the file.",
        )


class CheckedBackend(httpcore2.NetworkBackend):
    """Connects only to addresses that passed the check, and lets no read or write outlive the deadline."""

    def __init__(
        self,
        deadline: Deadline,
        resolver: Resolver,
        rules: HostRules,
        connect_timeout_s: float,
        network: httpcore2.NetworkBackend,
    ) -> None:
        self._deadline = deadline
        self._resolver = resolver
        self._rules = rules
        self._connect_timeout_s = connect_timeout_s
        self._network = network

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Resolve once, check every address, connect to the first that answers."""
        _check_host(host, self._rules)
        addresses = self._resolve(host, port)
        for address in addresses:
            _check(host, address, self._rules)
        failure: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in addresses[:MAX_ADDRESSES_TRIED]:
            wait_s = min(self._deadline.left(), self._connect_timeout_s, timeout or self._connect_timeout_s)
            try:
                stream = self._network.connect_tcp(address, port, wait_s, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _BoundedStream(stream, self._deadline)
        raise failure or httpcore2.ConnectError(f"{host} has no address")

    def _resolve(self, host: str, port: int) -> list[str]:
        """The resolver's answer within the deadline; it runs aside because name lookups cannot be interrupted."""
        answers: queue.SimpleQueue[list[str] | OSError | TriviumError] = queue.SimpleQueue()

        def look_up() -> None:
            try:
                answers.put(self._resolver(host, port))
            except (OSError, TriviumError) as error:
                answers.put(error)
            except UnicodeError as error:
                answers.put(OSError(f"not a host name: {error}"))

        threading.Thread(target=look_up, name="resolve", daemon=True).start()
        try:
            answer = answers.get(timeout=self._deadline.left())
        except queue.Empty as error:
            raise self._deadline.passed() from error
        if isinstance(answer, list):
            return answer
        if isinstance(answer, TriviumError):
            raise answer
        raise _unresolved(host, answer) from answer


def _check_host(host: str, rules: HostRules) -> None:
    if rules.deny.has_host(host):
        raise Refused("forbidden_address", f"{host} is denied by TRIVIUM_URL_DENY.", "Ask who runs this Trivium.")
    if rules.only and not rules.only.networks and not rules.only.has_host(host):
        raise _not_among(host)


def _check(host: str, address: str, rules: HostRules) -> None:
    if rules.deny.has_address(address):
        raise Refused(
            "forbidden_address", f"{host} ({address}) is denied by TRIVIUM_URL_DENY.", "Ask who runs this Trivium."
        )
    if rules.only and not (rules.only.has_host(host) or rules.only.has_address(address)):
        raise _not_among(host)
    if rules.allow.has_host(host) or rules.allow.has_address(address):
        return
    reason = why_forbidden(address)
    if reason:
        where = host if host == address else f"{host} ({address})"
        raise Refused(
            "forbidden_address",
            f"{where} is {reason}; Trivium fetches only from the public internet.",
            f"If you trust it, add {host} to TRIVIUM_URL_ALLOW; or download the page and upload the file.",
        )


def _not_among(host: str) -> Refused:
    return Refused(
        "forbidden_address", f"{host} is not among the hosts of TRIVIUM_URL_ONLY.", "Add it there, or upload the file."
    )


def _unresolved(host: str, error: OSError) -> TriviumError:
    if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
        return TryLater(
            "name_lookup_failed", f"The address of {host} could not be looked up now.", "Check the network."
        )
    return NeverWill("fetch_failed", f"There is no host called {host}.", "Check the spelling of the URL.")


class _BoundedStream(httpcore2.NetworkStream):
    """A network stream whose every wait ends with the deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def _bounded(self, timeout: float | None) -> float:
        left = self._deadline.left()
        return left if timeout is None else min(left, timeout)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._bounded(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._bounded(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._bounded(timeout))
        return _BoundedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
