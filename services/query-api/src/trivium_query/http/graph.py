"""The knowledge graph."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from trivium import api
from trivium.domain.graph import EntityType
from trivium_query import views
from trivium_query.handlers import graph
from trivium_query.handlers.links import links as document_links
from trivium_query.http.routing import AnyId, Limit, PageCursor, ServicesDep, TenantDep, answers, write

router = APIRouter(prefix="/v1/graph", tags=["graph"])


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


@router.get("/entities/{id}", **answers(api.EntityPicture, 404))
async def show(
    id: AnyId,
    services: ServicesDep,
    tenant: TenantDep,
    neighbours: Annotated[int, Query(ge=1, le=graph.MAX_NEIGHBOURS)] = 25,
    evidence: Annotated[int, Query(ge=1, le=graph.MAX_EVIDENCE)] = 20,
) -> Response:
    """An entity, what it is related to, and the passages that say so."""
    return write(views.picture(await graph.picture(services, tenant, id, neighbours, evidence)))
