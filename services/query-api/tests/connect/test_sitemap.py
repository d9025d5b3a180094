"""The pages that a site lists in a sitemap."""

from __future__ import annotations

import gzip

import pytest
from places_peer import SitePeer

from trivium_query.connect import sitemap as connector
from trivium_query.connect.look import MAX_SILENCES

from .conftest import World

HTML = "text/html; charset=utf-8"


def listing(*places: str, root: str = "urlset") -> tuple[str, bytes]:
    """Each place with its `lastmod` behind a space, if it has one."""
    entry = "url" if root == "urlset" else "sitemap"
    told = ""
    for place, _, lastmod in (each.partition(" ") for each in places):
        when = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
        told += f"<{entry}>\n<loc>{place.replace('&', '&amp;')}</loc>{when}</{entry}>"
    return "application/xml", f'<?xml version="1.0"?><{root} xmlns="x">{told}</{root}>\n'.encode()


def write(site: SitePeer, **pages: str) -> None:
    site.pages |= {f"/{name}": (HTML, f"<p>{text}</p>".encode()) for name, text in pages.items()}


def names(world: World) -> list[str]:
    return sorted(name.removeprefix("here://") for name in world.documents())


def test_pages_are_followed_by_their_dates_and_by_what_the_server_says(
    world: World, site: SitePeer, address: str
) -> None:
    write(site, dated="The lamp was lit.", undated="The tower.", lost="The keeper.")
    site.pages["/map"] = listing(f"{address}/dated 2026-01-01", f"{address}/undated", f"{address}/lost")
    world.add("sitemap", f"{address}/map")
    assert world.came_to() == (3, 0, 0)
    assert world.documents()["here://dated"] == b"<p>The lamp was lit.</p>"

    site.asked.clear()
    site.sent.clear()
    assert world.came_to() == (0, 0, 0)
    assert site.asked == ["/robots.txt", "/map", "/undated", "/lost"], "a date that stays costs nothing"
    assert site.sent == ["/map"]

    write(site, dated="The lamp is out.", undated="The tower is taller.", **{"new?a=1&b=2": "The pier."})
    site.pages["/map"] = listing(f"{address}/dated 2026-01-02", f"{address}/undated", f"{address}/new?a=1&b=2")
    assert world.came_to() == (3, 1, 0)
    assert names(world) == ["dated", "new?a=1&b=2", "undated"]
    assert world.documents()["here://dated"] == b"<p>The lamp is out.</p>"


def test_an_index_is_followed_also_where_it_is_packed_and_lists_itself(
    world: World, site: SitePeer, address: str
) -> None:
    write(site, a="One.", b="Two.")
    site.pages["/map"] = listing(f"{address}/map", f"{address}/1.gz", f"{address}/2", root="sitemapindex")
    site.pages["/1.gz"] = ("application/gzip", gzip.compress(listing(f"{address}/a")[1]))
    image = b"<image:image><image:loc>http://elsewhere.test/i.png</image:loc></image:image></url>"
    cdata = listing(f"<![CDATA[{address}/b]]>", f"{address}/a")[1].replace(b"</url>", image)
    site.pages["/2"] = ("application/xml", cdata)
    world.add("sitemap", f"{address}/map")
    assert world.came_to() == (2, 0, 0)
    assert names(world) == ["a", "b"]


def test_what_robots_txt_and_the_pages_close_is_left(world: World, site: SitePeer, address: str) -> None:
    write(site, a="One.", private="Two.", shy='<meta name="robots" content="noindex">')
    site.pages["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow: /private\n")
    site.pages["/map"] = listing(f"{address}/a", f"{address}/private", f"{address}/shy")
    world.add("sitemap", f"{address}/map")
    assert world.came_to() == (1, 0, 0)
    assert "/private" not in site.asked
    site.pages["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow: /\n")
    assert world.came_to() == (0, 0, 0)
    assert names(world) == ["a"], "it is not asked for, and nothing says that it is gone"


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (b"<html>Moved</html>", "bad_sitemap"),
        (b"<urlset><url><loc>", "bad_sitemap"),
        (b"<urlset><url></url></urlset>", "bad_sitemap"),
        (gzip.compress(b"<urlset></urlset>")[:-9], "bad_sitemap"),
        (gzip.compress(b" " * (connector.MAX_BYTES + 1)), "too_large"),
        (None, "fetch_failed"),
    ],
)
def test_a_sitemap_that_cannot_be_read_is_told_and_loses_nothing(
    world: World, site: SitePeer, address: str, broken: bytes | None, code: str
) -> None:
    write(site, a="One.", b="Two.")
    site.pages["/map"] = listing(f"{address}/1", f"{address}/2", root="sitemapindex")
    site.pages["/1"], site.pages["/2"] = listing(f"{address}/a"), listing()
    world.add("sitemap", f"{address}/map")
    assert world.came_to() == (1, 0, 0)
    site.pages["/2"] = listing(f"{address}/b")
    del site.pages["/1"]
    if broken is not None:
        site.pages["/1"] = ("application/xml", broken)
    found = world.look()
    assert (found["stored"], found["deleted"], found["error"]["code"]) == (1, 0, code)
    assert names(world) == ["a", "b"]


