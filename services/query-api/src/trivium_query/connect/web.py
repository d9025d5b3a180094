"""One place on the web, asked with its connection's credential."""

from __future__ import annotations

import base64
from collections.abc import Iterable

import httpx2
import msgspec

from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.ports.web import Validators
from trivium.retrying import seconds_of
from trivium.text.urls import checked_url
from trivium_query.connect.place import Way
from trivium_query.egress.fetch import PASSING, REDIRECTS, Reply, onward
from trivium_query.egress.pool import PATIENCE_S

_MAX_HOPS = 5


def web_location(location: str, way: Way, *, signed: bool = False) -> httpx2.URL:
    """A place's address. Raises `Refused` (`bad_url`, `bad_location`, `not_encrypted`).

    A credential goes over TLS, or to a host that the operator allows by name; one that only signs goes nowhere.
    """
    if "@" in location.partition("://")[2].partition("/")[0]:
        raise holds_login()
    url = checked_url(location)
    if way.secret is not None and not signed and url.scheme == "http":
        way.fetcher.rules.check_in_the_clear(url.host, "https")
    return url


class Web:
    """Requests below one address; redirects are followed, and the credential goes nowhere but to the place itself."""

    def __init__(self, way: Way, base: httpx2.URL) -> None:
        self._way, self._base = way, base

    def ask(self, method: str, url: httpx2.URL, headers: Iterable[tuple[str, str]] = (), body: bytes = b"") -> Reply:
        """The answer, a success or 304. Raises as `Fetcher.send`, and by what another status says."""
        for hop in range(_MAX_HOPS):
            self._way.pace()
            reply = self._way.fetcher.send(method, str(url), [*headers, *self._login(url)], body)
            wait_s = seconds_of(reply.header("retry-after")) if reply.status in PASSING else 0.0
            if 0 < wait_s <= PATIENCE_S and hop + 1 < _MAX_HOPS:
                self._way.pause(wait_s)
                continue
            if reply.status not in REDIRECTS:
                return _checked(reply, with_login=self._way.secret is not None)
            url = onward(url, reply.header("location") or "/", "Tell whoever runs that server.")
        raise NeverWill("fetch_failed", f"{url} redirects more than {_MAX_HOPS} times.", "Give its final address.")

    def _login(self, url: httpx2.URL) -> list[tuple[str, str]]:
        secret = self._way.secret
        if secret is None or not has_same_host(self._base, url):
            return []
        return [("Authorization", basic(secret.user, secret.password))]


def mark_of(reply: Reply) -> str:
    """What the server tells this answer from others by, to be kept; "" where it tells nothing."""
    known = Validators("", reply.header("etag"), reply.header("last-modified"))
    return "" if known == Validators() else msgspec.json.encode(known).decode()


def unless_still(mark: str) -> list[tuple[str, str]]:
    """Headers that ask for what is not as `mark_of` had it (RFC 9110 13.1); none where that told nothing."""
    try:
        known = msgspec.json.decode(mark, type=Validators)
    except msgspec.DecodeError:
        return []
    given = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
    return [(name, value) for name, value in given if value]


def has_same_host(base: httpx2.URL, url: httpx2.URL) -> bool:
    """Whether both lead to one server, over the same protocol and port."""
    return (url.scheme, url.host, url.port) == (base.scheme, base.host, base.port)


def basic(user: str, password: str) -> str:
    """RFC 7617."""
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def holds_login() -> Refused:
    """A location is written where everybody may read it."""
    return Refused(
        "bad_location",
        "The location holds a user name or a password.",
        "Leave it out, and name a file that holds it: --credential NAME.",
    )


def refused_login(host: str, *, with_login: bool) -> Refused:
    """What a place that wants another credential, or one at all, is told as."""
    if with_login:
        return Refused("login_refused", f"{host} refuses the credential.", "Correct the file that it is in.")
    return Refused("login_needed", f"{host} wants a login.", "Name a credential: --credential NAME.")


def _checked(reply: Reply, *, with_login: bool) -> Reply:
    if reply.status in (401, 403, 407):
        raise refused_login(httpx2.URL(reply.url).host, with_login=with_login)
    if reply.status in PASSING:
        raise TryLater("fetch_failed", f"{reply.url} answered {reply.status}.", "Try again in a while.")
    if not (200 <= reply.status < 300 or reply.status == 304):
        raise NeverWill("fetch_failed", f"{reply.url} answered {reply.status}.", "Check the location.")
    return reply
