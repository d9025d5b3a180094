"""Sources: take, list, show, hand back, delete."""

from __future__ import annotations

import asyncio
import re

import anyio.from_thread
import anyio.to_thread
import msgspec

from trivium.access.trail import touched, touching
from trivium.domain.chunks import Chunk
from trivium.domain.documents import DATASET, MAX_DATASET_CHARS, Document, DocumentState
from trivium.domain.errors import NotFound, Refused
from trivium.domain.extractors import Extractor, require_model
from trivium.domain.ids import is_id
from trivium.domain.limits import Resource
from trivium.domain.password import Password, given_password
from trivium.domain.retrieval import SearchFilter
from trivium.domain.scope import Tenant
from trivium.domain.source_names import MAX_NAME_CHARS, file_source, name_too_long
from trivium.domain.times import TimeOf, period
from trivium.invalid_request import misfit
from trivium.ports.intake import Destination, NewSource
from trivium.ports.parser import Blob
from trivium.ports.registry import DocumentCounts, DocumentPage, TenantRegistry
from trivium_query.access.limiter import take, take_all
from trivium_query.pages.build import order_of, page_image
from trivium_query.pages.view import AROUND, View
from trivium_query.requests import Services

MAX_CURSOR_CHARS = 1024
MAX_READS = 40  # of one listing, to fill a page that deletions or a dataset have thinned out
MAX_ORDINAL = 2**31 - 1


class ChunkPage(msgspec.Struct, frozen=True):
    """One page of a document's chunks in order; `cursor` is "" on the last page."""

    chunks: tuple[Chunk, ...]
    cursor: str = ""


class Chosen(msgspec.Struct, frozen=True):
    """Which sources a listing holds; by default all but the deleted ones, which `state` has to ask for."""

    state: DocumentState | None = None
    parent: str = ""
    filter: SearchFilter = SearchFilter()

    def holds(self, document: Document) -> bool:
        """Whether the document is in the state wanted and passes the filter; `parent` is not looked at."""
        wanted = self.state is not None or document.state is not DocumentState.DELETED
        return wanted and self.state in (None, document.state) and self.filter.admits(document)


def chosen(
    state: DocumentState | None, parent: str, dataset: str, since: str, until: str, time: TimeOf, run: str
) -> Chosen:
    """Raises `InvalidRequest` and `Refused` (`bad_time`) for what names no dataset, run or time."""
    for name, value in (("dataset", dataset), ("run", run)):
        if value:
            check_name_of(name, value)
    return Chosen(state, parent, SearchFilter(dataset=dataset, run=run, period=period(since, until, time)))


async def accept(services: Services, tenant: Tenant, source: NewSource) -> Document:
    """Take one file. Raises `Refused` (`too_large`), `InvalidRequest`, `TooMany`, and as `file_source`."""
    limit = services.settings.max_upload_bytes
    if len(source.blob.content) > limit:
        raise too_large(limit)
    check_destination(source.to)
    check_extractor(services, source.to.extractor)
    name = file_source(source.blob.name)
    await take_all({Resource.DOCUMENTS: 1, Resource.BYTES: len(source.blob.content)})
    named = msgspec.structs.replace(source, blob=msgspec.structs.replace(source.blob, name=name))
    document = await asyncio.to_thread(services.intake.for_tenant(tenant).accept, named)
    touched(document.id)
    return document


async def accept_url(
    services: Services, tenant: Tenant, url: str, to: Destination, password: Password | None = None
) -> Document:
    """Fetch and take one address. Slow hosts wait in threads of their own, not in the ones that read the registry.

    Raises as `accept`, and as `TenantIntake.accept_url`.
    """
    check_destination(to)
    check_extractor(services, to.extractor)
    check_url(url)
    await take(Resource.DOCUMENTS, 1)
    intake = services.intake.for_tenant(tenant)
    document = await anyio.to_thread.run_sync(intake.accept_url, url, to, password, _count, abandon_on_cancel=True)
    touched(document.id)
    return document


