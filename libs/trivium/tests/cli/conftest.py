"""The real HTTP application on a real port, over the embedded registry and small stores in memory.

What a file holds decides what becomes of it: `FAIL` and nothing at all fail, `EMPTY` has no text, anything else is
ready at once with one chunk that is the text.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvicorn
from click.testing import CliRunner, Result
from waiting import wait_until

from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.schedule import MemorySchedule
from trivium.cli.main import cli
from trivium.client import TriviumClient
from trivium.config import Settings
from trivium.domain.answers import (
    Answer,
    AnswerEvent,
    Citation,
    Finished,
    HitsFound,
    Kind,
    ShortAnswer,
    TextPiece,
    TextWithdrawn,
    Verdict,
)
from trivium.domain.chunks import Chunk, Span
from trivium.domain.crawl import CrawlRequest, Fate, Visit
from trivium.domain.documents import Document, DocumentState, Failure
from trivium.domain.errors import NotFound, Refused, TryLater
from trivium.domain.graph import Edge, Entity, EntityType, Mention, Relation
from trivium.domain.ids import child_id, chunk_id, content_version, document_id, entity_id
from trivium.domain.limits import TooMany
from trivium.domain.parsed import Position
from trivium.domain.password import Password
from trivium.domain.retrieval import Bridge, Degraded, Hit, Mode, SearchFilter, SearchResult, SourceRank
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curation
from trivium.ports.graph import EntityPage
from trivium.ports.intake import ANYWHERE, Count, Destination, NewSource, uncounted
from trivium.ports.parser import Blob
from trivium.ports.registry import DocumentPage
from trivium.text.names import fold_name
from trivium_query.connect.means import connecting_of
from trivium_query.contradictions.find import Contradictions
from trivium_query.http.app import create_app
from trivium_query.requests import AskRequest, Services


class World:
    """Every store behind the application, for one tenant at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.registry = SqliteRegistry(folder)
        self.objects = LocalObjects(folder)
        self.conversations = SqliteConversations(folder)
        self.passages: dict[str, Chunk] = {}
        self.originals: dict[str, Blob] = {}
        self.passwords: dict[str, str] = {}
        self.accepted: list[str] = []
        self.asked: list[AskRequest] = []
        self.restricted: list[SearchFilter] = []
        self.busy = 0
        self.limited_s = 0.0
        self.limited = 0
        self.hold = False
        self.namesakes = 0

    def services(self, settings: Settings) -> Services:
        """What requests need; everything is this object."""
        me: Any = self
        return Services(
            settings=settings,
            intake=me,
            registry=self.registry,
            keywords=me,
            vectors=me,
            graphs=_Graph(self),  # type: ignore[arg-type]
            curation=Curation(LocalObjects(self.folder), self.registry, me),
            objects=self.objects,
            conversations=self.conversations,
            searcher=me,
            answerer=me,
            crawler=me,
            contradictions=Contradictions(
                LocalObjects(self.folder), self.registry, me, Curation(LocalObjects(self.folder), self.registry, me)
            ),
            topics=me,
            connecting=connecting_of(settings, self.objects, self.registry, me, MemorySchedule()),
        )

    def for_tenant(self, tenant: Tenant) -> _Intake:
        return _Intake(self, tenant)

    def reader(self, tenant: Tenant) -> World:
        return self

    async def visits(self, tenant: Tenant, request: CrawlRequest) -> AsyncIterator[Visit]:
        if "refuse" in request.url:
            raise Refused("forbidden_address", "It is a loopback address.", "Upload the file.")
        for n in range(1, request.depth + 2):
            to = Destination(request.dataset, request.run)
            document = self.for_tenant(tenant).accept_url(f"{request.url}{n}", to)
            yield Visit(document.source, Fate.UNCHANGED if document.state.terminal else Fate.TAKEN, document)
        if request.sitemap:
            yield Visit(f"{request.url}gone", Fate.FAILED, reason=Failure("fetch_failed", "It is gone.", "Look again."))
        yield Visit(f"{request.url}private", Fate.LEFT_OUT, reason=Failure("robots", "It asks to be left."))

    async def document_chunks(self, document: str, version: str, start: int = 0, limit: int = 1000) -> list[Chunk]:
        mine = [c for c in self.passages.values() if c.document_id == document and c.ordinal >= start]
        return sorted(mine, key=lambda chunk: chunk.ordinal)[:limit]

    async def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        return {wanted: self.passages[wanted] for wanted in chunk_ids if wanted in self.passages}

    async def search(
        self, tenant: Tenant, question: str, mode: Mode, top_k: int, restrict: SearchFilter
    ) -> SearchResult:
        self.restricted.append(restrict)
        words = question.casefold().split()
        found = [c for c in self.passages.values() if any(word in c.text.casefold() for word in words)]
        hits = tuple(
            Hit(
                chunk,
                rank,
                1.0 / rank,
                (SourceRank("vector", rank, 0.75), SourceRank("keyword", rank + 1, 7.5)),
                Bridge(chunk.id, "Ada", "Ada wrote it.", 0.5) if rank == 1 else None,
            )
            for rank, chunk in enumerate(found[:top_k], start=1)
        )
        return SearchResult(hits, (Degraded("graph", "late"),), {"total": 3.0})

    async def answer(self, tenant: Tenant, ask: AskRequest) -> Answer:
        self.asked.append(ask)
        result = await self.search(tenant, ask.question, ask.mode, ask.top_k, ask.filter)
        if not result.hits:
            return Answer(ask.question, "Not found in the documents.", "extractive", Verdict.NOT_SUPPORTED, False)
        chunk = result.hits[0].chunk
        cited = Citation(
            f"[Source: {chunk.source}, chunk {chunk.number}]",
            chunk.id,
            chunk.document_id,
            chunk.source,
            chunk.number,
            chunk.text,
            chunk.positions,
        )
        text = f"{chunk.text} {cited.marker}"
        return Answer(
            ask.question,
            text,
            "extractive",
            Verdict.SUPPORTED,
            True,
            (cited, cited),
            result.hits,
            result.degraded,
            kind=ask.kind or "",
            short=chunk.text.split()[0] if ask.kind is Kind.FACT else "",
        )

    async def stream(self, tenant: Tenant, ask: AskRequest) -> AsyncIterator[AnswerEvent]:
        answer = await self.answer(tenant, ask)
        if "slowly" in ask.question:
            yield TextPiece("half an ans")
            raise TryLater("llm_down", "The language model went away.", "Ask again.")
        yield HitsFound(answer.hits)
        yield TextPiece("A first try")
        yield TextWithdrawn("a better one follows")
        if answer.short:
            yield ShortAnswer(answer.short)
        for word in answer.text.split(" "):
            yield TextPiece(word + " ")
        yield Finished(answer)


