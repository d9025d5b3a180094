"""How a site becomes documents.

    frontier -> robots.txt lets us? -> pause -> conditional fetch -> duplicate? -> accept
       ^                                                                |
       +------------------------------ links ---------------------------+

One request at a time. A site that is busy, and a limit that the tenant has reached, are waited for as they say, up to a
minute; what asks for more ends the crawl, whose last visit tells so. Nothing is remembered of a crawl but its
documents: the next one asks with their validators, so it costs what has changed, and one that broke off goes on where
it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TypeVar

import msgspec

from trivium.domain.crawl import CrawlRequest, Fate, Visit
from trivium.domain.documents import Document, Failure
from trivium.domain.errors import NotFound, TriviumError, TryLater
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.flow.intake import StoreIntake, TenantStoreIntake
from trivium.ports.intake import Destination
from trivium.ports.web import Page
from trivium.text.urls import canonical_url, same_page
from trivium_query.egress.frontier import Frontier, Next
from trivium_query.egress.page_links import PageLinks, page_links
from trivium_query.egress.robots import Robots, robots_of
from trivium_query.egress.sitemap import listed_pages

MAX_WAIT_S = 60.0  # of one time; who wants more is come back to by another crawl
MAX_WAITS = 5  # in a row, for one page
MAX_SILENCES = 10  # requests in a row that another time may help: the site has had enough
_HTML = ("text/html", "application/xhtml+xml")

Pause = Callable[[float], bool]
"""Wait so many seconds; True says that the crawl shall end."""

Count = Callable[[int], None]
"""A page of so many bytes is about to be kept. Raises `TooMany`, and has counted nothing then."""

T = TypeVar("T")


class _Ended(Exception):
    """The crawl shall end while it waits."""


class Crawler(msgspec.Struct, frozen=True):
    """Crawls for all tenants. `delay_s` is the least pause between two requests; a site may ask for more."""

    intake: StoreIntake
    delay_s: float

    def visits(self, tenant: Tenant, request: CrawlRequest, pause: Pause, count: Count) -> Iterator[Visit]:
        """Every page looked at, as it happens. Raises as `TenantIntake.accept_url` for the first page's address."""
        return _Crawl(self.intake.for_tenant(tenant), request, self.delay_s, pause, count).visits()


class _Crawl:
    """One crawl."""

    def __init__(
        self, intake: TenantStoreIntake, request: CrawlRequest, delay_s: float, pause: Pause, count: Count
    ) -> None:
        self._intake = intake
        self._fetch = intake.shared.fetch
        self._request = request
        self._delay_s = delay_s
        self._pause, self._count = pause, count
        self._start = canonical_url(request.url)
        self._frontier = Frontier(request.depth)
        self._robots: dict[str, Robots] = {}
        self._to = Destination(request.dataset, request.run, request.move)

    def visits(self) -> Iterator[Visit]:
        with suppress(_Ended):
            yield from self._visits()

    def _visits(self) -> Iterator[Visit]:
        self._begin()
        asked = silences = 0
        while asked < self._request.max_pages and silences < MAX_SILENCES and (found := self._frontier.pop()):
            robots = self._rules(found.url)
            if not robots.allows(found.url):
                yield _left_out(found.url, "robots", robots.closed or "The site's robots.txt asks that it be left.")
                continue
            if self._pause(max(self._delay_s, robots.delay_s) if asked else 0.0):
                return
            asked += 1
            try:
                visit = self._visit(found)
                silences = 0
            except TriviumError as error:
                visit = _failed(found.url, error)
                silences = silences + 1 if isinstance(error, TryLater) else 0
                if isinstance(error, TryLater) and error.retry_after_s:
                    silences = MAX_SILENCES
            yield visit

    def _begin(self) -> None:
        self._frontier.begin(self._start)
        robots = self._rules(self._start)
        if self._request.sitemap:
            for url in islice(listed_pages(self._fetch, robots, self._start), 2 * self._request.max_pages):
                self._frontier.add(url, 0)

    def _rules(self, url: str) -> Robots:
        host = same_page(url).partition("/")[0]
        if host not in self._robots:
            self._robots[host] = robots_of(self._fetch, url)
        return self._robots[host]

    def _visit(self, found: Next) -> Visit:
        known = self._intake.known_page(found.url)
        page = self._patiently(lambda: self._fetch(found.url, known))
        if page is None:
            return self._unchanged(found)
        final = canonical_url(page.validators.url or found.url)
        if not self._frontier.within(final):
            if same_page(found.url) != same_page(self._start):
                return _left_out(found.url, "elsewhere", f"It leads to {final}.")
            self._frontier.extend_to(final)
        if not self._rules(final).allows(final):
            return _left_out(found.url, "robots", f"It leads to {final}, and robots.txt asks that it be left.")
        if same_page(final) != same_page(found.url) and self._frontier.seen(final):
            return _left_out(found.url, "duplicate", f"It is the same page as {final}.")
        return self._taken(found, final, page)

    def _taken(self, found: Next, final: str, page: Page) -> Visit:
        told = told_by(page, final)
        self._follow(found, told)
        if not told.indexable:
            return _left_out(found.url, "noindex", "The page asks not to be kept.")
        name, own = final, told.canonical
        if own and self._frontier.within(own) and same_page(own) != same_page(final):
            if self._frontier.seen(own):
                return _left_out(found.url, "duplicate", f"It says that it is {own}.")
            name = own
        self._patiently(lambda: self._count(len(page.content)))
        document = self._intake.accept_page(name, page, self._to)
        return Visit(name, Fate.UNCHANGED if document.state.terminal else Fate.TAKEN, document)

    def _patiently(self, work: Callable[[], T]) -> T:
        """`work`, again when what refuses it says so, and that is soon. Raises as it does, and `_Ended`."""
        for _ in range(MAX_WAITS):
            try:
                return work()
            except TryLater as error:
                if not 0 < error.retry_after_s <= MAX_WAIT_S:
                    raise
                if self._pause(error.retry_after_s):
                    raise _Ended from error
        return work()

    def _unchanged(self, found: Next) -> Visit:
        """The links are those of the copy that is here, which may be asked to move."""
        if self._to.move:
            self._intake.place(found.url, self._to)
        document = self._document(found.url)
        with suppress(NotFound):
            blob = self._intake.original(document.id)
            page = Page(blob.content, blob.declared_type)
            self._follow(found, told_by(page, blob.url or found.url))
        return Visit(found.url, Fate.UNCHANGED, document)

    def _document(self, url: str) -> Document:
        tenant = self._intake.tenant
        return self._intake.shared.stores.registry.for_tenant(tenant).get(document_id(tenant, url))

    def _follow(self, found: Next, told: PageLinks) -> None:
        for link in told.links:
            self._frontier.add(link, found.depth + 1)


def told_by(page: Page, address: str) -> PageLinks:
    """What a page of HTML tells the crawler; of anything else, nothing."""
    media_type, _, parameters = page.declared_type.partition(";")
    if media_type.strip().lower() not in _HTML:
        return PageLinks()
    return page_links(page.content, parameters.partition("charset=")[2].strip(), address)


def _left_out(url: str, code: str, why: str) -> Visit:
    return Visit(url, Fate.LEFT_OUT, reason=Failure(code, why))


def _failed(url: str, error: TriviumError) -> Visit:
    return Visit(url, Fate.FAILED, reason=Failure(error.code, error.message, error.action, "fetch"))
