"""Links of citations that open without a key: each shows one passage, for a while, and is signed for who made it.

Where the settings let links open the document (`link_opens`), the page of a passage leads on by links that are made
for the same caller and end with its own: to the original and to the passages before and behind.

A browser sends no key when somebody clicks. So a link names its tenant, the key that it was made with, the passage
(whose id is made from the document's version) and its end. Its signature is HMAC-SHA256 (RFC 2104) of method, path and
query.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from functools import partial
from urllib.parse import parse_qsl, urlencode

import msgspec

from trivium.config import Settings
from trivium.domain.access import Caller
from trivium.domain.errors import Refused
from trivium.domain.ids import chunk_id
from trivium.domain.places import sign_links
from trivium.domain.scope import Tenant
from trivium.ports.registry import Registry
from trivium_query.access.authenticate import Authenticator

SIGNATURE = "signature"
_NAMED = ("tenant", "key", "passage", "expires")
_PATH = re.compile(r"/v1/sources/([0-9a-f]{32})/(view|content)")
_ASK_AGAIN = "Ask again for a fresh link."


class SignedRequest(msgspec.Struct, frozen=True):
    """A request whose query carries a signature, and that query (`application/x-www-form-urlencoded`) without it."""

    path: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def unsigned_query(self) -> str:
        """What the route knows."""
        return urlencode([pair for pair in self.pairs if pair[0] not in (SIGNATURE, *_NAMED)])


def is_linked(method: str, path: str) -> bool:
    """Whether that is what a citation may lead to."""
    return method == "GET" and _PATH.fullmatch(path) is not None


def signed_request(method: str, path: str, query: bytes) -> SignedRequest | None:
    """None for any route but the two that links lead to, and without a signature."""
    if b"signature=" not in query or not is_linked(method, path):
        return None
    pairs = tuple(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    return SignedRequest(path, pairs) if SIGNATURE in dict(pairs) else None


class SignedLinks:
    """Makes links and opens them; without a secret, or where no key is needed, links stay as they are."""

    def __init__(self, settings: Settings, authenticator: Authenticator, registry: Registry) -> None:
        self._secret = b"" if authenticator.open else settings.link_secret.encode()
        self._first_keys = settings.api_keys  # other keys there, other signatures: a first key that went opens nothing
        self._life_s = settings.link_life_s
        self._opens_documents = settings.link_opens == "document"
        self._authenticator = authenticator
        self._registry = registry

    def __bool__(self) -> bool:
        return bool(self._secret)

    def begin(self, caller: Caller, until: int | None = None) -> None:
        """Links in the answer to this request are signed for `caller`, until a Unix time (None: for the whole life)."""
        sign_links(partial(self._signed, caller, until) if self else None)

    def _signed(self, caller: Caller, until: int | None, link: str, passage: str) -> str:
        address, mark, fragment = link.partition("#")
        path, _, query = address.partition("?")
        ends = str(int(time.time() + self._life_s) if until is None else until)
        query += "&" + urlencode(dict(zip(_NAMED, (caller.tenant.name, caller.key_id, passage, ends), strict=True)))
        signature = self._sign(caller.tenant.name, path, parse_qsl(query, keep_blank_values=True))
        return f"{path}?{query}&{SIGNATURE}={signature}{mark}{fragment}"

    async def open(self, request: SignedRequest) -> Caller:
        """Who made the link; links in the answer end with it.

        Raises `Refused` (`link_changed`, `link_expired`, `link_ended`), `NotFound` for a source that is gone, and
        `TryLater` when keys or records cannot be read.
        """
        told = dict(request.pairs)
        tenant, key, passage, expires = (told.get(name, "") for name in _NAMED)
        signed = [pair for pair in request.pairs if pair[0] != SIGNATURE]
        expected = self._sign(tenant, request.path, signed)
        if not hmac.compare_digest(expected.encode(), told[SIGNATURE].encode()):
            raise Refused("link_changed", "This link is not as it was made.", _ASK_AGAIN)
        if int(expires) <= time.time():
            raise Refused("link_expired", "This link has expired.", _ASK_AGAIN)
        caller = await self._authenticator.holder(Tenant(tenant), key)
        if caller is None:
            raise Refused("link_ended", "The key that this link was made with has ended.", _ASK_AGAIN)
        shown = told.get("unit") or told.get("highlight")
        if shown is None and not self._opens_documents:
            raise Refused("link_ended", "Links open passages here, and no whole documents any more.", _ASK_AGAIN)
        await self._require_passage(caller.tenant, request, passage, shown)
        self.begin(caller, int(expires))
        return caller

    async def _require_passage(self, tenant: Tenant, request: SignedRequest, passage: str, shown: str | None) -> None:
        """Of the version that is published; the original (nothing is `shown` of it) is named by its first passage."""
        document_id = request.path.split("/")[3]
        document = await asyncio.to_thread(self._registry.for_tenant(tenant).get, document_id)
        newest = shown is not None or document.version == document.active_version
        if not newest or passage != chunk_id(document.id, document.active_version, int(shown or 1) - 1):
            raise Refused("link_ended", "The document has changed since this link was made.", _ASK_AGAIN)

    def _sign(self, tenant: str, path: str, pairs: list[tuple[str, str]]) -> str:
        """64 hexadecimal digits. However the address is percent-encoded and ordered, it is the same."""
        key = hmac.digest(self._secret, f"link\n{tenant}\n{self._first_keys}".encode(errors="surrogatepass"), "sha256")
        text = f"GET\n{path}\n{urlencode(sorted(pairs))}"
        return hmac.digest(key, text.encode(), "sha256").hex()
