"""Conversations: what was asked before, so that a follow-up is understood."""

from __future__ import annotations

from typing import Protocol

import msgspec

from trivium.domain.answers import Turn
from trivium.domain.scope import Tenant

LISTED_TURNS = 10  # the newest of each conversation, as listings show them


class Conversation(msgspec.Struct, frozen=True):
    """Turns in order, oldest first. Times are Unix seconds. A listing shows the newest `LISTED_TURNS` turns."""

    id: str
    title: str
    turns: tuple[Turn, ...] = ()
    created_at: float = 0.0
    updated_at: float = 0.0


class ConversationStore(Protocol):
    """One tenant's conversations.

    Missing: `get` and `append` raise `NotFound`; `delete` does nothing.
    Duplicate: `create` always makes a new one.
    Empty: a conversation may have no turn.
    Order: `list` newest change first; turns in the order of appending.
    Half-done: a turn is stored whole or not at all.
    """

    def create(self, title: str = "") -> Conversation: ...
    def get(self, conversation_id: str) -> Conversation: ...
    def append(self, conversation_id: str, turn: Turn) -> Conversation: ...
    def list(self, limit: int = 50, cursor: str = "") -> tuple[list[Conversation], str]: ...
    def delete(self, conversation_id: str) -> None: ...


class Conversations(Protocol):
    """All tenants' conversations."""

    def for_tenant(self, tenant: Tenant) -> ConversationStore: ...
    def tenants(self) -> set[Tenant]:
        """Whoever may have a conversation: those that have none any more may be among them."""
        ...

    def drop(self, tenant: Tenant) -> None:
        """Remove all conversations of the tenant."""
        ...
