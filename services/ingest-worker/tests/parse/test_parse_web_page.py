"""Pages as the web has them: what they say of themselves, where they lead, and what is not their content."""

from __future__ import annotations

import pytest

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.build import parse_blob

from .conftest import Parse, texts

STORY = """<!doctype html><html lang="en-GB"><head><title>Otters return to Alder | The Valley Post</title>
<meta property="og:site_name" content="The Valley Post"><link rel="canonical" href="/news/otters">
<meta name="description" content="They are back.">
<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
 {"@type": "NewsArticle", "headline": "Otters return", "datePublished": "2024-05-03",
  "author": [{"@type": "Person", "name": "Mara Quill"}, {"name": "Jo Pike"}]}]}</script></head><body>
<div class="site-header"><a href="/">Front page</a></div><div id="cookie-consent"><p>We use cookies.</p></div>
<div class="wrap has-sidebar"><h1>River otters return</h1>
<p>They came in 2009, <a href="counts.html#t">counts say</a>; see <a href="mailto:a@v.test">us</a>.</p>
<h2>Counts</h2><table><tr><th>Year</th><th>Otters</th></tr><tr><td>2009</td><td>2</td></tr></table>
<ol><li><a href="https://other.test/">weir</a></li></ol>
<div class="related-posts"><h3>You may also like</h3><a href="trout">Trout season</a></div></div>
<div class="newsletter-signup"><p>Never miss a story.</p></div></body></html>"""


def fetched(page: str, url: str = "https://v.test/news/2024.html", declared: str = "text/html") -> ParsedDocument:
    return parse_blob(Blob(url, page.encode(), declared, url), ParseLimits(), ParserModels())


def test_a_page_tells_its_title_author_date_site_language_and_address() -> None:
    document = fetched(STORY)
    assert document.title == "Otters return to Alder"
    assert document.metadata == {
        "encoding": "utf-8",
        "author": "Mara Quill, Jo Pike",
        "date": "2024-05-03",
        "site": "The Valley Post",
        "language": "en-GB",
        "url": "https://v.test/news/otters",
        "description": "They are back.",
    }


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<h1>The weir</h1><p>x</p>", "The weir"),
        ("<h1>The weir</h1><p>x</p><h1>The mill</h1>", ""),
        ('<meta property="og:title" content="Weirs"><h1>The weir</h1>', "Weirs"),
        ("<title>Weir</title><h1>The mill</h1>", "Weir"),
    ],
)
def test_a_page_without_a_title_has_that_of_its_only_heading(parse: Parse, page: str, title: str) -> None:
    assert parse(f"<!doctype html><body>{page}</body>").title == title


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ('<meta name="citation_author" content="Vale, R."><meta name="citation_author" content="Pike, J.">',
         {"author": "Vale, R., Pike, J."}),
        ('<meta name="DC.creator" content="R. Vale"><meta name="dcterms.created" content="2020">',
         {"author": "R. Vale", "date": "2020"}),
        ('<meta property="article:author" content="https://v.test/staff/1"><meta name="author" content="M. Quill">',
         {"author": "M. Quill"}),
        ('<script type="application/ld+json">{"@type": "BlogPosting", "author": "M. Quill", "publisher": '
         '{"name": "Post"}}</script>', {"author": "M. Quill", "site": "Post"}),
        ('<script type="application/ld+json">[[[</script><link rel="canonical" href="javascript:alert(1)">', {}),
        ("<p>Printed on 1 May 2001 by A. Nobody</p>", {}),
    ],
)  # fmt: skip
def test_only_what_is_declared_counts(parse: Parse, head: str, told: dict[str, str]) -> None:
    document = parse(f"<!doctype html><html><head>{head}</head><body><p>words</p></body></html>")
    assert {name: value for name, value in document.metadata.items() if name != "encoding"} == told


def test_links_of_the_content_are_kept_as_whole_addresses() -> None:
    assert fetched(STORY).links == ("https://v.test/news/counts.html#t", "mailto:a@v.test", "https://other.test/")


def test_a_base_element_is_where_links_start_from() -> None:
    page = '<!doctype html><base href="/b/"><p><a href="x">x</a> <a href="http://[bad">y</a></p>'
    assert fetched(page).links == ("https://v.test/b/x",)


def test_headings_tables_and_lists_of_the_content_stay_and_the_sites_own_words_go() -> None:
    document = fetched(STORY)
    assert texts(document, UnitKind.HEADING) == ["River otters return", "Counts"]
    assert texts(document, UnitKind.TABLE) == ["Year: 2009; Otters: 2"]
    assert texts(document, UnitKind.LIST) == ["1. weir"]
    for words in ("Front page", "cookies", "also like", "Trout", "Never miss"):
        assert words not in document.text


def test_a_page_that_is_nothing_but_chrome_is_read_whole(parse: Parse) -> None:
    document = parse("<!doctype html><nav><ul><li><a href='/a'>Alder</a></li></ul></nav>")
    assert "Alder" in document.text


def test_the_character_set_that_the_server_declares_is_used(parse: Parse) -> None:
    page = '<!doctype html><meta charset="iso-8859-1"><p>Żółw zjadł źdźbło</p>'.encode("iso-8859-2")
    assert "Żółw zjadł źdźbło" in parse(page, declared_type="text/html; charset=ISO-8859-2").text
