"""Questions: search, answer, and answer as it is written; alone or within a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from trivium.domain.answers import Answer, AnswerEvent, Failed, Finished, HitsFound, TextPiece, Turn
from trivium.domain.errors import Refused, TryLater
from trivium.domain.retrieval import Mode, SearchFilter, SearchResult
from trivium.domain.scope import Tenant
from trivium_query.answer.understand import MAX_QUESTION_CHARS
from trivium_query.failures import deadline_passed
from trivium_query.handlers import conversations
from trivium_query.handlers.emptiness import nothing_read
from trivium_query.requests import AskRequest, Services

MAX_TOP_K = 100
MAX_FILTER_VALUES = 100
DEFAULT_TOP_K = 10
HISTORY_TURNS = 10


class Search(msgspec.Struct, frozen=True):
    """A search as it came; `mode` None means the configured one."""

    query: str
    mode: Mode | None = None
    top_k: int = DEFAULT_TOP_K
    filter: SearchFilter = SearchFilter()
    timeout_s: float | None = None


class Ask(msgspec.Struct, frozen=True):
    """A question as it came; `conversation_id` "" means none."""

    search: Search
    conversation_id: str = ""


async def search(services: Services, tenant: Tenant, wanted: Search) -> SearchResult:
    """Ranked passages. Raises `TryLater` (`deadline_passed`) when the time is over."""
    question = _question(wanted.query)
    timeout_s = _timeout(services, wanted)
    try:
        async with asyncio.timeout(timeout_s):
            found = await services.searcher.search(
                tenant, question, mode_of(services, wanted), wanted.top_k, wanted.filter
            )
            told = "" if found.hits else await nothing_read(services, tenant)
            return msgspec.structs.replace(found, notes=(told,)) if told else found
    except TimeoutError as error:
        raise deadline_passed(timeout_s) from error


async def ask(services: Services, tenant: Tenant, wanted: Ask) -> Answer:
    """One whole answer; within a conversation it is appended to it."""
    request = await _prepare(services, tenant, wanted)
    try:
        async with asyncio.timeout(request.timeout_s):
            answer = await services.answerer.answer(tenant, request)
            told = "" if answer.hits else await nothing_read(services, tenant)
    except TimeoutError as error:
        raise deadline_passed(request.timeout_s) from error
    answer = msgspec.structs.replace(answer, text=told) if told else answer
    await _remember(services, tenant, wanted, answer)
    return answer


async def open_stream(services: Services, tenant: Tenant, wanted: Ask) -> AsyncGenerator[AnswerEvent, None]:
    """Check the request first, so that a refusal is a plain error and not an event; then stream.

    Closing the generator stops the work. A failure on the way is raised as `TriviumError`.
    """
    request = await _prepare(services, tenant, wanted)
    return _stream(services, tenant, wanted, request)


async def _stream(
    services: Services, tenant: Tenant, wanted: Ask, request: AskRequest
) -> AsyncGenerator[AnswerEvent, None]:
    told = ""
    end = asyncio.get_running_loop().time() + request.timeout_s
    async with aclosing(services.answerer.stream(tenant, request)) as events:
        while True:
            try:
                async with asyncio.timeout_at(end):
                    event = await anext(events, None)
            except TimeoutError as error:
                raise deadline_passed(request.timeout_s) from error
            if event is None:
                return
            if isinstance(event, Failed):
                raise TryLater(event.code, event.message, event.action)
            if isinstance(event, HitsFound) and not event.hits:
                told = await nothing_read(services, tenant)
            if told and isinstance(event, TextPiece):
                continue
            if isinstance(event, Finished):
                if told:
                    yield TextPiece(told)
                    event = Finished(msgspec.structs.replace(event.answer, text=told))
                await _remember(services, tenant, wanted, event.answer)
            yield event


async def _prepare(services: Services, tenant: Tenant, wanted: Ask) -> AskRequest:
    """The request with its history. Raises `Refused` for a bad question, `NotFound` for an unknown conversation."""
    question = _question(wanted.search.query)
    history: tuple[Turn, ...] = ()
    if wanted.conversation_id:
        conversation = await conversations.find(services, tenant, wanted.conversation_id)
        history = conversation.turns[-HISTORY_TURNS:]
    return AskRequest(
        question=question,
        mode=mode_of(services, wanted.search),
        top_k=wanted.search.top_k,
        filter=wanted.search.filter,
        history=history,
        timeout_s=_timeout(services, wanted.search),
    )


async def _remember(services: Services, tenant: Tenant, wanted: Ask, answer: Answer) -> None:
    if wanted.conversation_id:
        turn = Turn(question=answer.question or wanted.search.query, answer=answer.text)
        await conversations.append(services, tenant, wanted.conversation_id, turn)


def mode_of(services: Services, wanted: Search) -> Mode:
    """The mode asked for, else the configured one."""
    return services.settings.mode if wanted.mode is None else wanted.mode


def _timeout(services: Services, wanted: Search) -> float:
    allowed = services.settings.query_timeout_s
    return allowed if wanted.timeout_s is None else min(allowed, wanted.timeout_s)


def _question(query: str) -> str:
    if len(query) > MAX_QUESTION_CHARS:
        raise Refused(
            "invalid_request",
            f"A question has at most {MAX_QUESTION_CHARS} characters; this one has {len(query)}.",
            "Ask about the text after ingesting it, instead of sending it along.",
        )
    if not query.strip():
        raise Refused("invalid_request", "The question is empty.", "Write a question.")
    if "\x00" in query:
        raise Refused("invalid_request", "The question holds a NUL character.", "Remove it.")
    return query.strip()
