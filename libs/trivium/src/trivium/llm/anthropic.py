"""Anthropic's messages API. JSON comes as the input of a tool that the model is made to call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec

from trivium.domain.errors import NeverWill, TryLater
from trivium.llm.dialect import Prompt, base64_of, content_of
from trivium.llm.shapes import schema_of
from trivium.ports.llm import Completion, Message, Picture, ToolCall

API_VERSION = "2023-06-01"
_TOOL = "give_answer"
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
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
    thinking: str = ""
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
            "messages": _spoken(prompt.messages),
        }
        if not self.warm:
            request["temperature"] = 0
        if system := prompt.system():
            request["system"] = system
        if prompt.stream:
            request["stream"] = True
        if prompt.tools:
            request["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": schema_of(tool.arguments)}
                for tool in prompt.tools
            ]
            if prompt.must_call:
                request["tool_choice"] = {"type": "any"}
        if prompt.schema is not None:
            request["tools"] = [{"name": _TOOL, "description": "Give the answer.", "input_schema": prompt.schema}]
            request["tool_choice"] = {"type": "tool", "name": _TOOL}
        return msgspec.json.encode(request)

    def decode(self, body: bytes) -> Completion:
        """A finished message: its text blocks, or the input of the tool that gives the answer; and its calls."""
        answer = msgspec.json.decode(body, type=_Answer)
        if answer.stop_reason == "refusal":
            _decline()
        asked = [block for block in answer.content if block.type == "tool_use"]
        tools = [bytes(block.input).decode() for block in asked if block.name == _TOOL]
        texts = [block.text for block in answer.content if block.type == "text"]
        return Completion(
            text=tools[0] if tools else "".join(texts),
            input_tokens=answer.usage.input_tokens or 0,
            output_tokens=answer.usage.output_tokens or 0,
            truncated=answer.stop_reason == "max_tokens",
            calls=tuple(_call(block) for block in asked if block.name != _TOOL),
            thought="".join(block.thinking for block in answer.content),
        )

    def reader(self) -> AnthropicStream:
        """A reader of server-sent events."""
        return AnthropicStream()

    def concede(self, complaint: str) -> AnthropicDialect | None:
        """Without a temperature, when the complaint is about it."""
        if not self.warm and re.search("temperature", complaint, re.I):
            return msgspec.structs.replace(self, warm=True)
        return None


def _spoken(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The results of one turn's calls are one message."""
    said: list[dict[str, Any]] = []
    for message in messages:
        if message.call is not None:
            result = {"type": "tool_result", "tool_use_id": message.call.id, "content": message.content}
            if said and isinstance(said[-1]["content"], list) and said[-1]["content"][0]["type"] == "tool_result":
                said[-1]["content"].append(result)
            else:
                said.append({"role": "user", "content": [result]})
        elif message.calls:
            text = [{"type": "text", "text": message.content}] if message.content else []
            said.append({"role": message.role, "content": [*text, *map(_told, message.calls)]})
        elif message.role != "system":
            said.append({"role": message.role, "content": content_of(message, _shown)})
    return said


def _told(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


def _call(block: _Block) -> ToolCall:
    """Raises `msgspec.DecodeError` where the input is no object."""
    return ToolCall(block.id, block.name, msgspec.json.decode(bytes(block.input) or b"{}", type=dict[str, Any]))


def _shown(picture: Picture) -> dict[str, Any]:
    source = {"type": "base64", "media_type": picture.media_type, "data": base64_of(picture)}
    return {"type": "image", "source": source}


class AnthropicStream:
    """Server-sent events of one message, ended by `message_stop`."""

    def __init__(self) -> None:
        self.finished, self.thought = False, ""
        self._text: list[str] = []
        self._input_tokens = 0
        self._output_tokens = 0
        self._reason = ""

    def feed(self, line: str) -> str:
        """The text one event adds."""
        self.thought = ""
        if not line.startswith("data:"):
            return ""
        event = msgspec.json.decode(line[5:], type=_Event)
        if event.type == "error":
            _raise(event.error)
        if event.type == "message_start":
            self._input_tokens = event.message.usage.input_tokens or 0
        elif event.type == "content_block_delta":
            self.thought = event.delta.thinking
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
