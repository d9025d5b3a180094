"""One LLM client, provider by configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, Protocol, TypeVar

import msgspec


class Picture(msgspec.Struct, frozen=True):
    """An image that a vision-capable model looks at: PNG, JPEG, GIF or WebP."""

    media_type: str
    content: bytes


class Tool(msgspec.Struct, frozen=True):
    """A function that the model may ask for. It reads the description, and those of the arguments' fields.

    `name` is of letters, digits and `_`.
    """

    name: str
    description: str
    arguments: type[msgspec.Struct]


class ToolCall(msgspec.Struct, frozen=True):
    """What the model asks for. `arguments` fit the tool's: `msgspec.convert(call.arguments, tool.arguments)`."""

    id: str
    name: str
    arguments: dict[str, Any]


class Message(msgspec.Struct, frozen=True):
    """One message of a chat. Text from documents goes into `user` and `tool` messages, fenced as data.

    `pictures` come before the text, in order. An assistant's `calls` are each followed by a `tool` message with the
    result of that `call`.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    pictures: tuple[Picture, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call: ToolCall | None = None


class Completion(msgspec.Struct, frozen=True):
    """A finished completion with its token counts (0 where the provider does not tell).

    `calls` are of tools, in order; without any the text is the answer. `thought` is reasoning that came in a field of
    its own with a whole answer, as the bill needs it.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    truncated: bool = False
    calls: tuple[ToolCall, ...] = ()
    thought: str = ""


class Delta(msgspec.Struct, frozen=True):
    """One piece of a streamed completion; the last one has `final` set and no text.

    `withdrawn`: all text so far was the model's reasoning, not its answer.
    """

    text: str = ""
    withdrawn: bool = False
    final: Completion | None = None


T = TypeVar("T", bound=msgspec.Struct)


class Llm(Protocol):
    """Text generation. Errors: `TryLater` (down, slow, 429, cut stream), `NeverWill` (refused, too long,
    bad key, no such model), and `NeverWill` (`bad_json`) when the answer does not fit the shape after one repair.
    `timeout_s` bounds a whole call, its retries and its repair included. What the model thinks aloud is left out.
    """

    @property
    def name(self) -> str:
        """`provider:model`, as answers show it."""
        ...

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 1024, timeout_s: float = 60.0
    ) -> Completion: ...
    async def complete_json(
        self,
        messages: Sequence[Message],
        shape: type[T],
        *,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> tuple[T, Completion]:
        """The answer as a `shape`: its JSON schema constrains the model, its types and `msgspec.Meta` validate.

        Say the fields' meaning in docstrings and `msgspec.Meta(description=...)`: the model reads them.
        """
        ...

    async def complete_with_tools(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        must_call: bool = False,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> Completion:
        """The next turn of a chat: calls of these tools, or an answer. Every call is of one of them and fits it.

        With `must_call` there is a call wherever the provider can enforce it; others may still answer without one.
        Raises `NeverWill` (`bad_tool_call`) when one does not after it was shown to the model once.
        """
        ...

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int = 1024, timeout_s: float = 60.0
    ) -> AsyncIterator[Delta]:
        """Pieces as they come; retried only while nothing has been yielded."""
        ...

    async def close(self) -> None: ...
