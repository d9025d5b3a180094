"""HTTP and gRPC together, over real sockets."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import suppress

import grpc
import httpx2
import msgspec
import pytest
from served_here import ended, served

from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.v1 import query_pb2, query_pb2_grpc
from trivium_query import pace
from trivium_query.http import connection, middleware, streaming
from trivium_query.requests import Services
from trivium_query.serve import Listening, serve


@pytest.fixture
def settings() -> Settings:
    return Settings(http_port=0, grpc_port=0, max_upload_bytes=200_000)


@pytest.fixture
async def listening(services: Services) -> AsyncIterator[Listening]:
    """A running server; ends as a person would end it."""
    where, serving = await served(services)
    yield where
    os.kill(os.getpid(), signal.SIGTERM)
    await ended(serving)


async def test_both_doors_answer_and_a_signal_closes_both(services: Services) -> None:
    where, serving = await served(services)
    async with httpx2.AsyncClient(base_url=where.http) as client:
        found = (await client.post("/v1/search", json={"query": "engine"})).json()
    async with grpc.aio.insecure_channel(where.grpc) as channel:
        same = await query_pb2_grpc.QueryServiceStub(channel).Search(query_pb2.SearchRequest(query="engine"))
    assert [h["chunk"]["id"] for h in found["hits"]] == [h.chunk.id for h in same.hits]
    os.kill(os.getpid(), signal.SIGINT)
    await ended(serving)
    async with httpx2.AsyncClient() as client:
        with pytest.raises(httpx2.ConnectError):
            await client.get(where.http)


async def test_a_request_that_runs_may_end_before_the_server_does(services: Services) -> None:
    where, serving = await served(services)
    services.searcher.gate = asyncio.Event()
    async with httpx2.AsyncClient(base_url=where.http) as client:
        running = asyncio.create_task(client.post("/v1/search", json={"query": "engine"}))
        await services.searcher.reaches(held=1)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.2)
        services.searcher.gate.set()
        assert (await running).status_code == 200
    await ended(serving)


@pytest.mark.parametrize("door", ["http", "grpc"])
async def test_a_port_in_use_is_told_with_its_setting(services: Services, door: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = msgspec.structs.replace(services.settings, **{f"{door}_port": port})
        with pytest.raises(Refused) as caught:
            await serve(msgspec.structs.replace(services, settings=settings))
    assert caught.value.code == "port_in_use"
    assert str(port) in caught.value.message
    assert f"TRIVIUM_{door.upper()}_PORT" in caught.value.action


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_leaves_stops_the_work(listening: Listening, services: Services, stream: bool) -> None:
    services.searcher.gate = asyncio.Event()
    async with httpx2.AsyncClient(base_url=listening.http, timeout=1) as client:
        with pytest.raises(httpx2.ReadTimeout):
            await client.post("/v1/queries", json={"question": "engine", "stream": stream})
    await services.searcher.reaches(cancelled=1)


async def test_a_streamed_answer_arrives_piece_by_piece(listening: Listening, services: Services) -> None:
    services.searcher.gate = asyncio.Event()
    async with (
        httpx2.AsyncClient(base_url=listening.http) as client,
        client.stream("POST", "/v1/queries", json={"question": "engine", "stream": True}) as answer,
    ):
        assert answer.status_code == 200  # the headers are here, and the search still waits
        services.searcher.gate.set()
        names = [line.removeprefix("event: ") async for line in answer.aiter_lines() if line.startswith("event: ")]
    assert names[0] == "hits"
    assert names[-1] == "answer"


async def test_a_silent_stream_keeps_the_connection_alive(
    listening: Listening, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "HEARTBEAT_S", 0.02)
    services.searcher.gate = asyncio.Event()
    async with (
        httpx2.AsyncClient(base_url=listening.http) as client,
        client.stream("POST", "/v1/queries", json={"question": "engine", "stream": True}) as answer,
    ):
        lines = answer.aiter_lines()
        assert await anext(lines) == ": keep-alive"
        services.searcher.gate.set()
        assert "event: answer" in [line async for line in lines]


async def _raw(listening: Listening, *pieces: bytes, close: bool = False) -> bytes:
    """Send bytes as they are; what comes back."""
    host, port = listening.http.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
    if close:
        writer.close()
        return b""
    try:
        async with asyncio.timeout(10):
            return await reader.read(100_000)
    finally:
        writer.close()


UPLOAD = (
    b"POST /v1/sources HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=b\r\n"
    b"content-length: %d\r\n\r\n"
)


async def test_hostile_requests_leave_the_server_answering(listening: Listening) -> None:
    assert b" 400 " in (await _raw(listening, b"GET /healthz HTTP/1.1\r\nx: " + b"y" * 200_000 + b"\r\n\r\n"))[:40]
    assert b" 400 " in (await _raw(listening, b"\x16\x03\x01\x02\x00nonsense\r\n\r\n"))[:40]
    path = b"GET /v1/sources/../../../etc/passwd HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    assert b" 404 " in (await _raw(listening, path))[:40]
    await _raw(listening, UPLOAD % 5_000, b'--b\r\nContent-Disposition: form-data; name="file"; fil', close=True)
    async with httpx2.AsyncClient(base_url=listening.http) as client:
        assert (await client.get("/v1/status")).json()["by_state"] == {"ready": 1}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (b"/v1/search", b"ZZ\r\n"),
        (b"/v1/search", b'5\r\n{"que\r\nnonsense\r\n'),
        (b"/v1/nowhere", b"ZZ\r\n"),
        (b"/v1/sources", b"5\r\n--b\r\nZZ\r\n"),
        (b"/v1/sources", b"7\r\nnoform!\r\nZZ\r\n"),
    ],
)
async def test_a_broken_chunk_is_told_400_and_is_no_fault_of_ours(
    listening: Listening, path: bytes, body: bytes, logged: list[dict[str, object]], caplog: pytest.LogCaptureFixture
) -> None:
    kind = b"multipart/form-data; boundary=b" if path == b"/v1/sources" else b"application/json"
    head = b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: %s\r\ntransfer-encoding: chunked\r\n\r\n" % (
        path,
        kind,
    )
    for pieces in ((head + body,), (head, body)):
        answer = await _raw(listening, *pieces)
        assert b" 400 " in answer[:40] or (path == b"/v1/nowhere" and b" 404 " in answer[:40])
    assert [entry for entry in logged if entry["log_level"] == "error"] == []
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


async def test_a_body_with_two_lengths_is_refused_and_what_follows_it_is_no_request(listening: Listening) -> None:
    """RFC 9112, section 6.1: what stands before us may have read another end of it."""
    head = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    lengths = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answer = await _raw(listening, head + lengths + b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b" 400 " in answer[:40]
    assert b"two_lengths" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


class TestWithKeysAndOrigins:
    """A server that refuses some requests and answers others before their bodies are looked at."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(http_port=0, grpc_port=0, api_keys="default:alpha", cors_origins="https://app.example.org")

    @pytest.mark.parametrize(
        ("head", "told"),
        [
            (b"POST /v1/search HTTP/1.1\r\nX-Api-Key: alpha\r\n", b" 400 "),
            (b"POST /v1/search HTTP/1.1\r\n", b" 401 "),
            (b"POST /openai/v1/responses HTTP/1.1\r\n", b" 401 "),
            (b"GET /healthz HTTP/1.1\r\n", b" 400 "),
            (
                b"OPTIONS /v1/search HTTP/1.1\r\nOrigin: https://app.example.org\r\n"
                b"Access-Control-Request-Method: POST\r\n",
                b" 200 ",
            ),
        ],
        ids=["key", "no key", "no key, in other words", "no key needed", "preflight"],
    )
    async def test_whoever_answers_a_body_with_two_lengths_ends_the_connection(
        self, listening: Listening, head: bytes, told: bytes
    ) -> None:
        lengths = b"Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        answer = await _raw(listening, head + lengths + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert told in answer[:40]
        assert b"connection: close" in answer.lower()
        assert answer.count(b"HTTP/1.1 ") == 1


