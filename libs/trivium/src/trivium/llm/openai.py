"""OpenAI's chat completions, which vLLM and many other servers speak too."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import msgspec

from trivium.domain.errors import NeverWill, TryLater
from trivium.llm.dialect import UNREADABLE, Prompt, base64_of, content_of, functions
from trivium.ports.llm import Completion, Message, Picture, ToolCall

# Parameters that some servers or models refuse, by how their complaint names them.
_OPTIONAL = {
    "tool_choice": re.compile(r"tool_choice", re.I),
    "response_format": re.compile(r"response_format|json_schema|structured|guided|grammar", re.I),
    "temperature": re.compile(r"temperature", re.I),
    "stream_options": re.compile(r"stream_options", re.I),
    "max_tokens": re.compile(r"max_completion_tokens", re.I),
}


class _Function(msgspec.Struct):
    name: str = ""
    arguments: str = ""


class _Call(msgspec.Struct):
    id: str = ""
    function: _Function = msgspec.field(default_factory=_Function)


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None  # DeepSeek's and vLLM's name for it
    reasoning: str | None = None  # OpenRouter's and later vLLM's
    tool_calls: list[_Call] | None = None

    @property
    def thought(self) -> str:
        return self.reasoning_content or self.reasoning or ""


class _Choice(msgspec.Struct):
    message: _Message = msgspec.field(default_factory=_Message)
    delta: _Message = msgspec.field(default_factory=_Message)
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0


class _Body(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: Any = None


class OpenAiDialect(msgspec.Struct, frozen=True):
    """`without` names parameters this server has refused. `provider` is `openai` or `vllm`."""

    model: str
    provider: str = "openai"
    without: frozenset[str] = frozenset()
    path: str = "/chat/completions"

    def headers(self, api_key: str) -> dict[str, str]:
        """Bearer authentication, or none."""
        return {"authorization": f"Bearer {api_key}"} if api_key else {}

    def encode(self, prompt: Prompt) -> bytes:
        """A chat completion request; the schema also stands in the prompt where the server cannot enforce it."""
        messages = [_spoken(message) for message in prompt.messages]
        request: dict[str, Any] = {"model": self.model, "messages": messages, "temperature": 0}
        request["max_completion_tokens" if "max_tokens" in self.without else "max_tokens"] = prompt.max_tokens
        if prompt.stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        if prompt.tools:
            request["tools"] = functions(prompt.tools, strict=self.provider == "vllm")
        if prompt.tools and prompt.must_call:
            request["tool_choice"] = "required"
        if prompt.schema is not None and "response_format" not in self.without:
            shape = {"name": "answer", "strict": True, "schema": prompt.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif prompt.schema is not None:
            wanted = msgspec.json.encode(prompt.schema).decode()
            messages.insert(0, {"role": "system", "content": f"Answer only with JSON of this schema: {wanted}"})
        for name in self.without - {"max_tokens"}:
            request.pop(name, None)
        return msgspec.json.encode(request)

    def decode(self, body: bytes) -> Completion:
        """A finished chat completion."""
        answer = msgspec.json.decode(body, type=_Body)
        if not answer.choices:
            if answer.error is not None:
                _raise(answer.error)
            raise msgspec.DecodeError("no choices")
        choice = answer.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            _decline(choice.message.refusal or "its content filter stopped it")
        usage = answer.usage or _Usage()
        return Completion(
            text=choice.message.content or "",
            input_tokens=usage.prompt_tokens or 0,
            output_tokens=usage.completion_tokens or 0,
            truncated=choice.finish_reason == "length",
            calls=tuple(_call(call) for call in choice.message.tool_calls or ()),
            thought=choice.message.thought,
        )

    def reader(self) -> OpenAiStream:
        """A reader of server-sent events."""
        return OpenAiStream()

    def concede(self, complaint: str) -> OpenAiDialect | None:
        """Without the one optional parameter that the complaint names."""
        for name, named in _OPTIONAL.items():
            if name not in self.without and named.search(complaint):
                return msgspec.structs.replace(self, without=self.without | {name})
        return None


class OpenAiStream:
    """Server-sent events of one chat completion, ended by `[DONE]`."""

    def __init__(self) -> None:
        self.finished, self.thought = False, ""
        self._text: list[str] = []
        self._usage = _Usage()
        self._reason = ""

    def feed(self, line: str) -> str:
        """The text one event adds."""
        self.thought = ""
        if not line.startswith("data:"):
            return ""
        data = line[5:].strip()
        if data == "[DONE]":
            self.finished = True
            return ""
        event = msgspec.json.decode(data, type=_Body)
        if event.error is not None:
            _raise(event.error)
        self._usage = event.usage or self._usage
        if not event.choices:
            return ""
        choice = event.choices[0]
        if choice.finish_reason:
            self._reason, self.finished = choice.finish_reason, True
        if choice.delta.refusal or choice.finish_reason == "content_filter":
            _decline(choice.delta.refusal or "its content filter stopped it")
        self.thought = choice.delta.thought
        piece = choice.delta.content or ""
        self._text.append(piece)
        return piece

    def completion(self) -> Completion:
        """Everything that came."""
        return Completion(
            text="".join(self._text),
            input_tokens=self._usage.prompt_tokens or 0,
            output_tokens=self._usage.completion_tokens or 0,
            truncated=self._reason == "length",
        )


def _spoken(message: Message) -> dict[str, Any]:
    if message.call is not None:
        return {"role": "tool", "tool_call_id": message.call.id, "content": message.content}
    said: dict[str, Any] = {"role": message.role, "content": content_of(message, _shown)}
    if message.calls:
        said["tool_calls"] = [_told(call) for call in message.calls]
    return said


def _told(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": msgspec.json.encode(call.arguments).decode()}
    return {"id": call.id, "type": "function", "function": function}


def _call(call: _Call) -> ToolCall:
    said = call.function.arguments
    try:
        arguments = msgspec.json.decode(said or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        arguments = {UNREADABLE: said}
    return ToolCall(call.id, call.function.name, arguments)


def _shown(picture: Picture) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{base64_of(picture)}"}}


def _decline(reason: str) -> NoReturn:
    raise NeverWill("llm_declined", f"The model declined: {reason[:300]}", "Ask in other words, or another model.")


def _raise(error: Any) -> NoReturn:
    """An error sent with status 200, as some gateways do."""
    message = error.get("message", "") if isinstance(error, dict) else error
    raise TryLater("llm_failing", f"The model failed: {str(message)[:300]}", "Try again later.")
