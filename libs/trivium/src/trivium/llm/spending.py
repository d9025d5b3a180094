"""Tokens that calls of language models take, kept for whoever they are taken for as they come.

A call that is broken off was paid for as far as it came, so nothing here waits for its end. What a provider tells
replaces what was estimated.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextvars import ContextVar

from trivium.ports.llm import Completion, Message

BYTES_PER_TOKEN = 4  # of UTF-8, as OpenAI's tokenizers have it in English


class Account:
    """Tokens that were taken for one request and are not paid for yet. Safe among threads."""

    def __init__(self) -> None:
        self._owed = 0
        self._lock = threading.Lock()

    def owe(self, tokens: int) -> None:
        """So many more; fewer where less than zero."""
        with self._lock:
            self._owed += tokens

    def settle(self) -> int:
        """What is owed, which is nothing afterwards."""
        with self._lock:
            owed, self._owed = max(self._owed, 0), min(self._owed, 0)
            return owed


_account: ContextVar[Account | None] = ContextVar("tokens", default=None)


def pay_from(account: Account) -> None:
    """Calls in this context and those made of it are on `account`."""
    _account.set(account)


def owe(tokens: int) -> None:
    """Tokens that were taken here, if anybody pays for them."""
    account = _account.get()
    if account is not None:
        account.owe(tokens)


class Bill:
    """Of one call."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._read = _tokens(sum(len(message.content.encode("utf-8", "replace")) for message in messages))
        self._written_bytes = 0
        self._billed = 0
        self._sent = False

    def sent(self) -> None:
        """The model has been asked."""
        self._sent = True

    def came(self, text: str = "") -> None:
        """The model answers; this much more came."""
        self._written_bytes += len(text.encode("utf-8", "replace"))
        self._make(self._read + _tokens(self._written_bytes))

    def broken_off(self) -> None:
        """Nobody waits any longer: what it was asked it has read."""
        if self._sent:
            self.came()

    def told(self, completion: Completion) -> None:
        """The whole, by the provider's own count where it gives one; else by what came, with its reasoning."""
        read = completion.input_tokens or self._read
        written_bytes = max(self._written_bytes, len(completion.text.encode("utf-8", "replace")))
        self._make(read + (completion.output_tokens or _tokens(written_bytes)))

    def _make(self, tokens: int) -> None:
        owe(tokens - self._billed)
        self._billed = tokens


def _tokens(size_bytes: int) -> int:
    return -(-size_bytes // BYTES_PER_TOKEN)
