"""From a token of the company's identity provider (OpenID Connect, JWT: RFC 7519, RFC 8725) to a caller.

The provider's keys are read from where its discovery document says, kept for `KEYS_S`, and read again for a key id that
is not among them, at most every `AGAIN_S`. Keys that are known go on counting while they are read again and while the
provider is away.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx2
import jwt
import msgspec
import structlog

from trivium.authorities import trusted
from trivium.config import Settings, check_https
from trivium.domain.access import Caller, Role
from trivium.domain.errors import Refused, TryLater
from trivium.domain.scope import Tenant
from trivium_query.access.authenticate import SUBJECT

KEYS_S = 600.0
UNASKED_S = 2 * KEYS_S
"""Whoever comes after the provider was not asked for so long waits for its answer: a key may have been withdrawn."""
AGAIN_S = 5.0
FETCH_S = 5.0
MAX_ANSWER_BYTES = 512 * 1024
CLOCK_SKEW_S = 30.0
MAX_SUBJECT_CHARS = 100
log = structlog.get_logger()
_NEEDED = ["exp", "iss", "aud", "sub"]


class _Discovered(msgspec.Struct, frozen=True):
    """What is needed of OpenID Connect Discovery 1.0, section 3."""

    issuer: str
    jwks_uri: str


class _IssuersKey(msgspec.Struct, frozen=True):
    """As the issuer lists it, and as it verifies."""

    listed: Mapping[str, Any]
    key: jwt.PyJWK

    def by(self, algorithm: str) -> jwt.PyJWK:
        """An RSA key that names no `alg` serves each of its family (RFC 7517, section 4.4). Raises `PyJWTError`."""
        if self.listed["kty"] != "RSA" or self.listed.get("alg") or algorithm == self.key.algorithm_name:
            return self.key
        return jwt.PyJWK(dict(self.listed), algorithm)


class SingleSignOn:
    """One issuer's tokens."""

    def __init__(self, settings: Settings) -> None:
        self._issuer = settings.oidc_issuer
        self._ca_file = settings.ca_file
        self._audience = settings.oidc_audience
        self._algorithms = settings.oidc_allowed
        self._tenant_claim, self._role_claim = settings.oidc_tenant_claim, settings.oidc_role_claim
        self._roles = settings.oidc_role_names
        self._keys: dict[str, _IssuersKey] = {}
        self._read_at = self._tried_at = float("-inf")
        self._turn = asyncio.Lock()
        self._behind: asyncio.Task[None] | None = None

    async def caller(self, token: str) -> Caller:
        """Whoever it was given to. Raises `Refused` (`unauthenticated`), and `TryLater` (`issuer_away`)."""
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in self._algorithms:
                raise _refused("is signed by an algorithm that is not allowed here")
            key = await self._key(str(header.get("kid", "")))
            claims = jwt.decode(
                token,
                key.by(header["alg"]),
                algorithms=list(self._algorithms),
                audience=self._audience,
                issuer=self._issuer,
                leeway=CLOCK_SKEW_S,
                options={"require": _NEEDED},
            )
        except jwt.PyJWTError as error:
            raise _refused(_WHY.get(type(error), "cannot be verified")) from error
        return self._told_by(claims)

    def _told_by(self, claims: Mapping[str, Any]) -> Caller:
        tenant, roles = _claim(claims, self._tenant_claim), _claim(claims, self._role_claim)
        if isinstance(tenant, list) and len(tenant) == 1:
            tenant = tenant[0]
        if not isinstance(tenant, str):
            raise _refused(f"does not name one tenant in its claim {self._tenant_claim}")
        held = [role for role in Role if _names(roles) & self._roles[role]]
        if not held:
            raise _refused(f"names no role of Trivium in its claim {self._role_claim}")
        name = claims.get("preferred_username") or claims.get("email") or claims.get("name") or ""
        subject = f"{SUBJECT}{claims['sub']}"[:MAX_SUBJECT_CHARS]
        try:
            return Caller(Tenant(tenant), max(held, key=list(Role).index), subject, str(name)[:MAX_SUBJECT_CHARS])
        except Refused as error:
            raise _refused("names a tenant that cannot be one") from error

    async def _key(self, kid: str) -> _IssuersKey:
        """The issuer's key of that id; read anew when it is unknown, or behind the request when all are old."""
        if kid not in self._keys or time.monotonic() - self._tried_at > UNASKED_S:
            await self._read_anew(kid)
        elif self._are_old() and (self._behind is None or self._behind.done()):
            self._behind = asyncio.create_task(self._read_behind(kid))
        found = self._keys.get(kid)
        if found is None and not self._keys:
            raise _away()
        if found is None:
            raise _refused("is signed by a key that its issuer does not know")
        return found

    def _are_old(self) -> bool:
        return time.monotonic() - self._read_at > KEYS_S

    async def _read_anew(self, kid: str) -> None:
        async with self._turn:
            known = kid in self._keys and not self._are_old()
            if not known and time.monotonic() - self._tried_at > AGAIN_S:
                await self._read_keys(needed=kid not in self._keys)

    async def _read_behind(self, kid: str) -> None:
        with suppress(TryLater):  # it is in the log, and nobody waits for it
            await self._read_anew(kid)

    async def _read_keys(self, *, needed: bool) -> None:
        self._tried_at = time.monotonic()
        try:
            tls = trusted(self._ca_file)
            async with httpx2.AsyncClient(timeout=FETCH_S, follow_redirects=False, verify=tls) as client:
                where = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
                discovered = msgspec.json.decode(await _get(client, where), type=_Discovered)
                if discovered.issuer != self._issuer:
                    raise ValueError("it calls itself otherwise")
                check_https(discovered.jwks_uri, "jwks_uri")
                listed = msgspec.json.decode(await _get(client, discovered.jwks_uri))["keys"]
            self._keys = dict(filter(None, map(_usable, listed)))
            self._read_at = time.monotonic()
        except (httpx2.HTTPError, msgspec.DecodeError, ValueError, KeyError, TypeError, Refused) as error:
            self._tried_at = time.monotonic()
            log.warning("issuer_keys_not_read", reason=str(error) or type(error).__name__)
            if needed:
                raise _away() from error


