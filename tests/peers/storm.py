"""An installation of its own that a test may kill, cut off and starve, and what its stores hold in the end."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from cluster import CONTROL, GRAPH, INGEST, Cluster
from private_redis import PrivateRedis
from waiting import wait_until
from wire import Wire

from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import load_settings
from trivium.domain.documents import Document, Stage
from trivium.domain.graph import Mention
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.intake import upload_source

SETTLE_S = 240.0  # for what takes seconds on a machine that does nothing else
POLL_S = 0.1
GLANCE_S = 0.001  # some stages of a few small documents take milliseconds
LONGEST_GLANCE_S = 0.004  # what is not there at once may be seconds away: a look costs half a millisecond
LEASE_S = 10
LONG_LEASE_S = 600
BUDGET_S = 10  # of a source in a search: a busy machine is not to be taken for a server that is away
SERVERS = {
    "milvus": "TRIVIUM_MILVUS_URL",
    "elasticsearch": "TRIVIUM_ELASTICSEARCH_URL",
    "neo4j": "TRIVIUM_NEO4J_URL",
    "minio": "TRIVIUM_S3_URL",
    "redis": "TRIVIUM_REDIS_URL",
}
INFERENCE_SERVICE = "inference"


class Holdings(msgspec.Struct, frozen=True):
    """What the stores hold of one document: chunk ids in each, the texts, and what the graph says of them."""

    version: str
    vectors: set[str]
    keywords: set[str]
    graph: set[str]
    texts: tuple[str, ...]
    mentions: dict[str, list[Mention]]


class Storm(Cluster):
    """A cluster with a Redis of its own, and a wire to each server that a test may cut.

    The test itself looks past the wires: `stores` and `documents_of` go on while they are cut.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        (folder / "redis").mkdir(parents=True)
        self.redis = PrivateRedis(folder / "redis")
        self.redis.start()
        servers = {name: os.environ[variable] for name, variable in SERVERS.items()} | {"redis": self.redis.url}
        self.wires = {name: Wire(url) for name, url in servers.items()}
        super().__init__(
            folder,
            **{variable: self.wires[name].url for name, variable in SERVERS.items()},
            TRIVIUM_BROKER_URL="",
            TRIVIUM_LEASE_S=str(LEASE_S),
            **{f"TRIVIUM_{source}_BUDGET_S": str(BUDGET_S) for source in ("VECTOR", "KEYWORD", "GRAPH")},
            **settings,
        )
        past_the_wires = {variable: servers[name] for name, variable in SERVERS.items()}
        self.stores = DistributedStores(load_settings({**self.env, **past_the_wires}))
        self.records = self.stores.registry.for_tenant(DEFAULT_TENANT)
        self.wires[INFERENCE_SERVICE] = Wire(f"grpc://{self.env['TRIVIUM_INFERENCE_URL']}")
        self.env["TRIVIUM_INFERENCE_URL"] = urlsplit(self.wires[INFERENCE_SERVICE].url).netloc

    def calm(self) -> None:
        """Everything runs and nothing is to be done, for the next test."""
        self.start()
        self.wait_idle(SETTLE_S)

    @contextmanager
    def long_leases(self) -> Iterator[None]:
        """For a test in which nobody dies: a document that waits longer than its lease would be handed out again."""
        workers = (CONTROL, INGEST, GRAPH)
        self.stop(*workers)
        self.start(*workers, TRIVIUM_LEASE_S=str(LONG_LEASE_S))
        try:
            yield
        finally:
            self.stop(*workers)

    def submit(self, texts: Mapping[str, str | bytes]) -> list[str]:
        """Hand the documents over, and return their ids without waiting for more than the receipt."""
        found: list[str] = []
        with self.http() as client:
            for start in range(0, len(texts), 100):
                files = [("file", file) for file in list(texts.items())[start : start + 100]]
                answer = client.post("/v1/sources", files=files)
                assert answer.status_code == 202, answer.text
                found += [source["id"] for source in answer.json()["sources"]]
        return found

    def unfinished(self, ids: Sequence[str]) -> int:
        """How many have not ended, those that nobody heard of yet included."""
        return len(ids) - sum(document.state.terminal for document in self.records.get_many(ids).values())

    def down_to(self, ids: Sequence[str], left: int) -> None:
        """Waits until no more than `left` of the documents have not ended."""
        self.until(lambda: self.unfinished(ids) <= left, f"down to {left} documents")

    def at_stage(self, ids: Sequence[str], stage: Stage, attempt: int = 1) -> Document | None:
        """Waits until one of the documents is at `stage`, for the `attempt`th time, and returns it at once.

        None when all have ended.
        """
        seen: list[Document] = []

        def over() -> bool:
            found = [document for document in self.records.get_many(ids).values() if not document.state.terminal]
            seen.extend(document for document in found if document.stage == stage and document.attempt >= attempt)
            return bool(seen) or not found

        wait_until(
            over,
            f"one is at {stage}",
            limit_s=SETTLE_S,
            told=self.logs,
            pause_s=GLANCE_S,
            longest_pause_s=LONGEST_GLANCE_S,
        )
        return seen[0] if seen else None

    def killed_at(self, victim: str, document: str, stage: Stage, attempt: int) -> bool:
        """Kills `victim` while the document is at `stage` for the `attempt`th time or a later; False when it has ended.

        It is stopped for a look first: a long stage is done in turns, and who dies between two of them dies of nothing.
        """
        while self.at_stage([document], stage, attempt):
            self.signal(victim, signal.SIGSTOP)
            held = self.records.get(document)
            if held.holder and held.stage == stage and held.attempt >= attempt:
                self.kill(victim)
                return True
            self.signal(victim, signal.SIGCONT)
        return False

    def settled_all(self, ids: Sequence[str], timeout_s: float = SETTLE_S) -> dict[str, Document]:
        """The records when all have ended; none may begin again after its end."""
        ended: dict[str, Document] = {}

        def settled() -> bool:
            found = self.records.get_many(ids)
            assert all(found[each].state == document.state for each, document in ended.items()), "ended twice"
            ended.update((each, document) for each, document in found.items() if document.state.terminal)
            return len(ended) == len(ids)

        def told() -> str:
            return f"{self._unsettled(ids)}\n{self.logs()}"

        wait_until(settled, "all have ended", limit_s=timeout_s, told=told, pause_s=POLL_S)
        return ended

    def until(self, holds: Callable[[], bool], what: str, timeout_s: float = SETTLE_S) -> None:
        """Waits until `holds`."""
        wait_until(holds, what, limit_s=timeout_s, told=self.logs, pause_s=POLL_S)

    def holdings(self, ids: Iterable[str]) -> dict[str, Holdings]:
        """What the stores hold, by the name of the source."""
        known = self.records.get_many(list(ids))
        versions = {document.id: document.active_version for document in known.values()}
        vectors = self.stores.vectors.writer(DEFAULT_TENANT).ids(versions)
        keywords = self.stores.keywords.writer(DEFAULT_TENANT).ids(versions)
        graph = self.stores.graphs.writer(DEFAULT_TENANT).ids(versions)
        chunk_ids = sorted({chunk for store in (vectors, keywords, graph) for held in store.values() for chunk in held})
        texts, mentions = asyncio.run(self._read(chunk_ids))
        return {
            document.source: Holdings(
                document.active_version,
                vectors[document.id],
                keywords[document.id],
                graph[document.id],
                tuple(texts.get(chunk, "") for chunk in sorted(keywords[document.id])),
                {chunk: mentions.get(chunk, []) for chunk in sorted(graph[document.id])},
            )
            for document in known.values()
        }

    def upload_id(self, key: str) -> str:
        """The document id of an object in the bucket of uploads."""
        return document_id(DEFAULT_TENANT, upload_source(self.uploads, key))

    def versions_held(self, document: str) -> set[str]:
        """Every version of the document that has rows in any store."""
        stores = (self.stores.vectors, self.stores.keywords, self.stores.graphs)
        rows = (row for store in stores for row in store.writer(DEFAULT_TENANT).versions())
        return {version for held, version in rows if held == document}

    def found(self, query: str) -> dict[str, Any]:
        """A search's whole answer, what is degraded included."""
        with self.http() as client:
            answer = client.post("/v1/search", json={"query": query})
            assert answer.status_code == 200, answer.text
            whole: dict[str, Any] = answer.json()
            return whole

    def remove(self) -> None:
        for wire in self.wires.values():
            wire.flow()
        super().remove()
        self.stores.__exit__(None, None, None)
        for wire in self.wires.values():
            wire.cut()
        self.redis.kill()

    async def _read(self, chunk_ids: Sequence[str]) -> tuple[dict[str, str], dict[str, list[Mention]]]:
        with DistributedStores(load_settings({**self.env, **{v: os.environ[v] for v in SERVERS.values()}})) as stores:
            chunks = await stores.keywords.reader(DEFAULT_TENANT).chunks(chunk_ids)
            mentions = await stores.graphs.reader(DEFAULT_TENANT).mentions_in(chunk_ids)
        return {key: chunk.text for key, chunk in chunks.items()}, mentions

    def _unsettled(self, ids: Sequence[str]) -> list[str]:
        return [
            f"{document.source}: {document.state} at {document.stage!r}, attempt {document.attempt}"
            for document in self.records.get_many(ids).values()
            if not document.state.terminal
        ]


def documents(kind: str, count: int) -> dict[str, str]:
    """File name to a few sentences with names in them; the same every time, different for each `kind` and number."""
    return {f"{kind}/{number:03}.txt": text_of(kind, number) for number in range(count)}


def text_of(kind: str, number: int, year: int = 0) -> str:
    """One such text; it says the year when the thing was built."""
    place, builder = _name(kind, number, "place"), _name(kind, number, "builder")
    return (
        f"The {kind} bridge of {place} was built in {year or 1700 + number} by Ada {builder}. "
        f"Ada {builder} was born in {_name(kind, number, 'town')} and later worked for the {place} Railway. "
        f"The railway of {place} has carried grain, slate and passengers ever since."
    )


def _name(*parts: object) -> str:
    choose = random.Random("/".join(map(str, parts)))
    return "".join(choose.choice("bdfglmnprstv") + choose.choice("aeiou") for _ in range(4)).capitalize()
