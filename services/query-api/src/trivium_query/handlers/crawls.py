"""Crawls: begin one, and hear of each page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from trivium.domain.crawl import MAX_DEPTH, MAX_PAGES, CrawlRequest, Visit
from trivium.domain.scope import Tenant
from trivium.invalid_request import misfit
from trivium.ports.intake import Destination
from trivium_query.handlers.sources import check_destination, check_url
from trivium_query.requests import Services

FIRST_S = 20.0
"""A first page that takes longer, as of a site that asks to be waited for, is told as the others are."""


async def open_crawl(services: Services, tenant: Tenant, request: CrawlRequest) -> AsyncGenerator[Visit, None]:
    """The crawl's visits. Raises before the first as `TenantIntake.accept_url`, and `TryLater` (`busy`).

    What is known only after `FIRST_S` the visits raise.
    """
    check_destination(Destination(request.dataset, request.run))
    check_url(request.url)
    if not 0 <= request.depth <= MAX_DEPTH:
        raise misfit("depth", f"0 to {MAX_DEPTH}")
    if not 0 < request.max_pages <= MAX_PAGES:
        raise misfit("max_pages", f"1 to {MAX_PAGES}")
    visits = services.crawler.visits(tenant, request)
    first = asyncio.ensure_future(anext(visits, None))
    try:
        await asyncio.wait({first}, timeout=FIRST_S)
    except asyncio.CancelledError:
        first.cancel()
        raise
    if first.done():
        first.result()
    return _from(first, visits)


async def _from(first: asyncio.Future[Visit | None], rest: AsyncGenerator[Visit, None]) -> AsyncGenerator[Visit, None]:
    async with aclosing(rest):
        if (visit := await first) is not None:
            yield visit
        async for visit in rest:
            yield visit
