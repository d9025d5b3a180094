"""The kinds of passages that were stored before a filter could name them, from the passages themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from trivium.adapters.embedded.neighbour import keywords_beside, opened
from trivium.adapters.kinds import kinds_text

_PLAIN = "text"


class _Kinds(msgspec.Struct):
    """Of a stored chunk, what a filter reads."""

    id: str
    kind: str = _PLAIN
    kinds: tuple[str, ...] = ()


_decode = msgspec.msgpack.Decoder(_Kinds).decode


def of_chunks(keywords: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(kinds as stored, chunk id) of each chunk of a keyword index that is not plain text.

    Raises `msgspec.DecodeError` for a chunk that was overwritten on the disk.
    """
    for (body,) in keywords.execute("SELECT chunk FROM bodies"):
        chunk = _decode(body)
        stored = kinds_text(dict.fromkeys((chunk.kind, *chunk.kinds)))
        if stored != _PLAIN:
            yield stored, chunk.id


def of_neighbour(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """The same of the keyword index in the folder of this database; nothing where there is none to read."""
    beside = keywords_beside(connection)
    if beside is None:
        return []
    with opened(beside) as keywords:
        try:
            return list(of_chunks(keywords))
        except (sqlite3.DatabaseError, msgspec.DecodeError):
            return []  # a damaged one is rebuilt for reasons of its own
