"""Answers as chat completions (OpenAI API reference, "Chat Completions"), whole and in chunks."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec

from trivium.domain.answers import Answer, AnswerEvent, Usage
from trivium_query.http.openai.errors import OpenAiStream
from trivium_query.http.openai.wire import Beside, Made, Place, Told, beside, growing, places


class Annotation(msgspec.Struct, frozen=True):
    """A citation."""

    url_citation: Place
    type: str = "url_citation"


class Spent(msgspec.Struct, frozen=True):
    """Tokens of the language model; none without one."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Message(msgspec.Struct, frozen=True):
    """The answer."""

    content: str
    annotations: tuple[Annotation, ...]
    role: str = "assistant"
    refusal: None = None


class Choice(msgspec.Struct, frozen=True):
    """The only one."""

    message: Message
    index: int = 0
    logprobs: None = None
    finish_reason: str = "stop"


class Completion(msgspec.Struct, frozen=True):
    """A whole answer."""

    id: str
    created: int
    model: str
    choices: tuple[Choice, ...]
    usage: Spent
    trivium: Beside
    object: str = "chat.completion"


class Delta(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a chunk adds."""

    role: str | None = None
    content: str | None = None
    annotations: tuple[Annotation, ...] | None = None


class Change(msgspec.Struct, frozen=True):
    """A chunk's only choice."""

    delta: Delta
    finish_reason: str | None = None
    index: int = 0
    logprobs: None = None


class Chunk(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of a stream; `object` and `choices` are always there, `usage` only where it was asked for."""

    id: str
    created: int
    model: str
    object: str
    choices: tuple[Change, ...]
    usage: Spent | None = None
    trivium: Beside | None = None

    def encode(self) -> bytes:
        """As it goes over the wire."""
        return b"data: %b\n\n" % msgspec.json.encode(self)


class Done:
    """The stream's last line."""

    def encode(self) -> bytes:
        """As it goes over the wire."""
        return b"data: [DONE]\n\n"


def whole(answer: Answer, made: Made) -> Completion:
    """The answer at once."""
    message = Message(answer.text, _annotations(answer.text, answer, made))
    return Completion(made.id, made.created, made.model, (Choice(message),), spent(answer.usage), beside(answer))


def stream(events: AsyncGenerator[AnswerEvent, None], made: Made, wants_usage: bool) -> OpenAiStream:
    """The answer as it is written: role, text, annotations with the end; tokens where they are wanted."""
    return OpenAiStream(_chunks(events, made, wants_usage))


async def _chunks(
    events: AsyncGenerator[AnswerEvent, None], made: Made, wants_usage: bool
) -> AsyncGenerator[Chunk | Done, None]:
    yield _chunk(made, Change(Delta(role="assistant", content="")))
    async with aclosing(growing(events)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield _chunk(made, Change(Delta(content=piece)))
            else:
                for chunk in _last(piece, made, wants_usage):
                    yield chunk
    yield Done()


def _last(told: Told, made: Made, wants_usage: bool) -> list[Chunk]:
    annotations = _annotations(told.text, told.answer, made)
    cited = [_chunk(made, Change(Delta(annotations=annotations)))] if annotations else []
    end = _chunk(made, Change(Delta(), "stop"), trivium=beside(told.answer))
    return [*cited, end, *([_chunk(made, usage=spent(told.answer.usage))] if wants_usage else [])]


def _chunk(made: Made, *changes: Change, **more: Any) -> Chunk:
    return Chunk(made.id, made.created, made.model, "chat.completion.chunk", changes, **more)


def spent(usage: Usage) -> Spent:
    """Tokens in OpenAI's words."""
    return Spent(usage.input_tokens, usage.output_tokens, usage.input_tokens + usage.output_tokens)


def _annotations(text: str, answer: Answer, made: Made) -> tuple[Annotation, ...]:
    return tuple(map(Annotation, places(text, answer, made.address)))
