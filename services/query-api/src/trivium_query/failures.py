"""The one table from a failure to what HTTP and gRPC callers see."""

from __future__ import annotations

import msgspec
from grpc import StatusCode

from trivium.domain.errors import Conflict, NeverWill, NotFound, Refused, TriviumError, TryLater
from trivium_query import pace


class Seen(msgspec.Struct, frozen=True):
    """How a failure looks from outside."""

    http: int
    grpc: StatusCode
    title: str


BY_CODE = {
    "unauthenticated": Seen(401, StatusCode.UNAUTHENTICATED, "Not authenticated"),
    "too_many": Seen(429, StatusCode.RESOURCE_EXHAUSTED, "Too many"),
    "forbidden": Seen(403, StatusCode.PERMISSION_DENIED, "Not allowed"),
    "link_changed": Seen(403, StatusCode.PERMISSION_DENIED, "Not allowed"),
    "link_expired": Seen(403, StatusCode.PERMISSION_DENIED, "Not allowed"),
    "link_ended": Seen(403, StatusCode.PERMISSION_DENIED, "Not allowed"),
    "foreign_host": Seen(403, StatusCode.PERMISSION_DENIED, "Not allowed from there"),
    "foreign_origin": Seen(403, StatusCode.PERMISSION_DENIED, "Not allowed from there"),
    "too_large": Seen(413, StatusCode.RESOURCE_EXHAUSTED, "Too large"),
    "body_late": Seen(408, StatusCode.DEADLINE_EXCEEDED, "The request came too slowly"),
    "wrong_content_type": Seen(415, StatusCode.INVALID_ARGUMENT, "Unsupported content type"),
    "no_password_needed": Seen(409, StatusCode.FAILED_PRECONDITION, "Not locked"),
    "no_language_model": Seen(422, StatusCode.FAILED_PRECONDITION, "No language model"),
    "invalid_request": Seen(422, StatusCode.INVALID_ARGUMENT, "Invalid request"),
    "bad_time": Seen(422, StatusCode.INVALID_ARGUMENT, "Invalid request"),
    "store_corrupt": Seen(500, StatusCode.INTERNAL, "A store is damaged"),
    "store_newer": Seen(500, StatusCode.INTERNAL, "A store of a newer Trivium"),
    "deadline_passed": Seen(504, StatusCode.DEADLINE_EXCEEDED, "Out of time"),
}

BY_FAMILY: tuple[tuple[type[TriviumError], Seen], ...] = (
    (NotFound, Seen(404, StatusCode.NOT_FOUND, "Not found")),
    (Conflict, Seen(409, StatusCode.ABORTED, "Changed by someone else")),
    (Refused, Seen(400, StatusCode.INVALID_ARGUMENT, "Refused")),
    (NeverWill, Seen(422, StatusCode.FAILED_PRECONDITION, "Cannot be done")),
    (TryLater, Seen(503, StatusCode.UNAVAILABLE, "Unavailable for now")),
)

INTERNAL = Seen(500, StatusCode.INTERNAL, "Internal error")


def seen(error: TriviumError) -> Seen:
    """The status of `error`: by its code where that says more, else by its family."""
    if error.code in BY_CODE:
        return BY_CODE[error.code]
    return next((status for family, status in BY_FAMILY if isinstance(error, family)), INTERNAL)


def deadline_passed(timeout_s: float, setting: str = "TRIVIUM_QUERY_TIMEOUT_S") -> TryLater:
    """The work was cut off after `timeout_s`, which the `setting` allows at most."""
    return TryLater(
        "deadline_passed",
        f"The work did not finish within {timeout_s:g} s.",
        f"Ask for less, try again later, or raise {setting}.",
    )


def body_late() -> TryLater:
    """The caller did not keep the `pace`."""
    return TryLater(
        "body_late",
        f"The body came too slowly: {pace.BYTES_PER_S} bytes/s are needed, and no pause of {pace.IDLE_S:g} s.",
        "Check the connection; send again.",
    )


def wrong_content_type(kind: str, action: str) -> Refused:
    """The body is of a `kind` that nobody here reads."""
    named = kind.partition(";")[0].strip()[:80]
    return Refused("wrong_content_type", f"Cannot take {named or 'a body without a content type'}.", action)
