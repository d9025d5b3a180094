"""One Elasticsearch 8: its clients, and what its errors mean."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from elasticsearch import (
    ApiError,
    AsyncElasticsearch,
    ConnectionTimeout,
    Elasticsearch,
    TransportError,
    UnsupportedProductError,
)
from elasticsearch.helpers import streaming_bulk

from trivium.adapters.distributed.elasticsearch.node import HttpNode
from trivium.adapters.distributed.loop_thread import LoopThread
from trivium.authorities import trusted
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater

READ_TIMEOUT_S = 25.0  # longer than any search waits: it is cancelled at the end of its own budget
WRITE_TIMEOUT_S = 60.0
CONNECTIONS = 16
BULK_BYTES = 8 * 1024 * 1024  # a request may have 100 MiB; smaller ones leave the server room for others
BULK_RETRIES = 5
BUSY = "elasticsearch_busy"
FIRST_PAUSE_S = 0.5  # and twice as long each time: 15.5 s in all

T = TypeVar("T")
Action = dict[str, Any]  # as `elasticsearch.helpers` takes it: _op_type, _id, _source


class ElasticServer:
    """Connected to when first needed; safe among threads. Every failure leaves as a `TriviumError`."""

    def __init__(self, settings: Settings) -> None:
        self._options = _options(settings)
        self._place = urlsplit(settings.elasticsearch_url).netloc.rpartition("@")[2] or settings.elasticsearch_url
        with self._translated():
            self._client = Elasticsearch(**self._options, request_timeout=WRITE_TIMEOUT_S)
        self._loop = LoopThread("elasticsearch")
        self._async_client: AsyncElasticsearch | None = None

    @contextmanager
    def client(self) -> Iterator[Elasticsearch]:
        """For workers: blocks."""
        with self._translated():
            yield self._client

    def patiently(self, work: Callable[[Elasticsearch], object]) -> None:
        """One change; what the server has no room for now is asked again, as `bulk` does."""
        for attempt in range(BULK_RETRIES + 1):
            try:
                with self.client() as client:
                    work(client)
                return
            except TryLater as error:
                if error.code != BUSY or attempt == BULK_RETRIES:
                    raise
            time.sleep(FIRST_PAUSE_S * 2**attempt)

    def bulk(self, index: str, actions: Iterable[Action]) -> None:
        """Many changes of one alias `index`; what the server has no room for now is sent again, ever more slowly."""
        with self.client() as client:
            for _, answer in streaming_bulk(
                client,
                actions,
                max_chunk_bytes=BULK_BYTES,
                max_retries=BULK_RETRIES,
                initial_backoff=FIRST_PAUSE_S,
                raise_on_error=False,
                yield_ok=False,
                index=index,
                require_alias=True,
            ):
                (item,) = answer.values()
                if item.get("result") != "not_found":
                    raise _refused(item["status"], item.get("error", {}), self._place)

    async def read(self, work: Callable[[AsyncElasticsearch], Awaitable[T]]) -> T:
        """For queries: `work` with the asynchronous client, on the loop that it belongs to."""

        async def connected() -> T:
            with self._translated():
                if self._async_client is None:
                    self._async_client = AsyncElasticsearch(
                        **self._options, node_class=HttpNode, request_timeout=READ_TIMEOUT_S
                    )
                return await work(self._async_client)

        return await self._loop.run(connected)

    def require_answers(self, documents: Iterable[Mapping[str, Any]]) -> None:
        """Of a read by id: what could not be read is an error, unlike what is not there."""
        for document in documents:
            failure = _refused(503, document.get("error", {}), self._place)
            if "error" in document and not is_missing(failure):
                raise failure

    def close(self) -> None:
        """Close the connections."""
        self._loop.close(self._close_reading)
        self._client.close()

    async def _close_reading(self) -> None:
        if self._async_client is not None:
            await self._async_client.close()
            self._async_client = None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            cause = error.body.get("error", {}) if isinstance(error.body, dict) else {}
            raise _refused(error.meta.status, cause if isinstance(cause, dict) else {}, self._place) from error
        except msgspec.DecodeError as error:
            raise _damaged(error, self._place) from error
        except (TransportError, UnsupportedProductError, ValueError) as error:
            raise _unreachable(error, self._place) from error


def is_missing(error: TriviumError) -> bool:
    """Whether the index does not exist."""
    return error.code == "elasticsearch_no_index"


def _options(settings: Settings) -> dict[str, Any]:
    options: dict[str, Any] = {
        "hosts": settings.elasticsearch_url,
        "connections_per_node": CONNECTIONS,
        "max_retries": 1,  # a connection that the server closed while it was idle
        "retry_on_status": (),
    }
    if settings.elasticsearch_api_key:
        options["api_key"] = settings.elasticsearch_api_key
    elif settings.elasticsearch_user:
        options["basic_auth"] = (settings.elasticsearch_user, settings.elasticsearch_password)
    if settings.ca_file and settings.elasticsearch_url.startswith("https:"):
        options["ssl_context"] = trusted(settings.ca_file)
    return options


def _refused(status: int, cause: Mapping[str, Any], place: str) -> TriviumError:
    """An answer that is not the one asked for; `cause` is its `error`."""
    kind, reason = cause.get("type", ""), str(cause.get("reason", ""))[:300]
    told = f"Elasticsearch at {place} answered {status} {kind}: {reason}".rstrip(" :")
    if kind == "index_not_found_exception":
        return TryLater("elasticsearch_no_index", f"{told}.", "Run `trivium rebuild --store elasticsearch`.")
    if kind == "cluster_block_exception" or "maximum normal shards" in reason:
        return TryLater(
            "elasticsearch_full",
            f"{told}.",
            "Free disk space or raise cluster.max_shards_per_node; waiting work then goes on by itself.",
        )
    if status in (401, 403):
        return TryLater(
            "elasticsearch_credentials",
            f"{told}.",
            "Set TRIVIUM_ELASTICSEARCH_API_KEY, or TRIVIUM_ELASTICSEARCH_USER and TRIVIUM_ELASTICSEARCH_PASSWORD;"
            " waiting work then goes on by itself.",
        )
    if status == 429 or status >= 500:
        return TryLater(BUSY, f"{told}.", "It is tried again by itself.")
    return NeverWill("elasticsearch_error", f"{told}.", "Look the answer up in Elasticsearch's documentation and log.")


def _damaged(error: Exception, place: str) -> TryLater:
    return TryLater(
        "store_corrupt",
        f"Elasticsearch at {place} holds what cannot be read: {error}.",
        "Run `trivium audit --repair`; where a newer Trivium wrote it, use that.",
    )


def _unreachable(error: Exception, place: str) -> TriviumError:
    if isinstance(error, ValueError):
        return Refused("bad_setting", f"TRIVIUM_ELASTICSEARCH_URL does not fit: {error}.", "Write http://host:port.")
    if isinstance(error, UnsupportedProductError):
        return TryLater("elasticsearch_other", f"What answers at {place} is not Elasticsearch.", "Correct the address.")
    if isinstance(error, ConnectionTimeout):
        return TryLater("elasticsearch_slow", f"Elasticsearch at {place} did not answer in time.", "It is tried again.")
    return TryLater(
        "elasticsearch_down",
        f"Elasticsearch at {place} did not answer ({type(error).__name__}).",
        "Start it, or set TRIVIUM_ELASTICSEARCH_URL to where it is; waiting work then goes on by itself.",
    )
