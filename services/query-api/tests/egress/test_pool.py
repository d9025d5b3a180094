"""The client that other libraries bring, against real local servers."""

from __future__ import annotations

import socket
import ssl
import time
from pathlib import Path

import pytest
from web_peer import SITE, Handler, Internet, page, site

from trivium.domain.errors import TryLater
from trivium_query.connect.place import Pause
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


def pool(internet: Internet, timeout_s: float, pause: Pause = time.sleep) -> GuardedPool:
    trusting = ssl.create_default_context(cafile=CERTIFICATE)
    return GuardedPool(internet.fetcher(FetchLimits(timeout_s=timeout_s), trusting), lambda: None, pause)


def busy(answers: int, wait: str = "7") -> Handler:
    """So many times, and then no more."""
    left = iter(range(answers))

    def answer(stream: socket.socket, head: bytes) -> None:
        told = page(b"", f"Retry-After: {wait}", status="503 Busy") if next(left, None) is not None else page(b"ok")
        told(stream, head)

    return answer


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


@pytest.mark.parametrize("body", [None, b"git's question"])
def test_a_place_that_is_busy_is_waited_for_as_it_asks(internet: Internet, body: bytes | None) -> None:
    waited: list[float] = []
    with site(internet, busy(4)):
        answer = pool(internet, 5.0, waited.append).request("POST" if body else "GET", "http://site.test/", body=body)
    assert (answer.data, waited) == (b"ok", [7.0] * 4)


@pytest.mark.parametrize(("wait", "waits"), [("7", 4), ("61", 0), ("soon", 0)])
def test_one_that_is_busy_for_too_long_is_asked_another_time(internet: Internet, wait: str, waits: int) -> None:
    waited: list[float] = []
    with site(internet, busy(9, wait)), pytest.raises(TryLater) as failure:
        pool(internet, 5.0, waited.append).request("GET", "http://site.test/")
    assert (failure.value.message, waited) == ("site.test answered 503.", [7.0] * waits)


def test_what_is_sent_as_it_is_made_is_not_sent_again(internet: Internet) -> None:
    waited: list[float] = []
    with site(internet, busy(1)), pytest.raises(TryLater):
        pool(internet, 5.0, waited.append).request("POST", "http://site.test/", body=iter([b"piece"]))
    assert waited == []
