"""Conversations in one SQLite file per tenant."""

from __future__ import annotations

import sqlite3
import time
import uuid
from pathlib import Path

import msgspec

from trivium.adapters.embedded.sqlite import Database, Schema, TenantDatabases
from trivium.domain.answers import Turn
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.conversations import LISTED_TURNS, Conversation

_SCHEMA = Schema(
    name="store of conversations",
    steps=(
        """
        CREATE TABLE conversations (
            change INTEGER PRIMARY KEY AUTOINCREMENT, -- grows with every change: the order of the listing
            id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL
        );
        CREATE TABLE turns (
            id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL
                REFERENCES conversations (id) ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED,
            turn BLOB NOT NULL
        );
        CREATE INDEX by_conversation ON turns (conversation_id, id);
        """,
    ),
    recovery="Stop Trivium and move the tenant's conversations.sqlite out of the data directory: past conversations are"
    " lost with it, documents are not.",
)
_MAX_PAGE = 1000
_ALL = -1  # SQLite: no limit


class SqliteConversations:
    """All tenants' conversations."""

    def __init__(self, data: Path) -> None:
        self._databases = TenantDatabases(data, "conversations", _SCHEMA)

    def for_tenant(self, tenant: Tenant) -> SqliteConversationStore:
        """The tenant's conversations."""
        return SqliteConversationStore(self._databases.of(tenant))

    def tenants(self) -> set[Tenant]:
        """Those that have a file."""
        return self._databases.tenants()

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's file."""
        self._databases.drop(tenant)

    def close(self) -> None:
        """Close the files."""
        self._databases.close()


class SqliteConversationStore:
    """One tenant's conversations; see `trivium.ports.conversations.ConversationStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, title: str = "") -> Conversation:
        """A new conversation without a turn."""
        now = time.time()
        conversation = Conversation(uuid.uuid4().hex, title, (), now, now)
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
                (conversation.id, title, now, now),
            )
        return conversation

    def get(self, conversation_id: str) -> Conversation:
        """The conversation with all its turns."""
        with self._database.read() as connection:
            return _load(connection, conversation_id)

    def append(self, conversation_id: str, turn: Turn) -> Conversation:
        """Add a turn; answers the conversation with it."""
        with self._database.write() as connection:
            moved = connection.execute(
                "UPDATE conversations SET updated_at = ?, change ="
                " (SELECT seq FROM sqlite_sequence WHERE name = 'conversations') + 1 WHERE id = ?",
                (time.time(), conversation_id),
            ).rowcount
            if moved:
                connection.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'conversations'")
                connection.execute(
                    "INSERT INTO turns (conversation_id, turn) VALUES (?, ?)",
                    (conversation_id, msgspec.msgpack.encode(turn)),
                )
            return _load(connection, conversation_id)

    def list(self, limit: int = 50, cursor: str = "") -> tuple[list[Conversation], str]:
        """One page, each with its newest turns, and the cursor of the next ("" at the end)."""
        limit = max(1, min(limit, _MAX_PAGE))
        before = _read_cursor(cursor)
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT change, id, title, created_at, updated_at FROM conversations"
                " WHERE change < ? ORDER BY change DESC LIMIT ?",
                (before, limit + 1),
            ).fetchall()
            page = [Conversation(row[1], row[2], _turns(connection, row[1], LISTED_TURNS), *row[3:]) for row in rows]
        page = page[:limit]
        return page, str(rows[limit - 1][0]) if len(rows) > limit else ""

    def delete(self, conversation_id: str) -> None:
        """Remove the conversation and its turns."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))


def _load(connection: sqlite3.Connection, conversation_id: str) -> Conversation:
    found = connection.execute(
        "SELECT title, created_at, updated_at FROM conversations WHERE id = ?", (conversation_id,)
    ).fetchone()
    if found is None:
        raise NotFound(
            "no_such_conversation", f"There is no conversation {conversation_id[:80]!r}.", "Start a new one."
        )
    return Conversation(conversation_id, found[0], _turns(connection, conversation_id, _ALL), *found[1:])


def _turns(connection: sqlite3.Connection, conversation_id: str, newest: int) -> tuple[Turn, ...]:
    """The newest turns, oldest first."""
    rows = connection.execute(
        "SELECT turn FROM turns WHERE conversation_id = ? ORDER BY id DESC LIMIT ?", (conversation_id, newest)
    ).fetchall()
    return tuple(msgspec.msgpack.decode(row[0], type=Turn) for row in reversed(rows))


def _read_cursor(cursor: str) -> int:
    if not cursor:
        return 2**62
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise Refused("bad_cursor", "The cursor is not one of ours.", "Start the listing again.")
    return int(cursor)
