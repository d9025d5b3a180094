"""Datasets: which there are."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from trivium import api
from trivium_query import views
from trivium_query.handlers import datasets
from trivium_query.http.routing import Limit, PageCursor, ServicesDep, TenantDep, answers, write

router = APIRouter(prefix="/v1/datasets", tags=["datasets"])


@router.get("", **answers(api.DatasetPage))
async def browse(services: ServicesDep, tenant: TenantDep, limit: Limit = 50, cursor: PageCursor = "") -> Response:
    """The datasets that have a source, by name."""
    return write(views.datasets(await datasets.browse(services, tenant, limit, cursor)))
