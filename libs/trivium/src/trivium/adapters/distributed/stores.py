"""Every distributed adapter, from settings; each server is connected to when it is first needed."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from trivium.config import Settings

if TYPE_CHECKING:  # an adapter brings its client's imports: only who uses it pays
    from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
    from trivium.adapters.distributed.redis.events import RedisEvents
    from trivium.adapters.distributed.redis.server import RedisServer
    from trivium.adapters.distributed.s3.objects import S3Objects
    from trivium.ports.buckets import Buckets
    from trivium.ports.conversations import Conversations
    from trivium.ports.keywords import Keywords
    from trivium.ports.registry import Registry
    from trivium.ports.schedule import Schedule
    from trivium.ports.uploads import Uploads
    from trivium.ports.vectors import Vectors
    from trivium.ports.work_measures import WorkMeasures
    from trivium.ports.work_signal import WorkSignal


class DistributedStores:
    """The servers that `settings` name, as ports. Leaving the block closes what was opened."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._closing = ExitStack()
        self._uploads: dict[str, Uploads] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    @cached_property
    def objects(self) -> S3Objects:
        """S3."""
        from trivium.adapters.distributed.s3.objects import S3Objects  # noqa: PLC0415

        return self._closing.enter_context(closing(S3Objects(self._settings)))

    def uploads(self, bucket: str = "") -> Uploads:
        """A bucket where people drop files; "" is the configured one."""
        from trivium.adapters.distributed.s3.uploads import S3Uploads  # noqa: PLC0415

        if bucket not in self._uploads:
            self._uploads[bucket] = self._closing.enter_context(closing(S3Uploads(self._settings, bucket)))
        return self._uploads[bucket]

    @cached_property
    def registry(self) -> Registry:
        """Manifests in S3, with Redis before them."""
        from trivium.adapters.distributed.registry.registry import ManifestRegistry  # noqa: PLC0415

        return ManifestRegistry(self._redis, self.objects)

    @cached_property
    def buckets(self) -> Buckets:
        """Keys in Redis."""
        from trivium.adapters.distributed.redis.buckets import RedisBuckets  # noqa: PLC0415

        return RedisBuckets(self._redis)

    @cached_property
    def work_signal(self) -> WorkSignal:
        """A list in Redis."""
        from trivium.adapters.distributed.redis.work_signal import RedisWorkSignal  # noqa: PLC0415

        return RedisWorkSignal(self._redis)

    @cached_property
    def schedule(self) -> Schedule:
        """A sorted set in Redis."""
        from trivium.adapters.distributed.redis.schedule import RedisSchedule  # noqa: PLC0415

        return RedisSchedule(self._redis)

    @cached_property
    def work_measures(self) -> WorkMeasures:
        """Records in Redis."""
        from trivium.adapters.distributed.redis.work_measures import RedisWorkMeasures  # noqa: PLC0415

        return RedisWorkMeasures(self._redis)

    @cached_property
    def events(self) -> RedisEvents:
        """The list that an object server pushes its notifications to."""
        from trivium.adapters.distributed.redis.events import RedisEvents  # noqa: PLC0415

        return RedisEvents(self._redis, self._settings.events_key)

    @cached_property
    def _redis(self) -> RedisServer:
        from trivium.adapters.distributed.redis.server import RedisServer  # noqa: PLC0415

        return self._closing.enter_context(closing(RedisServer(self._settings)))

    @cached_property
    def conversations(self) -> Conversations:
        """Objects in S3."""
        from trivium.adapters.distributed.s3.conversations import ObjectConversations  # noqa: PLC0415

        return ObjectConversations(self.objects)

    @cached_property
    def vectors(self) -> Vectors:
        """Milvus."""
        from trivium.adapters.distributed.milvus.vectors import MilvusVectors  # noqa: PLC0415

        return self._closing.enter_context(closing(MilvusVectors(self._settings)))

    @cached_property
    def visuals(self) -> Vectors:
        """Milvus, in collections of their own."""
        from trivium.adapters.distributed.milvus.vectors import MilvusVectors  # noqa: PLC0415

        return self._closing.enter_context(closing(MilvusVectors(self._settings, "pictures")))

    @cached_property
    def hypernodes(self) -> Vectors:
        """Milvus, in collections of their own."""
        from trivium.adapters.distributed.milvus.vectors import MilvusVectors  # noqa: PLC0415

        return self._closing.enter_context(closing(MilvusVectors(self._settings, "hypernodes")))

    @cached_property
    def keywords(self) -> Keywords:
        """Elasticsearch."""
        from trivium.adapters.distributed.elasticsearch.keywords import ElasticKeywords  # noqa: PLC0415

        return self._closing.enter_context(closing(ElasticKeywords(self._settings)))

    @cached_property
    def graphs(self) -> Neo4jGraphs:
        """Neo4j."""
        from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs  # noqa: PLC0415

        return self._closing.enter_context(closing(Neo4jGraphs(self._settings)))