def test_a_sitemap_of_another_host_is_told_and_the_others_are_read(world: World, site: SitePeer, address: str) -> None:
    write(site, a="One.", b="Two.")
    site.pages["/map"] = listing(f"{address}/1", f"{address}/2", root="sitemapindex")
    site.pages["/1"], site.pages["/2"] = listing(f"{address}/a"), listing(f"{address}/b")
    world.add("sitemap", f"{address}/map")
    assert world.came_to() == (2, 0, 0)
    write(site, b="Two, mended.")
    for stray, code in (("https://cdn.test/1", "elsewhere"), ("https://host:abc/", "bad_url")):
        site.pages["/map"] = listing(stray, f"{address}/2", root="sitemapindex")
        found = world.look()
        assert (found["deleted"], found["error"]["code"]) == (0, code)
    assert world.documents() == {"here://a": b"<p>One.</p>", "here://b": b"<p>Two, mended.</p>"}


def test_pages_that_fail_do_not_end_the_look_where_others_answer_between_them(
    world: World, site: SitePeer, address: str
) -> None:
    paths = [f"{number:02}" for number in range(3 * MAX_SILENCES)]
    write(site, **dict.fromkeys(paths, "A page."))
    failing = paths[::3][:MAX_SILENCES]
    site.pages["/map"] = listing(*(f"{address}/{path}" for path in paths))
    world.add("sitemap", f"{address}/map", max_per_s=1000)
    assert world.came_to() == (len(paths), 0, 0)
    write(site, new="New.")
    site.pages["/map"] = listing(*(f"{address}/{path}" for path in (*paths[:-1], "new")))
    site.busy = {f"/{path}": "3600" for path in failing}
    assert world.came_to() == (1, 1, MAX_SILENCES)
    site.pages["/map"] = listing(*(f"{address}/{path}" for path in paths))
    assert world.came_to() == (1, 1, 0)
    site.busy = {f"/{path}": "3600" for path in paths[: MAX_SILENCES + 1]}
    assert world.came_to() == (0, 0, MAX_SILENCES), "where none answers between them, the place has had enough"


def test_pages_that_fail_for_now_hold_back_nothing_that_is_listed_behind_them(
    world: World, site: SitePeer, address: str
) -> None:
    paths = [f"{number}" for number in range(MAX_SILENCES)]
    write(site, gone="Soon.", **{paths[0]: "It was here before."})
    site.pages["/map"] = listing(f"{address}/gone", f"{address}/{paths[0]}")
    world.add("sitemap", f"{address}/map", max_per_s=1000)
    assert world.came_to() == (2, 0, 0)
    write(site, last="The last.", **dict.fromkeys(paths, "A page."))
    site.pages["/map"] = listing(*(f"{address}/{path}" for path in (*paths, "last")))
    for came_to in ((0, 0, MAX_SILENCES), (1, 1, MAX_SILENCES)):
        site.busy = {f"/{path}": "3600" for path in paths}
        assert world.came_to() == came_to
    assert names(world) == [paths[0], "last"], "what is only late is not gone"
    site.asked.clear()
    assert world.came_to() == (MAX_SILENCES, 0, 0)
    assert site.asked[2] == "/last", "what was late is asked for last"
    assert world.came_to() == (0, 0, 0)


def test_pages_of_other_hosts_are_told_and_left(world: World, site: SitePeer, address: str) -> None:
    write(site, a="One.", away="Two.")
    stranger = SitePeer()
    with stranger.serving() as other:
        write(stranger, b="Not asked for.")
        site.moved["/away"] = f"{other}/b"
        site.pages["/map"] = listing(f"{address}/a", f"{other}/b", f"{address}/away", "mailto:me")
        world.add("sitemap", f"{address}/map")
        found = world.look()
        assert (found["stored"], found["failed"], found["error"]["code"]) == (1, 3, "elsewhere")
        site.pages["/map"] = listing(f"{other}/b")
        assert world.look()["error"]["code"] == "elsewhere"
    assert names(world) == ["a"], "a site that lists another host alone has lost nothing"


@pytest.mark.parametrize("odd", ["https://host:abc/", "//[x]/", "http://\u00e9..x/"])
def test_an_odd_page_is_told_and_the_others_are_read(world: World, site: SitePeer, address: str, odd: str) -> None:
    write(site, a="One.", c="Three.")
    site.moved["/b"] = odd
    site.pages["/odd"] = ("text/html; charset=undefined", b"<p>Two.</p>")
    site.pages["/map"] = listing(f"{address}/a", f"{address}/b", f"{address}/odd", f"{address}/c")
    world.add("sitemap", f"{address}/map")
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (3, 1, "bad_url")
    assert names(world) == ["a", "c", "odd"]


def test_an_index_without_end_and_endless_pages_are_bounded(
    world: World, site: SitePeer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "MAX_SITEMAPS", 5)
    monkeypatch.setattr(connector, "MAX_FILES", 20)
    write(site, a="One.")
    for number in range(9):
        site.pages[f"/map{number}"] = listing(f"{address}/map{number + 1}", root="sitemapindex")
    world.add("sitemap", f"{address}/map0")
    found = world.look()
    assert (found["error"]["code"], len([path for path in site.asked if "map" in path])) == ("too_many_files", 5)
    site.pages["/map0"] = listing(*[f"{address}/a"] * 21)
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (1, "too_many_files")


def test_a_site_that_says_when_to_come_back_is_waited_for(world: World, site: SitePeer, address: str) -> None:
    write(site, a="One.", b="Two.")
    site.pages["/map"] = listing(f"{address}/a", f"{address}/b")
    site.busy = {"/a": "1", "/b": "3600"}
    world.add("sitemap", f"{address}/map")
    assert world.came_to() == (1, 0, 1)
    assert site.asked.count("/a") == 2
    assert world.came_to() == (1, 0, 0)


def test_where_it_may_not_go_nothing_is_asked(world: World, site: SitePeer, address: str) -> None:
    world.set(url_allow="")
    world.add("sitemap", f"{address}/map")
    assert world.look()["error"]["code"] == "forbidden_address"
    assert not site.asked