def _count(size_bytes: int) -> None:
    """Against the limits of who asked, from the thread that fetched. Raises `TooMany`."""
    anyio.from_thread.run(take, Resource.BYTES, size_bytes)


def check_extractor(services: Services, extractor: str) -> None:
    """Raises `InvalidRequest` and `Refused` (`no_language_model`)."""
    if extractor and extractor not in list(Extractor):
        raise misfit("extractor", f"one of {', '.join(Extractor)}, or none")
    require_model(extractor, bool(services.settings.llm))


async def unlock(services: Services, tenant: Tenant, document_id: str, text: str) -> Document:
    """Give a document's password afterwards.

    Raises `NotFound` as `find`, and `Refused` (`bad_password`, `no_password_needed`).
    """
    password = given_password(text)
    if password is None:
        raise Refused("bad_password", "The password is empty.", "Give the one that opens the file.")
    document = await find(services, tenant, document_id)
    with touching(document.id):
        return await asyncio.to_thread(services.intake.for_tenant(tenant).unlock, document.id, password)


async def find(services: Services, tenant: Tenant, document_id: str) -> Document:
    """One document. Raises `NotFound`, also for a deleted one, another tenant's and what cannot be an id."""
    if not is_id(document_id):
        raise unknown_source()
    document = await asyncio.to_thread(services.registry.for_tenant(tenant).get, document_id)
    if document.state is DocumentState.DELETED:
        raise unknown_source()
    return document


async def browse(services: Services, tenant: Tenant, chosen: Chosen, limit: int, cursor: str) -> DocumentPage:
    """Newest first; with a `parent`, those that were found inside it, by name within a page.

    A page may hold fewer than `limit`, even none: what was not chosen is left out. Raises `NotFound` for an unknown
    parent, `Refused` (`bad_cursor`).
    """
    if chosen.parent:
        return await _inside(services, tenant, chosen, limit, cursor)
    registry = services.registry.for_tenant(tenant)
    return await asyncio.to_thread(_page, registry, chosen, limit, cursor)


async def _inside(services: Services, tenant: Tenant, chosen: Chosen, limit: int, cursor: str) -> DocumentPage:
    if cursor and not is_id(cursor):
        raise bad_cursor()
    document = await find(services, tenant, chosen.parent)
    page = await asyncio.to_thread(services.intake.for_tenant(tenant).children, document.id, limit, cursor)
    return DocumentPage(tuple(d for d in page.documents if chosen.holds(d)), page.cursor)


def _page(registry: TenantRegistry, chosen: Chosen, limit: int, cursor: str) -> DocumentPage:
    kept: list[Document] = []
    for _ in range(MAX_READS):
        page = registry.list(chosen.state, limit - len(kept), cursor)
        kept += [d for d in page.documents if chosen.holds(d)]
        cursor = page.cursor
        if not cursor or len(kept) == limit:
            break
    return DocumentPage(tuple(kept), cursor)


async def counts(services: Services, tenant: Tenant) -> DocumentCounts:
    """Documents by state and by stage."""
    return await asyncio.to_thread(services.registry.for_tenant(tenant).counts)


async def delete(services: Services, tenant: Tenant, document_id: str) -> Document:
    """Remove a document everywhere; returns its last record. Again is harmless: it finishes what broke off."""
    if not is_id(document_id):
        raise unknown_source()
    with touching(document_id):
        return await asyncio.to_thread(services.intake.for_tenant(tenant).delete, document_id)


async def original(services: Services, tenant: Tenant, document_id: str) -> tuple[Document, Blob]:
    """The bytes as they came, with the record they belong to."""
    document = await find(services, tenant, document_id)
    blob = await asyncio.to_thread(services.intake.for_tenant(tenant).original, document_id)
    return document, blob


async def page(
    services: Services, tenant: Tenant, document_id: str, number: int | None, highlight: int | None, quote: str
) -> bytes:
    """A page of the original as PNG, with chunk `highlight` marked; `quote` within it where it is found."""
    passage = await chunk(services, tenant, document_id, highlight) if highlight else None
    _, blob = await original(services, tenant, document_id)
    return await page_image(order_of(blob, number, passage, quote))


