"""An RSS or Atom feed: each entry is a page, as the feed tells it, or what it leads to where the feed tells little.

A feed shows its newest entries. What it does not show any more is not gone, and stays.
"""

from __future__ import annotations

import io
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from html import escape, unescape
from typing import Any

import feedparser

from trivium.domain.errors import NeverWill, Refused
from trivium.domain.ids import digest
from trivium.ports.connector import Change, Item
from trivium.text.charsets import charset_of, marked
from trivium.text.urls import checked_url
from trivium_query.connect.place import Place
from trivium_query.connect.seen import Seen
from trivium_query.connect.web import Web, mark_of, unless_still, web_location
from trivium_query.egress.fetch import Reply

MAX_FEED_BYTES = 16 * 1024 * 1024
MAX_ENTRIES = 10_000
_ACCEPT = ("Accept", "application/atom+xml,application/rss+xml,application/xml;q=0.9,*/*;q=0.8")
_WHOLE_CHARS = 1000
"""A summary of less is taken for a teaser, and the page that it leads to is read instead."""
_UNSAID = re.compile(r"[^\w.-]+")
_TAGS = re.compile(r"<[^>]{0,1000}>")
_MARKED_UP = re.compile(r"(?i)</[a-z]\w*\s*>|<br\b")
"""Some feeds call text plain that is HTML."""
_BLANK = re.compile(r"\n\s*\n")
_REFERENCE = re.compile(r"&#(?:([0-9]+)|[xX]([0-9A-Fa-f]+));")
_CHARACTERS = ((0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
"""XML 1.0, 2.2."""
_MAP_PLACE = re.compile(r"</?[\w-]{1,40}:pos(?:list)?\b[^<>]{0,1000}>", re.IGNORECASE)
"""Of GML: the library gives up at one that stands where it expects none."""
_UNMARKED = tuple((name, "<?".encode(name)) for name in ("utf-16-le", "utf-16-be"))
_SENT_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_STATED_CHARSET = re.compile(r"\s*<\?xml\b[^>]*\bencoding\s*=\s*[\"']([\w.:-]{1,40})")
_STATED_WITHIN = 1000  # bytes
_NO_ASCII = re.compile(r"[^\x00-\x7f]")


class FeedConnector:
    """See `trivium.ports.connector.Connector`. An entry's token is what the feed tells of it."""

    def __init__(self, place: Place, cursor: str) -> None:
        way = place.way.bounded(min(MAX_FEED_BYTES, place.max_bytes))
        self._url = web_location(place.connection.location, way)
        self._web = Web(way, self._url)
        self._seen = Seen(cursor)
        self.stored, self.cursor = self._seen.stored, self._seen.cursor

    def changes(self) -> Iterator[Change]:
        """In the feed's order; of those that it lists twice the first.

        A new title changes no document's name, where the feed gives the entry an id that no other entry has.
        """
        reply = self._web.ask("GET", self._url, [_ACCEPT, *unless_still(self._seen.mark)])
        if reply.status == 304:
            return
        stored: defaultdict[str, list[str]] = defaultdict(list)
        for known in self._seen.names():
            stored[known.rpartition("-")[2]].append(known)
        listed = _listed(reply)
        bearers = Counter(identity for identity, *_ in listed)
        for (identity, *_), entry in listed.items():
            told, title = _text(entry), str(entry.get("title", ""))
            token = digest(identity, title, told, str(_of(entry, "updated")))
            ending = f"{digest(identity)[:12]}.html"
            name = f"{_slug(title)}-{ending}"
            if entry.get("id") and bearers[identity] == len(stored[ending]) == 1:
                [name] = stored[ending]
            yield from self._seen.look(name, token, partial(self._fetch, entry, told))
        yield from self._seen.late()
        self._seen.forget_missing()
        self._seen.whole(mark_of(reply))

    def _fetch(self, entry: Any, told: str) -> Item:
        title = " ".join(_title(entry).split())[:300]
        link = str(entry.get("link", ""))
        if len(_TAGS.sub("", told)) < _WHOLE_CHARS and link:
            with suppress(NeverWill, Refused):  # a page that is not to be had: what the feed tells will do
                page = self._web.ask("GET", checked_url(link))
                return Item(page.content, page.header("content-type"), title)
        return Item(_page(entry, title, link, _html(entry, told)), "text/html; charset=utf-8", title)


def _listed(reply: Reply) -> dict[tuple[str, str, str], Any]:
    """The feed's entries by identity, link and title, of equal ones the first; by its text where there is no title.

    The identity is what the feed calls it, else its link, else its text. Some feeds give all entries the same.
    Raises `NeverWill` (`no_feed`).
    """
    listed: dict[tuple[str, str, str], Any] = {}
    for entry in _entries(reply):
        told, link = _text(entry), str(entry.get("link", ""))
        listed.setdefault((str(entry.get("id") or link or told), link, str(entry.get("title") or told)), entry)
    return listed


def _entries(reply: Reply) -> list[Any]:
    """Raises `NeverWill` (`no_feed`)."""
    found = feedparser.parse(
        # bytes themselves it takes for a file's path, if there is such a file
        io.BytesIO(_mended(_text_of(reply)).encode("utf-8", "replace")),
        response_headers={"content-type": "application/xml; charset=utf-8", "content-location": reply.url},
    )
    if not found.entries and not found.get("version"):
        raise NeverWill("no_feed", f"{reply.url} is no RSS or Atom feed.", "Give the address of the feed itself.")
    return list(found.entries[:MAX_ENTRIES])


def _text_of(reply: Reply) -> str:
    """The feed's characters, as its first bytes tell, else its server, else itself (RFC 7303, 3); none costs another.

    The library would take any codec of Python's for a character set, and UTF-16 with half a character for none.
    """
    wide, content = marked(reply.content)
    wide = wide or next((name for name, begin in _UNMARKED if content.startswith(begin)), "")
    if wide:
        return content.decode(wide, "replace")
    sent = _SENT_CHARSET.search(reply.header("content-type"))
    stated = _STATED_CHARSET.match(content[:_STATED_WITHIN].decode("latin-1"))
    # GB 18030 holds all of GB 2312, and what is called so in practice.
    declared = [charset_of(found[1]).replace("gb2312", "gb18030") for found in (sent, stated) if found]
    is_wide = b"\0" in content[:4]  # what begins with ASCII is neither UTF-16 nor UTF-32, whoever says so
    names = [name for name in (*declared, "utf-8") if name and (is_wide or not name.startswith(("utf-16", "utf-32")))]
    for name in names:
        with suppress(UnicodeError):
            return content.decode(name)
    nearest = min((content.decode(name, "replace") for name in names), key=_odd)
    return nearest if _odd(nearest) < len(_NO_ASCII.findall(nearest)) / 2 else content.decode("cp1252", "replace")


def _odd(text: str) -> int:
    """How many of its characters could not be decoded."""
    return text.count("\ufffd")


def _mended(feed: str) -> str:
    """The feed without places and references to no character, at which the library gives up; two of one are joined.

    Some programs write the halves of a character's UTF-16, each by itself.
    """
    half, behind = 0, -1

    def mended(found: re.Match[str]) -> str:
        nonlocal half, behind
        code = _code(found)
        first = half if behind == found.start() else 0
        half, behind = (code if 0xD800 <= code < 0xDC00 else 0), found.end()
        if first and 0xDC00 <= code < 0xE000:
            return f"&#{0x10000 + ((first - 0xD800) << 10) + code - 0xDC00};"
        return found[0] if any(low <= code <= high for low, high in _CHARACTERS) else ""

    return _REFERENCE.sub(mended, _MAP_PLACE.sub("", feed))


def _code(reference: re.Match[str]) -> int:
    """The number that it names; of a very long one some other that is too large."""
    digits, base = (reference[1], 10) if reference[1] else (reference[2], 16)
    return int(digits.lstrip("0")[:8] or "0", base)


def _text(entry: Any) -> str:
    """What the feed tells of an entry, as HTML."""
    whole = [str(part.get("value", "")) for part in entry.get("content", ())]
    return max([*whole, str(entry.get("summary", ""))], key=len)


def _title(entry: Any) -> str:
    """Its title as people read it, also of one that is told as HTML."""
    title = str(entry.get("title", ""))
    return title if _is_plain(entry.get("title_detail")) else unescape(_TAGS.sub("", title))


def _html(entry: Any, told: str) -> str:
    """What the feed tells of the entry, as HTML: of plain text, in which a "<" may stand, its paragraphs."""
    parts = (*entry.get("content", ()), entry.get("summary_detail") or {})
    part = next((part for part in parts if part.get("value") == told), None)
    if not _is_plain(part) or _MARKED_UP.search(told):
        return told
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in _BLANK.split(told))


def _is_plain(detail: Any) -> bool:
    return bool(detail) and detail.get("type") == "text/plain"


def _page(entry: Any, title: str, link: str, told: str) -> bytes:
    when = _of(entry, "published_parsed") or _of(entry, "updated_parsed")
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", when) if when else ""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    head += f'<link rel="canonical" href="{escape(link)}">' if link else ""
    head += f'<meta property="article:published_time" content="{date}">' if date else ""
    by = escape(str(entry.get("author", ""))[:200])
    body = f"<h1>{escape(title)}</h1>" + (f"<p>{by}</p>" if by else "") + told
    return f"<!doctype html><html><head>{head}</head><body><article>{body}</article></body></html>".encode()


def _of(entry: Any, name: str) -> Any:
    """A field, "" where it is not told: the library makes one up of another, and warns that it does."""
    if name not in entry:
        return ""
    return entry[name]


def _slug(title: str) -> str:
    return _UNSAID.sub("-", title).strip("-.")[:80] or "entry"
