"""Cursors of the registries' listings, as `trivium.domain.cursors` has them of others."""

from __future__ import annotations

import base64
import math

import msgspec

from trivium.domain.documents import Document
from trivium.domain.errors import Refused


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
