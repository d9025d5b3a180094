"""Whole sites over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator

import httpx2
import msgspec
import pytest

from trivium.domain.crawl import CrawlRequest, Fate, Visit
from trivium.domain.errors import Refused, TryLater
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium_query.crawling import MAX_AT_ONCE, SiteCrawler
from trivium_query.egress.crawl import Count, Pause
from trivium_query.handlers.crawls import open_crawl
from trivium_query.requests import Services

from .test_http_queries import events_of

REQUEST = CrawlRequest(url="https://site.test/", run="one")


async def test_each_page_is_an_event_and_the_last_counts_them(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/crawls", json={"url": "https://site.test/", "max_pages": 3})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = events_of(answer.text)
    assert [name for name, _ in events] == ["visited", "visited", "visited", "crawled"]
    assert events[0][1]["source"]["name"] == events[0][1]["url"] == "https://site.test/1"  # type: ignore[index]
    assert events[2][1]["reason"]["code"] == "robots"  # type: ignore[index]
    assert events[3][1] == {"taken": 2, "unchanged": 0, "left_out": 1, "failed": 0}


async def test_what_is_refused_at_once_has_a_status_and_what_breaks_later_an_event(client: httpx2.AsyncClient) -> None:
    refused = await client.post("/v1/crawls", json={"url": "http://127.0.0.1/"})
    assert (refused.status_code, refused.json()["code"]) == (400, "forbidden_address")
    broken = await client.post("/v1/crawls", json={"url": "https://breaks.test/", "max_pages": 2})
    assert (events_of(broken.text)[-1][0], events_of(broken.text)[-1][1]["code"]) == ("error", "site_gone")


class Gated:
    """A site whose first page waits for its `gate`, and is refused or followed by another."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.ended = False

    async def visits(self, tenant: Tenant, request: CrawlRequest) -> AsyncGenerator[Visit, None]:
        try:
            await self.gate.wait()
            if "127.0.0.1" in request.url:
                raise Refused("forbidden_address", "That address is private.")
            for n in range(2):
                yield Visit(f"{request.url}{n}", Fate.LEFT_OUT)
        finally:
            self.ended = True


async def test_a_first_page_that_is_waited_for_is_told_with_the_others(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium_query.handlers.crawls.FIRST_S", 0.01)
    site = Gated()
    waiting = msgspec.structs.replace(services, crawler=site)
    begun = await open_crawl(waiting, DEFAULT_TENANT, REQUEST)
    refused = await open_crawl(waiting, DEFAULT_TENANT, CrawlRequest(url="http://127.0.0.1/", run="one"))
    site.gate.set()
    assert [visit.url async for visit in begun] == ["https://site.test/0", "https://site.test/1"]
    with pytest.raises(Refused, match="private"):
        await anext(refused)


async def test_a_crawl_ends_with_its_caller_also_before_its_first_page(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for first_s in (0.01, 60.0):
        monkeypatch.setattr("trivium_query.handlers.crawls.FIRST_S", first_s)
        site = Gated()
        waiting = msgspec.structs.replace(services, crawler=site)

        async def listen(to: Services = waiting) -> None:
            await _listen(await open_crawl(to, DEFAULT_TENANT, REQUEST))

        listening = asyncio.ensure_future(listen())
        await asyncio.sleep(0.05)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await asyncio.sleep(0)
        assert site.ended


@pytest.mark.parametrize(
    "fields", [{"depth": 21}, {"max_pages": 0}, {"max_pages": 10_001}, {"url": "ftp://a.test/"}, {"dataset": "a b"}]
)
async def test_a_crawl_without_end_is_refused(client: httpx2.AsyncClient, fields: dict[str, object]) -> None:
    answer = await client.post("/v1/crawls", json={"url": "https://site.test/", **fields})
    assert answer.status_code == 422


class Endless:
    """Crawls that go on until their pause says to end."""

    def visits(self, tenant: Tenant, request: CrawlRequest, pause: Pause, count: Count) -> Iterator[Visit]:
        self.pause = pause
        while not pause(0.001):
            yield Visit(request.url, Fate.LEFT_OUT)


async def test_a_crawl_is_told_to_end_when_nobody_listens_any_more() -> None:
    endless = Endless()
    visits = SiteCrawler(endless).visits(DEFAULT_TENANT, REQUEST)  # type: ignore[arg-type]
    await anext(visits)
    assert endless.pause(0) is False
    listening = asyncio.ensure_future(_listen(visits))
    await asyncio.sleep(0.01)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert endless.pause(0) is True


async def _listen(visits: AsyncGenerator[Visit, None]) -> None:
    async for _ in visits:
        pass


async def test_only_some_crawls_run_at_once() -> None:
    crawler = SiteCrawler(Endless())  # type: ignore[arg-type]
    running = [crawler.visits(DEFAULT_TENANT, REQUEST) for _ in range(MAX_AT_ONCE)]
    for visits in running:
        await anext(visits)
    with pytest.raises(TryLater) as refusal:
        await anext(crawler.visits(DEFAULT_TENANT, REQUEST))
    assert refusal.value.code == "busy"
    await running[0].aclose()
    another = crawler.visits(DEFAULT_TENANT, REQUEST)
    assert await anext(another)
    for visits in (*running[1:], another):
        await visits.aclose()
