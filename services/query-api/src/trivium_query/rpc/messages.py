"""Between domain values and protobuf messages."""

from __future__ import annotations

import enum
import time
from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import asdict

from trivium import api
from trivium.domain import answers, chunks, documents, parsed, retrieval
from trivium.domain import crawl as crawls
from trivium.domain.errors import Refused
from trivium.domain.waiting import waits_for
from trivium.v1 import ingest_pb2, query_pb2
from trivium_query.validation import validated

E = TypeVar("E", bound=enum.StrEnum)


def one_of(kind: type[E], value: str, field: str) -> E:
    """`value` as a member of `kind`. Raises `Refused` (`invalid_request`) naming what it may be."""
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(member.value for member in kind)
        raise Refused("invalid_request", f"{value[:80]!r} is no {field}.", f"Use one of {known}.") from error


def source(document: documents.Document) -> ingest_pb2.Source:
    """A registry record."""
    failure = document.failure
    return ingest_pb2.Source(
        id=document.id,
        name=document.source,
        title=document.title,
        dataset=document.dataset,
        state=document.state.value,
        stage=document.stage,
        progress=document.progress,
        media_type=document.media_type,
        size_bytes=document.size_bytes,
        chunks=document.chunks,
        version=document.version,
        active_version=document.active_version,
        attempt=document.attempt,
        reason=reason(failure) if failure else None,
        warnings=document.warnings,
        created_at=document.created_at,
        updated_at=document.updated_at,
        parent=document.parent,
        children=document.children,
        waits_for=waits_for(document, time.time()),
    )


def reason(failure: documents.Failure) -> ingest_pb2.Reason:
    """Why something failed."""
    return ingest_pb2.Reason(code=failure.code, message=failure.message, action=failure.action, stage=failure.stage)


def crawl(request: ingest_pb2.CrawlSiteRequest) -> crawls.CrawlRequest:
    """A crawl as the handlers take it."""
    defaults = crawls.CrawlRequest(url=request.url)
    return crawls.CrawlRequest(
        url=request.url,
        depth=request.depth if request.HasField("depth") else defaults.depth,
        max_pages=request.max_pages or defaults.max_pages,
        dataset=request.dataset or defaults.dataset,
        sitemap=request.sitemap,
    )


def visit(page: crawls.Visit) -> ingest_pb2.CrawlSiteResponse:
    """What became of a page."""
    return ingest_pb2.CrawlSiteResponse(
        url=page.url,
        fate=page.fate.value,
        source=source(page.document) if page.document else None,
        reason=reason(page.reason) if page.reason else None,
    )


def wanted(request: query_pb2.SearchRequest) -> api.SearchRequest:
    """A search as the handlers take it. Raises `InvalidRequest`."""
    return _search(request.query, request.mode, request.top_k, request.filter)


def asked(request: query_pb2.AskRequest) -> api.QueryRequest:
    """A question as the handlers take it. Raises `InvalidRequest`."""
    search = _search(request.question, request.mode, request.top_k, request.filter)
    return api.QueryRequest(**asdict(search), conversation_id=request.conversation_id)


def _search(query: str, mode: str, top_k: int, restrict: query_pb2.SearchFilter) -> api.SearchRequest:
    """What is unset is left out."""
    filters = {
        "document_ids": list(restrict.document_ids),
        "kinds": list(restrict.kinds),
        "modalities": list(restrict.modalities),
        "dataset": restrict.dataset or None,
    }
    sent = {"query": query, "mode": mode or None, "top_k": top_k or api.DEFAULT_TOP_K, "filters": filters}
    return validated(api.SearchRequest, sent)


def found(mode: retrieval.Mode, result: retrieval.SearchResult) -> query_pb2.SearchResponse:
    """A search's answer."""
    return query_pb2.SearchResponse(
        hits=[hit(h) for h in result.hits],
        degraded=degraded(result.degraded),
        timings_ms=result.timings_ms,
        mode=mode.value,
        uncovered=result.uncovered,
        notes=result.notes,
    )


