"""Crawls on behalf of callers: a few at a time, each for as long as its caller listens."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator
from functools import partial

import anyio.from_thread
import anyio.to_thread

from trivium.domain.crawl import CrawlRequest, Visit
from trivium.domain.errors import TryLater
from trivium.domain.limits import Resource
from trivium.domain.scope import Tenant
from trivium_query.access.limiter import take_all
from trivium_query.egress.crawl import Crawler

MAX_AT_ONCE = 4


class SiteCrawler:
    """`trivium_query.requests.SiteCrawler` over `trivium_query.egress.crawl`, whose waiting is done in threads."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._running = 0

    async def visits(self, tenant: Tenant, request: CrawlRequest) -> AsyncGenerator[Visit, None]:
        """Each page as it happens. Closing it ends the crawl after the request that is under way."""
        if self._running >= MAX_AT_ONCE:
            raise TryLater("busy", f"{MAX_AT_ONCE} crawls are running already.", "Try again when one has ended.")
        stopped = threading.Event()
        steps = self._crawler.visits(tenant, request, stopped.wait, _count)  # may refuse the address
        self._running += 1
        try:
            while visit := await anyio.to_thread.run_sync(partial(next, steps, None), abandon_on_cancel=True):
                yield visit
        finally:
            stopped.set()
            self._running -= 1


def _count(size_bytes: int) -> None:
    """Against the limits of who asked, from the thread of a step. Raises `TooMany`."""
    anyio.from_thread.run(take_all, {Resource.DOCUMENTS: 1, Resource.BYTES: size_bytes})
