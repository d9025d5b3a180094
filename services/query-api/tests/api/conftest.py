"""A small world behind the API: two tenants, one document each, and stores that live in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import grpc
import httpx2
import msgspec
import numpy as np
import pytest
import structlog
from grpc_doors import over_grpc

from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.schedule import MemorySchedule
from trivium.adapters.resolved_names import page_of, read_place
from trivium.config import Settings
from trivium.domain.answers import (
    Answer,
    AnswerEvent,
    Citation,
    Cited,
    Finished,
    HitsFound,
    Judged,
    Kind,
    ShortAnswer,
    TextPiece,
    Usage,
    Verdict,
)
from trivium.domain.chunks import Chunk, Span
from trivium.domain.crawl import CrawlRequest, Fate, Visit
from trivium.domain.documents import Document, DocumentState, Failure
from trivium.domain.errors import NeverWill, NotFound, Refused, TryLater
from trivium.domain.graph import (
    CO_OCCURS,
    ChunkGraph,
    Edge,
    Entity,
    EntityType,
    Mention,
    Mentioning,
    MentionRole,
    Relation,
)
from trivium.domain.ids import chunk_id, content_version, document_id, entity_id
from trivium.domain.parsed import Box, Position
from trivium.domain.password import Password
from trivium.domain.retrieval import Bridge, Hit, Mode, RowFilter, SearchFilter, SearchResult, SourceRank
from trivium.domain.scope import Tenant
from trivium.domain.topics import Topic, TopicMember, Topics
from trivium.domain.verdicts import Verdict as NameVerdict
from trivium.domain.verdicts import VerdictPage
from trivium.edits.curation import Curation
from trivium.flow.assets import no_such_asset
from trivium.llm.spending import owe
from trivium.ports.graph import EntityPage, GraphRow
from trivium.ports.intake import ANYWHERE, Count, Destination, NewSource, uncounted
from trivium.ports.parser import Blob
from trivium.ports.registry import DocumentPage
from trivium_query.connect.means import connecting_of
from trivium_query.contradictions.find import Contradictions
from trivium_query.http.app import create_app
from trivium_query.requests import AskRequest, Services
from trivium_query.topics.kept import Current

ENGINE_PAGE = b"<script>alert(1)</script>"
TEXTS = (
    "Charles Babbage designed the Analytical Engine.",
    "Ada Lovelace wrote notes on the Analytical Engine.",
    "The engine was never finished.",
)


class MemoryIntake:
    """Accepts, keeps the bytes, and never works on them."""

    def __init__(self, registry: SqliteRegistry) -> None:
        self.registry = registry
        self.blobs: dict[str, Blob] = {}

    def for_tenant(self, tenant: Tenant) -> TenantMemoryIntake:
        return TenantMemoryIntake(self, tenant)


class TenantMemoryIntake:
    def __init__(self, world: MemoryIntake, tenant: Tenant) -> None:
        self._world, self._tenant = world, tenant

    def accept(self, source: NewSource) -> Document:
        if source.blob.content.startswith(b"REFUSE"):
            raise Refused("forbidden_content", "This file is not taken.", "Send another.")
        document = Document(
            id=document_id(self._tenant, source.blob.name),
            tenant=self._tenant.name,
            source=source.blob.name,
            version=content_version(source.blob.content),
            title=source.title,
            dataset=source.to.dataset,
            run=source.to.run,
            size_bytes=len(source.blob.content),
            created_at=time.time(),
        )
        self._world.blobs[document.id] = source.blob
        return self._world.registry.for_tenant(self._tenant).accept(document)

    def accept_url(
        self, url: str, to: Destination = ANYWHERE, password: Password | None = None, count: Count = uncounted
    ) -> Document:
        if "127.0.0.1" in url:
            raise Refused("forbidden_address", "That address is private.", "Add it to TRIVIUM_URL_ALLOW.")
        if "broken" in url:
            raise NeverWill("fetch_failed", "The address answered 410.", "Check the address.")
        page = b"<p>fetched</p>"
        count(len(page))
        return self.accept(NewSource(Blob(url, page, password=password), to=to))

    def unlock(self, document_id: str, password: Password) -> Document:
        document = self._world.registry.for_tenant(self._tenant).get(document_id)
        self._world.blobs[document_id] = msgspec.structs.replace(self._world.blobs[document_id], password=password)
        return document

    def delete(self, document_id: str) -> Document:
        registry = self._world.registry.for_tenant(self._tenant)
        document = registry.get(document_id)
        gone = msgspec.structs.replace(document, state=DocumentState.DELETED, active_version="")
        registry.save(gone)
        return gone

    def children(self, document_id: str, limit: int, cursor: str = "") -> DocumentPage:
        found = self._world.registry.for_tenant(self._tenant).list(limit=1000).documents
        inside = sorted((d for d in found if d.parent == document_id and d.id > cursor), key=lambda d: d.id)
        return DocumentPage(tuple(inside[:limit]), inside[limit - 1].id if len(inside) > limit else "")

    def original(self, document_id: str) -> Blob:
        self._world.registry.for_tenant(self._tenant).get(document_id)
        return self._world.blobs[document_id]

    def asset(self, document_id: str, name: str) -> Blob:
        if name != "figure.png":
            raise no_such_asset(name)
        return Blob(name, b"pixels", "image/png")


class MemoryKeywords:
    def __init__(self) -> None:
        self.kept: dict[str, list[Chunk]] = {}
        self.down = False

    def reader(self, tenant: Tenant) -> MemoryKeywordReader:
        return MemoryKeywordReader(self, tenant)


class MemoryKeywordReader:
    def __init__(self, store: MemoryKeywords, tenant: Tenant) -> None:
        self._store = store
        self._chunks = store.kept.get(tenant.name, [])

    async def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        if self._store.down:
            raise TryLater("keywords_down", "The keyword store does not answer.", "Start it.")
        return {c.id: c for c in self._chunks if c.id in chunk_ids}

    async def document_chunks(self, document_id: str, version: str, start: int = 0, limit: int = 1000) -> list[Chunk]:
        found = [c for c in self._chunks if (c.document_id, c.version) == (document_id, version)]
        return [c for c in found if c.ordinal >= start][:limit]


class MemoryVectors:
    def reader(self, tenant: Tenant) -> MemoryVectors:
        return self

    async def passage_vectors(self, chunk_ids: Sequence[str]) -> dict[str, np.ndarray]:
        return {}


class MemoryGraphs:
    def __init__(self, folder: Path) -> None:
        self.writer = SqliteGraphs(folder).writer
        self.entities_of: dict[str, dict[str, Entity]] = {}
        self.keywords: MemoryKeywords | None = None

    def reader(self, tenant: Tenant) -> MemoryGraphReader:
        assert self.keywords is not None
        return MemoryGraphReader(self.entities_of.get(tenant.name, {}), self.keywords.kept.get(tenant.name, []))


class MemoryGraphReader:
    def __init__(self, entities: dict[str, Entity], chunks: list[Chunk]) -> None:
        self._entities, self._chunks = entities, chunks

    async def entity(self, entity_id: str) -> Entity:
        for entity in self._entities.values():
            if entity.id == entity_id:
                return entity
        raise NotFound("no_such_entity", "There is no such entity.", "List them.")

    async def entities(self, prefix: str = "", kind: str = "", limit: int = 50, cursor: str = "") -> EntityPage:
        if cursor and not (cursor.isdecimal() and cursor.isascii() and len(cursor) < 10):
            raise Refused("bad_cursor", "The cursor is not one of ours.", "Start again.")
        found = [e for e in self._entities.values() if e.key.startswith(prefix) and kind in ("", e.type)]
        start = min(int(cursor or 0), len(found))
        following = str(start + limit) if start + limit < len(found) else ""
        return EntityPage(tuple(found[start : start + limit]), following)

    async def match(self, names: Sequence[str], limit: int = 10) -> dict[str, list[tuple[Entity, float]]]:
        return {name: [(e, 0.6) for e in self._entities.values() if name.lower() in e.key][:limit] for name in names}

    async def said(self, chunk_ids: Sequence[str]) -> dict[str, ChunkGraph]:
        return {chunk_id: ChunkGraph(chunk_id) for chunk_id in chunk_ids}

    async def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
        return {}

    async def hypernodes_of(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {}

    async def edges(self, keys: Sequence[str], limit: int = 50, after: Edge | None = None) -> dict[str, list[Edge]]:
        known = sorted(self._entities)
        return {
            key: [Edge(*sorted((key, other)), CO_OCCURS, 0.5) for other in known if other != key][:limit]
            for key in keys
        }

    async def named(self, keys: Sequence[str]) -> dict[str, Entity]:
        return {key: self._entities[key] for key in keys if key in self._entities}

    async def verdicts(self, keys: Sequence[str]) -> dict[str, list[NameVerdict]]:
        return {one.key: [one] for one in self._verdicts() if one.key in keys}

    async def asked(self, limit: int = 50, cursor: str = "") -> VerdictPage:
        score, *_ = read_place(cursor)
        return page_of([one for one in self._verdicts() if one.score <= score], limit)

    def _verdicts(self) -> list[NameVerdict]:
        keys = sorted(self._entities)[:2]
        return [NameVerdict(keys[0], keys[1], 0.6, ("+0.60 alike",), merges=False)] if len(keys) == 2 else []

    async def shares(self, after: str = "", limit: int = 200, dataset: str = "") -> list[GraphRow]:
        return []

    async def mentioned_by(
        self, keys: Sequence[str], limit: int, role: MentionRole, where: RowFilter
    ) -> dict[str, Mentioning]:
        return {}

    async def stated_between(self, key: str, other: str, types: Sequence[str], limit: int = 20) -> list[Relation]:
        return []

    async def evidence(self, key: str, limit: int = 20) -> tuple[list[Mention], list[Relation]]:
        mentions = [
            Mention(key, c.id, 0, Span(0, 3), self._entities[key].name) for c in self._chunks if key in c.text.lower()
        ]
        relations = [
            Relation(key, "x", "DESIGNED", 0.9, c.id, Span(0, len(c.text)), c.text, "pattern:designed")
            for c in self._chunks[:1]
        ]
        return mentions[:limit], relations[:limit]


def told_topics(tenant: Tenant) -> Topics:
    """Two topics, the larger of which is divided; one central passage is nobody's."""
    document = document_id(tenant, "engine.html")
    first, second = (chunk_id(document, content_version(ENGINE_PAGE), n) for n in (0, 1))
    ada = TopicMember(entity_id(tenant, "ada lovelace"), "Ada Lovelace", EntityType.PERSON, 2, 1.5)
    engines = Topic("0" * 32, 0, "", "Ada Lovelace: engines", ("engine",), (ada,), (second, "gone", first), 3, 2, 1)
    looms = Topic("1" * 32, 0, "", "Looms", (), (), ("gone",), 3, 1, 1)
    notes = Topic("2" * 32, 1, engines.id, "Notes on engines", (), (ada,), (second,), 3, 1, 1)
    return Topics("s", 1.5, {}, (engines, looms, notes), left=4)


