"""What a provider's dialect has to know; everything else is the same for all providers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from trivium.llm.shapes import JsonSchema, schema_of
from trivium.ports.llm import Completion, Message, Picture, Tool

UNREADABLE = "(unreadable)"  # holds arguments of a call that are no JSON object


class Prompt(msgspec.Struct, frozen=True):
    """One request in our own words. With a `schema`, the answer's text must be JSON of that schema.

    With `must_call`, one of the `tools` must be called, where the provider can have it so.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    schema: JsonSchema | None = None
    stream: bool = False
    tools: tuple[Tool, ...] = ()
    must_call: bool = False

    def system(self) -> str:
        """The system messages, for providers that take them apart from the rest."""
        return "\n\n".join(message.content for message in self.messages if message.role == "system")


class StreamReader(Protocol):
    """Reads one streamed answer line by line.

    `finished` is set once the provider said it was done. `thought` is what the last line added in a field of the
    model's reasoning, which is no part of the answer and is paid for.
    """

    finished: bool
    thought: str

    def feed(self, line: str) -> str:
        """The text a line adds, often none. Raises `TryLater` or `NeverWill` for an error sent in the stream."""
        ...

    def completion(self) -> Completion:
        """Everything that came."""
        ...


class Dialect(Protocol):
    """Requests and answers of one provider, for one model."""

    @property
    def provider(self) -> str:
        """As configured: `openai`, `vllm`, `anthropic` or `ollama`."""
        ...

    @property
    def model(self) -> str:
        """As the provider calls it."""
        ...

    @property
    def path(self) -> str:
        """Appended to the base address."""
        ...

    def headers(self, api_key: str) -> dict[str, str]:
        """How the key is sent; `api_key` may be ""."""
        ...

    def encode(self, prompt: Prompt) -> bytes:
        """The request's body."""
        ...

    def decode(self, body: bytes) -> Completion:
        """Raises `msgspec.DecodeError`, or `RecursionError`, when the body is not what the provider promises."""
        ...

    def reader(self) -> StreamReader:
        """A fresh reader for one streamed answer."""
        ...

    def concede(self, complaint: str) -> Dialect | None:
        """The dialect without the parameter that an HTTP 400 complains of; None when it names none of them."""
        ...


def content_of(message: Message, shown: Callable[[Picture], Any]) -> Any:
    """As OpenAI and Anthropic spell it; `shown` is the provider's form of a picture."""
    if not message.pictures:
        return message.content
    return [*map(shown, message.pictures), {"type": "text", "text": message.content}]


def functions(tools: Sequence[Tool], *, strict: bool = False) -> list[dict[str, Any]]:
    """Tools as OpenAI and Ollama spell them. With `strict`, a server that can has arguments fit their schema.

    vLLM takes any schema so; OpenAI only one whose fields are all required.
    """
    described = (
        {"name": tool.name, "description": tool.description, "parameters": schema_of(tool.arguments)} for tool in tools
    )
    return [{"type": "function", "function": {**each, "strict": True} if strict else each} for each in described]


def base64_of(picture: Picture) -> str:
    """The picture's bytes as JSON carries them."""
    return b64encode(picture.content).decode()
