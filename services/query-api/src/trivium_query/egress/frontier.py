"""Which page of a site comes next: breadth first, each once, within bounds that no trap passes. Pure."""

from __future__ import annotations

import re
from collections import Counter, deque

import msgspec

from trivium.domain.errors import Refused
from trivium.domain.source_names import MAX_NAME_CHARS
from trivium.text.urls import same_page

MAX_SEGMENTS = 16
MAX_SAME_SEGMENT = 3  # /a/b/a/b/a/b: a relative link that leads into itself
MAX_QUERIES_PER_PATH = 100
MAX_DATES_PER_SHAPE = 100  # calendars go on for ever
_DATE = re.compile(r"(?:19|20|21)\d\d(?:[/-]\d\d?)+")
_DIGITS = re.compile(r"\d+")


class Next(msgspec.Struct, frozen=True):
    """A page to visit; `depth` counts links from the start, which has 0."""

    url: str
    depth: int


class Frontier:
    """The pages of the hosts it was given that were seen and not visited yet."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._hosts: set[str] = set()
        self._seen: set[str] = set()
        self._waiting: deque[Next] = deque()
        self._queries: Counter[str] = Counter()
        self._dates: Counter[str] = Counter()

    def begin(self, url: str) -> None:
        """A page to start from; its host is within."""
        self._hosts.add(_host(url))
        self.add(url, 0)

    def within(self, url: str) -> bool:
        """Whether `url` belongs to the site."""
        return _host(url) in self._hosts

    def extend_to(self, url: str) -> None:
        """Take the host of `url` into the site: where its first page redirects to."""
        self._hosts.add(_host(url))

    def add(self, url: str, depth: int) -> None:
        """Remember a page unless it is known, elsewhere, too far down or one of endlessly many."""
        if depth > self._depth or not self.within(url):
            return
        key = same_page(url)
        if key in self._seen:
            return
        self._seen.add(key)
        if not self._endless(url, key):
            self._waiting.append(Next(url, depth))

    def seen(self, url: str) -> bool:
        """Whether the page is known, and from now on it is."""
        key = same_page(url)
        known = key in self._seen
        self._seen.add(key)
        return known

    def pop(self) -> Next | None:
        """The next page, None at the end."""
        return self._waiting.popleft() if self._waiting else None

    def _endless(self, url: str, key: str) -> bool:
        path, _, query = key.partition("&")
        segments = [part for part in path.split("/")[1:] if part]
        if len(url) > MAX_NAME_CHARS or len(segments) > MAX_SEGMENTS:
            return True
        if segments and max(Counter(segments).values()) > MAX_SAME_SEGMENT:
            return True
        if query:
            self._queries[path] += 1
        if _DATE.search(key):
            self._dates[_DIGITS.sub("0", path)] += 1
        return self._queries[path] > MAX_QUERIES_PER_PATH or self._dates[_DIGITS.sub("0", path)] > MAX_DATES_PER_SHAPE


def _host(url: str) -> str:
    try:
        return same_page(url).partition("/")[0]
    except Refused:
        return ""