class FixedTopics:
    """The same topics for everybody; `late` says that they are being made."""

    def __init__(self) -> None:
        self.stale = False
        self.asked: list[tuple[Tenant, str]] = []
        self.late = False

    async def of(self, tenant: Tenant, dataset: str, wait_s: float) -> Current:
        self.asked.append((tenant, dataset))
        if self.late:
            raise TryLater("topics_in_the_making", "The topics are being made anew.", "Ask again in a minute.")
        return Current(told_topics(tenant), self.stale)

    def close(self) -> None:
        return


class LinkedPages:
    """A "site" of as many pages as may be visited, the last of which is left out; counts the crawls that ended."""

    def __init__(self, intake: MemoryIntake) -> None:
        self._intake = intake
        self.asked: list[CrawlRequest] = []
        self.ended = 0

    async def visits(self, tenant: Tenant, request: CrawlRequest) -> AsyncGenerator[Visit, None]:
        self.asked.append(request)
        if "127.0.0.1" in request.url:
            raise Refused("forbidden_address", "That address is private.", "Add it to TRIVIUM_URL_ALLOW.")
        try:
            for n in range(1, request.max_pages):
                to = Destination(request.dataset, request.run)
                document = self._intake.for_tenant(tenant).accept_url(f"{request.url}{n}", to)
                yield Visit(document.source, Fate.TAKEN, document)
            yield Visit(f"{request.url}no", Fate.LEFT_OUT, reason=Failure("robots", "It asks to be left."))
            if "breaks" in request.url:
                raise TryLater("site_gone", "The site went away.", "Again later.")
        finally:
            self.ended += 1


