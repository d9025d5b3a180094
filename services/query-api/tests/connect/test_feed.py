"""An RSS or Atom feed."""

from __future__ import annotations

from pathlib import Path

import pytest
from behind_tls import behind_tls
from certificates import Authority
from places_peer import SitePeer

from trivium_query.connect.look import MAX_SILENCES

from .conftest import World

LONG = "The lamp of Vellan was lit in 1847. " * 40


def rss(*items: str) -> tuple[str, bytes]:
    text = "".join(items)
    return "application/rss+xml", f"<rss version='2.0'><channel><title>News</title>{text}</channel></rss>".encode()


def item(title: str, text: str = LONG, link: str = "", guid: str | None = "") -> str:
    told = f"<item><title>{title}</title><description><![CDATA[{text}]]></description>"
    told += "" if guid is None else f"<guid>{guid or title}</guid>"
    return told + (f"<link>{link}</link>" if link else "") + "<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate></item>"


def test_entries_are_pages_and_an_unchanged_feed_costs_a_question(world: World, site: SitePeer, address: str) -> None:
    site.pages["/feed"] = rss(item("The lamp"), item("The tower", guid="tower"))
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    name, content = next(iter(sorted(world.documents().items())))
    assert name.startswith("here://The-lamp-")
    assert b"lit in 1847" in content
    assert b"2026-03-02T10:00:00Z" in content
    assert world.came_to() == (0, 0, 0)
    assert (site.asked, site.sent) == (["/feed", "/feed"], ["/feed"])

    site.pages["/feed"] = rss(item("The keeper"), item("The tower", "It is taller now. " + LONG, guid="tower"))
    assert world.came_to() == (2, 0, 0), "one is new, one has changed"
    assert len(world.documents()) == 3, "what the feed does not show any more stays"


def test_a_teaser_leads_to_its_page_and_where_there_is_none_it_will_do(
    world: World, site: SitePeer, address: str
) -> None:
    site.pages["/feed"] = rss(
        item("Whole", "Read on.", f"{address}/story"), item("Lost", "Only this is told.", f"{address}/lost")
    )
    site.pages["/story"] = ("text/html", b"<p>The whole story.</p>")
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    lost, whole = (content for _, content in sorted(world.documents().items()))
    assert whole == b"<p>The whole story.</p>"
    assert b"Only this is told." in lost


def test_pages_that_fail_for_now_hold_back_no_entry_that_stands_behind_them(
    world: World, site: SitePeer, address: str
) -> None:
    stories = [f"/story{number}" for number in range(MAX_SILENCES)]
    teasers = [item(path, "Read on.", f"{address}{path}") for path in stories]
    site.pages["/feed"] = rss(*teasers, item("The tower"))
    world.add("feed", f"{address}/feed", max_per_s=1000)
    for came_to in ((0, 0, MAX_SILENCES), (1, 0, MAX_SILENCES)):
        site.busy = dict.fromkeys(stories, "3600")
        assert world.came_to() == came_to
    site.pages |= dict.fromkeys(stories, ("text/html", b"<p>The whole story.</p>"))
    assert world.came_to() == (MAX_SILENCES, 0, 0)
    assert world.came_to() == (0, 0, 0)


def test_atom_is_read_too(world: World, site: SitePeer, address: str) -> None:
    entry = f"<entry><id>urn:1</id><title>Fog</title><content>{LONG}</content></entry>"
    site.pages["/atom"] = (
        "application/atom+xml",
        f"<feed xmlns='http://www.w3.org/2005/Atom'><title>N</title>{entry}</feed>".encode(),
    )
    world.add("feed", f"{address}/atom")
    assert world.came_to() == (1, 0, 0)


