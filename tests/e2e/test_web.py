"""From the web to a cited answer: one page, a whole site, and a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from site_peer import SitePeer, html, serving

from trivium.v1 import graph_pb2, graph_pb2_grpc, ingest_pb2, ingest_pb2_grpc

from .conftest import EXAMPLES, Server

NAV = "<nav><a href='/'>Home</a> <a href='/keepers.html'>Keepers</a> <a href='/report'>Report</a></nav>"


@pytest.fixture(scope="module")
def site() -> SitePeer:
    return SitePeer(
        {
            "/": html(f"{NAV}<main><h1>Vellan Light</h1><p>Vellan Light was built in 1847. Read about its "
                      "<a href='keepers.html'>keepers</a>.</p></main>", "<title>Vellan Light</title>"),
            "/keepers.html": html(
                f"{NAV}<main><h1>Keepers</h1><p>The keeper of Vellan Light is Petra Anselm, "
                "since 1998.</p><p><a href='/'>Back</a> <a href='/private/diary'>diary</a></p></main>",
                "<title>Keepers | Vellan</title>",
            ),
            "/report": (EXAMPLES / "files" / "annual-report-2023.pdf").read_bytes(),
            "/private/diary": html("<p>The diary is secret.</p>"),
            "/robots.txt": b"User-agent: *\nDisallow: /private/",
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def address(site: SitePeer) -> Iterator[str]:
    site.types["/report"] = "application/octet-stream"
    with serving(site) as url:
        yield url


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server(TRIVIUM_URL_ALLOW="127.0.0.1", TRIVIUM_CRAWL_DELAY_S="0")


def cited(server: Server, question: str, words: str) -> dict[str, Any]:
    """The citation whose quote holds `words`."""
    given = server.ask(question)
    for citation in given["citations"]:
        if words in citation["quote"]:
            found: dict[str, Any] = citation
            return found
    raise AssertionError(f"{words!r} is not cited: {given['text']}")


def test_what_a_page_says_of_itself_is_told_at_every_door(server: Server, site: SitePeer, address: str) -> None:
    head = (
        "<title>Storm at Vellan</title><meta name='author' content='Petra Anselm'>"
        "<meta property='og:site_name' content='The Vellan Gazette'>"
        "<meta name='description' content='The &lt;b&gt; sea.'>"
        "<meta property='article:published_time' content='2021-03-04'>"
    )
    site.pages["/storm"] = html("<main><p>The storm took the lamp of Vellan Light.</p></main>", head)
    server.cli("ingest", f"{address}/storm")
    told = {"author": "Petra Anselm", "site": "The Vellan Gazette", "description": "The <b> sea."}
    with server.http() as client:
        (source,) = client.get("/v1/sources").json()["sources"]
        assert source["about"] == told
        page = client.get(cited(server, "What did the storm take?", "lamp")["link"]).text
    assert "Petra Anselm, The Vellan Gazette · 2021-03-04" in page
    assert "The &lt;b&gt; sea." in page
    with server.channel() as channel:
        rpc = ingest_pb2_grpc.IngestServiceStub(channel)
        about = rpc.GetSource(ingest_pb2.GetSourceRequest(id=source["id"])).source.about
        assert about == ingest_pb2.About(**told)
    assert "Petra Anselm, The Vellan Gazette" in server.cli("documents").stdout
    shown = server.cli("chunks", "storm").stdout.splitlines()
    assert shown[:3] == ["Storm at Vellan", "Petra Anselm, The Vellan Gazette", "The <b> sea."]
    server.take("plain.txt", "Nobody says who wrote this.")
    with server.http() as client:
        assert all("about" not in each for each in client.get("/v1/sources").json()["sources"] if not each["title"])


def test_a_site_is_taken_in_asked_about_and_looked_at_again(server: Server, site: SitePeer, address: str) -> None:
    done = server.cli("ingest", "--crawl", f"{address}/", "--depth", "2", "--max-pages", "20")
    assert done.stdout.startswith("3 ready"), done.stdout + done.stderr
    assert f"left out: {address}/private/diary" in done.stderr
    assert "/private/diary" not in site.asked

    keeper = cited(server, "Who is the keeper of Vellan Light?", "Petra Anselm")
    assert (keeper["source"], keeper["url"]) == (f"{address}/keepers.html", f"{address}/keepers.html")
    report = cited(server, "What was the mean summer temperature at Lower Ford?", "18.1 degrees")
    assert report["url"].startswith(f"{address}/report#page=")

    shown = server.cli("graph", "links", f"{address}/keepers.html").stdout
    assert shown == f"Links to\n  {address}/  (Vellan Light)\nLinked from\n  {address}/  (Vellan Light)\n"
    with server.http() as client:
        linked = client.get(f"/v1/graph/links/{report['document_id']}").json()
    assert linked == {"links_to": [], "linked_from": []}, "the menu of a page is not its content"
    with server.channel() as channel:
        graph = graph_pb2_grpc.GraphServiceStub(channel)
        over_grpc = graph.GetLinks(graph_pb2.GetLinksRequest(id=keeper["document_id"]))
        assert graph.GetLinks(graph_pb2.GetLinksRequest(id=report["document_id"])) == graph_pb2.GetLinksResponse()
    for end in (over_grpc.links_to, over_grpc.linked_from):
        assert [(one.name, one.title) for one in end] == [(f"{address}/", "Vellan Light")]

    site.sent.clear()
    site.pages["/keepers.html"] = site.pages["/keepers.html"].replace(b"Petra Anselm", b"Jonas Rheidol")
    again = server.cli("ingest", "--crawl", f"{address}/", "--depth", "2")
    assert again.stdout.startswith("1 ready"), again.stdout + again.stderr
    assert "2 unchanged" in again.stdout
    assert site.sent == ["/robots.txt", "/keepers.html"]
    assert cited(server, "Who is the keeper of Vellan Light?", "Jonas Rheidol")


def test_one_page_through_every_door_is_one_document(server: Server, site: SitePeer, address: str) -> None:
    page = f"{address}/"
    assert server.cli("ingest", page).stdout.startswith("1 ready (")
    with server.http() as client:
        taken = client.post("/v1/sources", json={"url": f"{page}#top"}).json()["sources"][0]
    with server.channel() as channel:
        header = ingest_pb2.SourceHeader(url=page)
        stub = ingest_pb2_grpc.IngestServiceStub(channel)
        sent = stub.SubmitSource(iter([ingest_pb2.SubmitSourceRequest(header=header)])).source
        visits = list(stub.CrawlSite(ingest_pb2.CrawlSiteRequest(url=page, depth=0)))
    assert (taken["id"], taken["state"]) == (sent.id, "ready")
    assert [(visit.source.id, visit.fate) for visit in visits] == [(sent.id, "unchanged")]
    assert cited(server, "When was Vellan Light built?", "1847")["url"] == page


def test_what_cannot_be_had_is_told_with_what_to_do(server: Server, address: str) -> None:
    told = {
        f"{address}/no-such-page": "There is no page at",
        "http://127.0.0.2:1/": "loopback",
        "http://169.254.169.254/latest/meta-data/": "where clouds keep their metadata",
        "http://[::ffff:10.0.0.1]/": "private",
        "http://0x7f000002/": "loopback",
    }
    done = server.cli("ingest", *told, check=False)
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("Failed: ")]
    for line, (url, words) in zip(lines, told.items(), strict=True):
        assert line.startswith(f"Failed: {url}: ")
        assert words in line
    assert server.cli("documents", "--json").stdout == ""
