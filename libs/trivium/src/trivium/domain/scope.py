"""Who a record belongs to: no store handle and no record exists without it."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.errors import Refused

_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class Tenant(msgspec.Struct, frozen=True):
    """A tenant's name: lower-case letters, digits, `-` and `_`, at most 63 characters.

    Raises `Refused` (`bad_tenant`) for anything else, so that a tenant name is safe as a
    folder, a bucket prefix and a partition key.
    """

    name: str

    def __post_init__(self) -> None:
        if not _TENANT.fullmatch(self.name):
            raise Refused(
                "bad_tenant",
                f"{self.name[:80]!r} is not a tenant name.",
                "Use up to 63 lower-case letters, digits, '-' or '_'.",
            )

    def __str__(self) -> str:
        return self.name


class Scope(msgspec.Struct, frozen=True):
    """What every row says of its document (RAGA: tenant, dataset, run), for filters.

    `uploaded` and `dated` as `Document.uploaded` and `dated_at`, in whole Unix seconds.
    """

    tenant: Tenant
    dataset: str = "default"
    run: str = ""
    uploaded: int = 0
    dated: int | None = None


DEFAULT_TENANT = Tenant("default")