@pytest.mark.parametrize(
    ("kind", "title", "text", "shown"),
    [
        (
            "text",
            "A &lt;b&gt;",
            "for n&lt;m and p&gt;q\n\nthe rest",
            "A <b>|<p>for n&lt;m and p&gt;q</p><p>the rest</p>",
        ),
        ("text", "x", "said &lt;p&gt;so&lt;/p&gt;", "x|said <p>so</p>"),
        (
            "html",
            "Fog &amp;amp; &lt;em&gt;rain&lt;/em&gt;",
            "&lt;p&gt;n &amp;lt; m&lt;/p&gt;",
            "Fog & rain|<p>n &lt; m</p>",
        ),
    ],
)
def test_what_a_feed_calls_text_is_no_markup_and_a_title_in_html_is_read_as_text(
    world: World, site: SitePeer, address: str, kind: str, title: str, text: str, shown: str
) -> None:
    told = f"<title type='{kind}'>{title}</title><summary type='{kind}'>{text}</summary>"
    feed = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>N</title><entry><id>urn:1</id>{told}</entry></feed>"
    site.pages["/atom"] = ("application/atom+xml", feed.encode())
    world.add("feed", f"{address}/atom")
    assert world.came_to() == (1, 0, 0)
    (content,) = world.documents().values()
    (source,) = world.call("GET", "/v1/sources").json()["sources"]
    assert f"{source['title']}|{content.decode().partition('</h1>')[2].partition('</article>')[0]}" == shown


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fog &#55357;&#56842;", "Fog"),
        ("Fog &#xD83D;&#xDE0A;", "Fog"),
        ("Fo&#55357;g", "Fog"),
        ("Fo&#xDE0A;&#55357;&#55357;g", "Fog"),
        ("Fo&#0;&#1;g", "Fog"),
        ("Fo&#1114112;g", "Fog"),
        ("Fo&#x110000;g", "Fog"),
        (f"Fo&#{'9' * 5000};g", "Fog"),
        ("Fo&#00103;", "Fog"),
        ("&#x46;&#X6f;&#103;", "Fog"),
    ],
)
def test_a_reference_to_what_is_no_character_costs_no_more_than_itself(
    world: World, site: SitePeer, address: str, title: str, name: str
) -> None:
    site.pages["/feed"] = rss(item("The lamp"), item(title, guid="odd"), item("The tower"))
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (3, 0, 0)
    assert any(source.startswith(f"here://{name}-") for source in world.documents())
    assert any("\U0001f60a".encode() in content for content in world.documents().values()) == (title[:4] == "Fog ")


def test_a_place_on_the_map_that_stands_nowhere_costs_no_entry(world: World, site: SitePeer, address: str) -> None:
    kind, feed = rss(item("The lamp"), item("The tower"))
    feed = feed.replace(b"<rss ", b"<rss xmlns:g='http://www.opengis.net/gml' ").replace(
        b"</item>", b"<g:pos>1 2</g:pos><g:posList>1 2 3 4</g:posList></item>"
    )
    site.pages["/feed"] = (kind, feed)
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)


def declared(charset: str, title: str) -> str:
    """A feed in whose declaration `charset` stands."""
    entries = rss(item("The lamp"), item("TITLE", guid="odd"))[1].decode()
    return f"<?xml version='1.0' encoding='{charset}'?>{entries.replace('TITLE', title)}"


@pytest.mark.parametrize("title", ["Fo\ud83dg", "Fo&#55357;g", "Fog &#55357;&#56842;", "Fog \U0001f60a"])
@pytest.mark.parametrize(
    ("mark", "encoding"), [("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be"), ("", "utf-16-le"), ("", "utf-16-be")]
)
def test_a_half_of_a_character_costs_no_more_than_itself(
    world: World, site: SitePeer, address: str, mark: str, encoding: str, title: str
) -> None:
    text = mark + declared("utf-16", title)
    site.pages["/feed"] = ("application/rss+xml", text.encode(encoding, "surrogatepass"))
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    assert any(source.startswith("here://Fo") for source in world.documents())
    assert any("\U0001f60a".encode() in content for content in world.documents().values()) == (title[:4] == "Fog ")


@pytest.mark.parametrize(
    ("sent", "charset", "encoding"),
    [
        ("", "koi8-r", "koi8-r"),
        ("; Charset='koi8-r'", "utf-8", "koi8-r"),
        ("", "gb2312", "gbk"),
        ("", "utf-8", "cp1251"),
        ("; charset=idna", "punycode", "utf-8"),
        ("; charset=nonsense", "undefined", "utf-8"),
    ],
)
@pytest.mark.parametrize("kind", ["application/rss+xml", "text/xml"])
def test_a_feed_is_read_in_the_character_set_that_its_server_or_it_declares(
    world: World, site: SitePeer, address: str, kind: str, sent: str, charset: str, encoding: str
) -> None:
    title = "\u6731\u9555\u57fa" if encoding == "gbk" else "\u0422\u0443\u043c\u0430\u043d"
    site.pages["/feed"] = (f"{kind}{sent}", declared(charset, title).encode(encoding))
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    read = title if encoding != "cp1251" else title.encode("cp1251").decode("cp1252")
    assert any(f"<h1>{read}</h1>".encode() in content for content in world.documents().values())


