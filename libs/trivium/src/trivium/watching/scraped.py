"""The metrics of a process: what it registers beside its own, and the small server for those that have no other."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import REGISTRY, make_wsgi_app
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from trivium.config import Settings
from trivium.release import VERSION
from trivium.watching.certificates import Certificates, tls_servers
from trivium.watching.disks import Disks, volumes_of

PORTS_TRIED = 128  # a hundred workers of one machine, and what else listens there
_WAITING = 128  # connections at once that the kernel holds until they are taken; Python's own 5 lose some


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each scrape."""

    daemon_threads = True
    request_queue_size = _WAITING


class _Quiet(WSGIRequestHandler):
    """A scrape is no line of the log."""

    def log_message(self, format: str, *args: object) -> None:
        """None."""


def _started(host: str, port: int) -> _Server:
    family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    kind = type("_Server", (_Server,), {"address_family": family})
    server: _Server = make_server(host, port, make_wsgi_app(), kind, _Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Build(Collector):
    """Which version this is."""

    def collect(self) -> list[Metric]:
        """One sample, always 1."""
        family = GaugeMetricFamily("trivium_build_info", "The version that runs, always 1", labels=["version"])
        family.add_metric([VERSION], 1)
        return [family]


def collectors(settings: Settings) -> list[Collector]:
    """What every process tells beside what it counts."""
    return [Build(), Disks(volumes_of(settings)), Certificates(tls_servers(settings))]


@contextmanager
def told_of_itself(settings: Settings) -> Iterator[None]:
    """The process's own collectors are registered while the block runs."""
    with ExitStack() as stack:
        for collector in collectors(settings):
            REGISTRY.register(collector)
            stack.callback(REGISTRY.unregister, collector)
        yield


@contextmanager
def scraped(host: str, first_port: int, tried: int = PORTS_TRIED) -> Iterator[int]:
    """Metrics over HTTP while the block runs, at the first free port from `first_port` on; gives the port.

    Several workers on one machine share a setting, so a port that is taken is no fault. Raises `OSError` where all
    `tried` are.
    """
    server = None
    for port in range(first_port, first_port + tried):
        try:
            server = _started(host, port)
            break
        except OSError:
            if port == first_port + tried - 1:
                raise
    assert server is not None  # noqa: S101 - else it was raised
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
