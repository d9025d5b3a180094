"""Cursors of listings: opaque to the caller, and nothing that a forged one could break."""

from __future__ import annotations

import base64
from typing import TypeVar

import msgspec

from trivium.domain.errors import Refused

Place = TypeVar("Place")


def cursor_at(place: object) -> str:
    """What leads to the place behind this one, which is told by values that JSON has."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def place_of(cursor: str, kind: type[Place]) -> Place:
    """What `cursor_at` was given; raises `Refused` (`bad_cursor`)."""
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor), type=kind)
    except (ValueError, msgspec.DecodeError) as error:
        raise Refused("bad_cursor", "The cursor is not one of this listing.", "Start again without one.") from error
