"""A dataset's schemas in the tenant's object store, each an object that is written once.

`schemas/<dataset>/<nines less the number>` is one version, so that a listing begins with the newest, which is the one
in force. The next number is taken by a conditional write: of two that change a schema at once, one loses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

import msgspec
from msgspec.structs import replace

from trivium.domain.errors import Conflict, NeverWill, NotFound
from trivium.domain.graph_schema import GraphSchema
from trivium.ports.objects import ObjectStore

PREFIX = "schemas/"
MAX_TRIES = 8  # each that is lost is another's version
_LAST = 10**8 - 1

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(GraphSchema).decode


def newest(objects: ObjectStore, dataset: str) -> GraphSchema:
    """The schema as it is now; number 0 where there is none. Raises `NeverWill` (`schema_unreadable`)."""
    key = next(iter(objects.keys(f"{PREFIX}{dataset}/")), None)
    return _read(objects, key) if key else GraphSchema(dataset)


def version(objects: ObjectStore, dataset: str, number: int) -> GraphSchema:
    """One version; 0 is the one before the first. Raises `NotFound` (`no_such_version`)."""
    if number == 0:
        return GraphSchema(dataset)
    try:
        return _read(objects, _key(dataset, number))
    except NotFound as error:
        last = newest(objects, dataset).number
        there = f"There are 1 to {last}." if last else "It has none yet: trivium graph schema propose."
        raise NotFound("no_such_version", f"The schema of {dataset!r} has no version {number}.", there) from error


def of_all_datasets(objects: ObjectStore) -> Iterator[GraphSchema]:
    """The newest of each dataset that has one."""
    for _, keys in groupby(objects.keys(PREFIX), key=lambda key: key.rpartition("/")[0]):
        yield _read(objects, next(keys))


def changed(
    objects: ObjectStore, dataset: str, change: Callable[[GraphSchema], GraphSchema], based_on: int | None = None
) -> GraphSchema:
    """The next version, as `change` makes it of the newest; the newest itself where that changes nothing.

    Raises `Conflict` (`schema_changed`) where the newest is not the one that the caller looked at, `based_on`, and what
    `change` raises. Without `based_on` a change that another's overtook is made of theirs.
    """
    for _ in range(MAX_TRIES):
        known = newest(objects, dataset)
        if based_on is not None and known.number != based_on:
            break
        made = change(known)
        if made == known:
            return known
        number = known.number + 1
        made = replace(made, number=number, active=known.active if made.types == known.types else number)
        if objects.put_if_absent(_key(dataset, number), _encode(made)):
            return made
    raise Conflict(
        "schema_changed",
        f"Somebody else has changed the schema of {dataset!r}: it is at version {newest(objects, dataset).number}.",
        "Look at it again with: trivium graph schema show.",
    )


def _read(objects: ObjectStore, key: str) -> GraphSchema:
    try:
        return _decode(objects.get(key))
    except msgspec.DecodeError as error:
        raise NeverWill(
            "schema_unreadable",
            f"The stored schema {key!r} is damaged, or of a newer Trivium.",
            "Update Trivium, or remove the object: the version before it is in force then.",
        ) from error


def _key(dataset: str, number: int) -> str:
    return f"{PREFIX}{dataset}/{_LAST - number:08d}"
