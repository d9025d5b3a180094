"""What the documents are about: topics, their members and their central passages."""

from __future__ import annotations

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.cursors import cursor_at, place_of
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.domain.topics import Topic, Topics
from trivium_query.handlers.sources import check_dataset
from trivium_query.published_documents import published_chunks
from trivium_query.requests import Services
from trivium_query.topics.kept import Current
from trivium_query.topics.quote import quote_of

WAIT_S = 20.0  # for topics that are made anew; also bounded by the time that any question has


class TopicListing(msgspec.Struct, frozen=True):
    """One page of a level; `cursor` is "" on the last one."""

    current: Current
    level: int
    topics: tuple[Topic, ...]
    cursor: str


class TopicPicture(msgspec.Struct, frozen=True):
    """A topic and what lies around it; `central` has each passage with the sentence that says most of the topic."""

    current: Current
    topic: Topic
    central: tuple[tuple[Chunk, str], ...]
    children: tuple[Topic, ...]
    parent: Topic | None


async def browse(services: Services, tenant: Tenant, level: int, dataset: str, limit: int, cursor: str) -> TopicListing:
    """The topics of a level, the largest first. Raises `TryLater`, `NotFound`, `Refused` (`bad_cursor`)."""
    now = await current(services, tenant, dataset)
    topics = now.topics
    if level and level >= topics.levels:
        raise NotFound(
            "no_such_level",
            f"There is no level {level}: these topics have {topics.levels}, counted from 0.",
            "Ask for a lower one.",
        )
    start = _offset(topics, cursor) if cursor else 0
    covering = topics.at(level)
    page = covering[start : start + limit]
    onward = cursor_at((topics.made_at, start + limit)) if len(covering) > start + limit else ""
    return TopicListing(now, level, page, onward)


async def picture(services: Services, tenant: Tenant, wanted: str, dataset: str) -> TopicPicture:
    """One topic with those of its central passages that queries see. Raises `NotFound`, `TryLater`."""
    now = await current(services, tenant, dataset)
    topics = {topic.id: topic for topic in now.topics.topics}
    topic = topics.get(wanted)
    if topic is None:
        raise NotFound(
            "no_such_topic",
            "There is no such topic; they change with the documents.",
            "List them with GET /v1/graph/topics, and name the dataset that they are of.",
        )
    keywords, registry = services.keywords.reader(tenant), services.registry.for_tenant(tenant)
    chunks = await published_chunks(keywords, registry, topic.central)
    central = tuple((chunk, quote_of(topic, chunk)) for key in topic.central if (chunk := chunks.get(key)))
    children = tuple(other for other in now.topics.topics if other.parent == topic.id)
    return TopicPicture(now, topic, central, children, topics.get(topic.parent))


async def current(services: Services, tenant: Tenant, dataset: str) -> Current:
    """All topics, made first where need be. Raises `TryLater`, `Refused` (`invalid_request`)."""
    check_dataset(dataset)
    return await services.topics.of(tenant, dataset, min(WAIT_S, services.settings.query_timeout_s))


def _offset(topics: Topics, cursor: str) -> int:
    made_at, offset = place_of(cursor, tuple[float, int])
    if made_at != topics.made_at or offset < 0:
        raise Refused("bad_cursor", "The topics were made anew since that page.", "Start again without a cursor.")
    return offset
