"""When the documents of a tenant were handed over, for rows that were stored before a filter could ask that."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from trivium.adapters.embedded.neighbour import opened


class _Times(msgspec.Struct):
    """Of a registry record, what a row says of it."""

    created_at: float = 0.0
    uploaded_at: float = 0.0


_decode = msgspec.msgpack.Decoder(_Times).decode


def fill_uploaded(connection: sqlite3.Connection, table: str, document: str) -> None:
    """Set `uploaded` of the rows of `table`, whose column `document` names the document, from the registry."""
    if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():  # noqa: S608 - our own names
        known = list(_of_registry(connection))
        connection.executemany(f"UPDATE {table} SET uploaded = ? WHERE {document} = ?", known)  # noqa: S608


def _of_registry(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(Unix seconds, document id) of the tenant in whose folder this database lies; nothing without a registry."""
    (_, _, file) = connection.execute("PRAGMA database_list").fetchone()
    folder = Path(file).parent
    registry = folder.parent.parent / "registry.sqlite"
    if not file or not registry.exists():
        return
    with opened(registry) as documents:
        try:
            for identifier, record in documents.execute(
                "SELECT id, record FROM documents WHERE tenant = ?", (folder.name,)
            ):
                times = _decode(record)
                yield int(times.uploaded_at or times.created_at), identifier
        except (sqlite3.DatabaseError, msgspec.DecodeError):
            return  # a damaged one is mended for reasons of its own, and `audit --repair` writes the rows