class _Intake(msgspec.Struct):
    world: World
    tenant: Tenant

    def accept(self, source: NewSource) -> Document:
        if self.world.limited_s:
            self.world.limited += 1
            raise TooMany("The limit of bytes is reached.", self.world.limited_s)
        if self.world.busy:
            self.world.busy -= 1
            raise TryLater("busy", "Too many documents are waiting.", "Try again later.")
        blob = source.blob
        if "refuse" in blob.name:
            raise Refused("bad_name", "That name is not liked.", "Choose another.")
        self.world.accepted.append(blob.name)
        if blob.password:
            self.world.passwords[blob.name] = blob.password.text
        registry = self.world.registry.for_tenant(self.tenant)
        accepted = registry.accept(
            Document(
                id=document_id(self.tenant, blob.name),
                tenant=self.tenant.name,
                source=blob.name,
                version=content_version(blob.content),
                dataset=source.to.dataset,
                run=source.to.run,
                size_bytes=len(blob.content),
                created_at=time.time(),
                updated_at=time.time(),
            )
        )
        if not accepted.state.terminal and not self.world.hold:
            self._work(accepted, blob)
        return accepted

    def _work(self, accepted: Document, blob: Blob) -> None:
        registry = self.world.registry.for_tenant(self.tenant)
        running = registry.claim(accepted.id, accepted.version, 60.0, time.time())
        text = blob.content.decode(errors="replace")
        if text in ("", "FAIL"):
            reason = Failure("encrypted", "The file is encrypted.", "Remove its password and upload it again.", "parse")
            done = msgspec.structs.replace(running, state=DocumentState.FAILED, failure=reason)
        elif text == "EMPTY":
            done = msgspec.structs.replace(running, state=DocumentState.EMPTY, warnings=("page 1: no text",))
        else:
            chunk = Chunk(
                id=chunk_id(running.id, running.version, 0),
                document_id=running.id,
                version=running.version,
                ordinal=0,
                text=text,
                span=Span(0, len(text)),
                source=running.source,
                sentences=(Span(0, len(text)),),
                positions=(Position(page=3),),
            )
            self.world.passages[chunk.id] = chunk
            done = msgspec.structs.replace(running, state=DocumentState.READY, chunks=1, active_version=running.version)
        if blob.name.endswith(".zip"):
            done = msgspec.structs.replace(done, children=1)
            name, inner = f"{blob.name} > a.txt", Blob("a.txt", blob.content)
            inside = Document(child_id(done.id, "a.txt"), self.tenant.name, name, done.version, parent=done.id)
            self._work(registry.accept(inside), inner)
        registry.save(done)

    def children(self, document: str, limit: int, cursor: str = "") -> DocumentPage:
        found = self.world.registry.for_tenant(self.tenant).list(limit=1000).documents
        return DocumentPage(tuple(each for each in found if each.parent == document))

    def accept_url(
        self, url: str, to: Destination = ANYWHERE, password: Password | None = None, count: Count = uncounted
    ) -> Document:
        if "127.0.0.1" in url:
            raise Refused("forbidden_address", "127.0.0.1 is a loopback address.", "Upload the file.")
        page = b"A page about Ada."
        count(len(page))
        return self.accept(NewSource(Blob(url, page, password=password), to=to))

    def unlock(self, document: str, password: Password) -> Document:
        registry = self.world.registry.for_tenant(self.tenant)
        known = registry.get(document)
        if known.state is not DocumentState.FAILED:
            raise Refused("no_password_needed", "It is open.", "Nothing is to be done.")
        content = b"Ada." if password.text == "right" else b"FAIL"
        self.world.passwords[known.source] = password.text
        self._work(registry.accept(known), Blob(known.source, content))
        return registry.get(document)

    def delete(self, document: str) -> Document:
        gone = self.world.registry.for_tenant(self.tenant).delete(document)
        self.world.passages = {k: c for k, c in self.world.passages.items() if c.document_id != document}
        return gone


