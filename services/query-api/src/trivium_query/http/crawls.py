"""Whole sites: one request, and an event for each page."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter
from pydantic import Field, StrictBool
from starlette.responses import Response

from trivium.domain import crawl
from trivium_query.handlers import crawls
from trivium_query.http import schemas, views
from trivium_query.http.routing import ServicesDep, TenantDep, errors
from trivium_query.http.streaming import Event, EventStream

router = APIRouter(prefix="/v1/crawls", tags=["sources"])


class CrawlRequest(schemas.WebAddress):
    """A site to take in: the pages of one host, breadth first, as its robots.txt allows."""

    depth: schemas.Whole = Field(default=2, ge=0, le=crawl.MAX_DEPTH, description="How many links from the first page.")
    max_pages: schemas.Whole = Field(default=100, ge=1, le=crawl.MAX_PAGES, description="At most so many requests.")
    sitemap: StrictBool = Field(default=False, description="Begin with the pages of the site's own sitemap, too.")


class Visited(schemas.Shown):
    """Event `visited`: what became of a page."""

    url: str
    fate: crawl.Fate
    source: schemas.Source | None = None
    reason: schemas.Reason | None = None


class Crawled(schemas.Shown):
    """Event `crawled`, the last: how many pages came to what."""

    taken: int
    unchanged: int
    left_out: int
    failed: int


_EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["visited", "crawled", "error"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "Visited, Crawled or Problem, by the event.",
        },
    },
}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`visited` for each page, and `crawled` or `error` at the end. Leaving early ends the crawl.",
        "content": {"text/event-stream": {"schema": _EVENT}},
    }
}


@router.post("", response_class=Response, responses={**errors(408, 413, 415), **_STREAMED})
async def begin(body: CrawlRequest, services: ServicesDep, tenant: TenantDep) -> Response:
    """Take in a whole site. Its pages are sources like any other; the same crawl again costs what has changed."""
    request = crawl.CrawlRequest(
        url=body.url, depth=body.depth, max_pages=body.max_pages, dataset=body.dataset, sitemap=body.sitemap
    )
    return EventStream(_told(await crawls.open_crawl(services, tenant, request)))


async def _told(visits: AsyncGenerator[crawl.Visit, None]) -> AsyncGenerator[Event, None]:
    fates = Counter(dict.fromkeys(crawl.Fate, 0))
    async with aclosing(visits):
        async for visit in visits:
            fates[visit.fate] += 1
            yield Event(name="visited", data=_visited(visit))
    yield Event(name="crawled", data=Crawled(**{fate.value: count for fate, count in fates.items()}))


def _visited(visit: crawl.Visit) -> Visited:
    return Visited(
        url=visit.url,
        fate=visit.fate,
        source=views.source(visit.document) if visit.document else None,
        reason=views.reason(visit.reason) if visit.reason else None,
    )
