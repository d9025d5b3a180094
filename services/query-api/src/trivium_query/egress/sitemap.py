"""The pages that a site lists itself (sitemaps.org). Addresses are picked out of the text; no XML is interpreted."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import urljoin

from trivium.domain.errors import NeverWill, Refused, TriviumError
from trivium.ports.web import Fetch
from trivium.text.urls import canonical_url
from trivium_query.egress.robots import Robots
from trivium_query.egress.unpack import CutOffError, DamagedError, UnpacksTooFarError, unpacked

MAX_SITEMAPS = 10
MAX_BYTES = 50 * 1024 * 1024
"""Of one sitemap, unpacked (sitemaps.org)."""
_GZIP = b"\x1f\x8b"
_PIECE_BYTES = 64 * 1024
"""Unpacked at once: behind each part of a gzip the rest of the piece is copied."""
_ROOT = re.compile(r"<(?:\w+:)?(urlset|sitemapindex)\b")
_END = re.compile(  # what made it may sign it behind
    r"(?s)<(?:/(?:\w+:)?(?:urlset|sitemapindex)\s*|(?:\w+:)?(?:urlset|sitemapindex)\b[^<>]*/)>\s*(?:<!--.*-->\s*)?\Z"
)
_END_CHARS = 2_000
_ENTRY = re.compile(r"(?s)<(?:\w+:)?(?:url|sitemap)\b[^<>]*>(.*?)(?=<(?:\w+:)?(?:url|sitemap)\b|\Z)")
_FIELD = re.compile(r"<(?:\w+:)?(loc|lastmod)>\s*(?:<!\[CDATA\[\s*)?([^<\s]{1,2000})\s*(?:\]\]>\s*)?<")
_CHECK = "Give the address of a sitemap, or tell whoever runs the site."


class Listed(NamedTuple):
    """An entry: an address as it is written, and when that changed, "" where the site does not say."""

    place: str
    lastmod: str = ""


class Sitemap(NamedTuple):
    """`is_index`: its entries are sitemaps."""

    text: str
    is_index: bool

    def entries(self) -> Iterator[Listed]:
        """In its order. Raises `NeverWill` (`bad_sitemap`) behind them where it breaks off, or one has no address."""
        whole = bool(_END.search(self.text[-_END_CHARS:]))
        for entry in _ENTRY.finditer(self.text):
            told = {name: unescape(value.removesuffix("]]>")) for name, value in reversed(_FIELD.findall(entry[1]))}
            if "loc" in told:
                yield Listed(told["loc"], told.get("lastmod", ""))
            else:
                whole = False
        if not whole:
            raise NeverWill("bad_sitemap", "The sitemap breaks off, or lists something without an address.", _CHECK)


def read_sitemap(content: bytes) -> Sitemap:
    """A sitemap or an index of some, also gzipped. Raises `NeverWill` (`bad_sitemap`, `too_large`)."""
    try:
        plain = unpacked(_pieces(content), "gzip", MAX_BYTES, 1, MAX_BYTES) if content.startswith(_GZIP) else content
    except (DamagedError, CutOffError) as error:
        raise NeverWill("bad_sitemap", "The sitemap is packed, and damaged.", _CHECK) from error
    except UnpacksTooFarError:
        plain = bytes(MAX_BYTES + 1)
    if len(plain) > MAX_BYTES:
        raise NeverWill("too_large", f"The sitemap has more than {MAX_BYTES:,} bytes.", "Split it, and list the parts.")
    text = plain.decode("utf-8", "replace")
    root = _ROOT.search(text[:10_000])
    if root is None:
        raise NeverWill("bad_sitemap", "There is no sitemap.", _CHECK)
    return Sitemap(text, root[1] == "sitemapindex")


def _pieces(content: bytes) -> Iterator[bytes]:
    return (content[at : at + _PIECE_BYTES] for at in range(0, len(content), _PIECE_BYTES))


def listed_pages(fetch: Fetch, robots: Robots, address: str) -> Iterator[str]:
    """Addresses in the order listed, possibly of other hosts; a sitemap that cannot be had lists none."""
    waiting = deque(robots.sitemaps or (urljoin(address, "/sitemap.xml"),))
    for _ in range(MAX_SITEMAPS):
        if not waiting:
            return
        try:
            page = fetch(waiting.popleft(), None)
            sitemap = read_sitemap(page.content if page else b"")
            for entry in sitemap.entries():
                if sitemap.is_index:
                    waiting.append(entry.place)
                elif place := _canonical(entry.place):
                    yield place
        except TriviumError:
            continue


def _canonical(place: str) -> str:
    try:
        return canonical_url(place)
    except Refused:
        return ""