async def view(services: Services, tenant: Tenant, document_id: str, number: int, quote: str) -> View:
    """The passage of that number among its neighbours. Raises `NotFound` as `chunk` does."""
    document = await find(services, tenant, document_id)
    first = max(1, number - AROUND)
    wanted = number - first + AROUND + 2  # one more, to know whether there is a next
    found = await _passages(services, tenant, document, first - 1, wanted)
    shown = [passage for passage in found if passage.number <= number + AROUND]
    if all(passage.number != number for passage in shown):
        raise _no_such_chunk(document, number)
    following = found[len(shown)].number if len(found) > len(shown) else 0
    return View(document, shown, number, quote, following)


async def asset(services: Services, tenant: Tenant, document_id: str, name: str) -> Blob:
    """A picture of one of the document's units. Raises `NotFound`."""
    await find(services, tenant, document_id)
    return await asyncio.to_thread(services.intake.for_tenant(tenant).asset, document_id, name)


async def chunks(services: Services, tenant: Tenant, document_id: str, limit: int, cursor: str) -> ChunkPage:
    """The chunks that queries see, in order. Raises `Refused` (`bad_cursor`)."""
    start = _ordinal(cursor)
    document = await find(services, tenant, document_id)
    found = await _passages(services, tenant, document, start, limit + 1)
    page = tuple(found[:limit])
    return ChunkPage(page, str(found[limit].ordinal) if len(found) > limit else "")


async def chunk(services: Services, tenant: Tenant, document_id: str, number: int) -> Chunk:
    """The passage that the citation `[Source: file, chunk number]` means."""
    document = await find(services, tenant, document_id)
    found = await _passages(services, tenant, document, number - 1, 1)
    if found and found[0].number == number:
        return found[0]
    raise _no_such_chunk(document, number)


async def _passages(services: Services, tenant: Tenant, document: Document, start: int, limit: int) -> list[Chunk]:
    """Those that queries see, in order."""
    version = document.active_version
    return await services.keywords.reader(tenant).document_chunks(document.id, version, start, limit) if version else []


def _no_such_chunk(document: Document, number: int) -> NotFound:
    return NotFound(
        "no_such_chunk",
        f"This source has no chunk {number}.",
        f"Ask /v1/sources/{document.id}/chunks for what it has.",
    )


def too_large(limit: int) -> Refused:
    """The body or file passed its bound."""
    return Refused("too_large", f"More than {limit} bytes.", "Send less, split it, or raise TRIVIUM_MAX_UPLOAD_BYTES.")


def bad_cursor() -> Refused:
    """The cursor comes from nowhere, or from another listing."""
    return Refused("bad_cursor", "The cursor is not one of this listing.", "Start again without a cursor.")


def unknown_source() -> NotFound:
    """The same words whether a source never was, is gone or is another tenant's."""
    return NotFound("no_such_document", "There is no such source.", "List sources with GET /v1/sources.")


def check_url(url: str) -> None:
    """Raises `Refused` (`name_too_long`): a page is called by its address."""
    if len(url) > MAX_NAME_CHARS:
        raise name_too_long()


def check_destination(to: Destination) -> None:
    """Raises `InvalidRequest` for what cannot name a dataset or a run."""
    check_name_of("dataset", to.dataset)
    check_name_of("run", to.run)


def check_dataset(named: str) -> None:
    """Of a request that may name one; "" names none. Raises `InvalidRequest`."""
    if named:
        check_name_of("dataset", named)


def check_name_of(what: str, name: str) -> None:
    """Raises `InvalidRequest`."""
    if len(name) > MAX_DATASET_CHARS or not re.fullmatch(DATASET, name):
        expected = f"at most {MAX_DATASET_CHARS} letters, digits, '.', '_' or '-', beginning with a letter or digit"
        raise misfit(what, expected)


def _ordinal(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 11 and int(cursor) <= MAX_ORDINAL):
        raise bad_cursor()
    return int(cursor)
