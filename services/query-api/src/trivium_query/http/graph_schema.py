"""The schema of a dataset's graph."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from trivium import api
from trivium.domain.documents import DATASET, DEFAULT_DATASET, MAX_DATASET_CHARS
from trivium_query import schema_views
from trivium_query.handlers import graph_schema
from trivium_query.http.bodies import json_body
from trivium_query.http.routing import OF_A_BODY, ServicesDep, TenantDep, answers, takes, write

router = APIRouter(prefix="/v1/graph/schema", tags=["graph"])

_Dataset = Annotated[str, Query(min_length=1, max_length=MAX_DATASET_CHARS, pattern=DATASET)]
_Number = Annotated[int | None, Query(ge=0, le=10**8 - 1, description="A version; 0 is before the first.")]


@router.get("", **answers(api.GraphSchema, 404))
async def show_schema(
    services: ServicesDep, tenant: TenantDep, dataset: _Dataset = DEFAULT_DATASET, number: _Number = None
) -> Response:
    """The types in force, what is proposed, and who changed it last and why."""
    return write(schema_views.schema(await graph_schema.show(services, tenant, dataset, number)))


@router.post("/propose", **answers(api.GraphSchema, *OF_A_BODY), openapi_extra=takes(api.ProposeSchema, optional=True))
async def propose_schema(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Read the dataset's graph and propose what no type in force covers; or propose the types given."""
    asked = await json_body(request, api.ProposeSchema, absent=api.ProposeSchema())
    return write(schema_views.schema(await graph_schema.propose(services, tenant, asked)))


@router.post("/accept", **answers(api.GraphSchema, 404, 409, *OF_A_BODY), openapi_extra=takes(api.DecideSchema))
async def accept_schema(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Put proposals in force: those named, or without names all that have no problem."""
    asked = await json_body(request, api.DecideSchema)
    return write(schema_views.schema(await graph_schema.accept(services, tenant, asked)))


@router.post("/reject", **answers(api.GraphSchema, 404, 409, *OF_A_BODY), openapi_extra=takes(api.DecideSchema))
async def reject_schema(request: Request, services: ServicesDep, tenant: TenantDep) -> Response:
    """Have proposals not made again. A type in force is so no longer; what states it stays in the graph."""
    asked = await json_body(request, api.DecideSchema)
    return write(schema_views.schema(await graph_schema.reject(services, tenant, asked)))


@router.get("/diff", **answers(api.SchemaDifference, 404))
async def diff_schema(
    services: ServicesDep,
    tenant: TenantDep,
    dataset: _Dataset = DEFAULT_DATASET,
    older: _Number = None,
    newer: _Number = None,
) -> Response:
    """What lies between two versions, and every change on the way; by default what the last one changed."""
    return write(schema_views.difference(await graph_schema.compare(services, tenant, dataset, older, newer)))
