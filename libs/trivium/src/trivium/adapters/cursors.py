"""Cursors of listings: opaque to the caller, and nothing that a forged one could break."""

from __future__ import annotations

import base64
import math
from typing import Any, TypeVar

import msgspec

from trivium.domain.documents import Document
from trivium.domain.errors import Refused

Place = TypeVar("Place", bound=tuple[Any, ...])


def cursor_at(place: tuple[Any, ...]) -> str:
    """What leads to the place behind this one, which is told by values that JSON has."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def place_of(cursor: str, kind: type[Place]) -> Place:
    """What `cursor_at` was given; raises `Refused` (`bad_cursor`)."""
    try:
        place: Place = msgspec.json.decode(base64.urlsafe_b64decode(cursor), type=kind)
    except (ValueError, msgspec.DecodeError) as error:
        raise Refused("bad_cursor", "The cursor is not one of this listing.", "Start again without one.") from error
    return place


def write_cursor(last: Document) -> str:
    """The place after `last` in a listing that is newest first, ties by id."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode((last.created_at, last.id))).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[float, str]:
    """(created_at, id) of the last document before the place; raises `Refused` (`bad_cursor`)."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        created_at, document_id = msgspec.msgpack.decode(raw, type=tuple[float, str])
    except (ValueError, msgspec.DecodeError) as error:
        raise _bad() from error
    if not math.isfinite(created_at):
        raise _bad()
    return created_at, document_id


def _bad() -> Refused:
    return Refused("bad_cursor", "The cursor is not one of ours.", "Start the listing again.")
