"""The pages that a site lists in a sitemap, or in an index of some (sitemaps.org), as its robots.txt permits.

A page whose `lastmod` is as before costs nothing; another is asked for with what the server said of the stored copy.
What a sitemap does not list any more is gone, once all of them were read to their ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

import httpx2

from trivium.domain.errors import Refused, TriviumError, TryLater
from trivium.domain.ids import digest
from trivium.ports.connector import Change, Changed, Item, Unchanged
from trivium.ports.web import Page
from trivium.text.urls import checked_url
from trivium_query.connect.place import Place
from trivium_query.connect.seen import MAX_FILES, Seen, failing
from trivium_query.connect.web import Web, mark_of, unless_still, web_location
from trivium_query.egress.crawl import told_by
from trivium_query.egress.pages import WebPages
from trivium_query.egress.robots import Robots, robots_of
from trivium_query.egress.sitemap import MAX_BYTES, Listed, read_sitemap

MAX_SITEMAPS = 1000
_Fetch = Callable[[], Item | None]


class SitemapConnector:
    """See `trivium.ports.connector.Connector`. A page's token is its `lastmod`, and the server's word for its copy."""

    def __init__(self, place: Place, cursor: str) -> None:
        self._start = web_location(place.connection.location, place.way)
        self._place = place
        self._sitemaps = Web(place.way.bounded(MAX_BYTES), self._start)
        self._pages = Web(place.way, self._start)
        self._seen = Seen(cursor)
        self.stored, self.cursor = self._seen.stored, self._seen.cursor
        self._fault: TriviumError | None = None

    def changes(self) -> Iterator[Change | Unchanged]:
        """In the order listed, then what could not be had last time. Raises for a sitemap that cannot be read, last."""
        robots = robots_of(WebPages(self._place.way.fetcher), str(self._start))
        if robots.closed:
            raise TryLater("robots", robots.closed, "Ask whoever runs the site.")
        own: set[str] = set()
        stray: TriviumError | None = None
        for count, entry in enumerate(self._entries()):
            if count >= MAX_FILES:
                raise _too_many(f"The sitemap lists more than {MAX_FILES:,} pages.")
            try:
                url = self._own(entry.place)
            except Refused as error:
                stray = error
                yield Changed(entry.place[:100], "", partial(failing, error))
                continue
            name = url.raw_path.decode("ascii").lstrip("/") or "index.html"
            if name not in own:
                own.add(name)
                yield from self._seen.in_turn(name, partial(self._look, name, entry, robots))
        fault = self._fault or (None if own else stray)
        yield from self._seen.late() if fault else self._seen.rest()
        if fault:
            raise fault

    def _entries(self) -> Iterator[Listed]:
        """Of all sitemaps, each read once however often it is listed."""
        waiting, known = deque([self._start]), {self._start}
        while waiting:
            try:
                sitemap = read_sitemap(self._sitemaps.ask("GET", waiting.popleft()).content)
                for entry in sitemap.entries():
                    if not sitemap.is_index:
                        yield entry
                    elif (url := self._listed(entry.place)) is not None and url not in known:
                        if len(known) >= MAX_SITEMAPS:
                            raise _too_many(f"There are more than {MAX_SITEMAPS:,} sitemaps.")
                        known.add(url)
                        waiting.append(url)
            except TriviumError as error:
                self._fault = self._fault or error

    def _listed(self, place: str) -> httpx2.URL | None:
        """An index's sitemap; None for one that is not of this host, which is a fault of the look."""
        try:
            return self._own(place)
        except Refused as error:
            self._fault = self._fault or error
            return None

    def _own(self, place: str) -> httpx2.URL:
        """The address, if it is of this host. Raises `Refused` (`bad_url`, `elsewhere`)."""
        url = checked_url(place)
        if url.netloc != self._start.netloc:
            raise Refused("elsewhere", f"{url} is of another host.", "Connect that host's own sitemap.")
        return url

    def _look(self, name: str, entry: Listed, robots: Robots) -> Iterator[Changed | Unchanged]:
        url, lastmod, stored = checked_url(entry.place), entry.lastmod, self._seen.token(name)
        same = bool(lastmod) and stored.partition(" ")[0] == lastmod
        if not same and robots.allows(str(url)):
            self._place.way.pause(robots.delay_s)
            yield from self._asked(name, url, lastmod, stored.partition(" ")[2])
        elif stored:  # also what robots.txt has closed since: nothing says that it is gone
            yield from self._seen.look_now(name, stored, partial(Item, b""))

    def _asked(self, name: str, url: httpx2.URL, lastmod: str, mark: str) -> Iterator[Changed | Unchanged]:
        """What has become of a page; one that asks not to be kept is not found."""
        try:
            reply = self._pages.ask("GET", url, unless_still(mark))
            self._own(reply.url)
        except TriviumError as error:
            yield from self._seen.look_now(name, "", partial(failing, error))
            return
        if reply.status != 304:
            mark = mark_of(reply) or digest(reply.content)
        kind = reply.header("content-type")
        changed = Changed(name, f"{lastmod} {mark}", partial(Item, reply.content, kind))
        if reply.status == 304:
            self._seen.stored(changed)
        kept = told_by(Page(reply.content, kind), reply.url).indexable
        fresh = list(self._seen.look_now(name, changed.token, changed.fetch)) if kept else []
        yield from fresh or (Unchanged(name),)


def _too_many(why: str) -> Refused:
    return Refused("too_many_files", why, "Connect one of its sitemaps.")
