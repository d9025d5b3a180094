"""What the forms of an answer share: its name and time, its text as it grows, its citations as annotations."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Self

import msgspec
from fastapi import Request
from starlette.responses import Response

from trivium.domain.answers import Answer, AnswerEvent, Finished, TextPiece, TextWithdrawn


class Made(msgspec.Struct, frozen=True):
    """An answer's identity. `address` is the server's as the client wrote it, which links begin with."""

    id: str
    created: int
    model: str
    address: str

    @classmethod
    def now(cls, prefix: str, model: str, request: Request) -> Self:
        """A new one."""
        return cls(f"{prefix}-{secrets.token_hex(12)}", int(time.time()), model, str(request.base_url).rstrip("/"))


class Place(msgspec.Struct, frozen=True):
    """Where the text cites which passage: characters `start_index` to `end_index`, half-open."""

    start_index: int
    end_index: int
    title: str
    url: str


class Beside(msgspec.Struct, frozen=True):
    """What OpenAI's interface has no field for, in one of our own."""

    found: bool
    verdict: str
    engine: str
    short: str
    notes: tuple[str, ...]


class Told(msgspec.Struct, frozen=True):
    """The end of a stream: all the text that was sent, and the answer."""

    text: str
    answer: Answer


def write(value: msgspec.Struct) -> Response:
    """As JSON, null where there is nothing: OpenAI's types ask for it."""
    return Response(msgspec.json.encode(value), media_type="application/json")


def beside(answer: Answer) -> Beside:
    """See the class."""
    return Beside(answer.found, answer.verdict.value, answer.engine, answer.short, answer.notes)


def places(text: str, answer: Answer, address: str) -> tuple[Place, ...]:
    """Every place that a citation's marker has in the text, in order."""
    return tuple(sorted(_places(text, answer, address), key=lambda place: place.start_index))


def _places(text: str, answer: Answer, address: str) -> Iterator[Place]:
    for marker, citation in {citation.marker: citation for citation in answer.citations}.items():
        start = text.find(marker)
        while marker and start >= 0:
            end = start + len(marker)
            yield Place(start, end, citation.source, citation.url or f"{address}{citation.link}")
            start = text.find(marker, end)


async def growing(events: AsyncGenerator[AnswerEvent, None]) -> AsyncGenerator[str | Told, None]:
    """The text in pieces, `Told` last.

    OpenAI's streams cannot take back what they sent: where text is withdrawn, a line says so and the answer follows it.
    """
    text = since = ""
    async with aclosing(events) as happened:
        async for event in happened:
            piece = ""
            if isinstance(event, TextPiece):
                piece = event.text
                since += piece
            elif isinstance(event, TextWithdrawn) and since:
                piece, since = f"\n\n({event.reason})\n\n", ""
            elif isinstance(event, Finished):
                piece = _missing(since, event.answer.text)
            if piece:
                text += piece
                yield piece
            if isinstance(event, Finished):
                yield Told(text, event.answer)


def _missing(sent: str, whole: str) -> str:
    """What of the whole answer was not sent."""
    if whole.startswith(sent):
        return whole[len(sent) :]
    return "" if sent.split() == whole.split() else f"\n\n{whole}"
