"""Where a page leads, whatever its markup is like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium_query.egress.page_links import MAX_LINKS, PageLinks, page_links

HERE = "https://a.test/dir/page"
PIECES = (
    *("<a href='x'>", "<![foo[", "<![CDATA[", "<!", "<!--", "-->", "<!DOCTYPE [", "<?", "&#x110000;", "</", "'", ">"),
    *("<script>", "</script", "<a href=", "\0", "<base href='//[bad'>", "<link rel=canonical href='http://[::1'>"),
)
MARKUP = st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        ('<A HREF="x?a=1&amp;b=2#c">', ("https://a.test/dir/x?a=1&b=2",)),
        ('<base href="/other/"><a href="x"><area href="y">', ("https://a.test/other/x", "https://a.test/other/y")),
        ('<a href="javascript:x()"><a href="mailto:x@a.test"><a href="http://[bad"><a href="">', ()),
        ('<!-- <a href="no"> --><script>"<a href=no>"</script><a href=" x ">', ("https://a.test/dir/x",)),
        ('<![foo[<a href="no">', ()),
        ('<a href="x"><![foo[ ]]>', ("https://a.test/dir/x",)),
        ('<a href="x" rel="ugc nofollow"><a href="y">', ("https://a.test/dir/y",)),
        ('<meta name="ROBOTS" content="none"><a href="x">', ()),
    ],
)
def test_the_links_that_may_be_followed_are_whole_addresses(markup: str, links: tuple[str, ...]) -> None:
    assert page_links(markup.encode(), "", HERE).links == links


def test_a_page_says_what_its_own_address_is() -> None:
    assert page_links(b'<link rel="x Canonical" href="/p">', "", HERE).canonical == "https://a.test/p"


def test_the_declared_character_set_counts() -> None:
    page = '<a href="/żółw">x</a>'.encode("iso-8859-2")
    assert page_links(page, "iso-8859-2", HERE).links == ("https://a.test/%C5%BC%C3%B3%C5%82w",)


@pytest.mark.parametrize("charset", ["no-such-charset", "undefined", "idna", "hex", "utf-8\0", "punycode"])
def test_what_is_no_character_set_does_no_harm(charset: str) -> None:
    assert page_links(b"<a href=x>", charset, HERE).links == ("https://a.test/dir/x",)


def test_endless_links_end() -> None:
    page = "".join(f"<a href={n}>" for n in range(3 * MAX_LINKS)).encode()
    assert len(page_links(page, "", HERE).links) == MAX_LINKS


@given(MARKUP)
def test_no_markup_is_too_broken(markup: str) -> None:
    assert isinstance(page_links(markup.encode(), "", HERE), PageLinks)


@given(st.binary(max_size=300))
def test_no_bytes_are_too_broken(content: bytes) -> None:
    assert isinstance(page_links(content, "utf-16", HERE), PageLinks)
