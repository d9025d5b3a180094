"""Access tokens for refresh tokens (OAuth 2, RFC 6749 section 6), kept in memory and nowhere else.

one is kept, and is not about to expire -> that one
else: refresh token -> token endpoint, through the egress guard -> access token, kept

The refresh token is the file's, until one comes along with an access token and takes its place (`rotated_tokens.py`).
"""

from __future__ import annotations

import threading
import time
from typing import Annotated, Protocol
from urllib.parse import urlencode

import msgspec

from trivium.connections.rotated_tokens import RotatedToken, RotatedTokens
from trivium.connections.secrets import RefreshToken
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.text.urls import checked_url
from trivium_query.egress.fetch import Fetcher, FetchLimits, Reply
from trivium_query.egress.rules import HostRules

LIMITS = FetchLimits(max_bytes=64 * 1024, timeout_s=30.0)
"""Of one request to a token endpoint."""
EARLY_S = 60.0
"""How long before it expires a token is not used any more."""
UNTOLD_S = 300
"""How long one is good of which that is not told."""
MAX_S = 24 * 3600
REFUSED = "refresh_token_refused"
_HEADERS = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))
_SIGN_IN = frozenset({"invalid_grant", "interaction_required", "consent_required", "login_required"})
"""RFC 6749 5.2, and what OpenID Connect Core 3.1.2.6 adds."""
_CLIENT = frozenset({"invalid_client", "unauthorized_client"})


class Hides(Protocol):
    """What knows a secret."""

    def hidden_in(self, text: str) -> str:
        """`text` without it."""
        ...


class _Granted(msgspec.Struct, frozen=True):
    """RFC 6749 5.1."""

    access_token: Annotated[str, msgspec.Meta(pattern=r"\A[!-~]+\Z")]
    token_type: Annotated[str, msgspec.Meta(pattern=r"\A(?i:bearer)\Z")]
    expires_in: int | None = None
    refresh_token: str | None = None


class _Denied(msgspec.Struct, frozen=True):
    """RFC 6749 5.2, of which nothing but the code is told on: the rest is for people who know the client."""

    error: Annotated[str, msgspec.Meta(pattern=r"\A[a-z_]{1,40}\Z")]


class AccessToken:
    """Those that one refresh token brings, one after the other. Threads may share it."""

    def __init__(self, grant: RefreshToken, rules: HostRules, rotated: RotatedToken) -> None:
        """Raises `Refused` (`bad_credential`, `not_encrypted`)."""
        self.grant, self.user, self._rotated = grant, grant.user, rotated
        try:
            self._url = checked_url(grant.token_uri)
        except Refused as error:  # which tells what stands there, a secret for all we know
            why = "The credential's token_uri is no web address."
            raise Refused("bad_credential", why, "Write where the provider gives tokens: https://...") from error
        if self._url.scheme == "http":
            rules.check_in_the_clear(self._url.host, "https")
        self._lock = threading.Lock()
        self._value, self._good_until = "", 0.0
        self._refresh_token = self._known = grant.refresh_token

    def get(self, fetcher: Fetcher) -> str:
        """One that is good for a while.

        Raises `Refused` (`refresh_token_refused`, `client_refused`), `NeverWill` (`no_access_token`) or `TryLater`
        (`no_access_token`), and as `Fetcher.send` and `RotatedToken.keep`.
        """
        with self._lock:
            if time.monotonic() >= self._good_until:
                self._look_for_newer()
                try:
                    self._renew(fetcher)
                except Refused as error:
                    if error.code != REFUSED or not self._look_for_newer():
                        raise
                    self._renew(fetcher)
            return self._value

    def forget(self) -> None:
        """The one that is kept is not taken; the next is another."""
        self._good_until = 0.0

    def hidden_in(self, text: str) -> str:
        """`text` without any of its secrets."""
        secrets = (self._value, self._refresh_token, self.grant.refresh_token, self.grant.client_secret)
        for secret in filter(None, secrets):
            text = text.replace(secret, "********")
        return text

    def _renew(self, fetcher: Fetcher) -> None:
        asked_at = time.monotonic()
        reply = self._asked(msgspec.structs.replace(fetcher, limits=LIMITS))
        if not 200 <= reply.status < 300:
            raise _denied(self._url.host, reply)
        try:
            granted = msgspec.json.decode(reply.content, type=_Granted, strict=False)
        except (msgspec.DecodeError, RecursionError) as error:
            why = f"{self._url.host} does not answer as a token endpoint does."
            raise NeverWill("no_access_token", why, "Check token_uri in the credential's file.") from error
        good_s = UNTOLD_S if granted.expires_in is None else min(granted.expires_in, MAX_S)
        self._value, self._good_until = granted.access_token, asked_at + good_s - EARLY_S
        self._refresh_token = granted.refresh_token or self._refresh_token
        if self._refresh_token != self._known:
            self._rotated.keep(self._refresh_token)
            self._known = self._refresh_token

    def _look_for_newer(self) -> bool:
        """Take the token that another process, or one before this, was given; whether there was one."""
        found = self._rotated.find() or self.grant.refresh_token
        if found == self._known:
            return False
        self._known = self._refresh_token = found
        return True

    def _asked(self, fetcher: Fetcher) -> Reply:
        form = {
            "grant_type": "refresh_token",
            "refresh_token": self._refresh_token,
            "client_id": self.grant.client_id,
            "client_secret": self.grant.client_secret,
        }
        body = urlencode({name: value for name, value in form.items() if value}).encode()
        url, host = str(self._url), self._url.host
        try:
            return fetcher.send("POST", url, _HEADERS, body, read_errors=True)
        except TriviumError as error:
            why = f"{host} gave no access token. {error.message.replace(url, host)}"
            action = error.action if isinstance(error, Refused) else "Check token_uri in the credential's file."
            raise type(error)(error.code, why, action) from error


def _denied(host: str, reply: Reply) -> TriviumError:
    if reply.status in (408, 429) or reply.status >= 500:
        return TryLater("no_access_token", f"{host} gave no access token ({reply.status}).", "Look again later.")
    try:
        code = msgspec.json.decode(reply.content, type=_Denied).error
    except (msgspec.DecodeError, RecursionError):
        code = "no reason given"
    if code in _SIGN_IN:
        return Refused(
            REFUSED,
            f"{host} refuses the refresh token ({code}): it has expired, was taken back, or is another client's.",
            "Sign in to the mailbox again, and put the new refresh_token into the credential's file.",
        )
    if code in _CLIENT:
        return Refused(
            "client_refused",
            f"{host} refuses the client ({code}).",
            "Correct client_id and client_secret in the credential's file.",
        )
    why = f"{host} gave no access token ({reply.status}, {code})."
    return NeverWill("no_access_token", why, "Check token_uri in the credential's file.")


class AccessTokens:
    """Those of a process."""

    def __init__(self, rotated: RotatedTokens) -> None:
        self._rotated = rotated
        self._kept: dict[tuple[str, str], AccessToken] = {}

    def of(self, tenant: Tenant, name: str, grant: RefreshToken, rules: HostRules) -> AccessToken:
        """That of the tenant's credential, anew once its file holds another. Raises as `AccessToken`."""
        kept = self._kept.get((tenant.name, name))
        if kept is None or kept.grant != grant:
            rotated = self._rotated.of(tenant, name, grant)
            kept = self._kept[tenant.name, name] = AccessToken(grant, rules, rotated)
        return kept
