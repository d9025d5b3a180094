"""The pages that a site lists itself (sitemaps.org). Addresses are picked out of the text; no XML is interpreted."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin

from trivium.domain.errors import Refused, TriviumError
from trivium.ports.web import Fetch
from trivium.text.urls import canonical_url
from trivium_query.egress.robots import Robots

MAX_SITEMAPS = 10
MAX_CHARS = 10 * 1024 * 1024
_PLACE = re.compile(r"<(?:\w+:)?loc>\s*([^<\s]{1,2000})\s*<")
_INDEX = re.compile(r"<(?:\w+:)?sitemapindex\b")


def listed_pages(fetch: Fetch, robots: Robots, address: str) -> Iterator[str]:
    """Addresses in the order listed, possibly of other hosts; a sitemap that cannot be had lists none."""
    waiting = deque(robots.sitemaps or (urljoin(address, "/sitemap.xml"),))
    for _ in range(MAX_SITEMAPS):
        if not waiting:
            return
        try:
            page = fetch(waiting.popleft(), None)
        except TriviumError:
            continue
        text = page.content[:MAX_CHARS].decode("utf-8", "replace") if page else ""
        places = [unescape(place) for place in _PLACE.findall(text)]
        if _INDEX.search(text[:10_000]):
            waiting.extend(places)
            continue
        for place in places:
            try:
                yield canonical_url(place)
            except Refused:
                continue
