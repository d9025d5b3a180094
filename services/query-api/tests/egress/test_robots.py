"""What a host lets robots fetch, whatever its robots.txt is like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ports.web import Page
from trivium_query.egress.robots import MAX_DELAY_S, Robots, robots_of

PIECES = (
    *("User-agent: *", "User-agent: trivium", "Disallow: /*a*a$", "Crawl-delay: nan", "Crawl-delay: inf"),
    *("Crawl-delay: -1", "Crawl-delay: 1e999", "Request-rate: 1/0", "Visit-time: x", "Sitemap: \\x00"),
)
LINES = st.lists(st.sampled_from(PIECES) | st.text(max_size=30)).map("\n".join)


def rules(text: str) -> Robots:
    return robots_of(lambda url, known: Page(text.encode("utf-8", "surrogatepass")), "https://a.test/x")


@given(LINES)
def test_nothing_in_it_breaks_us_and_no_delay_is_beyond_the_bound(text: str) -> None:
    found = rules(text)
    assert found.allows("https://a.test/robots.txt") in (True, False)
    assert found.closed or 0 <= found.delay_s <= MAX_DELAY_S
    assert isinstance(found.sitemaps, tuple)


@pytest.mark.parametrize(
    ("text", "url", "allowed"),
    [
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "https://a.test/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "https://a.test/a/x", False),
        ("\ufeffUser-agent: *\r\nDisallow: /a", "https://a.test/a", False),
        ("User-agent: *\nDisallow: /*.pdf$", "https://a.test/x.pdf", False),
        ("User-agent: other\nDisallow: /", "https://a.test/x", True),
        ("User-agent: *\nDisallow: /\nUser-agent: Trivium\nDisallow:", "https://a.test/x", True),
        ("<html>no such page</html>", "https://a.test/x", True),
    ],
)
def test_the_longest_rule_for_us_decides(text: str, url: str, allowed: bool) -> None:
    assert rules(text).allows(url) is allowed
