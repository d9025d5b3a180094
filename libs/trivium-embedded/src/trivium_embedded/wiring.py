"""READ FIRST: the whole product in one process: adapters from settings, and every service's part over them.

objects, registry, vectors, keywords, graph: files and SQLite under the data directory, or the servers that the settings
name. Broker: memory. Models: in this process unless an inference service is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import msgspec
from celery import Celery

from trivium.adapters.embedded.buckets import MemoryBuckets
from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.hypernodes import SqliteHyperNodes
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.schedule import MemorySchedule
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.adapters.embedded.work_signal import LocalWorkSignal
from trivium.adapters.models import connect_models
from trivium.config import Settings
from trivium.domain.scope import Tenant
from trivium.edits.curation import curation_of
from trivium.flow.envelope import Envelope
from trivium.flow.erase import clear_up
from trivium.flow.resolving import FINISH_S, Resolving, resolve_all
from trivium.flow.stage import group_of
from trivium.flow.tasks import make_app, register
from trivium.ports.parser import ParserModels
from trivium.ports.stores import Stores
from trivium.stopping import Stopping
from trivium.struct_types import prepare_struct_types
from trivium_embedded.data_dir import made
from trivium_embedded.link_secret import with_link_secret
from trivium_embedded.one_tenant import OneTenant
from trivium_embedded.worker import BROKER_URL, InProcessWorkers
from trivium_graph.assembly import graph_stages
from trivium_inference.embed import usable_cores
from trivium_inference.ocr import rapid_ocr
from trivium_ingest.assembly import ingest_stages, parsing_sandbox
from trivium_ingest.dispatch import Dispatcher, release_orphans
from trivium_query.answering import PassageModels
from trivium_query.assembly import query_services
from trivium_query.connect.driver import driving
from trivium_query.question_vectors import REMEMBERED, QuestionVectors, visual_questions
from trivium_query.requests import Embeddings, Services


class EmbeddedStores(msgspec.Struct, frozen=True):
    """The embedded adapters over one data directory."""

    objects: LocalObjects
    registry: SqliteRegistry
    vectors: SqliteVectors
    visuals: SqliteVectors
    hypernodes: SqliteHyperNodes
    keywords: SqliteKeywords
    graphs: SqliteGraphs
    conversations: SqliteConversations
    work_signal: LocalWorkSignal
    buckets: MemoryBuckets
    schedule: MemorySchedule


@contextmanager
def assembled(
    settings: Settings,
    *,
    remembered_questions: int = REMEMBERED,
    only: Tenant | None = None,
    stopping: Stopping | None = None,
    ahead: bool = False,
) -> Iterator[Services]:
    """The whole product, working: ingest runs while the block does, for one tenant if `only` names it.

    `ahead`: connections are looked at when they are due, not only when asked for.

    Unfinished documents of an earlier process are taken up again. The caller owns the data directory. Ingest ends with
    the block, or when `stopping` begins.
    """
    stopping = stopping or Stopping()
    settings = with_link_secret(settings)
    with ExitStack() as stack:
        stores = stack.enter_context(open_stores(settings))
        registry = OneTenant(stores.registry, only) if only else stores.registry
        models = stack.enter_context(connect_models(settings))
        sandbox = parsing_sandbox(settings, rapid_ocr, ParserModels(models.ocr, models.transcriber))
        stack.callback(sandbox.close)
        app = make_app(BROKER_URL)
        work_signal = LocalWorkSignal()
        dispatcher = Dispatcher(app, registry, work_signal, lease_s=settings.lease_s)
        late = partial(clear_up, stores)
        envelope = Envelope(
            stores.registry,
            stores.objects,
            settings.lease_s,
            settings.max_attempts,
            work_signal.notify,
            late,
            stopping=stopping,
        )
        parser_models = ParserModels(models.ocr or rapid_ocr(), models.transcriber)
        ingest = ingest_stages(settings, stores, models.embedder, sandbox, parser_models, visual=models.visual)
        works = (*ingest, *graph_stages(settings, stores))
        for work in works:
            register(app, work.stage, partial(envelope.run, group_of(works, work.stage)))
        if settings.backend == "embedded":
            release_orphans(registry)  # whoever owns the data directory is the only worker
            for tenant in stores.objects.tenants():
                stores.objects.unfinished(tenant, remove=True)  # begun by a process that was killed
        curation_of(stores).project_all()
        _start_ingest(stack, app, dispatcher)
        stack.callback(stopping.begin)
        questions = QuestionVectors(models.embedder, remembered_questions)
        stack.callback(questions.close)
        pictured = stack.enter_context(visual_questions(models.visual))
        services = query_services(
            settings,
            stores,
            questions,
            PassageModels(models.reranker, models.reader),
            work_signal.notify,
            visual_questions=pictured,
            inference=models.answers,
        )
        services = msgspec.structs.replace(
            services,
            embeddings=Embeddings(questions, models.embedder),
            connecting=services.connecting if ahead else services.connecting.only_when_asked(),
        )
        stack.callback(services.topics.close)
        resolving = Resolving(stores.graphs, services.asking)
        resolving.start()
        stack.callback(resolving.stop)
        stack.enter_context(driving(services.connecting))
        yield services
        if not stopping.begun:
            resolve_all(stores.graphs, within_s=FINISH_S)


@contextmanager
def open_stores(settings: Settings) -> Iterator[Stores]:
    """The stores of the configured backend, closed at the end of the block; several threads may read them at once.

    Embedded, the data directory is created when missing, for its owner's eyes only. Raises as `made`.
    """
    if settings.backend == "distributed":
        from trivium.adapters.distributed.stores import DistributedStores  # noqa: PLC0415 - needs the servers' clients

        prepare_struct_types()
        with DistributedStores(settings) as servers:
            yield servers
        return
    prepare_struct_types()
    data_dir = settings.data_dir
    made(data_dir)
    stores = EmbeddedStores(
        LocalObjects(data_dir),
        SqliteRegistry(data_dir),
        SqliteVectors(data_dir),
        SqliteVectors(data_dir, "pictures"),
        SqliteHyperNodes(data_dir),
        SqliteKeywords(data_dir),
        SqliteGraphs(data_dir),
        SqliteConversations(data_dir),
        LocalWorkSignal(),
        MemoryBuckets(),
        MemorySchedule(),
    )
    with ExitStack() as stack:
        rows = (stores.vectors, stores.visuals, stores.hypernodes, stores.keywords, stores.graphs)
        for closing in (stores.registry, *rows, stores.conversations):
            stack.callback(closing.close)
        stores.hypernodes.fill(stores.vectors)
        yield stores


def _start_ingest(stack: ExitStack, app: Celery, dispatcher: Dispatcher) -> None:
    workers = InProcessWorkers(app, usable_cores())
    workers.start()
    stack.callback(workers.stop)
    dispatcher.start()
    stack.callback(dispatcher.stop)
