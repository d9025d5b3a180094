"""Ollama's /api/chat. JSON is constrained by `format`; streams are JSON lines."""

from __future__ import annotations

from typing import Any, NoReturn

import msgspec

from trivium.domain.errors import TryLater
from trivium.llm.dialect import Prompt, base64_of, functions
from trivium.ports.llm import Completion, Message, ToolCall

BYTES_PER_TOKEN = 3  # of UTF-8: careful for English (about 4) and code, and a token for each letter of Chinese
PICTURE_TOKENS = 1_600  # of one at the size that is sent, by the hungrier models
# Ollama silently drops the start of a prompt longer than its window, and reloads the model when the
# window changes, so it is asked for in few steps. The last one is the bound.
WINDOWS = (8_192, 16_384, 32_768)


class _Function(msgspec.Struct):
    name: str = ""
    arguments: dict[str, Any] = {}


class _Call(msgspec.Struct):
    function: _Function = msgspec.field(default_factory=_Function)


class _Message(msgspec.Struct):
    content: str = ""
    thinking: str = ""
    tool_calls: list[_Call] = []


class _Body(msgspec.Struct):
    message: _Message = msgspec.field(default_factory=_Message)
    done: bool = False
    done_reason: str = ""
    prompt_eval_count: int = 0
    eval_count: int = 0
    error: str = ""


class OllamaDialect(msgspec.Struct, frozen=True):
    """One local model."""

    model: str
    provider: str = "ollama"
    path: str = "/api/chat"

    def headers(self, api_key: str) -> dict[str, str]:
        """Ollama has no keys; a proxy before it may."""
        return {"authorization": f"Bearer {api_key}"} if api_key else {}

    def encode(self, prompt: Prompt) -> bytes:
        """A chat request with a window that holds the prompt and the answer."""
        pictures = sum(len(message.pictures) for message in prompt.messages)
        messages, tools = [_spoken(message) for message in prompt.messages], functions(prompt.tools)
        said = msgspec.json.encode([*({**message, "images": ()} for message in messages), *tools])
        needed = len(said) // BYTES_PER_TOKEN + pictures * PICTURE_TOKENS + prompt.max_tokens
        window = next((size for size in WINDOWS if size >= needed), WINDOWS[-1])
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "stream": prompt.stream,
            "options": {"temperature": 0, "num_predict": prompt.max_tokens, "num_ctx": window},
        }
        if tools:
            request["tools"] = tools
        if prompt.schema is not None:
            request["format"] = prompt.schema
        return msgspec.json.encode(request)

    def decode(self, body: bytes) -> Completion:
        """A finished chat answer."""
        answer = msgspec.json.decode(body, type=_Body)
        if answer.error:
            _raise(answer.error)
        calls = (call.function for call in answer.message.tool_calls)  # they have no ids
        asked = tuple(ToolCall(f"call-{at}", call.name, call.arguments) for at, call in enumerate(calls))
        completion = _completion(answer.message.content, answer)
        return msgspec.structs.replace(completion, calls=asked, thought=answer.message.thinking)

    def reader(self) -> OllamaStream:
        """A reader of JSON lines."""
        return OllamaStream()

    def concede(self, complaint: str) -> OllamaDialect | None:
        """Nothing is optional."""
        return None


def _spoken(message: Message) -> dict[str, Any]:
    spoken: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.pictures:
        spoken["images"] = [base64_of(picture) for picture in message.pictures]
    if message.calls:
        called = ({"name": call.name, "arguments": call.arguments} for call in message.calls)
        spoken["tool_calls"] = [{"function": function} for function in called]
    if message.call is not None:
        spoken["tool_name"] = message.call.name
    return spoken


class OllamaStream:
    """JSON lines of one answer; the last one has `done` set and the token counts."""

    def __init__(self) -> None:
        self.finished, self.thought = False, ""
        self._text: list[str] = []
        self._last = _Body()

    def feed(self, line: str) -> str:
        """The text one line adds."""
        self.thought = ""
        if not line.strip():
            return ""
        self._last = msgspec.json.decode(line, type=_Body)
        if self._last.error:
            _raise(self._last.error)
        self.finished = self._last.done
        self.thought = self._last.message.thinking
        self._text.append(self._last.message.content)
        return self._last.message.content

    def completion(self) -> Completion:
        """Everything that came."""
        return _completion("".join(self._text), self._last)


def _completion(text: str, last: _Body) -> Completion:
    return Completion(text, last.prompt_eval_count, last.eval_count, truncated=last.done_reason == "length")


def _raise(error: str) -> NoReturn:
    raise TryLater("llm_failing", f"The model failed: {error[:300]}", "Try again later.")
