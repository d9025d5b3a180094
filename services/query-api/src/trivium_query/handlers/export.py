"""The graph as a file, written while it is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

from trivium.domain.documents import Document
from trivium.domain.errors import Refused
from trivium.domain.exports import ExportFormat
from trivium.domain.graph import Entity
from trivium.domain.ids import is_id
from trivium.domain.scope import Tenant
from trivium.text.names import fold_name
from trivium_query.export import parts
from trivium_query.export.formats import FORMATS
from trivium_query.handlers.graph import unknown_entity
from trivium_query.handlers.sources import check_dataset
from trivium_query.handlers.topics import current
from trivium_query.requests import Services

MAX_DEPTH = 5


async def export(
    services: Services, tenant: Tenant, form: ExportFormat, entity: str, depth: int, dataset: str, topics: bool = False
) -> AsyncGenerator[bytes]:
    """The file in pieces: around `entity` (a name or an id) or everything, of a dataset where one is named.

    With `topics` those of everything, or of the dataset, come last. Raises `NotFound`, `Refused` (`invalid_request`,
    `no_topics`), and `TryLater` while topics are made, before the first piece; what fails later breaks off the file.
    """
    check_dataset(dataset)
    around = FORMATS[form].topics
    if topics and (entity or around is None):
        raise Refused(
            "no_topics", "Topics are of everything or of a dataset, and jsonl or graphml.", "Ask without `topics`."
        )
    made = (await current(services, tenant, dataset)).topics.topics if topics else ()
    registry = services.registry.for_tenant(tenant)

    async def records(document_ids: Sequence[str]) -> Mapping[str, Document]:
        return await asyncio.to_thread(registry.get_many, document_ids)

    curated = await asyncio.to_thread(services.curation.now, tenant)
    hidden = curated.folded.decisions.hidden
    stores = parts.Stores(services.graphs.reader(tenant), services.keywords.reader(tenant), records, hidden)
    if entity:
        pages = parts.neighbourhood(stores, await _entity(stores, entity), depth, dataset)
    else:
        pages = parts.whole(stores, dataset)
    return _written(form, pages, around(made) if around else b"")


async def _written(form: ExportFormat, pages: AsyncGenerator[list[parts.Part]], topics: bytes) -> AsyncGenerator[bytes]:
    writing = FORMATS[form]
    if writing.beginning:
        yield writing.beginning
    async for page in pages:
        if page:
            yield await asyncio.to_thread(writing.parts, page)
    if topics:
        yield topics
    if writing.end:
        yield writing.end


async def _entity(stores: parts.Stores, wanted: str) -> Entity:
    """By id, else by any of its names."""
    if is_id(wanted):
        return await stores.graph.entity(wanted)
    key = fold_name(wanted)
    found = (await stores.graph.named([key])).get(key) if key else None
    if found is None:
        raise unknown_entity()
    return found
