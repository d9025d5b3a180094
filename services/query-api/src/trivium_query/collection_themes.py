"""What one caller's collection is about: its topics with passages that he may see."""

from __future__ import annotations

import asyncio

import msgspec

from trivium.domain.retrieval import Hit, SearchFilter
from trivium.domain.scope import Tenant
from trivium.domain.topics import Topic
from trivium.ports.keywords import KeywordReader
from trivium.ports.registry import TenantRegistry
from trivium_query.answer.answerers.themes import Theme, Themes
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
        chunks = await self.keywords.chunks([key for topic in chosen for key in topic.central])
        documents = sorted({chunk.document_id for chunk in chunks.values()})
        active = await asyncio.to_thread(self.registry.active_versions, documents)

        def told(topic: Topic) -> Theme | None:
            for key in topic.central:
                chunk = chunks.get(key)
                if chunk is not None and active.get(chunk.document_id) == chunk.version:
                    return Theme(topic, Hit(chunk, 0, float(topic.passages), topic=topic.name), quote_of(topic, chunk))
            return None

        found = [theme for topic in chosen if (theme := told(topic)) is not None]
        shown = tuple(
            msgspec.structs.replace(theme, hit=msgspec.structs.replace(theme.hit, rank=rank))
            for rank, theme in enumerate(found, start=1)
        )
        return Themes(shown, len(largest), len(current.topics.documents), current.stale)