async def _get(client: httpx2.AsyncClient, url: str) -> bytes:
    content = b""
    async with client.stream("GET", url) as answer:
        answer.raise_for_status()
        async for piece in answer.aiter_bytes():
            content += piece
            if len(content) > MAX_ANSWER_BYTES:
                raise ValueError("the answer is too long")
    return content


def _usable(key: Any) -> tuple[str, _IssuersKey] | None:
    """A public key for signatures by its id; a provider may list others beside them."""
    if not isinstance(key, dict) or key.get("kty") not in ("RSA", "EC", "OKP") or key.get("use", "sig") != "sig":
        return None
    try:
        return str(key.get("kid", "")), _IssuersKey(key, jwt.PyJWK(key))
    except jwt.PyJWTError:
        return None


def _away() -> TryLater:
    return TryLater(
        "issuer_away", "The identity provider does not tell its keys.", "Try again; the operator looks at the log."
    )


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its name, else by its path (`realm_access.roles`); None when absent."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _names(roles: Any) -> set[str]:
    """One name, several, or an object that has them as fields."""
    if isinstance(roles, str):
        return {roles}
    return {role for role in roles if isinstance(role, str)} if isinstance(roles, list | dict) else set()


_WHY: Mapping[type[jwt.PyJWTError], str] = {
    jwt.ExpiredSignatureError: "has expired",
    jwt.ImmatureSignatureError: "is not valid yet",
    jwt.InvalidAudienceError: "is for another audience",
    jwt.InvalidIssuerError: "is of another issuer",
    jwt.MissingRequiredClaimError: "lacks a claim that is needed (exp, iss, aud, sub)",
    jwt.InvalidSignatureError: "has a wrong signature",
    jwt.DecodeError: "cannot be read",
}


def _refused(why: str) -> Refused:
    return Refused("unauthenticated", f"The token {why}.", "Sign in again, or ask an administrator.")
