"""Who may do what: roles, keys and the caller that a request's credentials stand for."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping

import msgspec

from trivium.domain.scope import Tenant

MAX_KEY_NAME_CHARS = 100
MAX_KEY_LIFE_S = 10 * 366 * 24 * 60 * 60
MAX_KEY_KEEP_S = 30 * 24 * 60 * 60
"""What was replaced stays in force this long at most."""


class Role(enum.StrEnum):
    """What a caller may do; each may do what those before it may."""

    READER = "reader"
    """Search, ask, and read what is there."""
    WRITER = "writer"
    """Add and delete sources, and correct the graph."""
    ADMIN = "admin"
    """Give keys and take them back, and read what was done."""

    def covers(self, needed: Role) -> bool:
        """Whether this role may do what `needed` may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


class TrailOutcome(enum.StrEnum):
    """How a deed of the trail ended."""

    DONE = "done"
    BROKE_OFF = "broke_off"
    """Nobody told how far it came."""


class Caller(msgspec.Struct, frozen=True):
    """Whoever is behind a request. `key_id` names the credential, `name` is what people call it; no secrets."""

    tenant: Tenant
    role: Role
    key_id: str
    name: str = ""


class KeyUse(msgspec.Struct, frozen=True):
    """What a key was used for: how many requests of each kind, and when the last one came (Unix seconds)."""

    at: float
    uses: Mapping[str, int] = {}

    def plus(self, other: KeyUse | None) -> KeyUse:
        """Both together."""
        return KeyUse(max(self.at, other.at), Counter(self.uses) + Counter(other.uses)) if other else self


class AccessKey(msgspec.Struct, frozen=True):
    """A key of a tenant without its secret. Times are Unix seconds; None: never.

    `ended_at` is when it was revoked, or stops because another replaced it. `used_at` is coarse: minutes. `uses` are
    requests by kind.
    """

    id: str
    tenant: str
    name: str
    role: Role
    created_at: float
    created_by: str = ""
    expires_at: float | None = None
    ended_at: float | None = None
    used_at: float | None = None
    uses: Mapping[str, int] = {}

    def stops_at(self) -> float | None:
        """The instant from which on it opens nothing."""
        ends = [end for end in (self.expires_at, self.ended_at) if end is not None]
        return min(ends, default=None)
