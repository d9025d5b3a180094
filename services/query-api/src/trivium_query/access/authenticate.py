"""READ FIRST: from a request's credentials to its caller, the same for HTTP, gRPC and every other door.

    caller = await authenticator.authenticate(Credentials(authorization, api_key))
    require(caller, Role.WRITER)

Keys in `TRIVIUM_API_KEYS` are first admins. Others are looked up in the object store and remembered for `FRESH_S`, so
what is revoked on one process opens nothing on any other within `STALE_S`.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from hashlib import sha256

import msgspec

from trivium.access.key_text import KeyText, read_key
from trivium.access.stored_keys import STALE_S, StoredKeys
from trivium.config import Settings
from trivium.domain.access import AccessKey, Caller, Role
from trivium.domain.errors import Refused
from trivium.domain.scope import DEFAULT_TENANT, Tenant

FRESH_S = 2.0
"""A key is looked up again after it."""
REMEMBERED = 10_000
MAX_CREDENTIAL_CHARS = 8192
OPEN_CALLER = Caller(DEFAULT_TENANT, Role.ADMIN, "open")
SUBJECT = "sso:"
"""Begins the key id of a token's holder."""
_SHAPE_DOTS = 2


class Credentials(msgspec.Struct, frozen=True):
    """The headers `Authorization` and `X-Api-Key`, "" when absent."""

    authorization: str = ""
    api_key: str = ""

    @property
    def token(self) -> str:
        """The key or token itself."""
        scheme, _, token = self.authorization.partition(" ")
        return self.api_key or (token.strip() if scheme.lower() == "bearer" else "")


def is_token(text: str) -> bool:
    """Whether it has a JWT's shape: a header that is a JSON object, a body, a signature."""
    return text.count(".") == _SHAPE_DOTS and text.startswith("eyJ")


def require(caller: Caller, role: Role) -> None:
    """Raises `Refused` (`forbidden`) unless the caller's role covers `role`."""
    if not caller.role.covers(role):
        raise Refused(
            "forbidden",
            f"This needs the role {role}; the key has the role {caller.role}.",
            "Ask an administrator for such a key.",
        )


class _Found(msgspec.Struct):
    """What a look told, when, and when one was last begun."""

    key: AccessKey | None
    looked_at: float
    began_at: float


class Authenticator:
    """Resolves credentials. Without any key configured everybody is admin of tenant `default` (loopback only)."""

    def __init__(self, settings: Settings, keys: StoredKeys) -> None:
        self._first = [
            (key.encode(), Caller(tenant, Role.ADMIN, f"environment-{number}"))
            for number, (key, tenant) in enumerate(settings.tenants_by_key.items(), 1)
        ]
        self._keys = keys
        self._sso = None
        if settings.oidc_issuer:
            from trivium_query.access.single_sign_on import SingleSignOn  # noqa: PLC0415 - with cryptography, 9 MB

            self._sso = SingleSignOn(settings)
        self._found: OrderedDict[bytes, _Found] = OrderedDict()

    @property
    def open(self) -> bool:
        """True when no key is asked for (loopback only)."""
        return not self._first and self._sso is None

    async def authenticate(self, given: Credentials) -> Caller:
        """The caller. Raises `Refused` (`unauthenticated`), and `TryLater` when keys cannot be read.

        An open server takes those who send nothing of ours for its admin; a key of ours it holds to its role.
        """
        token = given.token
        if len(token) > MAX_CREDENTIAL_CHARS:
            raise _unauthenticated("The API key is none of ours.")
        first = self._first_admin(token)
        if first is not None:
            return first
        text = read_key(token)
        if text is not None:
            return await self._of_key(token, text)
        if self._sso is not None and is_token(token):
            return await self._sso.caller(token)
        if self.open:
            return OPEN_CALLER
        raise _unauthenticated("The API key is missing or unknown." if token else "An API key is needed.")

    async def holder(self, tenant: Tenant, key_id: str) -> Caller | None:
        """Who holds that credential now, None once it has ended; for what its holder made and signed earlier.

        Of a token nothing is known but its name: its holder was a reader at least. Raises `TryLater`.
        """
        if key_id.startswith(SUBJECT):
            return Caller(tenant, Role.READER, key_id) if self._sso is not None else None
        for _, caller in self._first:
            if (caller.tenant, caller.key_id) == (tenant, key_id):
                return caller
        key = await asyncio.to_thread(self._keys.named, tenant, key_id)
        if key is None or _has_ended(key):
            return None
        return Caller(tenant, key.role, key.id, key.name)

    def _first_admin(self, token: str) -> Caller | None:
        """Every key is compared in constant time, and all of them, so that time tells nothing."""
        given = token.encode(errors="surrogatepass")
        found = None
        for key, caller in self._first:
            if hmac.compare_digest(key, given):
                found = caller
        return found

    async def _of_key(self, token: str, text: KeyText) -> Caller:
        key = await self._look(sha256(token.encode()).digest(), text)
        if key is None:
            raise _unauthenticated("The API key is missing or unknown.")
        if _has_ended(key):
            ended = "been revoked" if key.stops_at() == key.ended_at else "expired"
            raise _unauthenticated(f"The API key {key.id} has {ended}.")
        return Caller(text.tenant, key.role, key.id, key.name)

    async def _look(self, place: bytes, text: KeyText) -> AccessKey | None:
        """What is remembered while it is fresh; it is told up to `STALE_S` while one request looks again."""
        now = time.monotonic()
        found = self._found.get(place)
        if found is not None:
            age = now - found.looked_at
            if age < FRESH_S or (age < STALE_S and now - found.began_at < FRESH_S):
                return found.key
            found.began_at = now
        key = await asyncio.to_thread(self._keys.find, text)
        self._found[place] = _Found(key, now, now)
        self._found.move_to_end(place)
        while len(self._found) > REMEMBERED:
            self._found.popitem(last=False)
        return key


def _has_ended(key: AccessKey) -> bool:
    stops = key.stops_at()
    return stops is not None and stops <= time.time()


def _unauthenticated(why: str) -> Refused:
    how = "Send a key as 'Authorization: Bearer KEY' or 'X-Api-Key: KEY'; commands take it from TRIVIUM_API_KEY."
    return Refused("unauthenticated", why, how)
