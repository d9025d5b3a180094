"""When the certificates end of the servers that this process talks to over TLS.

They are read in a thread of their own, at most once an hour and only if somebody scrapes: a server that hangs delays
no scrape. Nothing is verified here, so that one that has ended is told too.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from trivium.config import Settings

LOOK_S = 3600.0
CONNECT_S = 5.0
_PORTS = {"https": 443, "rediss": 6379, "bolt+s": 7687, "bolt+ssc": 7687, "neo4j+s": 7687, "neo4j+ssc": 7687}

Address = tuple[str, int]


def tls_servers(settings: Settings) -> dict[str, Address]:
    """Host and port of each server of the settings whose address asks for TLS, by the server's name."""
    urls = {"llm": settings.llm_url, "oidc": settings.oidc_issuer, "traces": settings.traces_url}
    if settings.backend == "distributed":
        urls |= {
            "s3": settings.s3_url,
            "redis": settings.redis_url,
            "broker": settings.broker_url.partition(";")[0],
            "milvus": settings.milvus_url,
            "elasticsearch": settings.elasticsearch_url,
            "neo4j": settings.neo4j_url,
        }
    found = {name: urlsplit(url) for name, url in urls.items() if urlsplit(url).scheme in _PORTS}
    return {name: (url.hostname or "", url.port or _PORTS[url.scheme]) for name, url in found.items()}


def ends_at(address: Address) -> float:
    """When the certificate that a server shows ends, in Unix seconds. Raises `OSError` (`ssl.SSLError` is one)."""
    from cryptography import x509  # noqa: PLC0415 - 9 MB, which a server without TLS behind it never needs

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(address, CONNECT_S) as plain,
        context.wrap_socket(plain, server_hostname=address[0]) as secured,
    ):
        shown = secured.getpeercert(binary_form=True)
    if not shown:
        raise OSError("no certificate was shown")
    try:
        return x509.load_der_x509_certificate(shown).not_valid_after_utc.timestamp()
    except ValueError as error:
        raise OSError("what was shown is no certificate") from error


class Certificates(Collector):
    """Of `servers`; one that could not be reached keeps what was last known of it, and is absent before that."""

    def __init__(self, servers: Mapping[str, Address]) -> None:
        self._servers = servers
        self._known: dict[str, float] = {}
        self._next = 0.0
        self._lock = threading.Lock()

    def describe(self) -> Iterable[Metric]:
        """Names and help."""
        return [self._family()]

    def collect(self) -> Iterable[Metric]:
        """What is known now; a look begins when the last one is an hour ago."""
        with self._lock:
            due = bool(self._servers) and time.monotonic() >= self._next
            if due:
                self._next = time.monotonic() + LOOK_S
        if due:
            threading.Thread(target=self._look_at_all, name="certificates", daemon=True).start()
        family = self._family()
        for name, until in list(self._known.items()):
            family.add_metric([name], until)
        return [family]

    def _look_at_all(self) -> None:
        for name, address in self._servers.items():
            try:
                self._known[name] = ends_at(address)
            except OSError:
                continue  # whether the server is there is readiness' business

    @staticmethod
    def _family() -> GaugeMetricFamily:
        return GaugeMetricFamily(
            "trivium_certificate_expiry_timestamp_seconds",
            "When the certificate of a server that is talked to over TLS ends",
            labels=["server"],
        )
