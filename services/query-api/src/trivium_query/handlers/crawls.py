"""Crawls: begin one, and hear of each page."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from trivium.domain.crawl import MAX_DEPTH, MAX_PAGES, CrawlRequest, Visit
from trivium.domain.scope import Tenant
from trivium.invalid_request import misfit
from trivium.ports.intake import Destination
from trivium_query.handlers.sources import check_destination, check_url
from trivium_query.requests import Services


async def open_crawl(services: Services, tenant: Tenant, request: CrawlRequest) -> AsyncGenerator[Visit, None]:
    """The crawl's visits. Raises before the first as `TenantIntake.accept_url`, and `TryLater` (`busy`)."""
    check_destination(Destination(request.dataset, request.run))
    check_url(request.url)
    if not 0 <= request.depth <= MAX_DEPTH:
        raise misfit("depth", f"0 to {MAX_DEPTH}")
    if not 0 < request.max_pages <= MAX_PAGES:
        raise misfit("max_pages", f"1 to {MAX_PAGES}")
    visits = services.crawler.visits(tenant, request)
    first = await anext(visits, None)
    return _from(first, visits)


async def _from(first: Visit | None, rest: AsyncGenerator[Visit, None]) -> AsyncGenerator[Visit, None]:
    async with aclosing(rest):
        if first is not None:
            yield first
        async for visit in rest:
            yield visit
