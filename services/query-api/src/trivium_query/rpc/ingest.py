# ruff: noqa: N802  (calls have the names of proto/)
"""IngestService over the shared handlers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from trivium.domain.documents import DEFAULT_DATASET, Document, DocumentState
from trivium.domain.password import given_password
from trivium.domain.runs import new_run
from trivium.domain.times import TimeOf
from trivium.invalid_request import misfit
from trivium.ports.intake import Destination, NewSource
from trivium.ports.parser import Blob
from trivium.rpc_calls import Context
from trivium.v1 import ingest_pb2, ingest_pb2_grpc
from trivium_query import pace, views
from trivium_query.failures import body_late
from trivium_query.handlers import crawls, datasets, deletions, sources
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Call, Servicer

MAX_FIELD_CHARS = 300


class Ingest(Servicer, ingest_pb2_grpc.IngestServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """What is handed over, and how far it has come."""

    async def SubmitSource(
        self, requests: AsyncIterator[ingest_pb2.SubmitSourceRequest], context: Context
    ) -> ingest_pb2.SubmitSourceResponse:
        """One source: a header, then its bytes."""
        async with self._calls.open("SubmitSource", context) as call:
            return ingest_pb2.SubmitSourceResponse(source=messages.source(await self._submit(requests, call)))

    async def CrawlSite(self, request: ingest_pb2.CrawlSiteRequest, context: Context) -> None:
        """A whole site, page by page."""
        async with self._calls.open("CrawlSite", context) as call:
            asked = messages.crawl(request)
            async with aclosing(await crawls.open_crawl(self._services, call.tenant, asked)) as visits:
                async for visit in visits:
                    await context.write(ingest_pb2.CrawlSiteResponse(**messages.fields(views.visited(visit))))

    async def GetSource(self, request: ingest_pb2.GetSourceRequest, context: Context) -> ingest_pb2.GetSourceResponse:
        """How far one source has come."""
        async with self._calls.open("GetSource", context) as call:
            document = await sources.find(self._services, call.tenant, request.id)
            return ingest_pb2.GetSourceResponse(source=messages.source(document))

    async def ListSources(
        self, request: ingest_pb2.ListSourcesRequest, context: Context
    ) -> ingest_pb2.ListSourcesResponse:
        """Newest first."""
        async with self._calls.open("ListSources", context) as call:
            state = messages.one_of(DocumentState, request.state, "state") if request.state else None
            time = messages.one_of(TimeOf, request.time, "time") if request.time else TimeOf.UPLOADED
            restrict = (request.dataset, request.since, request.until, time, request.run)
            chosen = sources.chosen(state, request.parent, *restrict)
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            page = await sources.browse(self._services, call.tenant, chosen, limit, cursor)
            return ingest_pb2.ListSourcesResponse(
                sources=[messages.source(document) for document in page.documents],
                next_page_token=page.cursor,
            )

    async def ListDatasets(
        self, request: ingest_pb2.ListDatasetsRequest, context: Context
    ) -> ingest_pb2.ListDatasetsResponse:
        """By name."""
        async with self._calls.open("ListDatasets", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            page = await datasets.browse(self._services, call.tenant, limit, cursor)
            told = messages.fields(views.datasets(page))
            return ingest_pb2.ListDatasetsResponse(next_page_token=told.pop("cursor"), **told)

    async def UnlockSource(
        self, request: ingest_pb2.UnlockSourceRequest, context: Context
    ) -> ingest_pb2.UnlockSourceResponse:
        """Read again with a password."""
        async with self._calls.open("UnlockSource", context) as call:
            document = await sources.unlock(self._services, call.tenant, request.id, request.password)
            return ingest_pb2.UnlockSourceResponse(source=messages.source(document))

    async def DeleteSource(
        self, request: ingest_pb2.DeleteSourceRequest, context: Context
    ) -> ingest_pb2.DeleteSourceResponse:
        """Gone from every store when this returns."""
        async with self._calls.open("DeleteSource", context) as call:
            document = await sources.delete(self._services, call.tenant, request.id)
            return ingest_pb2.DeleteSourceResponse(source=messages.source(document))

    async def DeleteSources(
        self, request: ingest_pb2.DeleteSourcesRequest, context: Context
    ) -> ingest_pb2.DeleteSourcesResponse:
        """Some of a dataset or of a run, from every store."""
        async with self._calls.open("DeleteSources", context) as call:
            _, cursor = messages.page_of(0, request.page_token)
            gone = await deletions.delete_chosen(self._services, call.tenant, request.dataset, request.run, cursor)
            return ingest_pb2.DeleteSourcesResponse(
                deleted=gone.deleted, done=gone.done, next_page_token=gone.cursor, warnings=gone.warnings
            )

    async def _submit(self, requests: AsyncIterator[ingest_pb2.SubmitSourceRequest], call: Call) -> Document:
        requests = _paced(aiter(requests))
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "header":
            raise misfit("header", "it in the first message, then the bytes")
        header = first.header
        for name in ("title", "dataset", "media_type", "run", "extractor"):
            if len(getattr(header, name)) > MAX_FIELD_CHARS:
                raise misfit(f"header.{name}", f"at most {MAX_FIELD_CHARS} characters")
        to = Destination(header.dataset or DEFAULT_DATASET, header.run or new_run(), header.move, header.extractor)
        password = given_password(header.password)
        if header.url:
            return await sources.accept_url(self._services, call.tenant, header.url, to, password)
        content = await self._read(requests)
        blob = Blob(header.name, content, header.media_type, password=password)
        return await sources.accept(self._services, call.tenant, NewSource(blob, header.title, to))

    async def _read(self, requests: AsyncIterator[ingest_pb2.SubmitSourceRequest]) -> bytes:
        """The bytes, refused as soon as they pass the bound."""
        limit = self._services.settings.max_upload_bytes
        content = bytearray()
        async for request in requests:
            if request.WhichOneof("part") != "content":
                raise misfit("header", "one source in each call, whose first message alone is a header")
            content += request.content
            if len(content) > limit:
                raise sources.too_large(limit)
        return bytes(content)


async def _paced(
    requests: AsyncIterator[ingest_pb2.SubmitSourceRequest],
) -> AsyncIterator[ingest_pb2.SubmitSourceRequest]:
    """As they come. Raises `TryLater` (`body_late`) for a caller that does not keep the `pace`."""
    now = asyncio.get_running_loop().time
    began, received = now(), 0
    while True:
        try:
            async with asyncio.timeout_at(pace.deadline(began, now(), received)):
                request = await anext(requests, None)
        except TimeoutError as error:
            raise body_late() from error
        if request is None:
            return
        received += request.ByteSize()
        yield request
