"""`trivium ingest --crawl`: whole sites, page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from trivium.cli.progress import Progress
from trivium.cli.sent import OF_ALL, WEB, Problem, Sent
from trivium.cli.terminal import counted, note, one_line
from trivium.domain.crawl import CrawlRequest, Fate
from trivium.domain.errors import TriviumError

if TYPE_CHECKING:
    from trivium.client import TriviumClient


class Bounds(msgspec.Struct, frozen=True):
    """How far a crawl goes."""

    depth: int
    max_pages: int
    sitemap: bool


def crawl_bounds(
    what: Sequence[str], crawl: bool, depth: int | None, max_pages: int | None, sitemap: bool
) -> Bounds | None:
    """The bounds asked for; None without --crawl. Raises `click.UsageError` for what does not fit together."""
    if not crawl:
        if depth is not None or max_pages is not None or sitemap:
            raise click.UsageError("--depth, --max-pages and --sitemap belong to --crawl.")
        return None
    for entry in what:
        if not entry.startswith(WEB):
            raise click.UsageError(f"--crawl takes web addresses, and {entry!r} is none.")
    usual = CrawlRequest(url="")
    return Bounds(usual.depth if depth is None else depth, max_pages or usual.max_pages, sitemap)


def crawl_sites(
    client: TriviumClient, urls: Sequence[str], to: Mapping[str, Any], bounds: Bounds, shown: Progress
) -> Sent:
    """Take in one site after the other, telling of each page; a site that fails keeps none of the others back.

    `to`: dataset, run and move, as `TriviumClient.crawl` takes them.
    """
    sent = Sent(to["run"])
    for count, url in enumerate(urls, start=1):
        fates: Counter[Fate] = Counter()
        try:
            for visit in client.crawl(url, **msgspec.structs.asdict(bounds), **to):
                fates[visit.fate] += 1
                why = f" ({one_line(visit.reason.message)})" if visit.reason else ""
                note(f"{visit.fate.value.replace('_', ' ')}: {one_line(visit.url)}{why}")
                if visit.source is not None:
                    sent.count(visit.source)
                elif visit.fate is Fate.FAILED and visit.reason is not None:
                    sent.problems.append(Problem(visit.url, f"{visit.reason.message} {visit.reason.action}".strip()))
        except TriviumError as error:
            if error.code in OF_ALL:
                raise
            sent.problems.append(Problem(url, str(error)))
        parts = ", ".join(f"{fates[fate]} {fate.value.replace('_', ' ')}" for fate in Fate)
        shown.sent(count)
        note(f"{one_line(url)}: {counted(fates.total(), 'page')}: {parts}.")
    return sent
