"""Answers as responses (OpenAI API reference, "Responses"), whole and as events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from itertools import count
from typing import Any

import msgspec
from msgspec.structs import astuple

from trivium.domain.answers import Answer, AnswerEvent
from trivium_query.http.openai.errors import OpenAiStream
from trivium_query.http.openai.wire import Beside, Made, Place, Told, beside, growing, places


class Cited(Place, frozen=True):
    """A citation."""

    type: str = "url_citation"


class Text(msgspec.Struct, frozen=True):
    """The answer's text."""

    text: str
    annotations: tuple[Cited, ...] = ()
    type: str = "output_text"
    logprobs: tuple[()] = ()


class Message(msgspec.Struct, frozen=True):
    """The only item of the output."""

    id: str
    status: str
    content: tuple[Text, ...] = ()
    type: str = "message"
    role: str = "assistant"


class CachedTokens(msgspec.Struct, frozen=True):
    """None is counted."""

    cached_tokens: int = 0


class ReasoningTokens(msgspec.Struct, frozen=True):
    """None is counted."""

    reasoning_tokens: int = 0


class Spent(msgspec.Struct, frozen=True):
    """Tokens of the language model; none without one."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_tokens_details: CachedTokens = CachedTokens()
    output_tokens_details: ReasoningTokens = ReasoningTokens()


class Response(msgspec.Struct, frozen=True):
    """An answer, as far as it has come."""

    id: str
    created_at: int
    model: str
    status: str
    output: tuple[Message, ...] = ()
    usage: Spent | None = None
    trivium: Beside | None = None
    object: str = "response"
    error: None = None
    incomplete_details: None = None
    instructions: None = None
    metadata: dict[str, str] = {}
    parallel_tool_calls: bool = False
    previous_response_id: None = None
    store: bool = False
    tool_choice: str = "none"
    tools: tuple[()] = ()
    temperature: None = None
    top_p: None = None


class Event(msgspec.Struct, frozen=True):
    """One named event."""

    type: str
    fields: dict[str, Any]

    def encode(self) -> bytes:
        """As it goes over the wire."""
        data = msgspec.json.encode({"type": self.type, **self.fields})
        return b"event: %b\ndata: %b\n\n" % (self.type.encode(), data)


def whole(answer: Answer, made: Made) -> Response:
    """The answer at once."""
    return _completed(Told(answer.text, answer), made)


def stream(events: AsyncGenerator[AnswerEvent, None], made: Made) -> OpenAiStream:
    """The answer as it is written."""
    return OpenAiStream(_events(events, made))


async def _events(events: AsyncGenerator[AnswerEvent, None], made: Made) -> AsyncGenerator[Event, None]:
    numbers = count()

    def event(kind: str, **fields: Any) -> Event:
        return Event(f"response.{kind}", {**fields, "sequence_number": next(numbers)})

    begun = Response(made.id, made.created, made.model, "in_progress")
    yield event("created", response=begun)
    yield event("in_progress", response=begun)
    yield event("output_item.added", output_index=0, item=Message(_item(made), "in_progress"))
    where = {"item_id": _item(made), "output_index": 0, "content_index": 0}
    yield event("content_part.added", **where, part=Text(""))
    async with aclosing(growing(events)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield event("output_text.delta", **where, delta=piece, logprobs=())
                continue
            for kind, fields in _last(piece, made, where):
                yield event(kind, **fields)


def _last(told: Told, made: Made, where: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    done = _completed(told, made)
    item = done.output[0]
    (text,) = item.content
    for number, cited in enumerate(text.annotations):
        yield "output_text.annotation.added", {**where, "annotation_index": number, "annotation": cited}
    yield "output_text.done", {**where, "text": text.text, "logprobs": ()}
    yield "content_part.done", {**where, "part": text}
    yield "output_item.done", {"output_index": 0, "item": item}
    yield "completed", {"response": done}


def _completed(told: Told, made: Made) -> Response:
    answer, usage = told.answer, told.answer.usage
    cited = tuple(Cited(*astuple(at)) for at in places(told.text, answer, made.address))
    item = Message(_item(made), "completed", (Text(told.text, cited),))
    tokens = Spent(usage.input_tokens, usage.output_tokens, usage.input_tokens + usage.output_tokens)
    return Response(made.id, made.created, made.model, "completed", (item,), tokens, beside(answer))


def _item(made: Made) -> str:
    return made.id.replace("resp", "msg", 1)
