"""The knowledge graph."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse

from trivium import api
from trivium.domain.documents import MAX_DATASET_CHARS
from trivium.domain.exports import ExportFormat
from trivium.domain.graph import EntityType
from trivium_query import views
from trivium_query.export.formats import FORMATS
from trivium_query.handlers import export as export_of
from trivium_query.handlers import graph
from trivium_query.handlers import topics as topics_of
from trivium_query.handlers.export import MAX_DEPTH
from trivium_query.handlers.links import links as document_links
from trivium_query.http.routing import AnyId, Limit, PageCursor, ServicesDep, TenantDep, answers, errors, write
from trivium_query.http.sources import ANY_DATASET

router = APIRouter(prefix="/v1/graph", tags=["graph"])

MAX_LEVEL = 9
DatasetName = Annotated[
    str,
    Query(max_length=MAX_DATASET_CHARS, pattern=ANY_DATASET, description="Only this dataset."),
]


@router.get("/entities", **answers(api.EntityPage))
async def browse(
    services: ServicesDep,
    tenant: TenantDep,
    prefix: Annotated[str, Query(max_length=200, pattern=api.NO_NUL, description="How a name or alias begins.")] = "",
    type: Annotated[EntityType | None, Query(description="Only this type.")] = None,
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """Entities, most mentioned first."""
    page = await graph.browse(services, tenant, prefix, type or "", limit, cursor)
    return write(views.to_api(api.EntityPage, page))


@router.get("/links/{id}", **answers(api.SourceLinks, 404))
async def links(id: AnyId, services: ServicesDep, tenant: TenantDep) -> Response:
    """Which sources a source links to, and which link to it."""
    return write(views.links(await document_links(services, tenant, id)))


@router.get("/topics", **answers(api.TopicPage, 404))
async def topics(
    services: ServicesDep,
    tenant: TenantDep,
    level: Annotated[int, Query(ge=0, le=MAX_LEVEL, description="How fine; 0 is the coarsest.")] = 0,
    dataset: DatasetName = "",
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """What the documents are about: communities of names, the largest first, made anew when the graph has changed."""
    return write(views.topic_page(await topics_of.browse(services, tenant, level, dataset, limit, cursor)))


@router.get("/topics/{id}", **answers(api.TopicPicture, 404))
async def topic(id: AnyId, services: ServicesDep, tenant: TenantDep, dataset: DatasetName = "") -> Response:
    """A topic, its names, and the passages that say most of it."""
    return write(views.topic_picture(await topics_of.picture(services, tenant, id, dataset)))


@router.get(
    "/export",
    response_class=Response,
    responses={
        200: {
            "description": "The graph in the format asked for, as it is read.",
            "content": {writing.media_type.partition(";")[0]: {} for writing in FORMATS.values()},
        },
        **errors(404),
    },
)
async def export(
    services: ServicesDep,
    tenant: TenantDep,
    format: Annotated[ExportFormat, Query(description="How it is written; `rdf` is N-Triples.")] = ExportFormat.JSONL,
    entity: Annotated[
        str, Query(max_length=200, pattern=api.NO_NUL, description="Only around this one: a name or an id.")
    ] = "",
    depth: Annotated[int, Query(ge=0, le=MAX_DEPTH, description="How many steps from `entity`.")] = 1,
    dataset: DatasetName = "",
    topics: Annotated[
        bool, Query(description="With the topics last, as jsonl or graphml; not around `entity`.")
    ] = False,
) -> Response:
    """Entities with names, types and aliases, then each relation with the passage that states it; streamed."""
    pieces = await export_of.export(services, tenant, format, entity, depth, dataset, topics)
    writing = FORMATS[format]
    named = {"content-disposition": f'attachment; filename="graph.{writing.suffix}"'}
    return StreamingResponse(await begun(pieces), 200, named, writing.media_type)


@router.get("/entities/{id}", **answers(api.EntityPicture, 404))
async def show(
    id: AnyId,
    services: ServicesDep,
    tenant: TenantDep,
    neighbours: Annotated[int, Query(ge=1, le=graph.MAX_NEIGHBOURS)] = graph.NEIGHBOURS,
    evidence: Annotated[int, Query(ge=1, le=graph.MAX_EVIDENCE)] = graph.EVIDENCE,
    cursor: PageCursor = "",
) -> Response:
    """An entity, what it is related to, and the passages that say so. `cursor` leads to further neighbours."""
    return write(views.picture(await graph.picture(services, tenant, id, neighbours, evidence, cursor)))


async def begun(pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The same pieces, the first of which is there: what fails before it is a plain error."""
    first = await anext(pieces, b"")

    async def all_of_them() -> AsyncGenerator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    return all_of_them()
