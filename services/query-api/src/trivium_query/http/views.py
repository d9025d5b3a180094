"""From domain values to wire shapes."""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec
from pydantic import BaseModel

from trivium.domain import answers, chunks, documents, graph, parsed, retrieval
from trivium.domain.places import web_address
from trivium.domain.waiting import waits_for
from trivium.ports.conversations import Conversation
from trivium_query.handlers.graph import EntityPicture
from trivium_query.handlers.links import Links
from trivium_query.http import schemas


def source(document: documents.Document) -> schemas.Source:
    """A registry record, without what is only the registry's business."""
    failure = document.failure
    return schemas.Source(
        id=document.id,
        name=document.source,
        title=document.title,
        dataset=document.dataset,
        state=document.state,
        stage=document.stage,
        progress=document.progress,
        media_type=document.media_type,
        size_bytes=document.size_bytes,
        chunks=document.chunks,
        version=document.version,
        active_version=document.active_version,
        attempt=document.attempt,
        reason=reason(failure) if failure else None,
        warnings=list(document.warnings),
        waits_for=waits_for(document, time.time()),
        parent=document.parent,
        children=document.children,
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def links(found: Links) -> schemas.SourceLinks:
    """A document's neighbours on the web."""
    return schemas.SourceLinks(
        links_to=[_linked(document) for document in found.links_to],
        linked_from=[_linked(document) for document in found.linked_from],
    )


def _linked(document: documents.Document) -> schemas.LinkedSource:
    return schemas.LinkedSource(id=document.id, name=document.source, title=document.title)


def reason(failure: documents.Failure) -> schemas.Reason:
    """Why something failed."""
    return schemas.Reason(**msgspec.structs.asdict(failure))


def position(at: parsed.Position) -> schemas.Position:
    """A place in the original; what does not apply is absent."""
    box = at.box
    return schemas.Position(
        page=at.page,
        box=schemas.Box(left=box.left, top=box.top, right=box.right, bottom=box.bottom) if box else None,
        slide=at.slide,
        sheet=at.sheet,
        rows=at.rows,
        section=list(at.section) or None,
        offset=at.offset,
        seconds=at.seconds,
    )


def chunk(passage: chunks.Chunk) -> schemas.Chunk:
    """A passage with its address."""
    return schemas.Chunk(
        id=passage.id,
        document_id=passage.document_id,
        version=passage.version,
        number=passage.number,
        source=passage.source,
        title=passage.title,
        section=list(passage.section),
        kind=passage.kind,
        text=passage.text,
        context=passage.context,
        hidden=passage.hidden,
        assets=list(passage.assets),
        positions=[position(at) for at in passage.positions],
    )


def hit(found: retrieval.Hit) -> schemas.Hit:
    """A hit and why it is there."""
    bridge = found.bridge
    return schemas.Hit(
        rank=found.rank,
        score=found.score,
        chunk=chunk(found.chunk),
        sources=[schemas.SourceRank(source=s.source, rank=s.rank, score=s.score) for s in found.sources],
        bridge=schemas.Bridge(
            from_chunk_id=bridge.from_chunk_id,
            name=bridge.name,
            sentence=bridge.sentence,
            strength=bridge.strength,
        )
        if bridge
        else None,
        nearby=schemas.Nearby(from_chunk_id=found.nearby.from_chunk_id, type=found.nearby.type)
        if found.nearby
        else None,
    )


def degraded(sources: Iterable[retrieval.Degraded]) -> list[schemas.Degraded]:
    """Sources that failed."""
    return [schemas.Degraded(source=d.source, reason=d.reason) for d in sources]


def found(query: str, mode: retrieval.Mode, result: retrieval.SearchResult) -> schemas.SearchResponse:
    """A search's answer."""
    return schemas.SearchResponse(
        query=query,
        mode=mode,
        hits=[hit(h) for h in result.hits],
        degraded=degraded(result.degraded),
        timings_ms=result.timings_ms,
        uncovered=[parsed.UnitKind(kind) for kind in result.uncovered],
        notes=list(result.notes),
    )


def citation(claim: answers.Citation) -> schemas.Citation:
    """A claim's way back."""
    return schemas.Citation(
        marker=claim.marker,
        chunk_id=claim.chunk_id,
        document_id=claim.document_id,
        source=claim.source,
        chunk_number=claim.chunk_number,
        quote=claim.quote,
        positions=[position(at) for at in claim.positions],
        url=web_address(claim.source, claim.positions),
    )


def event(happened: answers.AnswerEvent) -> BaseModel:
    """The data of one event of an answer's stream."""
    match happened:
        case answers.HitsFound():
            return schemas.HitsFound(hits=[hit(h) for h in happened.hits], degraded=degraded(happened.degraded))
        case answers.TextPiece():
            return schemas.TextPiece(text=happened.text)
        case answers.TextWithdrawn():
            return schemas.TextWithdrawn(reason=happened.reason)
        case answers.Cited():
            return citation(happened.citation)
        case answers.Judged():
            return schemas.Judged(verdict=happened.verdict, sub_questions=list(happened.sub_questions))
        case answers.Finished():
            return answer(happened.answer)
        case answers.Failed():
            raise TypeError("a failure is raised, not shown")


def answer(given: answers.Answer) -> schemas.Answer:
    """An answer with its citations and hits."""
    return schemas.Answer(
        question=given.question,
        text=given.text,
        engine=given.engine,
        verdict=given.verdict,
        found=given.found,
        citations=[citation(c) for c in given.citations],
        hits=[hit(h) for h in given.hits],
        degraded=degraded(given.degraded),
        sub_questions=list(given.sub_questions),
        notes=list(given.notes),
        usage=schemas.Usage(
            input_tokens=given.usage.input_tokens,
            output_tokens=given.usage.output_tokens,
            calls=given.usage.calls,
        ),
        timings_ms=given.timings_ms,
    )


def conversation(kept: Conversation) -> schemas.Conversation:
    """A conversation with its turns."""
    return schemas.Conversation(
        id=kept.id,
        title=kept.title,
        turns=[schemas.Turn(question=t.question, answer=t.answer) for t in kept.turns],
        created_at=kept.created_at,
        updated_at=kept.updated_at,
    )


def entity(node: graph.Entity) -> schemas.Entity:
    """A node."""
    return schemas.Entity(
        id=node.id,
        name=node.name,
        type=node.type,
        aliases=list(node.aliases),
        mentions=node.mentions,
        degree=node.degree,
    )


def picture(seen: EntityPicture) -> schemas.EntityPicture:
    """An entity with its surroundings; evidence whose chunk is gone meanwhile is left out."""
    return schemas.EntityPicture(
        entity=entity(seen.entity),
        neighbours=[
            schemas.Neighbour(
                entity=entity(n.entity),
                relation=n.edge.type,
                outgoing=n.outgoing,
                confidence=n.edge.confidence,
                evidence=n.edge.evidence,
            )
            for n in seen.neighbours
        ],
        mentions=[
            schemas.Mention(
                place=_place(seen.chunks[m.chunk_id]),
                surface=m.surface,
                role=m.role,
                sentence=_sentence(seen.chunks[m.chunk_id], m.sentence),
            )
            for m in seen.mentions
            if m.chunk_id in seen.chunks
        ],
        relations=[
            schemas.Relation(
                place=_place(seen.chunks[r.chunk_id]),
                source_key=r.source_key,
                target_key=r.target_key,
                type=r.type,
                confidence=r.confidence,
                snippet=r.snippet,
                operation=r.operation,
            )
            for r in seen.relations
            if r.chunk_id in seen.chunks
        ],
    )


def _place(passage: chunks.Chunk) -> schemas.Place:
    return schemas.Place(
        chunk_id=passage.id,
        document_id=passage.document_id,
        source=passage.source,
        chunk_number=passage.number,
    )


def _sentence(passage: chunks.Chunk, ordinal: int) -> str:
    return passage.sentence(ordinal) if ordinal < len(passage.sentences) else ""
