"""Anthropic's messages API. JSON comes as the input of a tool that the model is made to call."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import msgspec

from trivium.domain.errors import NeverWill, TryLater
from trivium.llm.dialect import Prompt, base64_of, spoken
from trivium.ports.llm import Completion, Picture

API_VERSION = "2023-06-01"
_TOOL = "give_answer"
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    input: msgspec.Raw = msgspec.Raw(b"")


class _Usage(msgspec.Struct):
    input_tokens: int | None = 0
    output_tokens: int | None = 0


class _Answer(msgspec.Struct):
    content: list[_Block] = []
    stop_reason: str | None = None
    usage: _Usage = msgspec.field(default_factory=_Usage)


class _EventDelta(msgspec.Struct):
    type: str = ""
    text: str = ""
    stop_reason: str | None = None


class _Error(msgspec.Struct):
    type: str = ""
    message: str = ""


class _Event(msgspec.Struct):
    type: str = ""
    message: _Answer = msgspec.field(default_factory=_Answer)
    delta: _EventDelta = msgspec.field(default_factory=_EventDelta)
    usage: _Usage = msgspec.field(default_factory=_Usage)
    error: _Error = msgspec.field(default_factory=_Error)


class AnthropicDialect(msgspec.Struct, frozen=True):
    """`warm` leaves the temperature to the provider, for models that do not let one set it."""

    model: str
    warm: bool = False
    provider: str = "anthropic"
    path: str = "/v1/messages"

    def headers(self, api_key: str) -> dict[str, str]:
        """The key and the version of the API."""
        return {"x-api-key": api_key, "anthropic-version": API_VERSION}

    def encode(self, prompt: Prompt) -> bytes:
        """A messages request; system messages are taken apart."""
        request: dict[str, Any] = {
            "model": self.model,
            "max_tokens": prompt.max_tokens,
            "messages": spoken([message for message in prompt.messages if message.role != "system"], _shown),
        }
        if not self.warm:
            request["temperature"] = 0
        if system := prompt.system():
            request["system"] = system
        if prompt.stream:
            request["stream"] = True
        if prompt.schema is not None:
            request["tools"] = [{"name": _TOOL, "description": "Give the answer.", "input_schema": prompt.schema}]
            request["tool_choice"] = {"type": "tool", "name": _TOOL}
        return msgspec.json.encode(request)

    def decode(self, body: bytes) -> Completion:
        """A finished message: its text blocks, or the input of the tool."""
        answer = msgspec.json.decode(body, type=_Answer)
        if answer.stop_reason == "refusal":
            _decline()
        tools = [bytes(block.input).decode() for block in answer.content if block.type == "tool_use"]
        texts = [block.text for block in answer.content if block.type == "text"]
        return Completion(
            text=tools[0] if tools else "".join(texts),
            input_tokens=answer.usage.input_tokens or 0,
            output_tokens=answer.usage.output_tokens or 0,
            truncated=answer.stop_reason == "max_tokens",
        )

    def reader(self) -> AnthropicStream:
        """A reader of server-sent events."""
        return AnthropicStream()

    def concede(self, complaint: str) -> AnthropicDialect | None:
        """Without a temperature, when the complaint is about it."""
        if not self.warm and re.search("temperature", complaint, re.I):
            return msgspec.structs.replace(self, warm=True)
        return None


def _shown(picture: Picture) -> dict[str, Any]:
    source = {"type": "base64", "media_type": picture.media_type, "data": base64_of(picture)}
    return {"type": "image", "source": source}


class AnthropicStream:
    """Server-sent events of one message, ended by `message_stop`."""

    def __init__(self) -> None:
        self.finished = False
        self._text: list[str] = []
        self._input_tokens = 0
        self._output_tokens = 0
        self._reason = ""

    def feed(self, line: str) -> str:
        """The text one event adds."""
        if not line.startswith("data:"):
            return ""
        event = msgspec.json.decode(line[5:], type=_Event)
        if event.type == "error":
            _raise(event.error)
        if event.type == "message_start":
            self._input_tokens = event.message.usage.input_tokens or 0
        elif event.type == "content_block_delta":
            self._text.append(event.delta.text)
            return event.delta.text
        elif event.type == "message_delta":
            self._output_tokens = event.usage.output_tokens or 0
            self._reason = event.delta.stop_reason or ""
            if self._reason == "refusal":
                _decline()
        elif event.type == "message_stop":
            self.finished = True
        return ""

    def completion(self) -> Completion:
        """Everything that came."""
        return Completion(
            text="".join(self._text),
            input_tokens=self._input_tokens,
            output_tokens=self._output_tokens,
            truncated=self._reason == "max_tokens",
        )


def _decline() -> NoReturn:
    raise NeverWill("llm_declined", "The model declined to answer.", "Ask in other words, or another model.")


def _raise(error: _Error) -> NoReturn:
    message = f"The model failed in the middle of its answer: {error.message[:300] or error.type}"
    if error.type in _PASSING:
        raise TryLater("llm_busy", message, "Try again later.")
    raise NeverWill("llm_refused", message, "Check the model and the provider's settings.")
