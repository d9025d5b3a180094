"""The trail: who did what."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from trivium import api
from trivium_query.handlers import access
from trivium_query.http.routing import Limit, PageCursor, ServicesDep, TenantDep, answers, write
from trivium_query.http.sources import TIME_QUERY
from trivium_query.views import to_api

router = APIRouter(prefix="/v1/trail", tags=["access"])

Since = Annotated[str, Query(**TIME_QUERY, description="From this time of ISO 8601 on.")]


@router.get("", **answers(api.TrailPage))
async def read(
    services: ServicesDep, tenant: TenantDep, since: Since = "", limit: Limit = 50, cursor: PageCursor = ""
) -> Response:
    """Who did what to which document, key or edit, oldest first; never what was in it."""
    entries, following = await access.trail(services, tenant, limit, cursor, since)
    return write(api.TrailPage(tuple(to_api(api.TrailEntry, entry) for entry in entries), following))
