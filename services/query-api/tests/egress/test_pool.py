"""The client that other libraries bring, against real local servers."""

from __future__ import annotations

import socket
import ssl
import time
from pathlib import Path

import pytest
from web_peer import SITE, Internet, page, site

from trivium.domain.errors import TryLater
from trivium_query.egress import timed_socket
from trivium_query.egress.fetch import FetchLimits
from trivium_query.egress.pool import GuardedPool

CERTIFICATE = Path(__file__).parent / "tls" / "self_signed_site_test.pem"
DRIP_S = 0.05


@pytest.fixture
def internet() -> Internet:
    found = Internet()
    found.names = {"site.test": [SITE]}
    return found


def pool(internet: Internet, timeout_s: float) -> GuardedPool:
    trusting = ssl.create_default_context(cafile=CERTIFICATE)
    return GuardedPool(internet.fetcher(FetchLimits(timeout_s=timeout_s), trusting), lambda: None)


def server_tls() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    return context


@pytest.mark.parametrize(
    "start", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"H"]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_slow_drip_ends_with_the_time_of_a_request(internet: Internet, scheme: str, start: bytes) -> None:
    def drip(stream: socket.socket, head: bytes) -> None:
        stream.sendall(start)
        while True:
            stream.sendall(b"x")
            time.sleep(DRIP_S)

    with site(internet, drip, server_tls() if scheme == "https" else None), pytest.raises(TryLater) as failure:
        pool(internet, 0.5).request("GET", f"{scheme}://site.test/")
    assert failure.value.code == "fetch_timeout"


def test_a_body_that_is_streamed_has_that_time_too(internet: Internet) -> None:
    def drip(stream: socket.socket, head: bytes) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            stream.sendall(b"x")
            time.sleep(DRIP_S)

    with site(internet, drip):
        response = pool(internet, 0.5).request("GET", "http://site.test/", preload_content=False)
        with pytest.raises(TryLater) as failure:
            response.read()
    assert failure.value.code == "fetch_timeout"


def test_each_request_has_its_own_and_what_brings_much_has_more(
    internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = pool(internet, 1.0)
    with site(internet, page(b"ok")):
        for _ in range(3):
            assert client.request("GET", "http://site.test/").data == b"ok"
            time.sleep(0.4)

    def slow(stream: socket.socket, head: bytes) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n")
        for _ in range(30):
            stream.sendall(b"x")
            time.sleep(DRIP_S)

    monkeypatch.setattr(timed_socket, "SLOWEST_BYTES_PER_S", 1.0)
    with site(internet, slow):
        assert client.request("GET", "http://site.test/").data == b"x" * 30
    monkeypatch.setattr(timed_socket, "MOST_S", 1.0)
    with site(internet, slow), pytest.raises(TryLater):
        client.request("GET", "http://site.test/")
