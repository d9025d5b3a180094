"""Whether a request to a server without keys comes from this machine's own programs and pages."""

from __future__ import annotations

from trivium.config import LOOPBACK
from trivium.domain.errors import Refused


def check_local(host: str, origin: str) -> None:
    """Refuse what a foreign web page could make a browser send to a server without keys.

    `host` and `origin` are the headers of those names: a name that was rebound to 127.0.0.1 shows in the
    first, a page of another site in the second.
    Raises `Refused` (`foreign_host`, `foreign_origin`).
    """
    if hostname(host) not in LOOPBACK:
        raise Refused(
            "foreign_host",
            "Without API keys this server answers only to localhost.",
            "Use http://127.0.0.1, or set TRIVIUM_API_KEYS.",
        )
    if origin and origin.partition("://")[2] != host:
        raise Refused(
            "foreign_origin",
            "Without API keys this server takes no requests from other sites' pages.",
            "Set TRIVIUM_API_KEYS and send a key.",
        )


def hostname(host: str) -> str:
    """The name in a `Host` header, without port and brackets, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
