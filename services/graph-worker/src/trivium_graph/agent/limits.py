"""What bounds an agent's reading: rounds, tokens and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from trivium.domain.errors import NeverWill
from trivium.domain.reading_cost import PREFIX_TOKENS, tokens_of
from trivium.flow.in_turns import GoesOn
from trivium.ports.llm import Completion, Message

MAX_ANSWER_TOKENS = 2048  # of one answer; a dozen calls take half of it
MAX_PASSAGE_TOKENS = 80_000  # read and written for one passage, all rounds together
MAX_REPEATS = 3  # of calls that were made before: a model that goes in circles is stopped
MAX_CALLS_A_TURN = 40
TIMEOUT_S = 120.0  # of one answer, its retries included
TURN_S = 60.0  # after so long another document gets its turn


class BudgetSpent(NeverWill):
    """The next question could pass the document's budget."""

    def __init__(self, budget: int) -> None:
        super().__init__(
            "budget_spent",
            f"The budget of {budget:,} tokens is spent.",
            "Raise TRIVIUM_AGENT_BUDGET_TOKENS, and ingest the document again.",
        )


class Limits(msgspec.Struct, frozen=True):
    """Of one document, and how many rounds each of its passages may take."""

    budget_tokens: int
    rounds: int


class Turns:
    """One document's turn: `check` raises when the process stops, and nothing is begun after `until`."""

    def __init__(self, check: Callable[[float], None], until: float) -> None:
        self._check = check
        self._until = until
        self.share = 0.0

    def look(self) -> None:
        """Between two questions. Raises `GoesOn` when the turn is over, and what `check` raises."""
        self._check(self.share)
        if time.monotonic() >= self._until:
            raise GoesOn(self.share)


def cost_of(messages: Sequence[Message]) -> int:
    """Tokens that a request will take, its answer not counted."""
    chars = sum(
        len(message.content) + sum(len(str(call.arguments)) + len(call.name) for call in message.calls)
        for message in messages[1:]
    )
    return PREFIX_TOKENS + tokens_of(chars)


def paid_for(messages: Sequence[Message], answer: Completion) -> int:
    """Tokens that the provider counted, or else about so many."""
    if counted := answer.input_tokens + answer.output_tokens:
        return counted
    written = len(answer.text) + sum(len(str(call.arguments)) for call in answer.calls)
    return cost_of(messages) + tokens_of(written)
