"""What a connector is given: where to look, and by what means."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from trivium.connections.secrets import Secret, SshKey
from trivium.domain.connections import Connection
from trivium.domain.errors import NeverWill
from trivium_query.connect.folders import Folders
from trivium_query.connect.oauth import AccessToken
from trivium_query.egress.fetch import Fetcher

Pause = Callable[[float], None]
"""Wait so many seconds. Raises `Stopped` when the look shall end."""


class Stopped(Exception):
    """The look ends here, and goes on another time."""


class Way(msgspec.Struct, frozen=True):
    """The way out to one place, through the egress guard.

    At most one of `secret`, `token` and `key` is there. `pace` is called before each request, and waits as the
    connection's rate says; `pause` waits as a place asks.
    """

    fetcher: Fetcher
    secret: Secret | None
    pace: Callable[[], None]
    pause: Pause
    key: SshKey | None = None
    token: AccessToken | None = None

    def bounded(self, max_bytes: int) -> Way:
        """The same for answers of at most so many bytes."""
        limits = msgspec.structs.replace(self.fetcher.limits, max_bytes=max_bytes)
        return msgspec.structs.replace(self, fetcher=msgspec.structs.replace(self.fetcher, limits=limits))


class Place(msgspec.Struct, frozen=True):
    """One connection's place and means.

    `folders` are those that its tenant may watch. A file has at most `max_bytes`.
    """

    connection: Connection
    way: Way
    folders: Folders
    max_bytes: int

    def check_size(self, size_bytes: int) -> None:
        """Raises `NeverWill` (`too_large`)."""
        if size_bytes > self.max_bytes:
            raise NeverWill(
                "too_large",
                f"It has {size_bytes:,} bytes; {self.max_bytes:,} are allowed.",
                "Split the file, or raise TRIVIUM_MAX_UPLOAD_BYTES.",
            )
