"""What a crawl takes counts against the limits of whoever asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from grpc_doors import over_grpc
from site_peer import SitePeer, serving

from trivium.v1 import ingest_pb2, ingest_pb2_grpc
from trivium_query.crawling import MAX_AT_ONCE

from ..api.test_http_queries import events_of
from .conftest import World

PAGES = 4


@pytest.fixture
def url() -> Iterator[str]:
    """A site whose first page leads to the others."""
    leads = "".join(f'<a href="/{number}">x</a>' for number in range(1, PAGES))
    pages = {"/": f"{leads}<p>Home.</p>", **{f"/{number}": f"<p>Lamp {number}.</p>" for number in range(1, PAGES)}}
    with serving(SitePeer(pages)) as address:
        yield f"{address}/"


@pytest.fixture(autouse=True)
def _quick(world: World) -> None:
    world.set(crawl_delay_s=0.001)


def crawled(world: World, url: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Each page's event, and the counts at the end."""
    events = events_of(world.call("POST", "/v1/crawls", json={"url": url}).text)
    *visits, (name, counts) = events
    assert name == "crawled", events
    return [told for _, told in visits], counts  # type: ignore[return-value]


@pytest.mark.parametrize("limit", ["tenant.documents=2/d", "key.documents=2/d", "tenant.bytes=220/d"])
def test_a_crawl_beyond_its_limit_ends_and_says_when_to_come_back(world: World, url: str, limit: str) -> None:
    world.set(limits=limit)
    visits, counts = crawled(world, url)
    assert counts == {"taken": 2, "unchanged": 0, "left_out": 0, "failed": 1}
    assert visits[-1]["reason"]["code"] == "too_many"
    assert visits[-1]["reason"]["action"].startswith("Come back in ")
    assert len(world.documents()) == 2
    assert world.call("GET", "/v1/sources").status_code == 200

    world.set(limits="")
    assert crawled(world, url)[1] == {"taken": PAGES - 2, "unchanged": 2, "left_out": 0, "failed": 0}, "it goes on"


@pytest.mark.parametrize("bad", ["https://mira:hunter2@host.test/", "http://host.test:99999/", "http://[::1/"])
def test_crawls_of_a_bad_address_are_refused_and_take_no_place(world: World, url: str, bad: str) -> None:
    for _ in range(MAX_AT_ONCE):
        refused = world.call("POST", "/v1/crawls", json={"url": bad})
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_url")
    assert crawled(world, url)[1]["taken"] == PAGES


def test_a_crawl_waits_for_a_limit_that_is_soon_free_again(world: World, url: str) -> None:
    world.set(limits="tenant.documents=2/s")
    assert crawled(world, url)[1]["taken"] == PAGES


async def test_over_grpc_too(world: World, url: str) -> None:
    world.set(limits="tenant.documents=2/d")
    async with over_grpc(world.services) as channel:
        crawl = ingest_pb2_grpc.IngestServiceStub(channel).CrawlSite(ingest_pb2.CrawlSiteRequest(url=url))
        visits = [visit async for visit in crawl]
    assert [visit.reason.code for visit in visits] == ["", "", "too_many"]
