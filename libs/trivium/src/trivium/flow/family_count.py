"""How many documents come out of one upload, all levels together: each file that holds others claims its number.

A claim is the empty object `family-counts/<upload>/<version>/<holder>/<number>`; it goes with that version of the
upload (`erase.py`).
"""

from __future__ import annotations

from trivium.ports.objects import ObjectStore

PREFIX = "family-counts/"


def claimed(objects: ObjectStore, upload: str, holder: str, wanted: int, most: int) -> int:
    """How many of the `wanted` files inside `holder` fit into the `most` of `upload`; asked again, the same.

    Holders who ask at the same time may both get fewer than there was room for, and never more.
    """
    others = _claims(objects, upload)
    before = others.pop(holder, None)
    if before is not None:
        return min(wanted, before)
    granted = _claim(objects, upload, holder, min(wanted, _room(others, most)))
    others = _claims(objects, upload)
    del others[holder]
    if granted <= _room(others, most):
        return granted
    fewer = _claim(objects, upload, holder, _room(others, most))
    objects.delete(_key(upload, holder, granted))
    return fewer


def _claims(objects: ObjectStore, upload: str) -> dict[str, int]:
    """By holder; of two, which a process that died has left, the smaller."""
    found: dict[str, int] = {}
    for key in objects.keys(f"{PREFIX}{upload}/"):
        holder, number = key.split("/")[-2:]
        found[holder] = min(int(number), found.get(holder, int(number)))
    return found


def _claim(objects: ObjectStore, upload: str, holder: str, number: int) -> int:
    objects.put(_key(upload, holder, number), b"")
    return number


def _room(claims: dict[str, int], most: int) -> int:
    return max(0, most - sum(claims.values()))


def _key(upload: str, holder: str, number: int) -> str:
    return f"{PREFIX}{upload}/{holder}/{number}"
