"""What a host lets robots fetch, and how fast (RFC 9309; Crawl-delay and Sitemap as they are commonly understood)."""

from __future__ import annotations

from urllib.parse import urljoin

import msgspec
from protego import Protego

from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.ports.web import Fetch
from trivium_query.egress.fetch import USER_AGENT

MAX_BYTES = 500 * 1024  # RFC 9309 2.5
MAX_DELAY_S = 60.0  # a site that wants more is as good as closed
_AGENT = USER_AGENT.decode()


class Robots(msgspec.Struct, frozen=True):
    """One host's rules. `closed` says why nothing may be fetched, "" when the rules decide."""

    rules: Protego
    closed: str = ""

    def allows(self, url: str) -> bool:
        """Whether we may fetch `url` of this host."""
        return not self.closed and bool(self.rules.can_fetch(url, _AGENT))

    @property
    def delay_s(self) -> float:
        """The pause that the host asks for between two requests; 0 when it asks for none."""
        return float(self.rules.crawl_delay(_AGENT) or 0.0)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Where the host says that its sitemaps are."""
        return tuple(self.rules.sitemaps)


def robots_of(fetch: Fetch, address: str) -> Robots:
    """The rules of the host of `address`. None there: everything is allowed. Not to be had now: nothing is."""
    place = urljoin(address, "/robots.txt")
    nothing_said = Robots(Protego.parse(""))
    try:
        page = fetch(place, None)
    except Refused:
        raise
    except NeverWill as error:
        return Robots(nothing_said.rules, str(error)) if error.code == "too_large" else nothing_said
    except TryLater as error:
        return Robots(nothing_said.rules, f"{place} cannot be read now: {error.message}")
    text = page.content[:MAX_BYTES].decode("utf-8-sig", "replace") if page else ""
    robots = Robots(Protego.parse(text))
    if robots.delay_s > MAX_DELAY_S:
        return Robots(robots.rules, f"{place} asks for {robots.delay_s:g} seconds between two requests.")
    return robots
