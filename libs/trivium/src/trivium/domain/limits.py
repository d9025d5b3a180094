"""How much a key or a tenant may take, and how a caller hears that it has taken all of it."""

from __future__ import annotations

import enum
import re

import msgspec

from trivium.domain.errors import Refused, TryLater

_PERIODS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_ENTRY = re.compile(r"(key|tenant)\.([a-z]+)=([1-9][0-9]{0,14})/([smhd])")

RETRY_AFTER_S = 1
"""When to come back to what is away or has too much to do, and does not say so itself."""


class Resource(enum.StrEnum):
    """What is counted."""

    REQUESTS = "requests"
    UPLOADS = "uploads"
    """Calls that hand something over, however many files it is."""
    BYTES = "bytes"
    DOCUMENTS = "documents"
    TOKENS = "tokens"
    """Of the language model, read and written together, and of texts that callers have embedded."""


class Limit(msgspec.Struct, frozen=True):
    """A token bucket that holds `amount` and fills in `period_s`; one for each key, or for each tenant."""

    per_tenant: bool
    resource: Resource
    amount: int
    period_s: int


class TooMany(TryLater):
    """A limit is reached: the same will be taken after `retry_after_s`."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__("too_many", message, f"Come back in {max(1, round(retry_after_s))} s.", retry_after_s)


def read_limits(text: str) -> tuple[Limit, ...]:
    """`key.requests=50/s,tenant.tokens=2000000/d`. Raises `Refused` (`bad_setting`)."""
    return tuple(_limit(entry.strip()) for entry in text.split(",") if entry.strip())


def _limit(entry: str) -> Limit:
    found = _ENTRY.fullmatch(entry)
    if not found or found[2] not in list(Resource):
        raise Refused(
            "bad_setting",
            f"{entry[:80]!r} in TRIVIUM_LIMITS is no limit.",
            f"Write key. or tenant., one of {', '.join(Resource)}, and how many per s, m, h or d: key.requests=50/s.",
        )
    return Limit(found[1] == "tenant", Resource(found[2]), int(found[3]), _PERIODS_S[found[4]])
