"""Where a page of HTML leads, for the crawler. Read with the standard library's parser, which runs nothing."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin

import msgspec

from trivium.domain.errors import Refused
from trivium.text.charsets import charset_of
from trivium.text.urls import canonical_url

MAX_CHARS = 512 * 1024  # what stands behind is not looked at
MAX_LINKS = 2_000


class PageLinks(msgspec.Struct, frozen=True):
    """`links` in the page's order, each once; none where the page asks that none be followed.

    `canonical` is the address that the page says is its own, "" when it says none. `indexable` is False where the
    page asks not to be kept (robots meta tag).
    """

    links: tuple[str, ...] = ()
    canonical: str = ""
    indexable: bool = True


def page_links(content: bytes, charset: str, address: str) -> PageLinks:
    """The links of an HTML page that came from `address`. Anything else has none."""
    reader = _Reader()
    reader.feed(content[: 4 * MAX_CHARS].decode(charset_of(charset) or "utf-8", "replace")[:MAX_CHARS])
    start = _whole(address, reader.base) or address
    found = [whole for target in reader.targets if (whole := _whole(start, target))]
    links = () if "nofollow" in reader.robots else tuple(dict.fromkeys(found))[:MAX_LINKS]
    return PageLinks(links, _whole(start, reader.canonical), "noindex" not in reader.robots)


def _whole(start: str, target: str) -> str:
    """`target` as a web address, or ""."""
    if not target:
        return ""
    try:
        return canonical_url(urljoin(start, target.strip()))
    except (ValueError, Refused):
        return ""


class _Reader(HTMLParser):
    """Collects what the crawler needs."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.targets: dict[str, None] = {}
        self.base = self.canonical = ""
        self.robots: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Links, their start, and what the page asks of robots."""
        given = {name: value or "" for name, value in attrs}
        href = given.get("href", "")
        relations = given.get("rel", "").lower().split()
        if tag in ("a", "area") and href and "nofollow" not in relations and len(self.targets) < 2 * MAX_LINKS:
            self.targets.setdefault(href)
        elif tag == "base" and not self.base:
            self.base = href
        elif tag == "link" and "canonical" in relations and not self.canonical:
            self.canonical = href
        elif tag == "meta" and given.get("name", "").lower() in ("robots", "trivium"):
            asked = {word.strip() for word in given.get("content", "").lower().split(",")}
            self.robots |= asked | ({"noindex", "nofollow"} if "none" in asked else set())

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """`<![...`: a comment to the end of the tag, as browsers see it; the inherited one raises at unknown words."""
        return self.parse_bogus_comment(i, report=False)