@pytest.mark.parametrize(
    ("charset", "encoding", "title", "odd"),
    [
        ("utf-8", "utf-8", "Gr\u00fc\u00dfe", b"\xc3"),  # half a character, where a program cut its teaser
        ("utf-8", "utf-8", "\u0422\u0443\u043c\u0430\u043d", b"\xe9"),
        ("shift_jis", "cp932", "\u65e5\u672c\u8a9e", b"\x87\x40"),  # one that the set has only in practice
    ],
)
def test_bytes_that_are_no_character_cost_no_more_than_themselves(
    world: World, site: SitePeer, address: str, charset: str, encoding: str, title: str, odd: bytes
) -> None:
    feed = declared(charset, title).encode(encoding).replace(b"</rss>", b"<!-- " + odd + b" --></rss>")
    site.pages["/feed"] = ("application/rss+xml", feed)
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    assert any(f"<h1>{title}</h1>".encode() in content for content in world.documents().values())


@pytest.mark.parametrize("blanks", ["", " "])
@pytest.mark.parametrize(("sent", "charset"), [("", "utf-16"), ("; charset=utf-16", "utf-8")])
def test_a_feed_that_begins_with_ascii_is_no_utf_16(
    world: World, site: SitePeer, address: str, sent: str, charset: str, blanks: str
) -> None:
    """Programs that write into a text first declare UTF-16, and send UTF-8: of an even number of bytes, or an odd."""
    text = declared(charset, "Gr\u00fc\u00dfe") + blanks
    site.pages["/feed"] = (f"application/rss+xml{sent}", text.encode())
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    assert any("<h1>Gr\u00fc\u00dfe</h1>".encode() in content for content in world.documents().values())


def test_an_entry_that_leads_to_what_is_no_address_is_read_as_the_feed_tells_it(
    world: World, site: SitePeer, address: str
) -> None:
    site.moved["/odd"] = "https://host:abc/"
    site.pages["/feed"] = rss(item("Odd", "Only this is told.", f"{address}/odd"), item("The tower"))
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)


def test_a_feed_that_goes_back_after_a_look_that_was_cut_off_is_what_it_was(
    world: World, site: SitePeer, address: str
) -> None:
    before = rss(item("Fog", guid="1"), item("The tower", guid="2"))
    site.pages["/feed"] = before
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    stored = world.documents()
    site.pages["/feed"] = rss(item("Fog", "Gone. " + LONG, guid="1"), item("The tower", "Gone. " + LONG, guid="2"))
    world.set(limits="tenant.documents=1/d")
    assert world.look()["stored"] == 1
    site.pages["/feed"] = before
    world.set(limits="")
    assert world.came_to() == (1, 0, 0)
    assert world.documents() == stored
    assert world.came_to() == (0, 0, 0)


def test_an_entry_whose_title_is_mended_stays_the_same_document(world: World, site: SitePeer, address: str) -> None:
    site.pages["/feed"] = rss(item("Bridge opens in Mai", guid="1"), item("The tower", guid="2"))
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (2, 0, 0)
    names = set(world.documents())
    site.pages["/feed"] = rss(item("Bridge opens in May", guid="1"), item("The tower", guid="2"))
    assert world.came_to() == (1, 0, 0)
    assert set(world.documents()) == names
    assert any(b"Bridge opens in May" in content for content in world.documents().values())
    assert world.came_to() == (0, 0, 0)


def test_an_entry_that_is_listed_twice_is_taken_once_and_what_only_shares_its_name_is_told(
    world: World, site: SitePeer, address: str
) -> None:
    fog = item("Fog", link=f"{address}/fog", guid="1")
    site.pages["/feed"] = rss(fog, item("Fog", "Older. " + LONG, f"{address}/fog", "1"), fog)
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (1, 0, 0)
    assert b"Older" not in next(iter(world.documents().values()))
    assert world.came_to() == (0, 0, 0)
    assert site.sent == ["/feed"]
    site.pages["/feed"] = rss(fog, item("Fog!", link=f"{address}/another", guid="1"))
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (0, 1, "same_name")


@pytest.mark.parametrize(("guid", "links"), [(None, "changes changes changes changes"), ("all", "1 2 3 4")])
def test_entries_that_share_what_should_tell_them_apart_are_documents_each(
    world: World, site: SitePeer, address: str, guid: str | None, links: str
) -> None:
    """A page of changes that every entry leads to, and a feed whose program writes its own address as each `guid`."""
    places = [f"{address}/{link}" for link in links.split()]
    news = [item(f"Release {n}", f"What is new in {n}. " + LONG, places[n - 1], guid) for n in (1, 2, 3, 4)]
    site.pages["/feed"] = rss(news[2], news[1], news[0])
    world.add("feed", f"{address}/feed")
    assert world.came_to() == (3, 0, 0)
    assert world.came_to() == (0, 0, 0)
    before = world.documents()

    site.pages["/feed"] = rss(news[3], news[2], news[1])
    assert world.came_to() == (1, 0, 0)
    assert world.came_to() == (0, 0, 0)
    site.pages["/feed"] = rss(news[3])
    assert world.came_to() == (0, 0, 0), "it is the only one now, and no other's new title"
    documents = world.documents()
    assert {name: documents[name] for name in before} == before
    [(name, content)] = documents.items() - before.items()
    assert name.startswith("here://Release-4-")
    assert b"What is new in 4." in content


