"""The `Searcher` of requests: binds one tenant's stores and model to `retrieve/pipeline.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.retrieval import Mode, SearchFilter, SearchResult
from trivium.domain.scope import Tenant
from trivium.flow.asking import Asking
from trivium.ports.graph import Graphs
from trivium.ports.keywords import Keywords
from trivium.ports.registry import Registry, TenantRegistry
from trivium.ports.vectors import Vectors
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import PresentTopics
from trivium_query.retrieve import pipeline
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.retrieve.store_reads import Readers, Visuals
from trivium_query.retrieve.texts import PublishedChunks
from trivium_query.retrieve.warmth import Warmth
from trivium_query.topics.kept import WAIT_SHARE, Current


class PipelineSearcher(msgspec.Struct, frozen=True):
    """Ranked passages over the three stores, each within its budget, and over pictures with an encoder for them."""

    vectors: Vectors
    keywords: Keywords
    graphs: Graphs
    registry: Registry
    published: PublishedChunks
    questions: QuestionVectors
    budgets: Budgets
    visuals: Vectors
    visual_questions: QuestionVectors | None = None
    warmth: Warmth = msgspec.field(default_factory=Warmth)
    topics: PresentTopics | None = None
    hypernodes: Vectors | None = None
    asking: Asking = msgspec.field(default_factory=Asking)

    async def search(
        self, tenant: Tenant, question: str, mode: Mode, top_k: int, restrict: SearchFilter
    ) -> SearchResult:
        """At most `top_k` hits, best first."""
        with self.asking.question():
            return await self._search(tenant, question, mode, top_k, restrict)

    async def _search(
        self, tenant: Tenant, question: str, mode: Mode, top_k: int, restrict: SearchFilter
    ) -> SearchResult:
        registry = self.registry.for_tenant(tenant)

        async def active(document_ids: Sequence[str]) -> Mapping[str, str]:
            return await asyncio.to_thread(_visible, registry, document_ids, restrict)

        async def published_chunks(document_id: str, version: str) -> Mapping[str, Chunk]:
            return await asyncio.to_thread(self.published.of, tenant, document_id, version)

        async def present_topics(dataset: str) -> Current:
            assert self.topics is not None  # noqa: S101 - else nobody is handed this
            return await self.topics.of(tenant, dataset, self.budgets.topics_s * WAIT_SHARE)

        readers = Readers(
            self.vectors.reader(tenant),
            self.keywords.reader(tenant),
            self.graphs.reader(tenant),
            self.questions.embed,
            published_chunks,
            Visuals(self.visuals.reader(tenant), self.visual_questions.embed) if self.visual_questions else None,
            present_topics if self.topics else None,
            self.hypernodes.reader(tenant) if self.hypernodes else None,
        )
        return await pipeline.search(
            question, mode, top_k, restrict, readers, active, self.warmth.budgets(self.budgets)
        )


def _visible(registry: TenantRegistry, document_ids: Sequence[str], restrict: SearchFilter) -> Mapping[str, str]:
    """The versions that queries may see, of documents that the filter admits.

    The stores have applied it; rows of an earlier version that do not say what it asks passed there. Where a newer
    version is on its way its record says nothing of the rows.
    """
    if not restrict.asks_documents:
        return registry.active_versions(document_ids)
    return {
        document.id: document.active_version
        for document in registry.get_many(document_ids).values()
        if document.active_version and (document.version != document.active_version or restrict.admits(document))
    }