class WordSearcher:
    """Passages that share words with the question; `gate` holds a search until it is set."""

    def __init__(self, keywords: MemoryKeywords) -> None:
        self._keywords = keywords
        self.gate: asyncio.Event | None = None
        self.held = self.cancelled = 0
        self._changed = asyncio.Condition()
        self._telling: set[asyncio.Future[None]] = set()

    async def search(
        self, tenant: Tenant, question: str, mode: Mode, top_k: int, restrict: SearchFilter
    ) -> SearchResult:
        await self._wait()
        if question == "explode":
            raise RuntimeError("secret inside")
        words = set(question.lower().strip("?").split())
        scored = [
            (len(words & set(c.text.lower().strip(".").split())), c)
            for c in self._keywords.kept.get(tenant.name, [])
            if not restrict.document_ids or c.document_id in restrict.document_ids
        ]
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])[:top_k]
        hits = tuple(
            Hit(
                c,
                n,
                float(score),
                (SourceRank("keyword", n, float(score)),),
                Bridge(c.id, "Engine", c.text, 0.5) if n > 1 else None,
            )
            for n, (score, c) in enumerate(best, 1)
        )
        return SearchResult(hits, timings_ms={"keyword": 0.1})

    async def reaches(self, *, held: int = 0, cancelled: int = 0) -> None:
        """Return once that many searches waited at the gate, or were stopped there from outside."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: self.held >= held and self.cancelled >= cancelled)

    async def _wait(self) -> None:
        if self.gate is None:
            return
        self.held += 1
        self._tell()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            self._tell()
            raise

    def _tell(self) -> None:
        async def notify() -> None:
            async with self._changed:
                self._changed.notify_all()

        self._telling.add(asyncio.ensure_future(notify()))


class QuotingAnswerer:
    """Answers with the best passage, in short with its first two words; tells how much history it saw.

    Each answer costs 22 tokens read and 14 written.
    """

    def __init__(self, searcher: WordSearcher) -> None:
        self._searcher = searcher

    async def answer(self, tenant: Tenant, ask: AskRequest) -> Answer:
        result = await self._searcher.search(tenant, ask.question, ask.mode, ask.top_k, ask.filter)
        return self._compose(ask, result)

    async def stream(self, tenant: Tenant, ask: AskRequest) -> AsyncGenerator[AnswerEvent, None]:
        result = await self._searcher.search(tenant, ask.question, ask.mode, ask.top_k, ask.filter)
        answer = self._compose(ask, result)
        yield HitsFound(result.hits)
        if answer.short:
            yield ShortAnswer(answer.short)
        for word in answer.text.split():
            yield TextPiece(word + " ")
        if ask.question == "break engine":
            raise TryLater("llm_down", "The model went away.", "Try again.")
        for citation in answer.citations:
            yield Cited(citation)
        yield Judged(answer.verdict, probability=answer.probability)
        yield Finished(answer)

    def _compose(self, ask: AskRequest, result: SearchResult) -> Answer:
        owe(36 if result.hits else 0)
        if not result.hits:
            return Answer(ask.question, "Not found in the documents.", "extractive", Verdict.NOT_SUPPORTED, found=False)
        chunk = result.hits[0].chunk
        marker = f"[Source: {chunk.source}, chunk {chunk.number}]"
        cited = Citation(marker, chunk.id, chunk.document_id, chunk.source, chunk.number, chunk.text, chunk.positions)
        return Answer(
            ask.question,
            f"{chunk.text} {marker}",
            "extractive",
            Verdict.SUPPORTED,
            found=True,
            citations=(cited,),
            hits=result.hits,
            notes=(f"turns before: {len(ask.history)}", *((f"reranked: {ask.rerank}",) if ask.rerank else ())),
            kind=ask.kind or Kind.FACT,
            short=" ".join(chunk.text.split()[:2]),
            probability=0.75,
            usage=Usage(input_tokens=22, output_tokens=14, calls=1),
        )


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[MutableMapping[str, Any]]]:
    """What was logged, instead of showing it."""
    with structlog.testing.capture_logs() as entries:
        yield entries


@pytest.fixture
def settings() -> Settings:
    return Settings(max_upload_bytes=200_000)


@pytest.fixture
def services(tmp_path: Path, settings: Settings) -> Services:
    """A world in which tenants `default` and `other` hold one READY document each."""
    registry = SqliteRegistry(tmp_path)
    keywords, graphs = MemoryKeywords(), MemoryGraphs(tmp_path)
    graphs.keywords = keywords
    searcher = WordSearcher(keywords)
    intake = MemoryIntake(registry)
    for name in ("default", "other"):
        _fill(Tenant(name), registry, intake, keywords, graphs)
    return Services(
        settings=settings,
        intake=intake,
        registry=registry,
        keywords=keywords,
        vectors=MemoryVectors(),
        graphs=graphs,
        curation=Curation(LocalObjects(tmp_path), registry, graphs),
        objects=LocalObjects(tmp_path),
        conversations=SqliteConversations(tmp_path),
        searcher=searcher,
        answerer=QuotingAnswerer(searcher),
        crawler=LinkedPages(intake),
        contradictions=Contradictions(
            LocalObjects(tmp_path), registry, keywords, Curation(LocalObjects(tmp_path), registry, graphs)
        ),
        topics=FixedTopics(),
        connecting=connecting_of(settings, LocalObjects(tmp_path), registry, intake, MemorySchedule()),
    )


def _fill(
    tenant: Tenant, registry: SqliteRegistry, intake: MemoryIntake, keywords: MemoryKeywords, graphs: MemoryGraphs
) -> None:
    blob = Blob("engine.html", ENGINE_PAGE, "text/html")
    accepted = intake.for_tenant(tenant).accept(NewSource(blob, "Engines"))
    registry.for_tenant(tenant).save(
        msgspec.structs.replace(
            accepted,
            state=DocumentState.READY,
            active_version=accepted.version,
            media_type="text/html",
            chunks=len(TEXTS),
        )
    )
    keywords.kept[tenant.name] = [
        Chunk(
            chunk_id(accepted.id, accepted.version, n),
            accepted.id,
            accepted.version,
            n,
            text,
            Span(0, len(text)),
            "engine.html",
            sentences=(Span(0, len(text)),),
            positions=(Position(page=n + 1, box=Box(0, 0, 10, 10)),),
        )
        for n, text in enumerate(TEXTS)
    ]
    graphs.entities_of[tenant.name] = {
        key: Entity(entity_id(tenant, key), key, key.title(), EntityType.PERSON, (), 1, 1)
        for key in ("charles babbage", "ada lovelace", "analytical engine")
    }


@pytest.fixture
def engine(services: Services) -> str:
    """The id of the default tenant's document."""
    return services.keywords.kept["default"][0].document_id


@pytest.fixture
async def client(services: Services) -> AsyncIterator[httpx2.AsyncClient]:
    """The HTTP application, without a socket."""
    transport = httpx2.ASGITransport(create_app(services), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        yield client


@pytest.fixture
async def channel(services: Services) -> AsyncIterator[grpc.aio.Channel]:
    """The gRPC door."""
    async with over_grpc(services) as opened:
        yield opened