class _Graph(msgspec.Struct):
    """Two entities that know each other, when a chunk names them, after those that share a name."""

    world: World

    def reader(self, tenant: Tenant) -> _GraphReader:
        return _GraphReader(self.world, tenant)


class _GraphReader(msgspec.Struct):
    world: World
    tenant: Tenant

    def _all(self) -> list[Entity]:
        named = [(f"Ada {number}", (), EntityType.PERSON) for number in range(self.world.namesakes)]
        named += [("Ada Lovelace", ("Ada",), EntityType.PERSON), ("Analytical Engine", (), EntityType.TECHNOLOGY)]
        return [
            Entity(entity_id(self.tenant, fold_name(name)), fold_name(name), name, kind, aliases, 1, 1)
            for name, aliases, kind in named
        ]

    async def entities(self, prefix: str = "", kind: str = "", limit: int = 50, cursor: str = "") -> EntityPage:
        names = [e for e in self._all() if any(fold_name(n).startswith(prefix) for n in (e.name, *e.aliases))]
        start = int(cursor or 0)
        found = tuple(e for e in names if not kind or e.type == kind)[start:]
        return EntityPage(found[:limit], str(start + limit) if len(found) > limit else "")

    async def entity(self, wanted: str) -> Entity:
        for entity in self._all():
            if entity.id == wanted:
                return entity
        raise NotFound("unknown_entity", "There is no such entity.", "List them.")

    async def hypernodes_of(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {}

    async def edges(self, keys: Sequence[str], limit: int = 50, after: Edge | None = None) -> dict[str, list[Edge]]:
        edge = Edge("ada lovelace", "analytical engine", "WROTE_FOR", 0.9, 1)
        return {key: [edge] for key in keys}

    async def evidence(self, key: str, limit: int = 20) -> tuple[list[Mention], list[Relation]]:
        span = Span(0, 3)
        mentions = [Mention(key, chunk, 0, span, "Ada") for chunk in self.world.passages]
        relations = [
            Relation("ada lovelace", "analytical engine", "WROTE_FOR", 0.9, chunk, span, "Ada", "pattern:wrote_for")
            for chunk in self.world.passages
        ]
        return mentions, relations


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "stores"
    folder.mkdir()
    return World(folder)


@pytest.fixture
def server(world: World) -> Iterator[str]:
    """The application on a free port; its URL."""
    with serving(world, Settings()) as url:
        yield url


class serving:  # noqa: N801 - used as a context manager
    """`with serving(world, settings) as url`."""

    def __init__(self, world: World, settings: Settings) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio leaves it out for this socket
        config = uvicorn.Config(create_app(world.services(settings)), log_config=None, lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listener]}, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        wait_until(lambda: self._server.started or not self._thread.is_alive(), "the server has started")
        assert self._thread.is_alive()
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __exit__(self, *failure: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._listener.close()


@pytest.fixture
def client(server: str) -> Iterator[TriviumClient]:
    with TriviumClient(server) as connected:
        yield connected


Run = Callable[..., Result]


@pytest.fixture
def run(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder, against the server."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def call(*arguments: str, given: str = "", **environment: str) -> Result:
        variables = {"TRIVIUM_URL": server, **environment}
        return CliRunner().invoke(cli, list(arguments), input=given, env=variables, prog_name="trivium")

    return call
