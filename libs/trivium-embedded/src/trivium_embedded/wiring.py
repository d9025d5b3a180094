"""READ FIRST: the only place that builds adapters, from settings; everything else receives ports.

objects, registry, vectors, keywords, graph: files and SQLite under the data directory. Broker: memory. Models: in
this process. The distributed product differs from this file and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import msgspec
from celery import Celery

from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.doorbell import LocalDoorbell
from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.adapters.models import connect_models
from trivium.config import Settings
from trivium.flow.envelope import Envelope
from trivium.flow.tasks import make_app, register
from trivium.ports.registry import Registry
from trivium.ports.stores import Stores
from trivium_embedded.worker import BROKER_URL, InProcessWorkers
from trivium_graph.assembly import graph_stages
from trivium_inference.embed import usable_cores
from trivium_inference.ocr import rapid_ocr
from trivium_ingest.assembly import ingest_stages, parsing_sandbox
from trivium_ingest.dispatch import Dispatcher, release_orphans
from trivium_query.assembly import query_services
from trivium_query.doors import Services
from trivium_query.question_vectors import REMEMBERED, QuestionVectors


class EmbeddedStores(msgspec.Struct, frozen=True):
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
        stores = stack.enter_context(_open_stores(settings))
        models = stack.enter_context(connect_models(settings))
        sandbox = parsing_sandbox(settings, rapid_ocr)
        stack.callback(sandbox.close)
        app = make_app(BROKER_URL)
        bell = LocalDoorbell()
        dispatcher = Dispatcher(app, stores.registry, bell, lease_s=settings.lease_s)
        envelope = Envelope(stores.registry, stores.objects, settings.lease_s, settings.max_attempts, bell.ring)
        ingest = ingest_stages(settings, stores, models.embedder, sandbox, rapid_ocr().fingerprint)
        for work in (*ingest, *graph_stages(settings, stores.graphs)):
            register(app, work.stage, partial(envelope.run, work))
        _start_ingest(stack, app, dispatcher, stores.registry)
        questions = QuestionVectors(models.embedder, remembered_questions)
        stack.callback(questions.close)
        yield query_services(settings, stores, questions, models.reranker, bell.ring)


@contextmanager
def _open_stores(settings: Settings) -> Iterator[Stores]:
    data_dir = settings.data_dir
    stores = EmbeddedStores(
        LocalObjects(data_dir),
        SqliteRegistry(data_dir),
        SqliteVectors(data_dir),
        SqliteKeywords(data_dir),
        SqliteGraphs(data_dir),
        SqliteConversations(data_dir),
    )
    with ExitStack() as stack:
        for closing in (stores.registry, stores.vectors, stores.keywords, stores.graphs, stores.conversations):
            stack.callback(closing.close)
        yield stores


def _start_ingest(stack: ExitStack, app: Celery, dispatcher: Dispatcher, registry: Registry) -> None:
    release_orphans(registry)
    workers = InProcessWorkers(app, usable_cores())
    workers.start()
    stack.callback(workers.stop)
    dispatcher.start()
    stack.callback(dispatcher.stop)
