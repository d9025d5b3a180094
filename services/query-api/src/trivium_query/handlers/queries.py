"""Questions: search, answer, and answer as it is written; alone or within a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import msgspec
import structlog

from trivium.api import QueryRequest, SearchRequest
from trivium.domain.answers import Answer, AnswerEvent, Failed, Finished, HitsFound, ShortAnswer, TextPiece, Turn
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.retrieval import Mode, SearchFilter, SearchResult
from trivium.domain.scope import Tenant
from trivium.domain.times import period
from trivium_query.access.limiter import refuse_debtors, settle
from trivium_query.answer.understand import HISTORY_TURNS, clean_question
from trivium_query.failures import deadline_passed
from trivium_query.handlers import conversations
from trivium_query.handlers.emptiness import nothing_there
from trivium_query.requests import AskRequest, Services

log = structlog.get_logger()


async def search(
    services: Services, tenant: Tenant, wanted: SearchRequest, timeout_s: float | None = None
) -> SearchResult:
    """Ranked passages. Raises `TryLater` (`deadline_passed`) when the time is over."""
    request = _request(services, wanted, timeout_s)
    try:
        async with asyncio.timeout(request.timeout_s):
            found = await services.searcher.search(
                tenant, request.question, request.mode, request.top_k, request.filter
            )
            told = "" if found.hits else await nothing_there(services, tenant, request.filter.dataset)
            return msgspec.structs.replace(found, notes=(told,)) if told else found
    except TimeoutError as error:
        raise deadline_passed(request.timeout_s) from error


async def ask(
    services: Services,
    tenant: Tenant,
    wanted: QueryRequest,
    timeout_s: float | None = None,
    history: Sequence[Turn] = (),
) -> Answer:
    """One whole answer; within a conversation it is appended to it.

    `history`, oldest first, is what the caller itself remembers; a conversation has its own.
    """
    request = await _prepare(services, tenant, wanted, timeout_s, history)
    try:
        async with asyncio.timeout(request.timeout_s):
            answer = await services.answerer.answer(tenant, request)
            told = "" if answer.hits else await nothing_there(services, tenant, request.filter.dataset)
    except TimeoutError as error:
        raise deadline_passed(request.timeout_s) from error
    await settle()
    answer = await _touching(services, tenant, _finished(answer, request, told), request)
    await _remember(services, tenant, wanted, answer)
    return answer


async def open_stream(
    services: Services,
    tenant: Tenant,
    wanted: QueryRequest,
    timeout_s: float | None = None,
    history: Sequence[Turn] = (),
) -> AsyncGenerator[AnswerEvent, None]:
    """Check the request first, so that a refusal is a plain error and not an event; then stream.

    `history` as in `ask`. Closing the generator stops the work. A failure on the way is raised as `TriviumError`.
    """
    request = await _prepare(services, tenant, wanted, timeout_s, history)
    return _stream(services, tenant, wanted, request)


async def _stream(
    services: Services, tenant: Tenant, wanted: QueryRequest, request: AskRequest
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
                told = await nothing_there(services, tenant, request.filter.dataset)
            if told and isinstance(event, ShortAnswer | TextPiece):
                continue
            if isinstance(event, Finished):
                await settle()
                if told:
                    yield TextPiece(told)
                event = Finished(await _touching(services, tenant, _finished(event.answer, request, told), request))
                await _remember(services, tenant, wanted, event.answer)
            yield event


async def _prepare(
    services: Services, tenant: Tenant, wanted: QueryRequest, timeout_s: float | None, history: Sequence[Turn]
) -> AskRequest:
    """The request with its history.

    Raises `NotFound` for an unknown conversation, `TooMany`, and `Refused` for what is no question.
    """
    await refuse_debtors()
    asked = _request(services, wanted, timeout_s)
    if wanted.conversation_id:
        history = (await conversations.find(services, tenant, wanted.conversation_id)).turns
    newest = tuple(history[-HISTORY_TURNS:])
    return msgspec.structs.replace(
        asked,
        question=clean_question(asked.question),
        kind=wanted.kind,
        rerank=wanted.rerank,
        history=newest,
        forgotten=len(history) - len(newest),
    )


def _finished(answer: Answer, request: AskRequest, told: str) -> Answer:
    """The answer, with `told` instead of its text if anything; and what of a long conversation took no part."""
    answer = msgspec.structs.replace(answer, text=told, short="") if told else answer
    if not request.forgotten:
        return answer
    said = (
        f"Of this conversation the newest {HISTORY_TURNS} turns took part, the {request.forgotten} before them did not."
    )
    return msgspec.structs.replace(answer, notes=(*answer.notes, said))


async def _touching(services: Services, tenant: Tenant, answer: Answer, request: AskRequest) -> Answer:
    """The answer with the open contradictions of what it cites; without them where that fails."""
    if not answer.citations:
        return answer
    try:
        found = await services.contradictions.touching(tenant, answer.citations, request.filter.dataset)
    except TriviumError as fault:
        log.warning("contradictions_not_read", code=fault.code)
        return answer
    except Exception:
        log.exception("contradictions_failed")
        return answer
    return msgspec.structs.replace(answer, contradictions=found)


def _request(services: Services, wanted: SearchRequest, timeout_s: float | None) -> AskRequest:
    """With what the settings say where the caller says nothing. Raises `Refused` (`bad_time`)."""
    allowed, filters = services.settings.query_timeout_s, wanted.filters
    return AskRequest(
        question=wanted.query.strip(),
        mode=mode_of(services, wanted),
        top_k=wanted.top_k,
        filter=SearchFilter(
            filters.document_ids,
            filters.dataset or "",
            filters.kinds,
            filters.modalities,
            filters.run or "",
            period(filters.since or "", filters.until or "", filters.time),
        ),
        timeout_s=allowed if timeout_s is None else min(allowed, timeout_s),
    )


async def _remember(services: Services, tenant: Tenant, wanted: QueryRequest, answer: Answer) -> None:
    if wanted.conversation_id:
        turn = Turn(answer.question or wanted.query, answer.text, answer.kind, answer.short)
        await conversations.append(services, tenant, wanted.conversation_id, turn)


def mode_of(services: Services, wanted: SearchRequest) -> Mode:
    """The mode asked for, else the configured one."""
    return services.settings.mode if wanted.mode is None else wanted.mode
