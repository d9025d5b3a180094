"""A deployment's connectors: from its settings to one connection's connector."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from trivium.config import Settings
from trivium.connections.rotated_tokens import RotatedTokens
from trivium.connections.secrets import RefreshToken, Secret, read_secret, read_ssh_key
from trivium.connections.stored_connections import StoredConnections
from trivium.domain.connections import Connection, ConnectorKind, leads_over_ssh
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant
from trivium.ports.buckets import Buckets
from trivium.ports.connector import Connector
from trivium.ports.intake import Intake
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry
from trivium.ports.schedule import Schedule
from trivium_query.access.limiter import Limiter
from trivium_query.connect.driver import Connecting, Plans
from trivium_query.connect.folders import folders_of
from trivium_query.connect.look import Desk
from trivium_query.connect.oauth import AccessTokens, Hides
from trivium_query.connect.open import open_connector
from trivium_query.connect.place import Pause, Place, Way
from trivium_query.egress.fetch import Fetcher, FetchLimits
from trivium_query.egress.rules import host_rules


def connecting_of(
    settings: Settings,
    objects: Objects,
    registry: Registry,
    intake: Intake,
    schedule: Schedule,
    buckets: Buckets | None = None,
) -> Connecting:
    """The connections of a deployment."""
    stored = StoredConnections(objects)
    means = Means(settings, AccessTokens(RotatedTokens(objects)))
    desk = Desk(stored, intake, registry, Limiter(settings.limits, buckets), means.open)
    return Connecting(Plans(stored, schedule), desk)


FETCH_S = 120.0
"""Of one request."""


class Means(msgspec.Struct, frozen=True):
    """What connectors may read. `now` is the clock, in seconds, by which requests are spaced."""

    settings: Settings
    tokens: AccessTokens
    now: Callable[[], float] = time.monotonic

    def open(self, tenant: Tenant, connection: Connection, cursor: str, pause: Pause) -> tuple[Connector, Hides | None]:
        """A look at a place; asks nothing of anyone yet.

        Raises `Refused` for a place that cannot be looked at, and for a credential that is not there.
        """
        settings = self.settings
        limits = FetchLimits(max_bytes=settings.max_upload_bytes, timeout_s=FETCH_S)
        rules = host_rules(settings.url_allow, settings.url_deny, settings.url_only)
        fetcher = Fetcher(limits, rules, ca_file=settings.ca_file)
        over_ssh = leads_over_ssh(connection.kind, connection.location)
        found = None if over_ssh else read_secret(settings, tenant, connection.credential)
        secret = found if isinstance(found, Secret) else None
        token = None
        if isinstance(found, RefreshToken):
            _check_kind(connection)
            token = self.tokens.of(tenant, connection.credential, found, fetcher.rules)
        key = read_ssh_key(settings, tenant, connection.credential) if over_ssh else None
        place = Place(
            connection,
            Way(fetcher, secret, _paced(connection.max_per_s, pause, self.now), pause, key, token),
            folders_of(settings, tenant),
            settings.max_upload_bytes,
        )
        return open_connector(place, cursor), secret or token


def _check_kind(connection: Connection) -> None:
    if connection.kind is not ConnectorKind.IMAP:
        why = f"The credential {connection.credential!r} is for OAuth 2, which only mailboxes (imap) take."
        raise Refused("bad_credential", why, "Name one that holds user:password, or a token.")


def _paced(per_s: float, pause: Pause, now: Callable[[], float]) -> Callable[[], None]:
    """Waits until another request may be made."""
    next_at = [0.0]

    def pace() -> None:
        asked_at = now()
        pause(max(0.0, next_at[0] - asked_at))
        next_at[0] = max(asked_at, next_at[0]) + 1 / per_s

    return pace
