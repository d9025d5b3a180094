"""Names that may be one thing."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from trivium import api
from trivium_query.handlers import duplicates
from trivium_query.http.actor import ActorDep
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import OF_A_BODY, Limit, PageCursor, ServicesDep, TenantDep, answers, takes, write

router = APIRouter(prefix="/v1/graph/duplicates", tags=["graph"])


@router.get("", **answers(api.DuplicatePage))
async def browse_duplicates(
    services: ServicesDep,
    tenant: TenantDep,
    dismissed: Annotated[bool, Query(description="Those that were put aside, instead of the others.")] = False,
    limit: Limit = 50,
    cursor: PageCursor = "",
) -> Response:
    """Two names that may be one thing, the likeliest first, with what speaks for it and against."""
    return write(await duplicates.browse(services, tenant, dismissed, limit, cursor))


@router.post("/accept", **answers(api.Edited, 404, *OF_A_BODY), openapi_extra=takes(api.NamePair))
async def accept_duplicate(request: Request, services: ServicesDep, tenant: TenantDep, actor: ActorDep) -> Response:
    """They are one thing: an edit that merges them."""
    return write(await duplicates.accept(services, tenant, await json_body(request, api.NamePair), actor))


@router.post("/dismiss", **answers(api.Edited, 404, *OF_A_BODY), openapi_extra=takes(api.NamePair))
async def dismiss_duplicate(request: Request, services: ServicesDep, tenant: TenantDep, actor: ActorDep) -> Response:
    """They are two: not asked again until other reasons are known. Names that rules merged are parted for good."""
    return write(await duplicates.dismiss(services, tenant, await json_body(request, api.NamePair), actor))
