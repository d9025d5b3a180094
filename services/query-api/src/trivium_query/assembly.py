"""What serves requests, from settings and ports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from trivium.config import Settings
from trivium.domain.retrieval import Rerank
from trivium.domain.scope import DEFAULT_TENANT
from trivium.edits.curation import curation_of
from trivium.flow.intake import StoreIntake
from trivium.flow.originals import OpenUploads, no_buckets
from trivium.llm.connect import llm_address
from trivium.ports.objects import Objects
from trivium.ports.stores import Stores
from trivium_query.answer.tables.published_tables import PublishedTables
from trivium_query.answering import PassageModels, PipelineAnswerer
from trivium_query.connect.means import connecting_of
from trivium_query.contradictions.find import Contradictions
from trivium_query.crawling import SiteCrawler
from trivium_query.egress.crawl import Crawler
from trivium_query.egress.fetch import Fetcher
from trivium_query.egress.pages import WebPages
from trivium_query.egress.rules import host_rules
from trivium_query.handlers.readiness import INFERENCE, OBJECTS
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import Probe, Services
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.texts import PublishedChunks
from trivium_query.searching import PipelineSearcher
from trivium_query.topics.kept import KeptTopics


def query_services(
    settings: Settings,
    stores: Stores,
    questions: QuestionVectors,
    models: PassageModels,
    notify: Callable[[], None],
    uploads: OpenUploads = no_buckets,
    visual_questions: QuestionVectors | None = None,
    inference: Probe | None = None,
) -> Services:
    """The services over one deployment's stores; `notify` tells the ingest that a source was accepted.

    `inference` asks the inference service, where there is one, whether it works.
    """
    llm = llm_address(settings)
    model = llm.connect() if llm else None
    rules = host_rules(settings.url_allow, settings.url_deny, settings.url_only)
    web = WebPages(Fetcher(rules=rules, ca_file=settings.ca_file))
    intake = StoreIntake(stores, notify, web, settings.max_upload_bytes, uploads)
    topics = KeptTopics(stores, llm.connect if llm else None)
    searcher = PipelineSearcher(
        stores.vectors,
        stores.keywords,
        stores.graphs,
        stores.registry,
        PublishedChunks(stores.objects),
        questions,
        Budgets(settings.vector_budget_s, settings.keyword_budget_s, settings.graph_budget_s),
        stores.visuals,
        visual_questions,
        topics=topics,
        hypernodes=stores.hypernodes,
    )
    curation = curation_of(stores)
    buckets = stores.buckets if settings.limits else None
    return Services(
        warmth=searcher.warmth,
        asking=searcher.asking,
        settings=settings,
        intake=intake,
        registry=stores.registry,
        keywords=stores.keywords,
        vectors=stores.vectors,
        graphs=stores.graphs,
        hypernodes=stores.hypernodes,
        buckets=buckets,
        curation=curation,
        objects=stores.objects,
        llm=model,
        conversations=stores.conversations,
        searcher=searcher,
        answerer=PipelineAnswerer(
            searcher,
            stores.vectors,
            questions,
            model,
            models,
            Rerank(settings.rerank),
            PublishedTables(stores.objects),
            stores.keywords,
            stores.registry,
            settings.languages_of_embeddings,
            topics,
        ),
        crawler=SiteCrawler(Crawler(intake, settings.crawl_delay_s)),
        contradictions=Contradictions(
            stores.objects, stores.registry, stores.keywords, curation, llm, settings.contradiction_judgements
        ),
        topics=topics,
        connecting=connecting_of(settings, stores.objects, stores.registry, intake, stores.schedule, buckets),
        probes={OBJECTS: partial(_look, stores.objects)} | ({INFERENCE: inference} if inference else {}),
    )


async def _look(objects: Objects) -> None:
    """One read that answers with "nothing there"."""
    await asyncio.to_thread(objects.for_tenant(DEFAULT_TENANT).exists, "readiness")