def test_a_new_title_behind_the_same_link_is_another_document_where_the_feed_gives_no_id(
    world: World, site: SitePeer, address: str
) -> None:
    world.add("feed", f"{address}/feed")
    for title in ("Release 1", "Release 2"):
        site.pages["/feed"] = rss(item(title, link=f"{address}/changes", guid=None))
        assert world.came_to() == (1, 0, 0)
    assert len(world.documents()) == 2


def test_entries_without_a_title_that_share_a_link_are_not_taken_for_one(
    world: World, site: SitePeer, address: str
) -> None:
    site.pages["/feed"] = rss(
        item("", "All is well. " + LONG, f"{address}/status", None),
        item("", "It is down. " + LONG, f"{address}/status", None),
    )
    world.add("feed", f"{address}/feed")
    found = world.look()
    assert (found["stored"], found["failed"], found["error"]["code"]) == (1, 1, "same_name")


def test_a_feed_that_never_ends_is_left(world: World, site: SitePeer, address: str) -> None:
    world.add("feed", f"{address}/endless")
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (0, "too_large")


def test_what_is_no_feed_is_told(world: World, site: SitePeer, address: str) -> None:
    site.pages["/page"] = ("text/html", b"<html><body>Hello</body></html>")
    world.add("feed", f"{address}/page")
    assert world.look()["error"]["code"] == "no_feed"
    site.pages["/page"] = ("application/rss+xml", b"")
    assert world.look()["error"]["code"] == "no_feed"
    bomb = b"<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
    bomb += b"".join(b"<!ENTITY %c '%s'>" % (99 + n, b"&%c;" % (98 + n) * 10) for n in range(8))
    site.pages["/page"] = ("application/rss+xml", bomb + b"]><rss version='2.0'><channel>&j;</channel></rss>")
    assert world.look()["stored"] == 0
    assert world.documents() == {}


def test_an_answer_that_is_the_path_of_a_file_opens_no_file(
    world: World, site: SitePeer, address: str, tmp_path: Path
) -> None:
    (tmp_path / "secret.xml").write_bytes(rss(item("Salaries of another tenant"))[1])
    site.pages["/feed"] = ("application/rss+xml", str(tmp_path / "secret.xml").encode())
    world.add("feed", f"{address}/feed")
    assert world.look()["error"]["code"] == "no_feed"
    assert world.documents() == {}


def test_a_credential_goes_to_the_feed_and_to_nobody_else(world: World, site: SitePeer, address: str) -> None:
    stranger = SitePeer()
    with stranger.serving() as other:
        site.pages["/feed"] = rss(item("Whole", "Read on.", f"{other}/story"))
        site.moved["/old"] = f"{address}/feed"
        world.add("feed", f"{address}/old", credential=world.secret("news", "mira:hunter2"))
        world.look()
    assert {bool(login) for login in site.logins} == {True}
    assert stranger.logins == [""]


def test_a_credential_does_not_go_in_the_clear(world: World) -> None:
    name = world.secret("news", "mira:hunter2")
    assert world.refused("feed", "http://news.test/feed", credential=name) == "not_encrypted"
    world.add("feed", "https://news.test/feed", credential=name)


def test_a_feed_inside_the_network_is_refused(world: World, site: SitePeer, address: str) -> None:
    world.set(url_allow="")
    site.pages["/feed"] = rss(item("The lamp"))
    world.add("feed", f"{address}/feed")
    assert world.look()["error"]["code"] == "forbidden_address"
    assert not site.asked


def test_a_place_that_an_authority_of_the_settings_certified_is_looked_at(
    world: World, site: SitePeer, address: str, tmp_path: Path
) -> None:
    site.pages["/feed"] = rss(item("The lamp"))
    authority = Authority(tmp_path)
    with behind_tls(authority, address) as place:
        world.set(url_allow="localhost")
        world.add("feed", f"https://{place}/feed")
        assert "cannot be trusted" in str(world.look())
        world.set(ca_file=str(authority.file))
        assert world.came_to() == (1, 0, 0)
