"""When topics are made: once for each state of the graph, and not at each request.

The object `topics/<dataset>` (`topics/-` for everything) keeps them with the stamp that they were made at. While the
stamp is the present one they are told as they are. Else they are made again, by one thread of the process, and the
caller waits for that; when it takes too long, the old ones are told as stale, unless a document was withdrawn that they
were made from: then nothing is told before they are made again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

import msgspec
import structlog
from cachetools import LRUCache

from trivium.domain.documents import DocumentState
from trivium.domain.errors import NotFound, TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.domain.topics import Topics
from trivium.flow import artifacts
from trivium.flow.topic_keys import topics_key
from trivium.ports.llm import Llm
from trivium.ports.stores import Stores
from trivium.telemetry import DRIFT
from trivium_query.topics.make import Sources, make_topics
from trivium_query.topics.name_by_llm import name_by_llm, named_before, read_for_names

VERSION = 1  # of the way topics are made; another makes all of them again
REMEMBERED = 8  # tenants and datasets
MAX_WAITING = 8  # makings of the process, the one at work included
CLOSE_S = 5.0
WAIT_SHARE = 0.8  # of the time that a caller has; the rest is for telling the old ones

_log = structlog.get_logger(__name__)
_Key = tuple[Tenant, str]


class Current(msgspec.Struct, frozen=True):
    """Topics as they are told; `stale` when the graph has grown since, and new ones are being made."""

    topics: Topics
    stale: bool = False


class KeptTopics:
    """Topics of every tenant and dataset; safe among threads and loops."""

    def __init__(self, stores: Stores, connect_llm: Callable[[], Llm] | None = None) -> None:
        """`connect_llm` opens the language model that names topics, where there is one."""
        self._stores = stores
        self._connect_llm = connect_llm
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._making: dict[_Key, Future[None]] = {}
        self._known: LRUCache[_Key, Topics] = LRUCache(REMEMBERED)
        self._threads: set[threading.Thread] = set()
        self._closed = False

    async def of(self, tenant: Tenant, dataset: str, wait_s: float) -> Current:
        """The topics, made first where need be. Raises `TryLater` when that takes longer than `wait_s`."""
        end = asyncio.get_running_loop().time() + wait_s
        for _ in range(2):  # a making that had begun when this was asked may have missed the newest documents
            kept = await self._kept(tenant, dataset)
            if kept is not None and kept.stamp == await self._stamp(tenant):
                return Current(kept)
            making = self._start(tenant, dataset)
            try:
                async with asyncio.timeout_at(end):
                    await asyncio.shield(asyncio.wrap_future(making))
            except TimeoutError:
                break
        kept = await self._kept(tenant, dataset)
        if kept is None or await self._withdrawn(tenant, kept):
            raise TryLater("topics_in_the_making", "The topics are being made anew.", "Ask again in a minute.")
        return Current(kept, kept.stamp != await self._stamp(tenant))

    def close(self) -> None:
        """Wait a little for what is being made; no more is begun."""
        with self._lock:
            self._closed = True
            threads = list(self._threads)
        for thread in threads:
            thread.join(CLOSE_S)

    async def _stamp(self, tenant: Tenant) -> str:
        """What changes when the graph does, or what of it queries see: rows are written before they are published."""
        counts = await asyncio.to_thread(self._stores.registry.for_tenant(tenant).counts)
        graph = await self._stores.graphs.reader(tenant).stamp()
        return f"{VERSION}:{graph}:{counts.by_state.get(DocumentState.READY, 0)}"

    async def _kept(self, tenant: Tenant, dataset: str) -> Topics | None:
        """From memory unless another process has made newer ones."""
        known = self._remembered(tenant, dataset)
        if known is not None and known.stamp == await self._stamp(tenant):
            return known
        found = await asyncio.to_thread(self._load, tenant, dataset)
        newest = max(filter(None, (found, known)), key=lambda topics: topics.made_at, default=None)
        if newest is not None:
            with self._lock:
                self._known[tenant, dataset] = newest
        return newest

    def _load(self, tenant: Tenant, dataset: str) -> Topics | None:
        with suppress(NotFound):
            return artifacts.load(self._stores.objects.for_tenant(tenant), topics_key(dataset), Topics)
        return None

    async def _withdrawn(self, tenant: Tenant, topics: Topics) -> bool:
        """Whether queries do not see any more what some of the topics were made from."""
        return await self._active(tenant, list(topics.documents)) != topics.documents

    async def _active(self, tenant: Tenant, document_ids: Sequence[str]) -> Mapping[str, str]:
        return await asyncio.to_thread(self._stores.registry.for_tenant(tenant).active_versions, document_ids)

    def _start(self, tenant: Tenant, dataset: str) -> Future[None]:
        """The making at work, or a new one. Raises `TryLater` (`busy`) when too many wait."""
        key = (tenant, dataset)
        with self._lock:
            if key in self._making:
                return self._making[key]
            if self._closed or len(self._making) >= MAX_WAITING:
                raise TryLater("busy", "Too many topics are being made.", "Ask again in a minute.")
            future = self._making[key] = Future()
            future.set_running_or_notify_cancel()  # one who stops waiting takes it from nobody else
            thread = threading.Thread(target=self._run, args=(key, future), name="topics", daemon=True)
            self._threads.add(thread)
        thread.start()
        return future

    def _run(self, key: _Key, future: Future[None]) -> None:
        try:
            with self._one_at_a_time:
                asyncio.run(self._make(*key))
        except Exception as error:  # noqa: BLE001 - whoever waits raises it
            self._end(key)
            future.set_exception(error)
        else:
            self._end(key)
            future.set_result(None)
            self._name(key)

    def _name(self, key: _Key) -> None:
        """By the language model, when whoever waited has the topics already; what fails keeps its name."""
        if self._connect_llm is None or self._closed:
            return
        try:
            with self._one_at_a_time:
                asyncio.run(self._named(*key, self._connect_llm()))
        except TriviumError as error:
            _log.warning("topics_not_named", reason=str(error))

    async def _named(self, tenant: Tenant, dataset: str, llm: Llm) -> None:
        topics = self._remembered(tenant, dataset)
        try:
            if topics is None or not topics.topics:
                return
            chunks = await self._stores.keywords.reader(tenant).chunks(read_for_names(topics))
            named = await name_by_llm(topics, chunks, llm)
        finally:
            await llm.close()
        if named != topics and self._remembered(tenant, dataset) is topics:
            await self._keep(tenant, dataset, named)

    def _end(self, key: _Key) -> None:
        with self._lock:
            self._making.pop(key, None)
            self._threads.discard(threading.current_thread())

    async def _make(self, tenant: Tenant, dataset: str) -> None:
        if self._closed:
            raise TryLater("stopping", "Trivium is stopping.", "Ask again.")
        started = time.monotonic()
        stamp = await self._stamp(tenant)
        active = partial(self._active, tenant)
        graph, keywords = self._stores.graphs.reader(tenant), self._stores.keywords.reader(tenant)
        before = self._remembered(tenant, dataset)
        topics = await make_topics(Sources(graph, keywords, active, stamp), dataset)
        if self._connect_llm is not None:
            chunks = await keywords.chunks(read_for_names(topics))
            topics = named_before(topics, before, chunks)
        _log.info("topics_made", topics=len(topics.topics), took_s=round(time.monotonic() - started, 3))
        await self._keep(tenant, dataset, topics)

    def _remembered(self, tenant: Tenant, dataset: str) -> Topics | None:
        with self._lock:
            return self._known.get((tenant, dataset))

    async def _keep(self, tenant: Tenant, dataset: str, topics: Topics) -> None:
        with self._lock:
            self._known[tenant, dataset] = topics
        if topics.documents:
            await self._save(tenant, dataset, topics)

    async def _save(self, tenant: Tenant, dataset: str, topics: Topics) -> None:
        """Kept for other processes; what was withdrawn meanwhile leaves nothing behind. What fails is counted."""
        objects = self._stores.objects.for_tenant(tenant)
        try:
            await asyncio.to_thread(artifacts.save, objects, topics_key(dataset), topics)
            if await self._withdrawn(tenant, topics):
                await asyncio.to_thread(objects.delete, topics_key(dataset))
        except TriviumError as error:
            DRIFT.labels("objects", "topics").inc()
            _log.warning("topics_not_kept", tenant=tenant.name, reason=str(error))
