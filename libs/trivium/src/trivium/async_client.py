"""The client for programs that run an event loop: what `trivium.client` does with documents, questions and the graph.

async with AsyncTriviumClient("http://127.0.0.1:8080") as client:
source = await client.submit_file(Path("report.pdf"))
await client.wait([source.id])
print((await client.ask("What did it find?")).text)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import msgspec

from trivium import api
from trivium.client import (
    DEFAULT_TIMEOUT_S,
    PAGE,
    POLL_S,
    _base_url,
    _connection,
    _decoded,
    _error,
    _event,
    _failures,
    _json,
    _or_default,
    _part,
    _question,
    _SentEvents,
    _taken,
)
from trivium.domain.answers import Kind
from trivium.domain.documents import DEFAULT_DATASET, DocumentState
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Mode, Rerank
from trivium.retrying import RETRIES, Retries, asks_for_more_time
from trivium.watched_file import Progress, WatchedFile
from trivium.within import EVERYTHING, Within

T = TypeVar("T")


class AsyncTriviumClient:
    """Calls one server. Arguments and failures are those of `TriviumClient`'s methods of the same names.

    `transport` leads there otherwise than over the network.
    """

    def __init__(
        self,
        url: str,
        api_key: str = "",
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries = RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = str(_base_url(url)).rstrip("/")
        self._retries = retries
        self._http = httpx.AsyncClient(**_connection(url, api_key, timeout_s), transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back."""
        await self._http.aclose()

    async def submit_file(
        self,
        path: Path,
        name: str = "",
        *,
        dataset: str = DEFAULT_DATASET,
        password: str = "",
        progress: Progress | None = None,
    ) -> api.Source:
        """Upload a file."""
        with path.open("rb") as content:
            form = {"file": (name or path.name, WatchedFile(content, progress), "application/octet-stream")}
            said = msgspec.to_builtins(api.UploadFields(dataset=dataset, password=password))
            return _taken(await self._call("POST", "/v1/sources", api.Accepted, files=form, data=said))

    async def submit_text(self, name: str, text: str, *, dataset: str = DEFAULT_DATASET) -> api.Source:
        """Upload a text under the name of a file, whose ending says what it is."""
        form = {"file": (name, text.encode(), "application/octet-stream")}
        return _taken(await self._call("POST", "/v1/sources", api.Accepted, files=form, data={"dataset": dataset}))

    async def submit_url(self, url: str, *, dataset: str = DEFAULT_DATASET, password: str = "") -> api.Source:
        """Have the server fetch a web page or file."""
        body = api.UrlSource(url=url, dataset=dataset, password=password)
        return _taken(await self._call("POST", "/v1/sources", api.Accepted, **_json(body)))

    async def sources(
        self,
        state: DocumentState | None = None,
        *,
        within: Within = EVERYTHING,
        limit: int = PAGE,
        cursor: str = "",
    ) -> api.SourcePage:
        """One page of sources, newest first."""
        wanted = {"state": state and state.value, **within.parameters()}
        return await self._get("/v1/sources", api.SourcePage, limit=limit, cursor=cursor, **wanted)

    async def all_sources(
        self, state: DocumentState | None = None, *, within: Within = EVERYTHING
    ) -> AsyncIterator[api.Source]:
        """Every source, page by page."""
        cursor = ""
        while True:
            page = await self.sources(state, within=within, cursor=cursor)
            for source in page.sources:
                yield source
            cursor = page.cursor
            if not cursor:
                return

    async def source(self, source_id: str) -> api.Source:
        """One source."""
        return await self._get(f"/v1/sources/{_part(source_id)}", api.Source)

    async def delete(self, source_id: str) -> api.Source:
        """Remove a source from every store."""
        while True:
            try:
                return await self._call("DELETE", f"/v1/sources/{_part(source_id)}", api.Source)
            except TryLater as error:
                if error.code != "deletion_goes_on":
                    raise

    async def chunk(self, source_id: str, number: int) -> api.Chunk:
        """The passage that a citation names."""
        return await self._get(f"/v1/sources/{_part(source_id)}/content", api.Chunk, chunk=number)

    async def chunks(self, source_id: str) -> AsyncIterator[api.Chunk]:
        """A source's chunks that queries see, in order."""
        cursor = ""
        while True:
            page = await self._get(f"/v1/sources/{_part(source_id)}/chunks", api.ChunkPage, limit=PAGE, cursor=cursor)
            for chunk in page.chunks:
                yield chunk
            cursor = page.cursor
            if not cursor:
                return

    async def status(self) -> api.Status:
        """How many sources are in which state and stage."""
        return await self._get("/v1/status", api.Status)

    async def wait(self, source_ids: Iterable[str]) -> list[api.Source]:
        """The sources, in the order given, once each is ready, empty or failed. Bound it with `asyncio.timeout`."""
        settled: list[api.Source] = []
        for source_id in dict.fromkeys(source_ids):
            while not (source := await self.source(source_id)).state.terminal:  # noqa: ASYNC110  in another process
                await asyncio.sleep(POLL_S)
            settled.append(source)
        return settled

    async def search(
        self,
        query: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        modalities: Sequence[UnitKind] = (),
        within: Within = EVERYTHING,
    ) -> api.SearchResponse:
        """Passages, best first."""
        filters = within.filters(tuple(modalities))
        body = api.SearchRequest(query=query, mode=mode, top_k=_or_default(top_k), filters=filters)
        return await self._call("POST", "/v1/search", api.SearchResponse, **_json(body))

    async def ask(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        conversation: str = "",
        kind: Kind | None = None,
        within: Within = EVERYTHING,
        rerank: Rerank | None = None,
    ) -> api.Answer:
        """A cited answer."""
        body = _question(question, mode, top_k, conversation, kind, within, rerank)
        return await self._call("POST", "/v1/queries", api.Answer, **_json(body))

    async def ask_stream(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        top_k: int | None = None,
        conversation: str = "",
        kind: Kind | None = None,
        within: Within = EVERYTHING,
        rerank: Rerank | None = None,
    ) -> AsyncIterator[api.AnswerEvent]:
        """The same answer as it is written; the `Answer` comes last."""
        body = _question(question, mode, top_k, conversation, kind, within, rerank, stream=True)
        with _failures(self.url):
            async with self._http.stream("POST", "/v1/queries", **_json(body)) as response:
                if response.is_error:
                    await response.aread()
                    raise _error(response)
                parts = _SentEvents()
                async for line in response.aiter_lines():
                    sent = parts.take(line)
                    event = _event(*sent) if sent else None
                    if event is not None:
                        yield event
                    if isinstance(event, api.Answer):
                        return
        raise TryLater("connection_lost", "The answer broke off before its end.", "Ask again.")

    async def entities(
        self, prefix: str = "", kind: str = "", *, limit: int = PAGE, cursor: str = ""
    ) -> api.EntityPage:
        """One page of entities, most mentioned first."""
        return await self._get(
            "/v1/graph/entities", api.EntityPage, prefix=prefix, type=kind or None, limit=limit, cursor=cursor
        )

    async def entity(self, entity_id: str) -> api.EntityPicture:
        """One entity with its neighbours and evidence."""
        return await self._get(f"/v1/graph/entities/{_part(entity_id)}", api.EntityPicture)

    async def _get(self, path: str, kind: type[T], **query: str | float | None) -> T:
        given = {name: value for name, value in query.items() if value not in (None, "")}
        return await self._call("GET", path, kind, params=given)

    async def _call(self, method: str, path: str, kind: type[T], **sent: Any) -> T:
        tried = 0
        while True:
            tried += 1
            with _failures(self.url):
                response = await self._http.request(method, path, **sent)
            if not response.is_error:
                return _decoded(response.content, kind)
            failure: TriviumError = _error(response)
            pause_s = self._retries.pause_s(tried, response.headers.get("retry-after", ""))
            if pause_s is None or not asks_for_more_time(method, path, response.status_code, response.headers):
                raise failure
            await asyncio.sleep(pause_s)
