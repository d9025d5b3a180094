"""What OpenAI's clients send, and the question in it.

Fields that only steer a language model (`temperature`, `max_tokens`, `tools`, system messages) change nothing here and
are not refused: clients send them unasked. Those that would make the answer another thing are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from trivium import api
from trivium.api import FieldProblem, Input
from trivium.domain.answers import Turn
from trivium.invalid_request import InvalidRequest
from trivium_query.http.bodies import BODY, invalid_field
from trivium_query.http.openai.models import chosen
from trivium_query.validation import validated

MAX_REMEMBERED_CHARS = 20_000  # of an answer before
MAX_TEXTS = 256  # of one request for embeddings
MAX_TEXT_CHARS = 20_000
TEXT_PARTS = ("text", "input_text", "output_text")


class Sent(Input, frozen=True, forbid_unknown_fields=False):
    """Of OpenAI's interface, which grows: unknown fields are left alone."""


class Part(Sent, frozen=True):
    """A piece of a message; only text is read."""

    type: str
    text: str | None = None


class Message(Sent, frozen=True):
    """One message of a chat."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | tuple[Part, ...] | None = None


class StreamOptions(Sent, frozen=True):
    """How a stream is told."""

    include_usage: bool | None = None


class Format(Sent, frozen=True):
    """What the answer is written as."""

    type: str = "text"


class ChatRequest(Sent, frozen=True):
    """`POST /chat/completions`."""

    model: str
    messages: Annotated[tuple[Message, ...], Meta(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    response_format: Format | None = None

    @property
    def wants_usage(self) -> bool:
        """Whether a stream ends with the tokens spent."""
        return bool(self.stream_options and self.stream_options.include_usage)


class TextSettings(Sent, frozen=True):
    """How a response's text is written."""

    format: Format | None = None


class ResponseRequest(Sent, frozen=True):
    """`POST /responses`."""

    model: str
    input: str | tuple[Message, ...]
    stream: bool | None = None
    previous_response_id: str | None = None
    conversation: object = None
    background: bool | None = None
    text: TextSettings | None = None


class EmbeddingRequest(Sent, frozen=True):
    """`POST /embeddings`."""

    model: str
    input: (
        Annotated[str, Meta(min_length=1, max_length=MAX_TEXT_CHARS)]
        | Annotated[
            tuple[Annotated[str, Meta(min_length=1, max_length=MAX_TEXT_CHARS)] | int | tuple[int, ...], ...],
            Meta(min_length=1, max_length=MAX_TEXTS),
        ]
    )
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Raises `InvalidRequest` for lists of token numbers, which are of another model's tokens."""
        given = (self.input,) if isinstance(self.input, str) else self.input
        texts = tuple(each for each in given if isinstance(each, str))
        if len(texts) < len(given):
            langchain = "LangChain: check_embedding_ctx_length=False"
            raise invalid_field("input", f"Send text; the numbers of tokens are of another model ({langchain})")
        return texts


class Asked(msgspec.Struct, frozen=True):
    """A question with the turns before it."""

    query: api.QueryRequest
    history: tuple[Turn, ...]


def of_chat(wanted: ChatRequest) -> Asked:
    """Raises `InvalidRequest`, and `NotFound` (`model_not_found`)."""
    if wanted.n not in (None, 1):
        raise invalid_field("n", "There is one answer; send 1 or nothing")
    _check_format(wanted.response_format, "response_format")
    return _asked(wanted.model, wanted.messages, "messages")


def of_response(wanted: ResponseRequest) -> Asked:
    """Raises as `of_chat`."""
    for name in ("previous_response_id", "conversation", "background"):
        if getattr(wanted, name):
            raise invalid_field(name, "Responses are not kept; send the messages before in `input`")
    _check_format(wanted.text.format if wanted.text else None, "text.format")
    messages = (Message("user", wanted.input),) if isinstance(wanted.input, str) else wanted.input
    return _asked(wanted.model, messages, "input")


def _check_format(wanted: Format | None, field: str) -> None:
    if wanted and wanted.type != "text":
        raise invalid_field(f"{field}.type", "Answers are text with citations; send text or nothing")


def _asked(model: str, messages: Sequence[Message], field: str) -> Asked:
    dataset, mode = chosen(model)
    said = [(message.role, _text(message, f"{field}.{place}")) for place, message in enumerate(messages)]
    spoken = [(role, text) for role, text in said if role in ("user", "assistant")]
    if not spoken or spoken[-1][0] != "user":
        raise invalid_field(field, "The last message must be the user's")
    filters = {"dataset": dataset} if dataset else {}
    question = {"query": spoken[-1][1], "mode": mode, "filters": filters}
    try:
        query = validated(api.QueryRequest, question, BODY)
    except InvalidRequest as error:
        raise InvalidRequest(FieldProblem(f"{BODY}.{field}", each.message) for each in error.fields) from None
    return Asked(query, tuple(_turns(spoken[:-1])))


def _text(message: Message, field: str) -> str:
    """The message's text. Only the user's pictures and files are refused: nobody else's are looked at."""
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    others = sorted({part.type for part in message.content} - {*TEXT_PARTS})
    if others and message.role == "user":
        raise invalid_field(
            f"{field}.content", f"Only text is read here, not {', '.join(others)}; upload it as a source"
        )
    return "\n".join(part.text for part in message.content if part.text)


def _turns(spoken: Iterable[tuple[str, str]]) -> Iterable[Turn]:
    """Questions with their answers, "" where none came; what was said before the first question is left out."""
    question: str | None = None
    for role, text in spoken:
        if role == "user":
            if question is not None:
                yield Turn(question, "")
            question = text[: api.MAX_QUESTION_CHARS]
        elif question is not None:
            yield Turn(question, text[:MAX_REMEMBERED_CHARS])
            question = None
    if question is not None:
        yield Turn(question, "")