def hit(ranked: retrieval.Hit) -> query_pb2.Hit:
    """A hit and why it is there."""
    bridge, nearby = ranked.bridge, ranked.nearby
    return query_pb2.Hit(
        rank=ranked.rank,
        score=ranked.score,
        chunk=chunk(ranked.chunk),
        sources=[query_pb2.SourceRank(source=s.source, rank=s.rank, score=s.score) for s in ranked.sources],
        bridge=query_pb2.Bridge(
            from_chunk_id=bridge.from_chunk_id,
            name=bridge.name,
            sentence=bridge.sentence,
            strength=bridge.strength,
        )
        if bridge
        else None,
        nearby=query_pb2.Nearby(from_chunk_id=nearby.from_chunk_id, type=nearby.type.value) if nearby else None,
    )


def degraded(sources: Iterable[retrieval.Degraded]) -> list[query_pb2.Degraded]:
    """Sources that failed."""
    return [query_pb2.Degraded(source=d.source, reason=d.reason) for d in sources]


def chunk(passage: chunks.Chunk) -> query_pb2.Chunk:
    """A passage with its address."""
    return query_pb2.Chunk(
        id=passage.id,
        document_id=passage.document_id,
        version=passage.version,
        number=passage.number,
        text=passage.text,
        source=passage.source,
        kind=passage.kind.value,
        title=passage.title,
        section=passage.section,
        positions=[position(at) for at in passage.positions],
        context=passage.context,
        hidden=passage.hidden,
        assets=passage.assets,
    )


def position(at: parsed.Position) -> query_pb2.Position:
    """A place in the original; what does not apply is unset."""
    box = at.box
    return query_pb2.Position(
        page=at.page,
        box=query_pb2.Box(left=box.left, top=box.top, right=box.right, bottom=box.bottom) if box else None,
        slide=at.slide,
        sheet=at.sheet,
        rows=_range(at.rows),
        section=at.section,
        offset=_range(at.offset),
        seconds=query_pb2.TimeRange(start=at.seconds[0], end=at.seconds[1]) if at.seconds else None,
    )


def answer(given: answers.Answer) -> query_pb2.Answer:
    """An answer with its citations and hits."""
    return query_pb2.Answer(
        question=given.question,
        text=given.text,
        engine=given.engine,
        verdict=given.verdict.value,
        found=given.found,
        citations=[citation(c) for c in given.citations],
        hits=[hit(h) for h in given.hits],
        degraded=degraded(given.degraded),
        sub_questions=given.sub_questions,
        notes=given.notes,
        usage=query_pb2.Usage(
            input_tokens=given.usage.input_tokens,
            output_tokens=given.usage.output_tokens,
            calls=given.usage.calls,
        ),
        timings_ms=given.timings_ms,
    )


def citation(claim: answers.Citation) -> query_pb2.Citation:
    """A claim's way back."""
    return query_pb2.Citation(
        marker=claim.marker,
        chunk_id=claim.chunk_id,
        document_id=claim.document_id,
        source=claim.source,
        chunk_number=claim.chunk_number,
        quote=claim.quote,
        positions=[position(at) for at in claim.positions],
        url=claim.url,
    )


def event(happened: answers.AnswerEvent) -> query_pb2.AskStreamResponse:
    """One event of an answer's stream."""
    match happened:
        case answers.HitsFound():
            hits = query_pb2.HitsFound(hits=[hit(h) for h in happened.hits], degraded=degraded(happened.degraded))
            return query_pb2.AskStreamResponse(hits=hits)
        case answers.TextPiece():
            return query_pb2.AskStreamResponse(text=happened.text)
        case answers.TextWithdrawn():
            return query_pb2.AskStreamResponse(withdrawn=happened.reason)
        case answers.Cited():
            return query_pb2.AskStreamResponse(citation=citation(happened.citation))
        case answers.Judged():
            verdict = query_pb2.Judgement(verdict=happened.verdict.value, sub_questions=happened.sub_questions)
            return query_pb2.AskStreamResponse(verdict=verdict)
        case answers.Finished():
            return query_pb2.AskStreamResponse(answer=answer(happened.answer))
        case answers.Failed():
            raise TypeError("a failure is raised, not shown")


def _range(pair: tuple[int, int] | None) -> query_pb2.Range | None:
    return query_pb2.Range(first=pair[0], last=pair[1]) if pair else None
