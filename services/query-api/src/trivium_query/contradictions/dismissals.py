"""Cards that a person put aside: one small object each, written once, in the tenant's object store."""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec

from trivium.domain.contradictions import Dismissal
from trivium.domain.errors import NotFound
from trivium.ports.objects import ObjectStore

PREFIX = "contradictions/dismissed/"


def dismiss(objects: ObjectStore, card_id: str, why: str) -> Dismissal:
    """Put a card aside; the first reason given stays."""
    given = Dismissal(why, time.time())
    if objects.put_if_absent(f"{PREFIX}{card_id}", msgspec.json.encode(given)):
        return given
    return dismissals(objects).get(card_id, given)


def dismissals(objects: ObjectStore) -> dict[str, Dismissal]:
    """All of the tenant's, by card."""
    found: dict[str, Dismissal] = {}
    for key in objects.keys(PREFIX):
        with suppress(NotFound, msgspec.DecodeError):
            found[key.removeprefix(PREFIX)] = msgspec.json.decode(objects.get(key), type=Dismissal)
    return found
