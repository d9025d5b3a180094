"""The `Answerer` of requests: binds one tenant and mode to `answer/answer.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec

from trivium import telemetry
from trivium.domain.answers import Answer, AnswerEvent, Finished
from trivium.domain.retrieval import Rerank, SearchResult
from trivium.domain.scope import Tenant
from trivium.ports.inference import Reader, Reranker
from trivium.ports.keywords import Keywords
from trivium.ports.llm import Llm
from trivium.ports.registry import Registry
from trivium.ports.vectors import Vectors
from trivium_query.answer.answer import Dependencies, answer, stream
from trivium_query.answer.direct.hops import read_once
from trivium_query.answer.tables.published_tables import PublishedTables
from trivium_query.answer.tables.table import DocumentTables
from trivium_query.collection_themes import CollectionThemes
from trivium_query.published_documents import PublishedDocuments
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import AskRequest, PresentTopics, Searcher


class PassageModels(msgspec.Struct, frozen=True):
    """What orders passages and reads answers off them, where there is such a model."""

    reranker: Reranker | None = None
    reader: Reader | None = None


class PipelineAnswerer(msgspec.Struct, frozen=True):
    """Cited answers over any `Searcher`; without an LLM they are extracted."""

    searcher: Searcher
    vectors: Vectors
    questions: QuestionVectors
    llm: Llm | None
    models: PassageModels
    rerank: Rerank
    tables: PublishedTables
    keywords: Keywords
    registry: Registry
    languages: frozenset[str]
    topics: PresentTopics | None = None

    async def answer(self, tenant: Tenant, ask: AskRequest) -> Answer:
        """The whole answer at once."""
        answered = await answer(ask, self._dependencies(tenant, ask))
        _count(answered)
        return answered

    async def stream(self, tenant: Tenant, ask: AskRequest) -> AsyncGenerator[AnswerEvent, None]:
        """The same answer as it is written."""
        async for event in stream(ask, self._dependencies(tenant, ask)):
            if isinstance(event, Finished):
                _count(event.answer)
            yield event

    def _dependencies(self, tenant: Tenant, ask: AskRequest) -> Dependencies:
        async def retrieve(question: str, top_k: int) -> SearchResult:
            return await self.searcher.search(tenant, question, ask.mode, top_k, ask.filter)

        async def tables(document_id: str, version: str) -> DocumentTables:
            return await asyncio.to_thread(self.tables.of, tenant, document_id, version)

        models = self.models
        keywords, registry = self.keywords.reader(tenant), self.registry.for_tenant(tenant)
        return Dependencies(
            retrieve,
            self.vectors.reader(tenant).sentence_vectors,
            self.questions.embed,
            self.llm,
            models.reranker,
            ask.rerank or self.rerank,
            tables,
            read_once(models.reader.read) if models.reader else None,
            PublishedDocuments(registry, keywords, ask.filter),
            CollectionThemes(tenant, self.topics, keywords, registry, ask.filter) if self.topics else None,
            self.languages,
        )


def _count(answer: Answer) -> None:
    telemetry.ANSWERS.labels(answer.engine, answer.verdict.value).inc()
    for part in {lost.source for lost in answer.degraded}:
        telemetry.ANSWERS_DEGRADED.labels(part).inc()
    for step, spent_ms in answer.timings_ms.items():
        telemetry.QUERY_SECONDS.labels(step).observe(spent_ms / 1000)
