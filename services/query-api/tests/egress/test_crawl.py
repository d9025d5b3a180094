"""A site becomes documents: politely, each page once, within bounds."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from folder_stores import FolderStores
from growth import LINEAR, growth
from site_peer import SitePeer, html

from trivium.domain.crawl import CrawlRequest, Fate, Visit
from trivium.domain.documents import DocumentState
from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.intake import StoreIntake
from trivium.ports.web import Page, Validators
from trivium_query.egress.crawl import MAX_SILENCES, MAX_WAITS, Crawler
from trivium_query.egress.sitemap import read_sitemap

START = "https://site.test/"


class World:
    """A site, a crawler over stores of its own, and the pauses that it made."""

    def __init__(self, folder: Path) -> None:
        self.site = SitePeer({})
        self.stores = FolderStores(folder)
        self.intake = StoreIntake(self.stores, lambda: None, self._fetch, 100_000)
        self.pauses: list[float] = []
        self.stop_after = 10_000
        self.mended_by = -1.0
        """The pause after which the site is well again."""

    def _fetch(self, url: str, known: Validators | None) -> Page | None:
        return self.site(url, known)

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        if self.mended_by in self.pauses:
            self.site.failing.clear()
        return len(self.pauses) > self.stop_after

    def count(self, size_bytes: int) -> None:
        """Nothing is limited."""

    def crawl(self, url: str = START, **options: object) -> list[Visit]:
        request = CrawlRequest(url=url, **options)  # type: ignore[arg-type]
        return list(Crawler(self.intake, 0.5).visits(DEFAULT_TENANT, request, self.pause, self.count))

    def fates(self, url: str = START, **options: object) -> dict[str, str]:
        return {visit.url.removeprefix("https://site.test"): visit.fate.value for visit in self.crawl(url, **options)}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def links(*targets: str) -> str:
    return "".join(f'<p><a href="{target}">x</a></p>' for target in targets)


def test_pages_are_taken_breadth_first_within_the_host_and_the_depth(world: World) -> None:
    world.site = SitePeer(
        {
            START: links("/a", "b", "https://other.test/c", "mailto:x@site.test", "/a#part", "/?utm_source=x"),
            START + "a": links("/a/deep"),
            START + "b": links("/"),
            START + "a/deep": links("/a/deeper"),
        }
    )
    assert world.fates(depth=2) == {"/": "taken", "/a": "taken", "/b": "taken", "/a/deep": "taken"}
    assert list(world.fates(depth=1)) == ["/", "/a", "/b"]
    assert list(world.fates(depth=0)) == ["/"]


def test_documents_are_pending_under_their_addresses(world: World) -> None:
    world.site = SitePeer({START: links("/a"), START + "a": "words"})
    documents = [visit.document for visit in world.crawl()]
    assert [(d.source, d.state) for d in documents if d] == [
        (START, DocumentState.PENDING),
        (START + "a", DocumentState.PENDING),
    ]


def test_no_more_requests_are_made_than_asked_for(world: World) -> None:
    world.site = SitePeer({START: links(*(f"/{n}" for n in range(50)))} | {f"{START}{n}": "x" for n in range(50)})
    assert len(world.crawl(max_pages=7)) == 7
    assert len(world.site.asked) == 8, "and robots.txt"


def test_robots_txt_is_kept_and_its_delay_too(world: World) -> None:
    robots = b"User-agent: trivium\nDisallow: /private\nCrawl-delay: 3\nUser-agent: *\nDisallow: /"
    world.site = SitePeer({START: links("/private/x", "/open"), START + "open": "x", START + "private/x": "x"})
    world.site.pages[START + "robots.txt"] = robots
    visits = {visit.url: visit for visit in world.crawl()}
    assert visits[START + "private/x"].fate is Fate.LEFT_OUT
    assert "robots.txt" in visits[START + "private/x"].reason.message  # type: ignore[union-attr]
    assert START + "private/x" not in world.site.asked
    assert world.pauses == [0.0, 3.0]


def test_a_page_that_leads_to_what_robots_txt_forbids_is_not_kept(world: World) -> None:
    world.site = SitePeer({START: links("/open"), START + "private": "x"}, moved={START + "open": START + "private"})
    world.site.pages[START + "robots.txt"] = b"User-agent: *\nDisallow: /private"
    assert world.fates() == {"/": "taken", "/open": "left_out"}


def test_without_robots_txt_everything_is_allowed_at_our_own_rate(world: World) -> None:
    world.site = SitePeer({START: links("/a"), START + "a": "x"})
    assert world.fates() == {"/": "taken", "/a": "taken"}
    assert world.pauses == [0.0, 0.5]


@pytest.mark.parametrize("robots", [None, b"User-agent: *\nCrawl-delay: 86400"])
def test_a_host_whose_robots_txt_cannot_be_had_or_asks_for_hours_is_left(world: World, robots: bytes | None) -> None:
    world.site = SitePeer({START: "x"})
    if robots is None:
        world.site.failing[START + "robots.txt"] = TryLater("fetch_refused", "It answered 503.")
    else:
        world.site.pages[START + "robots.txt"] = robots
    assert world.fates() == {"/": "left_out"}
    assert START not in world.site.asked


def test_the_second_crawl_costs_what_has_changed_and_still_finds_its_way(world: World) -> None:
    world.site = SitePeer({START: links("/a"), START + "a": links("/b"), START + "b": "x"})
    world.crawl()
    world.site.sent.clear()
    world.site.pages[START + "b"] = html("new words")
    assert world.fates() == {"/": "unchanged", "/a": "unchanged", "/b": "taken"}
    assert world.site.sent == [START + "b"]


def test_a_page_known_by_several_addresses_is_one_document(world: World) -> None:
    own = '<link rel="canonical" href="/page">'
    world.site = SitePeer(
        {START: links("/page?view=print", "/old", "/page", "/page?sid=1"), START + "page": html("x", own)},
        moved={START + "old": START + "page"},
    )
    world.site.pages |= {START + "page?view=print": html("x", own), START + "page?sid=1": html("x", own)}
    visits = world.crawl()
    assert [v.document.source for v in visits if v.document] == [START, START + "page"]
    assert {v.reason.code for v in visits if v.reason} == {"duplicate"}


def test_a_page_that_asks_not_to_be_kept_says_nothing_of_its_other_address(world: World) -> None:
    shy = '<meta name="robots" content="noindex"><link rel="canonical" href="/article">'
    world.site = SitePeer({START: links("/print", "/list"), START + "list": links("/article"), START + "article": "x"})
    world.site.pages[START + "print"] = html("x", shy)
    assert world.fates() == {"/": "taken", "/print": "left_out", "/list": "taken", "/article": "taken"}


def test_the_first_page_may_move_to_another_host_and_no_later_one(world: World) -> None:
    there = "https://www.site.test/"
    world.site = SitePeer(
        {there: links("/a", "/away"), there + "a": "x", "https://evil.test/": "x"},
        moved={START: there, there + "away": "https://evil.test/"},
    )
    visits = world.crawl()
    assert [(v.url, v.fate) for v in visits] == [
        (there, Fate.TAKEN),
        (there + "a", Fate.TAKEN),
        (there + "away", Fate.LEFT_OUT),
    ]


def test_what_a_page_asks_of_robots_is_kept(world: World) -> None:
    world.site = SitePeer(
        {
            START: html(
                links("/listed") + '<a rel="nofollow" href="/not">x</a>', '<meta name="robots" content="noindex">'
            ),
            START + "listed": html(links("/hidden"), '<meta name="robots" content="nofollow">'),
            START + "hidden": "x",
            START + "not": "x",
        }
    )
    assert world.fates() == {"/": "left_out", "/listed": "taken"}


@pytest.mark.parametrize(
    "trap",
    [
        lambda n: f"/list?sort={n}&page={n}",
        lambda n: f"/calendar/{2000 + n // 12 % 100}/{n % 12 + 1}/{n}",
        lambda n: "/a/b" * n,
    ],
    ids=["queries", "calendar", "path in itself"],
)
def test_what_has_no_end_ends(world: World, trap: object) -> None:
    world.site = SitePeer({START: links(*(trap(n) for n in range(1, 400)))})  # type: ignore[operator]
    assert len(world.crawl(max_pages=10_000, depth=20)) <= 101


def test_a_page_that_fails_costs_itself_and_one_with_no_answer_for_long_ends_it(world: World) -> None:
    world.site = SitePeer({START: links("/gone", *(f"/{n}" for n in range(30)), "/a"), START + "a": "x"})
    fates = world.fates()
    assert (fates["/gone"], fates["/a"]) == ("failed", "taken")
    for n in range(30):
        world.site.failing[f"{START}{n}"] = TryLater("fetch_refused", "It answered 429.")
    assert list(world.fates()) == ["/", "/gone", *(f"/{n}" for n in range(MAX_SILENCES))]


def busy(retry_after_s: float) -> TryLater:
    return TryLater("fetch_refused", "It answered 503.", retry_after_s=retry_after_s)


def test_a_site_that_says_when_to_come_back_is_come_back_to(world: World) -> None:
    world.site = SitePeer({START: links("/a", "/b"), START + "a": "x", START + "b": "x"})
    world.site.failing[START + "a"], world.mended_by = busy(7.0), 7.0
    assert world.fates() == {"/": "taken", "/a": "taken", "/b": "taken"}
    assert world.pauses == [0.0, 0.5, 7.0, 0.5]


@pytest.mark.parametrize(("asks_s", "waited"), [(3600.0, []), (9.0, [9.0] * MAX_WAITS)])
def test_a_site_that_says_so_for_long_or_again_and_again_is_left(
    world: World, asks_s: float, waited: list[float]
) -> None:
    world.site = SitePeer({START: links("/a", "/b"), START + "a": "x", START + "b": "x"})
    world.site.failing[START + "a"] = busy(asks_s)
    visits = world.crawl()
    assert [visit.fate.value for visit in visits] == ["taken", "failed"]
    assert world.pauses == [0.0, 0.5, *waited]
    assert START + "b" not in world.site.asked


def test_a_crawl_that_waits_can_be_told_to_end(world: World) -> None:
    world.site = SitePeer({START: links("/a"), START + "a": "x"})
    world.site.failing[START + "a"], world.stop_after = busy(9.0), 2
    assert world.fates() == {"/": "taken"}


def test_a_file_behind_a_link_is_a_document_like_any_other(world: World) -> None:
    world.site = SitePeer({START: links("/report.pdf"), START + "report.pdf": b"%PDF-1.4 <a href='/no'>"})
    world.site.types[START + "report.pdf"] = "application/pdf"
    assert world.fates() == {"/": "taken", "/report.pdf": "taken"}


def test_the_pages_of_the_sitemap_come_too_when_asked_for(world: World) -> None:
    index = b"<sitemapindex><sitemap><loc>https://site.test/s1.xml</loc></sitemap></sitemapindex>"
    pages = (
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>'
        b"https://site.test/far?a=1&amp;b=2</loc></url><url><loc>https://other.test/</loc></url></urlset>"
    )
    world.site = SitePeer(
        {START: "x", START + "sitemap.xml": index, START + "s1.xml": pages, START + "far?a=1&b=2": "x"}
    )
    assert world.fates() == {"/": "taken"}
    assert world.fates(sitemap=True) == {"/": "unchanged", "/far?a=1&b=2": "taken"}


def test_a_page_of_the_sitemap_that_leads_to_another_host_is_left(world: World) -> None:
    pages = b"<urlset><url><loc>https://site.test/partner</loc></url></urlset>"
    world.site = SitePeer(
        {START: "x", START + "sitemap.xml": pages, "https://other.test/": links("/b"), "https://other.test/b": "x"},
        moved={START + "partner": "https://other.test/"},
    )
    assert world.fates(sitemap=True) == {"/": "taken", "/partner": "left_out"}


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>https://a.test/x</loc></url></urlset>\n<!-- Made by a plugin -->\n<!-- twice -->",
        "<urlset><url><loc><![CDATA[ https://a.test/x ]]></loc></url></urlset>",
        "<urlset><url><loc>https://a.test/x</loc></url></urlset >",
    ],
)
def test_a_sitemap_ends_with_its_root_and_perhaps_remarks(text: str) -> None:
    assert [entry.place for entry in read_sitemap(text.encode()).entries()] == ["https://a.test/x"]
    with pytest.raises(NeverWill):
        list(read_sitemap(text.split("</urlset", maxsplit=1)[0].encode()).entries())


def test_a_sitemap_may_be_empty() -> None:
    assert not list(read_sitemap(b'<?xml version="1.0"?><urlset xmlns="x"/>').entries())


def test_a_packed_sitemap_of_many_empty_parts_costs_no_more_than_its_length() -> None:
    def read(parts: int) -> None:
        with pytest.raises(NeverWill):
            read_sitemap(gzip.compress(b"") * parts)

    assert growth(read, 20_000) < LINEAR


def test_a_crawl_that_is_told_to_end_ends(world: World) -> None:
    world.site = SitePeer({START: links(*(f"/{n}" for n in range(9)))} | {f"{START}{n}": "x" for n in range(9)})
    world.stop_after = 3
    assert len(world.crawl()) == 3


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://site.test/", "http://"])
def test_what_is_no_web_address_is_refused(world: World, url: str) -> None:
    with pytest.raises(Refused):
        world.crawl(url)


def test_an_address_that_may_not_be_fetched_is_refused_before_anything(world: World) -> None:
    world.site.failing[START + "robots.txt"] = Refused("forbidden_address", "It is private.")
    with pytest.raises(Refused):
        world.crawl()


def test_a_page_that_is_too_large_for_the_intake_fails_alone(world: World) -> None:
    world.site = SitePeer({START: links("/big", "/a"), START + "big": b"x" * 200_000, START + "a": "x"})
    world.site.failing[START + "none"] = NeverWill("too_large", "Too large.")
    assert world.fates() == {"/": "taken", "/big": "failed", "/a": "taken"}
