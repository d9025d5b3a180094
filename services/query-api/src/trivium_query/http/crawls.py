"""Whole sites: one request, and an event for each page."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from trivium import api
from trivium.domain import crawl
from trivium.domain.runs import new_run
from trivium_query import views
from trivium_query.handlers import crawls
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import OF_A_BODY, ServicesDep, TenantDep, errors, takes
from trivium_query.http.streaming import Event, EventStream, streamed

router = APIRouter(prefix="/v1/crawls", tags=["sources"])

_STREAM = streamed(
    "`visited` for each page, and `crawled` or `error` at the end. Leaving early ends the crawl.",
    {"visited": api.Visited, "crawled": api.Crawled},
)


@router.post(
    "",
    response_class=Response,
    responses={200: _STREAM, **errors(*OF_A_BODY)},
    openapi_extra=takes(api.CrawlRequest),
)
async def begin(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Take in a whole site. Its pages are sources like any other; the same crawl again costs what has changed."""
    sent = await json_body(request, api.CrawlRequest)
    wanted = crawl.CrawlRequest(**msgspec.structs.asdict(sent) | {"run": sent.run or new_run()})
    return EventStream(_told(await crawls.open_crawl(services, tenant, wanted)))


async def _told(visits: AsyncGenerator[crawl.Visit, None]) -> AsyncGenerator[Event, None]:
    fates = Counter(dict.fromkeys(crawl.Fate, 0))
    async with aclosing(visits):
        async for visit in visits:
            fates[visit.fate] += 1
            yield Event("visited", views.visited(visit))
    yield Event("crawled", api.Crawled(**{fate.value: count for fate, count in fates.items()}))
