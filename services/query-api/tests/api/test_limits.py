"""Limits of keys and tenants: what is counted, how a refusal looks, and that our client comes back when it is told."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import grpc
import httpx2
import msgspec
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from grpc_doors import over_grpc
from grpc_status import rpc_status
from length_embedder import Lengths

from trivium import client as client_module
from trivium.access.stored_keys import StoredKeys
from trivium.adapters.embedded.buckets import MemoryBuckets
from trivium.client import TriviumClient
from trivium.config import Settings
from trivium.domain.access import Caller, Role
from trivium.domain.errors import Refused, TryLater
from trivium.domain.limits import Resource, TooMany, read_limits
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import ingest_pb2, ingest_pb2_grpc, query_pb2, query_pb2_grpc
from trivium_query.access import limiter
from trivium_query.http.app import create_app
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import Embeddings, Services

ALPHA, BETA = {"x-api-key": "alpha"}, {"x-api-key": "beta"}


def limited(services: Services, limits: str) -> Services:
    settings = msgspec.structs.replace(services.settings, api_keys="default:alpha,other:beta", limits=limits)
    return msgspec.structs.replace(services, settings=settings, buckets=MemoryBuckets())


def client_of(services: Services) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), base_url="http://localhost")


async def test_requests_are_counted_by_key_and_by_tenant(services: Services) -> None:
    keys = StoredKeys(services.objects)
    ours = [{"x-api-key": keys.create(DEFAULT_TENANT, name, Role.READER)[1]} for name in ("a", "b")]
    async with client_of(limited(services, "key.requests=2/h,tenant.requests=3/h")) as client:
        codes = [(await client.get("/v1/sources", headers=ours[n])).status_code for n in (0, 0, 0, 1, 1)]
        assert codes == [200, 200, 429, 200, 429]
        assert (await client.get("/v1/sources", headers=BETA)).status_code == 200
        told = await client.get("/v1/sources", headers=ours[0])
    assert told.json()["code"] == "too_many"
    assert 1100 < int(told.headers["retry-after"]) <= 1800
    assert "default" not in told.text


async def test_who_ignores_a_refusal_gains_and_loses_nothing(services: Services) -> None:
    async with client_of(limited(services, "key.requests=2/s")) as client:
        codes = []
        started = time.monotonic()
        while time.monotonic() - started < 1.0:
            codes.append((await client.get("/v1/sources", headers=ALPHA)).status_code)
    assert set(codes) == {200, 429}
    assert codes.count(200) in (3, 4)


async def test_uploads_bytes_and_documents_are_counted_before_they_are_kept(services: Services) -> None:
    services = limited(services, "tenant.documents=3/h,tenant.bytes=100/h,tenant.uploads=3/h")

    def files(*sizes: int) -> list[tuple[str, tuple[str, bytes]]]:
        return [("file", (f"{number}-{size}.txt", b"x" * size)) for number, size in enumerate(sizes)]

    async with client_of(services) as client:
        first = await client.post("/v1/sources", files=files(40, 50, 60), headers=ALPHA)
        assert first.status_code == 202
        assert [one["code"] for one in first.json()["refused"]] == ["too_many"]
        second = await client.post("/v1/sources", files=files(11), headers=ALPHA)
        assert (second.status_code, second.json()["code"]) == (429, "too_many")
        assert (await client.post("/v1/sources", files=files(1), headers=ALPHA)).status_code == 202
        assert (await client.post("/v1/sources", files=files(1), headers=ALPHA)).status_code == 429
        assert (await client.post("/v1/sources", files=files(1), headers=BETA)).status_code == 202
        listed = (await client.get("/v1/sources", headers=ALPHA)).json()["sources"]
    assert {source["size_bytes"] for source in listed if source["size_bytes"] in (40, 50, 60, 11)} == {40, 50}


async def test_what_an_address_has_is_counted_before_it_is_kept(services: Services) -> None:
    """Each has 14 bytes."""
    services = limited(services, "tenant.bytes=20/h")
    async with client_of(services) as client, over_grpc(services) as channel:
        ingest = ingest_pb2_grpc.IngestServiceStub(channel)

        async def told(url: str, headers: dict[str, str] = ALPHA) -> int:
            return (await client.post("/v1/sources", json={"url": url}, headers=headers)).status_code

        assert [await told(f"https://a.org/{number}") for number in (1, 2)] == [202, 429]
        assert await told("https://a.org/3", BETA) == 202
        request = ingest_pb2.SubmitSourceRequest(header=ingest_pb2.SourceHeader(url="https://a.org/4"))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ingest.SubmitSource(iter([request]), metadata=(("x-api-key", "alpha"),))
        assert refused.value.details() == "The limit of bytes is reached."
        file = {"file": ("a.txt", b"x" * 6)}
        assert (await client.post("/v1/sources", files=file, headers=ALPHA)).status_code == 202
        listed = (await client.get("/v1/sources", headers=ALPHA)).json()["sources"]
    assert {source["name"] for source in listed} == {"engine.html", "https://a.org/1", "a.txt"}


async def test_tokens_are_counted_once_they_are_known_and_whoever_is_in_debt_waits() -> None:
    caller = Caller(DEFAULT_TENANT, Role.READER, "k")
    meter = limiter.Meter(caller, read_limits("tenant.tokens=1000/h"), MemoryBuckets())
    await meter.take({Resource.TOKENS: 1})
    await meter.take({Resource.TOKENS: 5000}, owe=True)
    with pytest.raises(TooMany) as refused:
        await meter.take({Resource.TOKENS: 1})
    assert refused.value.retry_after_s == pytest.approx(3600 * 4.002, rel=0.01)


ASKED: dict[str, dict[str, object]] = {
    "/v1/queries": {"query": "Who designed the Analytical Engine?"},
    "/openai/v1/chat/completions": {
        "model": "trivium",
        "messages": [{"role": "user", "content": "Who designed the Analytical Engine?"}],
    },
    "/openai/v1/responses": {"model": "trivium", "input": "Who designed the Analytical Engine?"},
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("path", ASKED)
async def test_what_an_answer_cost_is_charged_to_its_tenant(services: Services, path: str, streamed: bool) -> None:
    """36 tokens of 30 an hour, and the one that a question takes beforehand: whoever asks next waits for 8."""
    async with client_of(limited(services, "tenant.tokens=30/h")) as client:
        first = await client.post(path, json=ASKED[path] | {"stream": streamed}, headers=ALPHA)
        assert (first.status_code, "engine" in first.text) == (200, True)
        second = await client.post(path, json=ASKED[path] | {"stream": streamed}, headers=ALPHA)
        assert second.status_code == 429
        assert 900 < int(second.headers["retry-after"]) <= 960
        assert (await client.post(path, json=ASKED[path], headers=BETA)).status_code == 200
    if path.startswith("/openai"):
        error = second.json()["error"]
        assert (error["type"], error["code"]) == ("rate_limit_error", "too_many")
    else:
        assert second.json()["code"] == "too_many"


async def test_embeddings_are_charged_as_their_usage_says(services: Services) -> None:
    """Six tokens and the one taken beforehand, of 6 an hour: one is owed, and one more has to be there."""
    model: Any = Lengths()
    with closing(QuestionVectors(model)) as questions:
        known = msgspec.structs.replace(services, embeddings=Embeddings(questions, model))
        async with client_of(limited(known, "tenant.tokens=6/h")) as client:
            asked = {"model": "trivium-embeddings", "input": ["of three words", "and three more"]}
            first = await client.post("/openai/v1/embeddings", json=asked, headers=ALPHA)
            assert first.json()["usage"]["total_tokens"] == 6
            second = await client.post("/openai/v1/embeddings", json=asked, headers=ALPHA)
            assert (second.status_code, second.json()["error"]["code"]) == (429, "too_many")
            assert 1190 < int(second.headers["retry-after"]) <= 1200
            assert (await client.post("/v1/queries", json=ASKED["/v1/queries"], headers=ALPHA)).status_code == 429
            assert (await client.post("/openai/v1/embeddings", json=asked, headers=BETA)).status_code == 200


async def test_where_the_buckets_are_away_nothing_is_limited(services: Services) -> None:
    class Away(MemoryBuckets):
        async def take(self, *_: object, **__: object) -> float:
            raise TryLater("redis_down", "Redis does not answer.", "Start it.")

    services = msgspec.structs.replace(limited(services, "key.requests=1/h"), buckets=Away())
    async with client_of(services) as client:
        assert {(await client.get("/v1/sources", headers=ALPHA)).status_code for _ in range(3)} == {200}


@pytest.fixture
async def channel(services: Services) -> AsyncIterator[grpc.aio.Channel]:
    async with over_grpc(limited(services, "key.requests=1/m")) as opened:
        yield opened


async def test_over_grpc_a_refusal_says_when_to_come_back(channel: grpc.aio.Channel) -> None:
    query = query_pb2_grpc.QueryServiceStub(channel)
    await query.Search(query_pb2.SearchRequest(query="engine"), metadata=(("x-api-key", "alpha"),))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await query.Search(query_pb2.SearchRequest(query="engine"), metadata=(("x-api-key", "alpha"),))
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = rpc_status.from_call(refused.value)
    info, wait = ErrorInfo(), RetryInfo()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(wait)
    assert info.reason == "TOO_MANY"
    assert 50 < wait.retry_delay.ToSeconds() <= 60


async def test_uploads_and_bytes_are_counted_over_grpc_as_over_http(services: Services) -> None:
    async with over_grpc(limited(services, "tenant.uploads=3/h,tenant.bytes=100/h,tenant.documents=9/h")) as channel:
        ingest = ingest_pb2_grpc.IngestServiceStub(channel)

        async def told(size: int, key: str = "alpha") -> str:
            header = ingest_pb2.SourceHeader(name=f"{size}.txt")
            parts = [ingest_pb2.SubmitSourceRequest(header=header), ingest_pb2.SubmitSourceRequest(content=b"x" * size)]
            try:
                await ingest.SubmitSource(iter(parts), metadata=(("x-api-key", key),))
            except grpc.aio.AioRpcError as error:
                return f"{error.code().name}: {error.details()}"
            return "taken"

        assert await told(90) == "taken"
        assert await told(11) == "RESOURCE_EXHAUSTED: The limit of bytes, documents is reached."
        assert await told(1) == "taken"
        assert await told(2) == "RESOURCE_EXHAUSTED: The limit of uploads is reached."
        assert await told(3, "beta") == "taken"
        listed = await ingest.ListSources(ingest_pb2.ListSourcesRequest(), metadata=(("x-api-key", "alpha"),))
    assert {
        source.size_bytes for source in listed.sources if source.name in ("90.txt", "11.txt", "1.txt", "2.txt")
    } == {
        90,
        1,
    }


async def test_over_grpc_an_answer_is_charged_too(services: Services) -> None:
    ask = query_pb2.AskRequest(question="Who designed the Analytical Engine?")
    async with over_grpc(limited(services, "tenant.tokens=30/h")) as channel:
        query = query_pb2_grpc.QueryServiceStub(channel)
        answer = (await query.Ask(ask, metadata=(("x-api-key", "alpha"),))).answer
        assert (answer.usage.input_tokens, answer.usage.output_tokens) == (22, 14)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await query.Ask(ask, metadata=(("x-api-key", "alpha"),))
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await query.Ask(ask, metadata=(("x-api-key", "beta"),))


def test_our_client_comes_back_when_it_is_told_and_gives_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    told, slept = ["1", "2", ""], []
    client = TriviumClient("http://127.0.0.1:9")

    def answer(_: httpx2.Request) -> httpx2.Response:
        wait = told.pop(0)
        return httpx2.Response(429, headers={"retry-after": wait}) if wait else httpx2.Response(200, json={"keys": []})

    client._http = httpx2.Client(transport=httpx2.MockTransport(answer), base_url="http://127.0.0.1:9")
    monkeypatch.setattr(client_module.time, "sleep", slept.append)
    assert client.keys().keys == ()
    assert [1 <= slept[0] <= 2, 2 <= slept[1] <= 3] == [True, True]
    told += ["100"]
    with pytest.raises(TryLater):
        client.keys()
    assert len(slept) == 2


@pytest.mark.parametrize("wrong", ["key.requests=0/s", "requests=1/s", "key.pages=1/s", "key.requests=1/y", "x"])
def test_what_is_no_limit_is_refused_at_the_start(wrong: str) -> None:
    with pytest.raises(Refused, match="TRIVIUM_LIMITS"):
        Settings(limits=wrong).check()