async def test_a_body_over_the_bound_gets_its_answer_over_a_real_socket(listening: Listening) -> None:
    async with httpx2.AsyncClient(base_url=listening.http) as client:
        answer = await client.post("/v1/sources", files={"file": ("big", b"x" * 3_000_000)})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that a test can wait for."""
    for name, value in (("HEADERS_S", 0.3), ("IDLE_S", 0.3), ("START_S", 0.5)):
        monkeypatch.setattr(pace, name, value)
    monkeypatch.setattr(connection, "LINGER_S", 0.3)
    monkeypatch.setattr(middleware, "DRAIN_S", 0.1)


async def _drip(listening: Listening, first: bytes, drop: bytes) -> bytes:
    """Send `first`, then a `drop` again and again until the server ends it; what it said."""
    host, port = listening.http.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    said = bytearray()

    async def listen() -> None:
        with suppress(ConnectionError):  # what was dripped last may meet a closed door
            while piece := await reader.read(1000):
                said.extend(piece)

    listens = asyncio.create_task(listen())
    writer.write(first)
    async with asyncio.timeout(10):
        while not listens.done():
            writer.write(drop)
            await asyncio.wait({listens}, timeout=0.02)
    writer.close()
    return bytes(said)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b""),
        (b"GET /healthz HTTP/1.1\r\n", b"x: y\r\n"),
        (b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", b"G"),
    ],
    ids=["silence", "headers", "headers of the second request"],
)
async def test_headers_that_drip_do_not_hold_a_connection(listening: Listening, first: bytes, drop: bytes) -> None:
    await _drip(listening, first, drop)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("path", [b"/v1/sources", b"/v1/search", b"/v1/nowhere"])
async def test_a_body_that_drips_is_told_and_does_not_hold_its_connection(listening: Listening, path: bytes) -> None:
    first = (UPLOAD % 500_000).replace(b"/v1/sources", path) + b"--b\r\n"
    if path == b"/v1/search":
        first = first.replace(b"multipart/form-data; boundary=b", b"application/json")
    answer = await _drip(listening, first, b"C")
    assert (b" 404 " if path == b"/v1/nowhere" else b" 408 ") in answer[:40]


async def test_a_slow_line_that_keeps_the_pace_may_upload(
    listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "START_S", 0.0)  # so that each piece must have earned the wait for the next

    async def slowly():
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n' + b"x" * 5000
        for _ in range(20):
            yield b"x" * 1000
            await asyncio.sleep(0.02)
        yield b"\r\n--b--\r\n"

    headers = {"content-type": "multipart/form-data; boundary=b"}
    async with httpx2.AsyncClient(base_url=listening.http) as client:
        assert (await client.post("/v1/sources", content=slowly(), headers=headers)).status_code == 202


@pytest.mark.usefixtures("impatient")
async def test_a_body_that_stops_coming_is_told_408(listening: Listening) -> None:
    answer = await _raw(listening, UPLOAD % 5_000, b"--b\r\n")
    assert b" 408 " in answer[:40]
    assert b"body_late" in answer


async def test_work_that_is_late_is_not_taken_for_a_body_that_is() -> None:
    async def hanging(_: object, __: object, ___: object) -> None:
        await asyncio.Event().wait()

    bounded = middleware.Bounded(hanging, Settings(request_timeout_s=0.05))

    async def identified(scope: dict[str, object], receive: object, send: object) -> None:
        await bounded({**scope, middleware.REQUEST_ID: "r"}, receive, send)

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(identified), base_url="http://here") as client:
        answer = await client.delete("/v1/sources/x")
    assert (answer.status_code, answer.json()["code"]) == (504, "deadline_passed")
    assert "TRIVIUM_REQUEST_TIMEOUT_S" in answer.text, "which is the time that it passed"
