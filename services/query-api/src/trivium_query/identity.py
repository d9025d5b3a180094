"""Who is asking: from an API key to a tenant, the same for HTTP and gRPC."""

from __future__ import annotations

import hmac

from trivium.config import LOOPBACK, Settings
from trivium.domain.errors import Refused
from trivium.domain.scope import DEFAULT_TENANT, Tenant


class Keyring:
    """Resolves the credentials of a request. Without any key configured everybody is tenant `default`."""

    def __init__(self, settings: Settings) -> None:
        self._tenants = [(key.encode(), tenant) for key, tenant in settings.tenants_by_key.items()]

    @property
    def open(self) -> bool:
        """True when no key is asked for (loopback only)."""
        return not self._tenants

    def tenant(self, authorization: str, api_key: str) -> Tenant:
        """The tenant of `Authorization: Bearer KEY` or `X-Api-Key: KEY`. Raises `Refused` (`unauthenticated`).

        Every key is compared in constant time, and all of them, so that time tells nothing.
        """
        if self.open:
            return DEFAULT_TENANT
        scheme, _, token = authorization.partition(" ")
        given = (api_key or (token.strip() if scheme.lower() == "bearer" else "")).encode(errors="surrogatepass")
        found = None
        for key, tenant in self._tenants:
            if hmac.compare_digest(key, given):
                found = tenant
        if found is None:
            raise Refused(
                "unauthenticated",
                "The API key is missing or unknown." if given else "An API key is needed.",
                "Send it as 'Authorization: Bearer KEY' or 'X-Api-Key: KEY'.",
            )
        return found


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
