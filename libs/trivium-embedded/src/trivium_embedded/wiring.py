"""READ FIRST: the only place that builds adapters, from settings; everything else receives ports.

objects, registry, vectors, keywords, graph: files and SQLite under the data directory. Broker: memory. Models: in
this process. The distributed product differs from this file and from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from celery import Celery

from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.config import Settings
from trivium.egress.fetch import FetchLimits, allowed_hosts, fetch
from trivium.flow.envelope import Envelope
from trivium.flow.intake import StoreIntake
from trivium.flow.stage import StageWork
from trivium.flow.tasks import make_app, register
from trivium.llm.address import LlmAddress
from trivium.llm.connect import connect_llm
from trivium.llm.transport import LlmLimits
from trivium.ports.inference import Embedder, Reranker
from trivium.ports.llm import Llm
from trivium.ports.parser import Blob, ParseLimits
from trivium_embedded.worker import BROKER_URL, InProcessWorkers
from trivium_graph.stages import ExtractWork, LinkWork
from trivium_inference.embed import EmbedOptions, build_embedder, usable_cores
from trivium_inference.ocr import rapid_ocr
from trivium_ingest.chunk.options import ChunkOptions
from trivium_ingest.dispatch import Dispatcher, release_orphans
from trivium_ingest.parse.sandbox import Bounds, Sandbox
from trivium_ingest.stages import ChunkWork, EmbedWork, EnrichWork, IndexWork, ParseWork, PublishWork
from trivium_query.answering import PipelineAnswerer
from trivium_query.doors import Services
from trivium_query.question_vectors import REMEMBERED, QuestionVectors
from trivium_query.retrieve.ledger import Budgets
from trivium_query.searching import PipelineSearcher


class Stores(msgspec.Struct, frozen=True):
    """The embedded adapters over one data directory."""

    objects: LocalObjects
    registry: SqliteRegistry
    vectors: SqliteVectors
    keywords: SqliteKeywords
    graphs: SqliteGraphs
    conversations: SqliteConversations


@contextmanager
def assembled(settings: Settings, *, remembered_questions: int = REMEMBERED) -> Iterator[Services]:
    """The whole product on `settings.data_dir`, working: ingest runs while the block does.

    Unfinished documents of an earlier process are taken up again. The caller owns the data directory.
    """
    with ExitStack() as stack:
        stores = _open_stores(settings.data_dir)
        for closing in (stores.objects, stores.registry, stores.vectors, stores.keywords, stores.graphs):
            if hasattr(closing, "close"):
                stack.callback(closing.close)
        embedder = build_embedder(
            EmbedOptions(settings.cache_dir.expanduser(), settings.embed_model, settings.embed_backend)
        )
        sandbox = Sandbox(
            rapid_ocr,
            ParseLimits(max_bytes=settings.max_upload_bytes),
            Bounds(wall_s=settings.parse_timeout_s, memory_bytes=settings.parse_memory_bytes),
            size=settings.parse_workers,
        )
        stack.callback(sandbox.close)
        app = make_app(BROKER_URL)
        dispatcher = Dispatcher(app, stores.registry, lease_s=settings.lease_s, max_attempts=settings.max_attempts)
        envelope = Envelope(stores.registry, stores.objects, settings.lease_s, dispatcher.left)
        for work in _stages(settings, stores, embedder, sandbox):
            register(app, envelope, work)
        _start_ingest(stack, app, dispatcher, stores.registry)
        questions = QuestionVectors(embedder, remembered_questions)
        stack.callback(questions.close)
        yield _services(settings, stores, questions, dispatcher.ring)


def _open_stores(data_dir: Path) -> Stores:
    return Stores(
        LocalObjects(data_dir),
        SqliteRegistry(data_dir),
        SqliteVectors(data_dir),
        SqliteKeywords(data_dir),
        SqliteGraphs(data_dir),
        SqliteConversations(data_dir),
    )


def _stages(settings: Settings, stores: Stores, embedder: Embedder, sandbox: Sandbox) -> list[StageWork]:
    llm = _llm_address(settings)
    options = ChunkOptions(settings.chunker, settings.chunk_size, settings.chunk_overlap)
    return [
        ParseWork(sandbox.parse, rapid_ocr().fingerprint),
        ChunkWork(options, embedder),
        EnrichWork(llm if settings.enrich_with_llm else None),
        EmbedWork(embedder),
        IndexWork(stores.vectors, stores.keywords),
        ExtractWork(llm if settings.extract_with_llm else None),
        LinkWork(stores.graphs),
        PublishWork(stores.registry, stores.vectors, stores.keywords, stores.graphs),
    ]


def _start_ingest(stack: ExitStack, app: Celery, dispatcher: Dispatcher, registry: SqliteRegistry) -> None:
    release_orphans(registry)
    workers = InProcessWorkers(app, usable_cores())
    workers.start()
    stack.callback(workers.stop)
    dispatcher.start()
    stack.callback(dispatcher.stop)


def _services(settings: Settings, stores: Stores, questions: QuestionVectors, doorbell: Callable[[], None]) -> Services:
    llm = _llm_address(settings)
    limits = FetchLimits(allow_hosts=allowed_hosts(settings.url_allow))

    def fetch_blob(url: str) -> Blob:
        fetched = fetch(url, limits)
        return Blob(fetched.url, fetched.content, fetched.media_type)

    searcher = PipelineSearcher(
        stores.vectors,
        stores.keywords,
        stores.graphs,
        stores.registry,
        questions,
        Budgets(settings.vector_budget_s, settings.keyword_budget_s, settings.graph_budget_s),
    )
    return Services(
        settings=settings,
        intake=StoreIntake(
            stores.objects,
            stores.registry,
            stores.vectors,
            stores.keywords,
            stores.graphs,
            doorbell,
            fetch_blob,
            settings.max_upload_bytes,
        ),
        registry=stores.registry,
        keywords=stores.keywords,
        vectors=stores.vectors,
        graphs=stores.graphs,
        conversations=stores.conversations,
        searcher=searcher,
        answerer=PipelineAnswerer(
            searcher,
            stores.vectors,
            questions,
            llm.connect() if llm else None,
            _reranker(settings),
            settings.rerank,
        ),
    )


def _llm_address(settings: Settings) -> LlmAddress | None:
    """The configured LLM; a client serves one event loop, so each loop connects for itself."""
    if not settings.llm:
        return None

    def connect() -> Llm:
        return connect_llm(
            settings.llm,
            model=settings.llm_model,
            base_url=settings.llm_url,
            api_key=settings.llm_api_key,
            limits=LlmLimits(timeout_s=settings.llm_timeout_s, concurrency=settings.llm_concurrency),
        )

    return LlmAddress(f"{settings.llm}:{settings.llm_model}", connect)


def _reranker(settings: Settings) -> Reranker | None:
    if settings.rerank != "cross-encoder":
        return None
    from trivium_inference.rerank import CrossEncoderReranker  # noqa: PLC0415 - loads torch

    return CrossEncoderReranker(settings.rerank_model)
