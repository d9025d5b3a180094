"""A crawl: what is asked for, and what became of each page."""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.documents import DEFAULT_DATASET, Document, Failure

MAX_DEPTH = 20
MAX_PAGES = 10_000


class CrawlRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Pages of one host from `url` on, breadth first, `depth` links far and at most `max_pages` requests.

    `sitemap`: begin with the pages that the site itself lists, too. `dataset`, `run` and `move` as in a `Destination`.
    """

    url: str
    depth: int = 2
    max_pages: int = 100
    dataset: str = DEFAULT_DATASET
    sitemap: bool = False
    run: str = ""
    move: bool = False


class Fate(enum.StrEnum):
    """What became of a page. LEFT_OUT tells why in its reason and is no failure."""

    TAKEN = "taken"
    UNCHANGED = "unchanged"
    LEFT_OUT = "left_out"
    FAILED = "failed"


class Visit(msgspec.Struct, frozen=True):
    """One page: `document` where it is one, `reason` where it is none."""

    url: str
    fate: Fate
    document: Document | None = None
    reason: Failure | None = None
