"""Conversations as objects in S3, changed by conditional writes.

Layout in the bucket: `conversations/<tenant>/<id>` is a conversation, and for the listing
`conversation-changes/<tenant>/<20 digits>-<id>` is an empty object whose digits fall with every change. That one is
written before the change it announces; one that announces what did not happen, or no longer is, is passed over.
"""

from __future__ import annotations

import re
import threading
import time
import uuid
from contextlib import suppress

import msgspec

from trivium.adapters.distributed.s3.bucket import PAGE_KEYS, Bucket, Listed
from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.concurrent_calls import map_concurrent
from trivium.domain.answers import Turn
from trivium.domain.errors import NotFound, Refused, TryLater
from trivium.domain.scope import Tenant
from trivium.ports.conversations import LISTED_TURNS, Conversation

_CONVERSATIONS = "conversations/"
_CHANGES = "conversation-changes/"
_TRIES = 16  # of one append; each loss means that another process's succeeded
_MAX_PAGE = 1000
_ABANDONED_S = 3600.0  # a change takes seconds from its announcement on
_LAST = 10**20 - 1
_ID = re.compile(r"[0-9a-f]{32}")
_CURSOR = re.compile(r"[0-9]{20}-[0-9a-f]{32}")


class _Stored(msgspec.Struct, frozen=True):
    """A conversation with the number of its newest change: nanoseconds since 1970, made to grow."""

    conversation: Conversation
    change: int


class ObjectConversations:
    """All tenants' conversations."""

    def __init__(self, objects: S3Objects) -> None:
        self._bucket = objects.bucket
        self._turns = [threading.Lock() for _ in range(64)]

    def for_tenant(self, tenant: Tenant) -> ObjectConversationStore:
        """The tenant's conversations."""
        return ObjectConversationStore(self._bucket, tenant, self._turns)

    def tenants(self) -> set[Tenant]:
        """Those that have a conversation, or had a change."""
        return {Tenant(name) for space in (_CONVERSATIONS, _CHANGES) for name in self._bucket.folders(space)}

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's conversations and their changes."""
        for space in (_CONVERSATIONS, _CHANGES):
            self._bucket.erase(f"{space}{tenant.name}/")


class ObjectConversationStore:
    """One tenant's conversations; see `trivium.ports.conversations.ConversationStore`.

    Threads of one process take turns on a conversation; processes are kept apart by the condition of the write.
    """

    def __init__(self, bucket: Bucket, tenant: Tenant, turns: list[threading.Lock]) -> None:
        self._bucket = bucket
        self._space = f"{_CONVERSATIONS}{tenant.name}/"
        self._changes = f"{_CHANGES}{tenant.name}/"
        self._turns = turns

    def create(self, title: str = "") -> Conversation:
        """A new conversation without a turn."""
        now = time.time_ns()
        made = _Stored(Conversation(uuid.uuid4().hex, title, (), now / 1e9, now / 1e9), now)
        self._announce(made)
        self._write(made, "")
        return made.conversation

    def get(self, conversation_id: str) -> Conversation:
        """The conversation with all its turns."""
        return self._need(conversation_id)[0].conversation

    def append(self, conversation_id: str, turn: Turn) -> Conversation:
        """Add a turn; answers the conversation with it. Raises `TryLater` when others keep changing it."""
        with self._turns[hash(conversation_id) % len(self._turns)]:
            for _ in range(_TRIES):
                known, etag = self._need(conversation_id)
                longer = _with(known, turn)
                self._announce(longer)
                if self._write(longer, etag):
                    self._withdraw(known)
                    return longer.conversation
                self._withdraw(longer)
        raise TryLater("busy_conversation", "The conversation is being changed by many at once.", "Ask again.")

    def list(self, limit: int = 50, cursor: str = "") -> tuple[list[Conversation], str]:
        """One page, each with its newest turns, and the cursor of the next ("" at the end)."""
        limit = max(1, min(limit, _MAX_PAGE))
        if cursor and not _CURSOR.fullmatch(cursor):
            raise Refused("bad_cursor", "The cursor is not one of ours.", "Start the listing again.")
        found: list[tuple[str, Conversation]] = []
        after = cursor
        while len(found) <= limit:
            wanted = min(limit + 1 - len(found), PAGE_KEYS)
            announced = self._bucket.page(self._changes, self._changes + after if after else "", wanted)
            found += [pair for pair in map_concurrent(self._announced, announced) if pair]
            if len(announced) < wanted:
                break
            after = announced[-1].key.removeprefix(self._changes)
        page = [conversation for _, conversation in found[:limit]]
        return page, found[limit - 1][0] if len(found) > limit else ""

    def delete(self, conversation_id: str) -> None:
        """Remove the conversation and its turns."""
        if known := self._load(conversation_id):
            self._bucket.delete(self._space + conversation_id)
            self._withdraw(known[0])

    def _announced(self, announced: Listed) -> tuple[str, Conversation] | None:
        """A conversation with its newest turns, by its place in the listing; None for what is not its newest change."""
        place = announced.key.removeprefix(self._changes)
        known = self._load(place.partition("-")[2])
        if known is None or _place(known[0]) != place:
            if time.time() - announced.modified > _ABANDONED_S:
                self._bucket.delete(announced.key)
            return None
        conversation = known[0].conversation
        return place, msgspec.structs.replace(conversation, turns=conversation.turns[-LISTED_TURNS:])

    def _load(self, conversation_id: str) -> tuple[_Stored, str] | None:
        if not _ID.fullmatch(conversation_id):
            return None
        found = self._bucket.get(self._space + conversation_id)
        return (msgspec.json.decode(found.content, type=_Stored), found.etag) if found else None

    def _need(self, conversation_id: str) -> tuple[_Stored, str]:
        known = self._load(conversation_id)
        if known is None:
            raise NotFound(
                "no_such_conversation", f"There is no conversation {conversation_id[:80]!r}.", "Start a new one."
            )
        return known

    def _write(self, stored: _Stored, etag: str) -> bool:
        key = self._space + stored.conversation.id
        return self._bucket.put(key, msgspec.json.encode(stored), if_match=etag, if_absent=not etag) is not None

    def _announce(self, stored: _Stored) -> None:
        self._bucket.put(self._changes + _place(stored), b"")

    def _withdraw(self, stored: _Stored) -> None:
        with suppress(TryLater):  # the listing passes it over
            self._bucket.delete(self._changes + _place(stored))


def _with(known: _Stored, turn: Turn) -> _Stored:
    change = max(time.time_ns(), known.change + 1)
    turns = (*known.conversation.turns, turn)
    return _Stored(msgspec.structs.replace(known.conversation, turns=turns, updated_at=change / 1e9), change)


def _place(stored: _Stored) -> str:
    """Where the listing, whose order is that of the text, has it: newest change first."""
    return f"{_LAST - stored.change:020d}-{stored.conversation.id}"
