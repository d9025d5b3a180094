"""What one caller's collection is about: its topics with passages that he may see."""

from __future__ import annotations

import msgspec

from trivium.domain.retrieval import Hit, SearchFilter
from trivium.domain.scope import Tenant
from trivium.ports.keywords import KeywordReader
from trivium.ports.registry import TenantRegistry
from trivium_query.answer.answerers.themes import Theme, Themes
from trivium_query.published_documents import published_chunks
from trivium_query.requests import PresentTopics
from trivium_query.retrieve.topics import candidates, has_topics
from trivium_query.topics.kept import WAIT_SHARE
from trivium_query.topics.quote import quote_of

WAIT_S = 10.0


class CollectionThemes(msgspec.Struct, frozen=True):
    """See `trivium_query.answer.answerers.themes.Collected`."""

    tenant: Tenant
    topics: PresentTopics
    keywords: KeywordReader
    registry: TenantRegistry
    restrict: SearchFilter

    async def themes(self, count: int, limit_s: float) -> Themes:
        """One read of the passages, and one of their versions."""
        if not has_topics(self.restrict.rows()):
            return Themes((), 0, 0)
        current = await self.topics.of(self.tenant, self.restrict.dataset, min(WAIT_S, limit_s * WAIT_SHARE))
        largest = candidates(current.topics, "")
        chosen = largest[:count]
        central = [key for topic in chosen for key in topic.central]
        chunks = await published_chunks(self.keywords, self.registry, central)
        seen = [(topic, [chunks[key] for key in topic.central if key in chunks]) for topic in chosen]
        told = [(topic, passages[0]) for topic, passages in seen if passages]
        shown = tuple(
            Theme(topic, Hit(chunk, rank, float(topic.passages), topic=topic.name), quote_of(topic, chunk))
            for rank, (topic, chunk) in enumerate(told, start=1)
        )
        return Themes(shown, len(largest), len(current.topics.documents), current.stale)
