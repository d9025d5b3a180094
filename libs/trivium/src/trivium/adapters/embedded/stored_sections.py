"""The places of passages that were stored before there were HyperNodes, from the keyword index beside a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby

import msgspec

from trivium.adapters.embedded.neighbour import keywords_beside, opened
from trivium.hypernodes.sections import within


class StoredPassage(msgspec.Struct):
    """Of a stored chunk, its place and its text."""

    id: str
    document_id: str
    version: str
    text: str
    section: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str, str]:
        """Document id and version."""
        return self.document_id, self.version


_decode = msgspec.msgpack.Decoder(StoredPassage).decode


def passages_of(keywords: sqlite3.Connection) -> Iterator[list[StoredPassage]]:
    """Of each version of a document its passages, in their order.

    Raises `msgspec.DecodeError` for a chunk that was overwritten on the disk.
    """
    rows = keywords.execute(
        "SELECT chunk FROM chunks JOIN bodies USING (seq) ORDER BY document_id, version, ordinal, seq"
    )
    for _, of_one in groupby((_decode(body) for (body,) in rows), lambda passage: passage.place):
        yield list(of_one)


def nodes_of_neighbour(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The HyperNodes of each passage of the keyword index beside this database; none where it cannot be read."""
    keywords = keywords_beside(connection)
    if keywords is None:
        return
    with opened(keywords) as index:
        try:
            for of_one in passages_of(index):
                yield from within(*of_one[0].place, of_one).items()
        except (sqlite3.DatabaseError, msgspec.DecodeError):
            return  # a damaged one is rebuilt for reasons of its own
